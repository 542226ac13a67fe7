//! Synonyms from a file of one's own: a word, a tab, a synonym, further ones after further tabs.
//!
//! UTF-8; blank lines are skipped; a word may have several lines. A word that has none is looked up
//! in lower case.

use super::{Synonyms, SynonymsError};
use std::collections::HashMap;
use std::path::Path;

/// The synonyms of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SynonymTable {
    synonyms: HashMap<String, Vec<String>>,
}

impl SynonymTable {
    /// Reads a file.
    pub fn open(path: &Path) -> Result<Self, SynonymsError> {
        let bytes = std::fs::read(path).map_err(SynonymsError::unreadable(path))?;
        Self::parse(&bytes, path)
    }

    /// Reads a file's bytes; the path is for errors only.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, SynonymsError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut table = Self::default();
        for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            let place = TsvLine { path, line: number + 1 };
            let line = str::from_utf8(line).map_err(|_| place.encoding())?.trim_end_matches('\r');
            // Read on, it would hide the words that follow.
            if line.contains('\r') {
                return Err(SynonymsError::CarriageReturn { path: path.into(), line: number + 1 });
            }
            if !line.trim().is_empty() {
                table.add(line, &place)?;
            }
        }
        Ok(table)
    }

    fn add(&mut self, line: &str, place: &TsvLine<'_>) -> Result<(), SynonymsError> {
        let (word, synonyms) = line.split_once('\t').ok_or_else(|| place.no_tab(line))?;
        if word.trim().is_empty() {
            return Err(place.empty("word", line));
        }
        let known = self.synonyms.entry(word.to_owned()).or_default();
        for synonym in synonyms.split('\t') {
            if synonym.trim().is_empty() {
                return Err(place.empty("synonym", line));
            }
            if synonym != word && !known.iter().any(|known| known == synonym) {
                known.push(synonym.to_owned());
            }
        }
        Ok(())
    }
}

impl Synonyms for SynonymTable {
    fn of(&self, word: &str) -> Vec<String> {
        let found = self.synonyms.get(word).or_else(|| self.synonyms.get(&word.to_lowercase()));
        found.into_iter().flatten().filter(|synonym| *synonym != word).cloned().collect()
    }
}

/// A line of a file, for errors.
struct TsvLine<'p> {
    path: &'p Path,
    line: usize,
}

impl TsvLine<'_> {
    /// As much of a line as an error shows.
    const SHOWN: usize = 60;

    fn encoding(&self) -> SynonymsError {
        SynonymsError::Encoding { path: self.path.to_owned(), line: self.line }
    }

    fn no_tab(&self, text: &str) -> SynonymsError {
        let text = text.chars().take(Self::SHOWN).collect();
        SynonymsError::NoTab { path: self.path.to_owned(), line: self.line, text }
    }

    fn empty(&self, which: &'static str, text: &str) -> SynonymsError {
        let text = text.chars().take(Self::SHOWN).collect();
        SynonymsError::EmptyField { path: self.path.to_owned(), line: self.line, which, text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(bytes: &[u8]) -> Result<SynonymTable, String> {
        SynonymTable::parse(bytes, Path::new("s.tsv")).map_err(|error| error.to_string())
    }

    #[test]
    fn words_have_the_synonyms_of_all_their_lines() {
        let text =
            "\u{feff}car\tauto\tmotor car\r\n\r\nbig\tlarge\ncar\tauto\tcar\tAuto\nUS\tAmerica";
        let table = parse(text.as_bytes()).unwrap();
        assert_eq!(table.of("car"), ["auto", "motor car", "Auto"]);
        assert_eq!(table.of("Car"), ["auto", "motor car", "Auto"]);
        assert_eq!((table.of("US"), table.of("us")), (vec!["America".to_owned()], vec![]));
        assert_eq!(table.of("bike"), [""; 0]);
    }

    #[test]
    fn a_synonym_that_is_the_form_itself_is_none() {
        assert_eq!(parse(b"auto\tAuto\tcar").unwrap().of("Auto"), ["car"]);
    }

    #[test]
    fn errors_name_the_line() {
        let errors = [
            (&b"a\tb\nlonely"[..], "s.tsv:2: no tab in `lonely`: write word<TAB>synonym"),
            (b"\tb", "s.tsv:1: the word is empty"),
            (b"a\t", "s.tsv:1: the synonym is empty"),
            (b"\n\na\tb\t\tc", "s.tsv:3: the synonym is empty"),
            (b"a\tb\n\xff\tc", "s.tsv:2: not UTF-8"),
            (b"a\tb\r\nc\td\re\tf\r", "s.tsv:2: a carriage return (CR)"),
        ];
        for (bytes, expected) in errors {
            let error = parse(bytes).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
        let missing = SynonymTable::open(Path::new("nowhere.tsv")).unwrap_err().to_string();
        assert!(missing.starts_with("nowhere.tsv: cannot be read"), "{missing}");
        assert_eq!(parse(b""), Ok(SynonymTable::default()));
    }
}
