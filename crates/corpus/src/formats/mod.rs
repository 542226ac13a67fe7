//! The corpus formats that grids can name.
//!
//! A format is one module with an `ENTRY`, which says what it is called and what it can be told,
//! `READS`, which says what its files are, a `check` of its settings alone and a `load`; and one line
//! in the list below.

mod brat;
mod columns;
mod csv;
mod fields;
mod folder;
#[doc(hidden)]
pub mod fuzzing;
mod json_spans;
mod knp;
mod ontonotes;
mod pubtator;
mod rows;
mod standoff;
mod tags;
#[cfg(test)]
pub(super) mod testing;
mod text;

pub use columns::{Separator, is_docstart};
pub use fields::Fields;
pub use standoff::{AnnotationError, Discontinuous, Overlap, Place, Unit};
pub use text::{Encoding, Lines, is_blank};

use super::{CorpusError, Loaded, synthetic};
use domain::Part;
use parts::Entry;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What the files of a format are.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Reads {
    /// Whether it reads any.
    pub files: bool,
    /// Endings of the files that are looked for where a folder is named in place of a file; empty if
    /// a folder is none of its files.
    pub folder: &'static [&'static str],
    /// Files or folders that it needs besides those of the splits, by role.
    pub roles: &'static [&'static str],
}

impl Reads {
    /// No file at all.
    pub(super) const NOTHING: Reads = Reads { files: false, folder: &[], roles: &[] };
    /// A file a split.
    pub(super) const FILES: Reads = Reads { files: true, folder: &[], roles: &[] };
}

macro_rules! formats {
    ($($format:ident),+ $(,)?) => {
        /// The registry of corpus formats.
        pub const ENTRIES: &[Entry] = &[$($format::ENTRY),+];

        /// What the files of the format of this name are; nothing if there is no such format.
        pub fn reads(kind: &str) -> Reads {
            $(if kind == $format::ENTRY.name {
                return $format::READS;
            })+
            Reads::NOTHING
        }

        /// Whether settings go together, by themselves: no file is read.
        pub fn check(part: &Part) -> Result<(), CorpusError> {
            match part.kind.as_str() {
                $(name if name == $format::ENTRY.name => $format::check(&part.parameters),)+
                _ => Err(unknown(&part.kind)),
            }
        }

        /// Loads a corpus with the format that `part` names.
        pub(super) fn load(
            part: &Part,
            files: &BTreeMap<String, PathBuf>,
        ) -> Result<Loaded, CorpusError> {
            match part.kind.as_str() {
                $(name if name == $format::ENTRY.name => $format::load(&part.parameters, files),)+
                _ => Err(unknown(&part.kind)),
            }
        }
    };
}

formats![columns, csv, ontonotes, knp, brat, json_spans, pubtator, tags, synthetic];

fn unknown(name: &str) -> CorpusError {
    let known: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
    CorpusError::UnknownFormat { name: name.to_owned(), known: known.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_but_the_generated_corpus_reads_files() {
        let reading: Vec<&str> =
            ENTRIES.iter().map(|entry| entry.name).filter(|name| reads(name).files).collect();
        let rows = ["columns", "csv", "ontonotes", "knp"];
        let spans = ["brat", "json-spans", "pubtator", "tags"];
        assert_eq!(reading, [rows, spans].concat());
        assert!(!reads("xml").files);
    }

    #[test]
    fn every_format_accepts_its_defaults() {
        for entry in ENTRIES {
            assert!(check(&entry.part()).is_ok(), "{}", entry.name);
        }
    }

    #[test]
    fn an_unknown_format_is_told_with_the_known_ones() {
        let part = Part { kind: "xml".into(), parameters: Default::default() };
        let message = load(&part, &BTreeMap::new()).unwrap_err().to_string();
        let known = "columns, csv, ontonotes, knp, brat, json-spans, pubtator, tags, synthetic";
        assert_eq!(message, format!("no corpus format is called `xml`; there are {known}"));
    }
}
