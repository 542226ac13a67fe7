//! `tailgrid fetch NAME…`: brings what the catalogue has, or says who gives it out.

mod outcome;
mod stopping;

use super::offers::{self, Kind, Offer};
use super::output::print;
use super::{CliError, Common, Exit};
use atomic::places;
use domain::TransferEvent;
use fetch::{FetchError, Item, Options, Presence};
use outcome::{Outcome, State};
use serde_json::json;
use spec::{Origin, did_you_mean};
use std::time::Instant;
use ui::{self, Style};

/// Fetches corpora, embeddings and checkpoints of the catalogue, checksummed; what broke off goes
/// on
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// What to fetch; nothing lists what there is
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// List what there is, what is on this machine already, sizes and licences
    #[arg(long, conflicts_with = "names")]
    pub list: bool,
    /// Replace files of the same name that are not the catalogue's
    #[arg(long)]
    pub force: bool,
}

/// Fetches what is named, or lists what there is.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let offers = offers::offers(common)?;
    if args.names.is_empty() {
        return list(&offers, common);
    }
    let chosen = chosen(&offers, &args.names)?;
    stopping::end_on_signals();
    // The result is for standard output, as JSON or not; progress is for whoever watches.
    let mut tell = ui::transfer(Style::choose(false, common.quiet));
    let options = Options { force: args.force, ..Options::default() };
    let mut outcomes = Vec::new();
    for offer in chosen {
        let outcome = fetch(offer, &options, &mut *tell);
        if !common.json {
            outcome.show(common.quiet)?;
        }
        outcomes.push(outcome);
    }
    if common.json {
        let items: Vec<_> = outcomes.iter().map(Outcome::json).collect();
        print(&format!("{:#}", json!({"items": items})))?;
    }
    Ok(outcome::exit(&outcomes))
}

/// The offers of these names, each once; nothing is fetched if one of them is unknown.
fn chosen<'a>(offers: &'a [Offer], names: &[String]) -> Result<Vec<&'a Offer>, CliError> {
    let mut chosen: Vec<&Offer> = Vec::new();
    for name in names {
        let Some(offer) = offers.iter().find(|offer| offer.name == *name) else {
            let known = offers.iter().map(|offer| offer.name.as_str());
            let meant = did_you_mean(name, known).map(|near| format!("; did you mean `{near}`?"));
            let message = format!(
                "the catalogue has no `{}`{}; `tailgrid fetch` lists what it has",
                super::output::printable(name),
                meant.unwrap_or_default()
            );
            return Err(CliError::new(Exit::Invalid, message));
        };
        if !chosen.iter().any(|other| other.name == offer.name) {
            chosen.push(offer);
        }
    }
    Ok(chosen)
}

fn fetch<'a>(
    offer: &'a Offer,
    options: &Options,
    tell: &mut dyn FnMut(&TransferEvent),
) -> Outcome<'a> {
    let start = Instant::now();
    let state = match &offer.provenance.origin {
        Origin::BuiltIn => State::BuiltIn,
        Origin::ByHand { .. } if offer.presence() == Presence::All => State::Unchecked,
        Origin::ByHand { advice, .. } => State::ByHand { advice: advice.clone() },
        Origin::Fetch(remotes) => {
            let item = Item { name: &offer.name, folder: &offer.folder, remotes };
            match item.fetch(options, tell) {
                Ok(fetched) if fetched.files == 0 => State::There,
                Ok(fetched) => State::Fetched(fetched),
                Err(error) => State::Failed(error),
            }
        }
    };
    Outcome { offer, state, seconds: start.elapsed().as_secs_f64() }
}

fn list(offers: &[Offer], common: &Common) -> Result<Exit, CliError> {
    let text = match common.json {
        true => {
            let items: Vec<_> = offers.iter().map(Offer::json).collect();
            format!("{:#}", json!({"items": items}))
        }
        false => listing(offers, common),
    };
    print(&text).map(|()| Exit::Done)
}

fn listing(offers: &[Offer], common: &Common) -> String {
    let width = offers.iter().map(|offer| offer.name.len()).max().unwrap_or(0);
    let cache = places::cache().unwrap_or_default();
    let places = [
        (Kind::Corpus, "Corpora", common.corpora.clone()),
        (Kind::Embeddings, "Embeddings", cache.join("embeddings")),
        (Kind::Checkpoint, "Checkpoints", cache.join("checkpoints")),
    ];
    let part = |(kind, title, place): (Kind, &str, std::path::PathBuf)| {
        let entries = offers.iter().filter(|offer| offer.kind == kind);
        let entries: String = entries.map(|offer| offer.text(width)).collect();
        format!("{title}, in {}/<name>/\n{entries}", place.display())
    };
    places.map(part).join("\n")
}

#[cfg(test)]
mod tests;
