//! What became of a name that was to be fetched: a line, a JSON object, an exit code.

use super::FetchError;
use crate::cli::offers::Offer;
use crate::cli::output::{message, print, printable};
use crate::cli::{CliError, Exit};
use analysis::number;
use bytesize::ByteSize;
use fetch::Fetched;
use serde_json::{Value, json};

/// What became of it.
#[derive(Debug)]
pub enum State {
    /// It needs no files.
    BuiltIn,
    /// All of it was there, byte by byte.
    There,
    /// Files of its names are there, which nobody has a checksum for.
    Unchecked,
    Fetched(Fetched),
    /// The user has to bring it.
    ByHand {
        advice: String,
    },
    Failed(FetchError),
}

/// What became of a name, and how long it took.
#[derive(Debug)]
pub struct Outcome<'a> {
    pub offer: &'a Offer,
    pub state: State,
    pub seconds: f64,
}

impl Outcome<'_> {
    fn word(&self) -> &'static str {
        match &self.state {
            State::BuiltIn => "built-in",
            State::There => "there",
            State::Unchecked => "unchecked",
            State::Fetched(_) => "fetched",
            State::ByHand { .. } => "by-hand",
            State::Failed(_) => "failed",
        }
    }

    /// In words; what is wrong with it is for standard error.
    pub(super) fn text(&self) -> Result<String, String> {
        let (name, folder) = (&self.offer.name, self.offer.folder.display());
        let page = match self.offer.provenance.source.as_str() {
            "" => String::new(),
            source => format!("\n  its page: {source}"),
        };
        match &self.state {
            State::BuiltIn => Ok(format!("{name}: built in, needs no files")),
            State::There => Ok(format!("{name}: already there, whole, in {folder}")),
            State::Unchecked => {
                Ok(format!("{name}: already there, in {folder} (no checksums are known)"))
            }
            State::Fetched(Fetched { files, bytes }) => {
                let (files, bytes) = (number::counted(*files, "file"), ByteSize(*bytes));
                Ok(format!("{name}: {files}, {bytes}, in {folder}"))
            }
            State::ByHand { advice } => {
                let belongings = self.offer.belongings();
                let advice = if advice.is_empty() { "" } else { &format!("\n  {advice}") };
                Err(format!("{name} cannot be fetched{advice}\n  put {belongings}{page}"))
            }
            State::Failed(error) => Err(format!("{name}: {error}{page}")),
        }
    }

    /// Prints it where it belongs.
    pub(super) fn show(&self, quiet: bool) -> Result<(), CliError> {
        match self.text() {
            Ok(text) if !quiet => print(&printable(&text)),
            Ok(_) => Ok(()),
            Err(text) => {
                let lines: Vec<String> = text.lines().map(printable).collect();
                message!("error: {}", lines.join("\n"));
                Ok(())
            }
        }
    }

    /// For programs.
    pub(super) fn json(&self) -> Value {
        let fetched = match &self.state {
            State::Fetched(fetched) => *fetched,
            _ => Fetched::default(),
        };
        let error = match &self.state {
            State::Failed(error) => Some(error.to_string()),
            _ => None,
        };
        let mut json = self.offer.json();
        json["state"] = json!(self.word());
        json["fetched_files"] = json!(fetched.files);
        json["fetched_bytes"] = json!(fetched.bytes);
        json["seconds"] = json!(self.seconds);
        json["error"] = json!(error);
        json
    }
}

/// What all of it means: something failed and may be tried again, or is for the user to bring.
pub(super) fn exit(outcomes: &[Outcome<'_>]) -> Exit {
    let failures: Vec<&FetchError> = outcomes
        .iter()
        .filter_map(|outcome| match &outcome.state {
            State::Failed(error) => Some(error),
            _ => None,
        })
        .collect();
    let by_hand = outcomes.iter().any(|outcome| matches!(outcome.state, State::ByHand { .. }));
    match failures.as_slice() {
        [] if by_hand => Exit::Invalid,
        [] => Exit::Done,
        all if all.iter().all(|error| matches!(error, FetchError::InUse { .. })) => Exit::InUse,
        _ => Exit::SomeFailed,
    }
}
