//! What can be wrong with a corpus, in words that say where it is and what to do.

use super::formats::{AnnotationError, Place};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a corpus cannot be used.
#[derive(Debug, Error)]
pub enum CorpusError {
    #[error("{}: there is no such file", path.display())]
    Missing { path: PathBuf },
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    /// A NUL byte: no text file has one.
    #[error(
        "{}:{line}: a NUL byte, so this is not a UTF-8 text file: \
         unpack it if it is compressed, convert it if it is UTF-16",
        path.display()
    )]
    Binary { path: PathBuf, line: usize },
    #[error(
        "{}:{line}: not UTF-8 in `{text}`: set `encoding: windows-1252` if that is what it is, \
         else convert the file with `iconv -t UTF-8`",
        path.display()
    )]
    Encoding { path: PathBuf, line: usize, text: String },
    #[error(
        "{}:{line}: the line is longer than {limit} bytes: is this a text file with line ends?",
        path.display()
    )]
    LongLine { path: PathBuf, line: usize, limit: usize },
    #[error(
        "{}:{line}: only {found} column(s) when splitting at {separator}, \
         at least {needed} are needed: `{text}`; set `separator`, `token` and `tag` to fit the file",
        path.display()
    )]
    Columns {
        path: PathBuf,
        line: usize,
        found: usize,
        needed: usize,
        separator: String,
        text: String,
    },
    #[error(
        "{}:{line}: the token is empty: `{text}`; set `separator` and `token` to fit the file",
        path.display()
    )]
    EmptyToken { path: PathBuf, line: usize, text: String },
    #[error(
        "{}:{line}: `{tag}` is not a tag of the scheme {scheme} ({expected}); \
         set `scheme` and `tag` to fit the file",
        path.display()
    )]
    Tag { path: PathBuf, line: usize, tag: String, scheme: &'static str, expected: &'static str },
    #[error(
        "{}:{line}: a tag that {scheme} does not allow after the one before: set `scheme` to fit the \
         file, or `repair` to conlleval or discard",
        path.display()
    )]
    Forbidden { path: PathBuf, line: usize, scheme: &'static str },
    #[error(
        "{}:{line}: more than {limit} entity types: what is read as the type must be something else",
        path.display()
    )]
    TooManyTypes { path: PathBuf, line: usize, limit: usize },
    /// An annotation that cannot be read, or cannot be true of its text.
    #[error("{}:{place}: {source}", path.display())]
    Annotation { path: PathBuf, place: Place, source: AnnotationError },
    #[error(
        "{}: there is no {} with it: a text and its annotations come in pairs",
        path.display(), partner.display()
    )]
    Unpaired { path: PathBuf, partner: PathBuf },
    #[error("{}: this is a file, and a folder is needed", path.display())]
    NotFolder { path: PathBuf },
    #[error("{}: no sentence in it", path.display())]
    Empty { path: PathBuf },
    #[error("the corpus has no {role} file: name one under `{role}:`")]
    NoFile { role: &'static str },
    #[error(
        "{}: {sentences} sentence is too little to carve a dev split from: name a file under `dev:`",
        path.display()
    )]
    TooSmallToCarve { path: PathBuf, sentences: usize },
    #[error(
        "{}: {units} sentence(s) or document(s) cannot be split into {needed}: see `split`",
        path.display()
    )]
    TooSmallToSplit { path: PathBuf, units: usize, needed: usize },
    #[error("{}: no file that ends in {endings} in this folder", path.display())]
    EmptyFolder { path: PathBuf, endings: String },
    #[error("{}: folders are nested too deeply to be a corpus", path.display())]
    DeepFolder { path: PathBuf },
    #[error("no corpus format is called `{name}`; there are {known}")]
    UnknownFormat { name: String, known: String },
    #[error("{}: changed since the jobs were planned: run the grid again, \
         with `--retry-failed` if the file is again what it was", path.display())]
    Changed { path: PathBuf },
    /// A parameter whose value cannot work, alone or with the others.
    #[error("`{parameter}`: {problem}")]
    Setting { parameter: &'static str, problem: String },
}

impl CorpusError {
    /// An error of the file system, told apart by whether the file is there at all.
    pub(super) fn io(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => Self::Missing { path },
            _ => Self::Unreadable { path, source },
        }
    }

    /// An annotation that cannot be used.
    pub(super) fn annotation(path: &Path, place: Place, source: AnnotationError) -> Self {
        Self::Annotation { path: path.to_owned(), place, source }
    }

    /// A parameter that cannot work.
    pub(super) fn setting(parameter: &'static str, problem: impl Into<String>) -> Self {
        Self::Setting { parameter, problem: problem.into() }
    }
}

/// A piece of a file for a message: one line, no control or invisible characters, not too long.
pub(super) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut shown: String = text.chars().take(LONGEST).map(visible).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

/// A character, escaped if a terminal would obey it or not show it.
fn visible(character: char) -> String {
    match character {
        '\u{a0}' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' => {}
        '\u{2060}'..='\u{206f}' | '\u{feff}' => {}
        c if c.is_control() => {}
        c => return c.to_string(),
    }
    character.escape_default().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_show_what_a_terminal_would_hide() {
        assert_eq!(excerpt("a\tb\u{1b}[31m\u{202e}ü"), "a\\tb\\u{1b}[31m\\u{202e}ü");
        assert_eq!(excerpt("don't"), "don't");
        assert_eq!(excerpt(&"x".repeat(60)), "x".repeat(60));
        assert_eq!(excerpt(&"x".repeat(61)), "x".repeat(60) + "…");
    }
}
