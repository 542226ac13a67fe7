//! Why files give no tags to compare.

use super::tags::MOST_TYPES;
use analysis::number::counted;
use corpus::CorpusError;
use corpus::schemes::{Scheme, respelt};
use std::fmt;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// What is wrong with a file, or with two of them together.
#[derive(Debug, Error)]
pub enum InputError {
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{place}: not a text file in UTF-8")]
    NotText { place: Place },
    #[error(transparent)]
    Text(CorpusError),
    #[error("{}: no tokens in this file", path.display())]
    Empty { path: PathBuf },
    #[error(
        "{place}: {} here, but a tag was expected in column {column}: {text:?}",
        counted(*columns, "column")
    )]
    Short { place: Place, columns: usize, column: isize, text: String },
    #[error("{place}: no token beside the tags, but words are compared with training: {text:?}")]
    NoToken { place: Place, text: String },
    #[error(
        "{place}: {tag:?} in column {column} is not a tag of {scheme} ({expected}); {}",
        how_to_fit(tag, scheme)
    )]
    NotATag {
        place: Place,
        column: isize,
        tag: String,
        scheme: &'static str,
        expected: &'static str,
    },
    #[error("{place}: more than {MOST_TYPES} entity types: is column {column} the tag?")]
    TooManyTypes { place: Place, column: isize },
    #[error("the files part: {one} {one_has}, {other} {other_has}")]
    Misaligned { one: Place, one_has: String, other: Place, other_has: String },
}

/// What to do with a tag that its scheme does not have.
fn how_to_fit(tag: &str, scheme: &str) -> String {
    let has = |tag: &String| Scheme::from_name(scheme).is_some_and(|s| s.parse(tag).is_ok());
    match respelt(tag).filter(has) {
        Some(meant) => format!("if {meant:?} is meant, write it so"),
        None => "--scheme names another scheme".to_owned(),
    }
}

impl From<CorpusError> for InputError {
    /// What keeps a file from being text is told without the settings of corpora, which are none
    /// here.
    fn from(error: CorpusError) -> Self {
        match error {
            CorpusError::Encoding { path, line, .. } | CorpusError::Binary { path, line } => {
                InputError::NotText { place: Place { path, line } }
            }
            other => InputError::Text(other),
        }
    }
}

/// A line of a file, for messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    pub path: PathBuf,
    /// From 1.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.path.display(), self.line)
    }
}
