//! The places of a model, a method and a corpus that a registry entry goes into.
//!
//! The checker, the JSON Schema and `tailgrid methods`/`models` all read these tables, so a new
//! place is one line here.

use parts::{Entry, Parameter};

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
        entries: parts::embeddings::ENTRIES,
        fallback: Fallback::Entry("random"),
    },
    Slot {
        name: "encoder",
        help: "from word vectors to a vector for each token in its context",
        entries: parts::encoders::ENTRIES,
        fallback: Fallback::Required,
    },
    Slot {
        name: "head",
        help: "from a token's vector to its tag",
        entries: parts::heads::ENTRIES,
        fallback: Fallback::Required,
    },
];

/// The parts of a method.
pub const METHOD: &[Slot] = &[
    Slot {
        name: "augment",
        help: "sentences that are added to the training data",
        entries: method::augment::ENTRIES,
        fallback: Fallback::Absent,
    },
    Slot {
        name: "resample",
        help: "how often each training sentence is used",
        entries: method::resample::ENTRIES,
        fallback: Fallback::Absent,
    },
    Slot {
        name: "unlabelled",
        help: "what words without an annotation count as in sentences that may lack some",
        entries: method::unlabelled::ENTRIES,
        fallback: Fallback::Absent,
    },
    Slot {
        name: "negatives",
        help: "which spans are taken for no entity while training",
        entries: method::negatives::ENTRIES,
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

/// Every slot.
pub fn all() -> impl Iterator<Item = &'static Slot> {
    MODEL.iter().chain(METHOD).chain(CORPUS)
}

/// What a scenario can change.
pub const SCENARIO: &[Parameter] = corpus::scenarios::PARAMETERS;

/// Every table of parameters with its name: those of each entry of each slot, of scenarios and of
/// training.
pub fn tables() -> impl Iterator<Item = (String, &'static [Parameter])> {
    let named =
        |slot: &Slot, entry: &Entry| (format!("{} {}", slot.name, entry.name), entry.parameters);
    let entries =
        all().flat_map(move |slot| slot.entries.iter().map(move |entry| named(slot, entry)));
    let others = [("scenario", SCENARIO), ("training", crate::training::PARAMETERS)];
    entries.chain(others.map(|(name, table)| (name.to_owned(), table)))
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
        for slot in all() {
            if let Fallback::Entry(name) = slot.fallback {
                assert!(slot.find(name).is_some(), "{}: {name}", slot.name);
            }
        }
    }

    #[test]
    fn no_parameter_hides_a_key_of_its_element() {
        for parameter in all().flat_map(|slot| slot.entries).flat_map(|entry| entry.parameters) {
            assert_ne!(parameter.name, "kind");
            assert_ne!(parameter.name, "name");
        }
    }
}
