//! What can be wrong with files of synonyms, in words that say where it is and what to do.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why synonyms cannot be read.
#[derive(Debug, Error)]
pub enum SynonymsError {
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error(
        "{}:{line}: the words of WordNet's index are not in order here, so the file is damaged: \
         install it anew (Debian: apt install wordnet-base)",
        path.display()
    )]
    Unsorted { path: PathBuf, line: usize },
    #[error(
        "{}: no line of WordNet's index, so this is not one or is damaged: install it anew \
         (Debian: apt install wordnet-base)",
        path.display()
    )]
    Empty { path: PathBuf },
    #[error("{}:{line}: not UTF-8: convert the file with `iconv -t UTF-8`", path.display())]
    Encoding { path: PathBuf, line: usize },
    #[error(
        "{}:{line}: a carriage return (CR) that does not end the line: delete it, or convert the line \
         ends of an old Mac with `tr '\\r' '\\n'`",
        path.display()
    )]
    CarriageReturn { path: PathBuf, line: usize },
    #[error(
        "{}:{line}: no tab in `{text}`: write word<TAB>synonym[<TAB>synonym…], a line a word",
        path.display()
    )]
    NoTab { path: PathBuf, line: usize, text: String },
    #[error("{}:{line}: the {which} is empty: `{text}`", path.display())]
    EmptyField { path: PathBuf, line: usize, which: &'static str, text: String },
}

impl SynonymsError {
    /// For the errors of reading a file.
    pub(super) fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        |source| SynonymsError::Unreadable { path, source }
    }
}
