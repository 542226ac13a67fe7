//! `tailgrid corpora`: the corpora that a grid can name, and the formats it can read its own with.

use super::offers::{self, Offer};
use super::output::print;
use super::registry::{entry_json, parameter_json};
use super::{CliError, Common, Exit};
use corpus::{formats, scenarios};
use parts::{Need, Parameter};
use serde_json::{Value, json};
use spec::{CorpusEntry, SplitCounts};
use std::fmt::Write as _;

/// Lists the corpora of the catalogue, the formats and what scenarios can change
#[derive(clap::Args, Clone, Debug)]
pub struct Args {}

/// Prints the lists.
pub fn run(_args: &Args, common: &Common) -> Result<Exit, CliError> {
    let catalogue = offers::catalogue(common)?;
    let listing = match common.json {
        true => format!("{:#}", as_json(catalogue.corpora(), common)),
        false => as_text(catalogue.corpora(), common),
    };
    print(&listing).map(|()| Exit::Done)
}

fn as_json(corpora: &[CorpusEntry], common: &Common) -> Value {
    let corpus = |entry: &CorpusEntry| {
        let mut json = offers::corpus(entry, &common.corpora).json();
        json["counts"] = entry.counts.iter().map(count_json).collect();
        json
    };
    json!({
        "corpora": corpora.iter().map(corpus).collect::<Vec<_>>(),
        "formats": formats::ENTRIES.iter().map(entry_json).collect::<Vec<_>>(),
        "scenario": scenarios::PARAMETERS.iter().map(parameter_json).collect::<Vec<_>>(),
    })
}

fn count_json((split, counts): (&String, &SplitCounts)) -> (String, Value) {
    let SplitCounts { sentences, tokens, entities } = counts;
    let counts = json!({"sentences": sentences, "tokens": tokens, "entities": entities});
    (split.clone(), counts)
}

fn as_text(corpora: &[CorpusEntry], common: &Common) -> String {
    let width = corpora.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
    let offers = corpora.iter().map(|entry| offers::corpus(entry, &common.corpora));
    let entries: String = offers.map(|offer: Offer| offer.text(width)).collect();
    let mut text = format!("Corpora, in {}/<name>/:\n{entries}", common.corpora.display());
    text.push_str("What is to fetch comes with `tailgrid fetch NAME`.\n");
    text.push_str("\nFormats, for a corpus of your own:\n");
    for entry in formats::ENTRIES {
        let _ = writeln!(text, "  {}: {}", entry.name, entry.help);
        if entry.needs != Need::Nothing {
            let _ = writeln!(text, "    needs {}", entry.needs);
        }
        entry.parameters.iter().for_each(|parameter| text += &parameter_text(parameter));
    }
    text.push_str("\nScenarios can change:\n");
    scenarios::PARAMETERS.iter().for_each(|parameter| text += &parameter_text(parameter));
    text
}

fn parameter_text(parameter: &Parameter) -> String {
    let (name, help) = (parameter.name, parameter.help);
    let (allowed, default) = (parameter.expected(), parameter.default_value());
    format!("    {name:16}  {help}\n    {:16}  ({allowed}; default {default})\n", "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    fn common() -> Common {
        Common::parse_from(["tailgrid"])
    }

    #[test]
    fn the_text_names_every_corpus_format_and_parameter() {
        let catalogue = offers::catalogue(&common()).unwrap();
        let text = as_text(catalogue.corpora(), &common());
        let parameters = formats::ENTRIES.iter().flat_map(|entry| entry.parameters);
        for name in (formats::ENTRIES.iter().map(|entry| entry.name))
            .chain(parameters.chain(scenarios::PARAMETERS).map(|parameter| parameter.name))
            .chain(catalogue.corpora().iter().map(|entry| entry.name.as_str()))
        {
            assert!(text.contains(name), "{name}");
        }
        assert!(catalogue.corpora().iter().any(|entry| entry.name == "synthetic"));
    }

    #[test]
    fn the_json_has_defaults_as_values() {
        let json = as_json(offers::catalogue(&common()).unwrap().corpora(), &common());
        assert_eq!(json["corpora"][0]["name"], "synthetic");
        assert_eq!(json["corpora"][0]["standing"], "built in");
        assert_eq!(json["corpora"][1]["counts"]["train"]["tokens"], 62730);
        assert_eq!(json["formats"][0]["name"], "columns");
        assert_eq!(json["formats"][0]["parameters"][1]["default"], -1);
        assert_eq!(json["scenario"][0]["name"], "keep_types");
        let expected = scenarios::PARAMETERS[0].expected();
        assert_eq!(json["scenario"][0]["expected"], *expected, "as in methods --json");
    }
}
