//! The corpus formats that grids can name.
//!
//! A format is one module with a `part!`, which says what it is called and what it can be told, and
//! what it does with these settings as a `FileFormat`; a line in the registry below, and one in
//! `Format::reader`.

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
pub use standoff::{AnnotationError, AnnotationPlace, Discontinuous, Overlap, Unit};
pub use text::{Encoding, Lines, is_blank};

use super::error::checked;
use super::load::{FileContent, Splitting, from_files};
use super::schemes::Scheme;
use super::{CorpusError, Loaded, synthetic};
use domain::{Part, TypeSet};
use parts::registry;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

registry! {
    /// The settings of any format.
    pub enum Format {
        columns::Columns,
        csv::Csv,
        ontonotes::Ontonotes,
        knp::Knp,
        brat::Brat,
        json_spans::JsonSpans,
        pubtator::Pubtator,
        tags::Tags,
        synthetic::Synthetic,
    }
}

/// What the files of a format are.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct FormatFiles {
    /// Whether it reads any.
    pub files: bool,
    /// Endings of the files that are looked for where a folder is named in place of a file; empty
    /// if a folder is none of its files.
    pub folder: &'static [&'static str],
    /// Files or folders that it needs besides those of the splits, by role.
    pub roles: &'static [&'static str],
}

impl FormatFiles {
    const NONE: Self = Self { files: false, folder: &[], roles: &[] };
    /// One per split.
    const ONE: Self = Self { files: true, folder: &[], roles: &[] };
}

/// The files of a corpus by role.
type CorpusFiles = BTreeMap<String, PathBuf>;

/// A format of files.
trait FileFormat {
    /// What they are.
    fn files(&self) -> FormatFiles {
        FormatFiles::ONE
    }

    /// How a corpus of this format is split.
    fn splitting(&self) -> &Splitting;

    /// Whether its other settings go together, by themselves.
    fn check(&self) -> Result<(), CorpusError> {
        Ok(())
    }

    /// Reads the file of a split, among those of the corpus.
    fn read_split(
        &self,
        path: &Path,
        files: &CorpusFiles,
        types: &mut TypeSet,
    ) -> Result<FileContent, CorpusError>;

    /// Reads a file of these bytes; of a format with two files, what is before a NUL is the text,
    /// and the rest the other one.
    fn read_bytes(&self, bytes: &[u8], types: &mut TypeSet) -> Result<FileContent, CorpusError>;
}

impl Format {
    /// The settings of a part that may not have been checked; those that it lacks are at their
    /// defaults.
    fn new(part: &Part) -> Result<Self, CorpusError> {
        let entry = find(&part.kind).ok_or_else(|| unknown(&part.kind))?;
        let parameters = checked(entry.parameters, &part.parameters)?;
        Ok(Self::read(&Part { kind: part.kind.clone(), parameters }))
    }

    /// What reads its files, or the corpus that has none.
    fn reader(&self) -> Result<&dyn FileFormat, &synthetic::Synthetic> {
        Ok(match self {
            Format::Columns(format) => format,
            Format::Csv(format) => format,
            Format::Ontonotes(format) => format,
            Format::Knp(format) => format,
            Format::Brat(format) => format,
            Format::JsonSpans(format) => format,
            Format::Pubtator(format) => format,
            Format::Tags(format) => format,
            Format::Synthetic(corpus) => return Err(corpus),
        })
    }
}

/// What the files of the format of this name are; nothing if there is no such format.
pub fn reads(kind: &str) -> FormatFiles {
    let format = find(kind).map(|entry| Format::read(&entry.part()));
    let reader = format.as_ref().and_then(|format| format.reader().ok());
    reader.map_or(FormatFiles::NONE, |reader| reader.files())
}

/// The scheme of a format whose rows have a tag.
pub fn scheme(part: &Part) -> Option<Scheme> {
    match Format::new(part).ok()? {
        Format::Columns(format) => Some(format.tagging.scheme),
        Format::Csv(format) => Some(format.tagging.scheme),
        _ => None,
    }
}

/// Whether settings go together, by themselves: no file is read.
pub fn check(part: &Part) -> Result<(), CorpusError> {
    match Format::new(part)?.reader() {
        Ok(format) => {
            format.splitting().parts()?;
            format.check()
        }
        Err(corpus) => corpus.check(),
    }
}

/// Loads a corpus with the format that `part` names.
pub(super) fn load(part: &Part, files: &CorpusFiles) -> Result<Loaded, CorpusError> {
    match Format::new(part)?.reader() {
        Ok(format) => {
            format.check()?;
            let read = |path: &Path, types: &mut TypeSet| format.read_split(path, files, types);
            from_files(format.splitting(), files, read)
        }
        Err(corpus) => corpus.load(),
    }
}

/// A text and what belongs to it, with a NUL between, which no text has.
fn halves(bytes: &[u8]) -> (&[u8], &[u8]) {
    let at = bytes.iter().position(|&byte| byte == 0);
    at.map_or((bytes, &[]), |at| (&bytes[..at], &bytes[at + 1..]))
}

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
