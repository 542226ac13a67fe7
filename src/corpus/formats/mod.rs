//! The corpus formats that grids can name.
//!
//! A format is one module with an `ENTRY`, which says what it is called and what it can be told, and
//! a `load`; and one line in the list below.

mod columns;
mod text;

use super::{CorpusError, Loaded, synthetic};
use crate::domain::{Entry, Part};
use std::collections::BTreeMap;
use std::path::PathBuf;

macro_rules! formats {
    ($($format:ident),+ $(,)?) => {
        /// The registry of corpus formats.
        pub const ENTRIES: &[Entry] = &[$($format::ENTRY),+];

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
    fn every_entry_is_named_explained_and_has_valid_defaults() {
        for entry in ENTRIES {
            assert!(
                entry.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'),
                "{}",
                entry.name
            );
            assert!(!entry.help.is_empty(), "{}", entry.name);
            for parameter in entry.parameters {
                assert!(!parameter.help.is_empty(), "{}.{}", entry.name, parameter.name);
                let default = parameter.default_value();
                assert_eq!(parameter.check(default.clone()), Ok(default), "{}", parameter.name);
            }
        }
    }

    #[test]
    fn an_unknown_format_is_told_with_the_known_ones() {
        let part = Part { kind: "xml".into(), parameters: Default::default() };
        let message = load(&part, &BTreeMap::new()).unwrap_err().to_string();
        assert_eq!(message, "no corpus format is called `xml`; there are columns, synthetic");
    }
}
