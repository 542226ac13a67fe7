//! The corpus formats that grids can name.
//!
//! A format is one module with an `ENTRY`, which says what it is called and what it can be told,
//! `READS_FILES`, a `check` of its settings alone and a `load`; and one line in the list below.

mod columns;
mod text;

pub(super) use columns::is_docstart;

use super::{CorpusError, Loaded, synthetic};
use crate::domain::{Entry, Part};
use std::collections::BTreeMap;
use std::path::PathBuf;

macro_rules! formats {
    ($($format:ident),+ $(,)?) => {
        /// The registry of corpus formats.
        pub const ENTRIES: &[Entry] = &[$($format::ENTRY),+];

        /// Whether the format of this name reads files.
        pub fn reads_files(kind: &str) -> bool {
            $((kind == $format::ENTRY.name && $format::READS_FILES))||+
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

formats![columns, synthetic];

fn unknown(name: &str) -> CorpusError {
    let known: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
    CorpusError::UnknownFormat { name: name.to_owned(), known: known.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_read_from_files_and_the_generated_corpus_is_not() {
        let reading: Vec<&str> =
            ENTRIES.iter().map(|entry| entry.name).filter(|name| reads_files(name)).collect();
        assert_eq!(reading, ["columns"]);
        assert!(!reads_files("xml"));
    }

    #[test]
    fn every_format_accepts_its_defaults() {
        for entry in ENTRIES {
            let parameters = crate::domain::Parameters::defaults(entry.parameters);
            let part = Part { kind: entry.name.into(), parameters };
            assert!(check(&part).is_ok(), "{}", entry.name);
        }
    }

    #[test]
    fn an_unknown_format_is_told_with_the_known_ones() {
        let part = Part { kind: "xml".into(), parameters: Default::default() };
        let message = load(&part, &BTreeMap::new()).unwrap_err().to_string();
        assert_eq!(message, "no corpus format is called `xml`; there are columns, synthetic");
    }
}
