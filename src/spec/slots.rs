//! The places of a model, a method and a corpus that a registry entry goes into.
//!
//! The checker, the JSON Schema and `tailgrid methods`/`models` all read these tables, so a new place
//! is one line here.

use crate::domain::{Entry, Parameter};
use crate::{corpus, method, model};

/// A place for one registry entry.
#[derive(Copy, Clone, Debug)]
pub struct Slot {
    /// The key in the grid.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// What can go there.
    pub entries: &'static [Entry],
    /// What goes there if the grid says nothing.
    pub fallback: Fallback,
}

/// What an unnamed slot holds.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Fallback {
    /// Nothing can be assumed: an error.
    Required,
    /// Nothing is fine.
    Absent,
    /// This entry.
    Entry(&'static str),
}

/// The parts of a model.
pub const MODEL: &[Slot] = &[
    Slot {
        name: "embeddings",
        help: "where word vectors come from",
        entries: model::embeddings::ENTRIES,
        fallback: Fallback::Entry("random"),
    },
    Slot {
        name: "encoder",
        help: "from word vectors to a vector for each token in its context",
        entries: model::encoders::ENTRIES,
        fallback: Fallback::Required,
    },
    Slot {
        name: "head",
        help: "from a token's vector to its tag",
        entries: model::heads::ENTRIES,
        fallback: Fallback::Required,
    },
];

/// The parts of a method.
pub const METHOD: &[Slot] = &[
    Slot {
        name: "resample",
        help: "how often each training sentence is used",
        entries: method::resample::ENTRIES,
        fallback: Fallback::Absent,
    },
    Slot {
        name: "loss",
        help: "what training minimises",
        entries: method::loss::ENTRIES,
        fallback: Fallback::Entry("cross-entropy"),
    },
];

/// The one part of a corpus.
pub const CORPUS: &[Slot] = &[Slot {
    name: "format",
    help: "how its files are written",
    entries: corpus::formats::ENTRIES,
    fallback: Fallback::Required,
}];

/// What a scenario can change.
pub const SCENARIO: &[Parameter] = corpus::scenarios::PARAMETERS;

/// Whether a corpus format reads files; one that does says so in what it needs.
pub fn takes_files(format: &Entry) -> bool {
    !format.needs.is_empty()
}

impl Slot {
    /// An entry by name.
    pub fn find(&self, name: &str) -> Option<&'static Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// The names that can go here.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + Clone + use<> {
        self.entries.iter().map(|entry| entry.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_an_entry() {
        for slot in MODEL.iter().chain(METHOD).chain(CORPUS) {
            if let Fallback::Entry(name) = slot.fallback {
                assert!(slot.find(name).is_some(), "{}: {name}", slot.name);
            }
        }
    }

    #[test]
    fn every_entry_has_a_name_help_and_defaults_in_range() {
        for entry in MODEL.iter().chain(METHOD).chain(CORPUS).flat_map(|slot| slot.entries) {
            assert!(!entry.help.is_empty() && !entry.name.is_empty(), "{}", entry.name);
            for parameter in entry.parameters {
                let default = parameter.default_value();
                assert_eq!(parameter.check(default.clone()), Ok(default), "{}", parameter.name);
                assert_ne!(parameter.name, "kind");
                assert_ne!(parameter.name, "name");
            }
        }
    }

    #[test]
    fn the_generated_corpus_takes_no_files_and_columns_do() {
        assert!(CORPUS[0].find("columns").is_some_and(takes_files));
        assert!(!CORPUS[0].find("synthetic").is_some_and(takes_files));
    }
}
