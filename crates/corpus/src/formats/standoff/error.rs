//! What can be wrong with an annotation.

use super::Unit;
use std::fmt;
use thiserror::Error;

/// Where in a file an annotation is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct AnnotationPlace {
    /// The line, from 1; of a record that has several, the first.
    pub line: usize,
    /// The number of the record, from 1, if the file has records.
    pub record: Option<usize>,
}

impl AnnotationPlace {
    /// A line of a file that has no records.
    pub fn line(line: usize) -> Self {
        Self { line, record: None }
    }
}

impl fmt::Display for AnnotationPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.record {
            Some(record) => write!(f, "{}: record {record}", self.line),
            None => write!(f, "{}", self.line),
        }
    }
}

/// Why an annotation, or the record or line that should hold one, cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum AnnotationError {
    #[error("`{text}` is not {expected}")]
    Line { text: String, expected: &'static str },
    #[error("{problem}")]
    Json { problem: String },
    #[error("it has no text under `{key}`: name the text's key with `text`")]
    NoText { key: String },
    #[error(
        "it has no list of spans: they should be under `entities`, `spans`, `ents`, `label`, `labels` \
         or `annotations`"
    )]
    NoSpans,
    #[error("a span has no `{missing}`: {expected}")]
    Incomplete { missing: &'static str, expected: &'static str },
    #[error("its annotations are `{kind}`, and only `labels` of a plain text can be read")]
    Foreign { kind: String },
    #[error("document `{found}` in the middle of document `{current}`: a blank line is missing")]
    Document { found: String, current: String },
    #[error("there is no document `{name}`: `{file}` is not in the folder of texts")]
    NoDocument { name: String, file: String },
    #[error("`{name}` cannot name an entity type")]
    Type { name: String },
    #[error("the span from {start} to {end} is empty")]
    Empty { start: usize, end: usize },
    #[error(
        "the span from {start} to {end} is outside of the text, which has {length} {}: \
         set `offsets` to how the file counts", unit.words()
    )]
    Outside { start: usize, end: usize, length: usize, unit: Unit },
    #[error(
        "offset {offset}, counted in {}, is inside of a character: \
         set `offsets` to how the file counts", unit.words()
    )]
    InsideCharacter { offset: usize, unit: Unit },
    #[error(
        "the annotation says `{annotated}`, but the text from {start} to {end} is `{found}`: set \
         `offsets` to how the file counts, or `mismatch: offsets` to read what the offsets say"
    )]
    Text { start: usize, end: usize, annotated: String, found: String },
    #[error(
        "`{text}` overlaps `{other}`: set `overlap` to longest, first or innermost to keep one of them"
    )]
    Overlap { text: String, other: String },
    #[error(
        "`{text}` is in several pieces: set `discontinuous` to cover, first, parts or drop to read it"
    )]
    Discontinuous { text: String },
}
