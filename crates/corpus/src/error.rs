//! What can be wrong with a corpus, in words that say where it is and what to do.

use super::formats::{AnnotationError, AnnotationPlace};
use super::schemes::{Scheme, respelt};
use domain::Parameters;
use parts::{Parameter, ParameterKind};
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
    /// A carriage return that ends no line: read on, it would hide what follows.
    #[error(
        "{}:{line}: a carriage return (CR) {} that does not end the line: lines end with \
         LF or CR LF; delete it, or convert the line ends of an old Mac with `tr '\\r' '\\n'`",
        path.display(), after(text)
    )]
    CarriageReturn { path: PathBuf, line: usize, text: String },
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
        "{}:{line}: `{tag}` is not a tag of the scheme {scheme} ({expected}); {}",
        path.display(), how_to_fit(tag, scheme)
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
    Annotation { path: PathBuf, place: AnnotationPlace, source: AnnotationError },
    #[error(
        "{}: there is no {} with it: a text and its annotations come in pairs",
        path.display(), partner.display()
    )]
    Unpaired { path: PathBuf, partner: PathBuf },
    #[error("{}: this is a file, and a folder is needed", path.display())]
    NotFolder { path: PathBuf },
    #[error("{}:{line}: no line of a {format} file: {problem}: `{text}`", path.display())]
    NotALine { path: PathBuf, line: usize, format: &'static str, problem: String, text: String },
    #[error(
        "{}:{line}: `{text}` is not an entity in brackets, as `(PERSON*`, `*`, `*)` or `(NORP)`: \
         is this a .gold_conll file with its entities in column 11?",
        path.display()
    )]
    Brackets { path: PathBuf, line: usize, text: String },
    #[error(
        "{}:{line}: a bracket that {does} an entity has no partner in its sentence: mend it, or set \
         `repair` to conlleval or discard",
        path.display()
    )]
    Unbalanced { path: PathBuf, line: usize, does: &'static str },
    /// The annotation without the words.
    #[error(
        "{}:{line}: `[WORD]` in place of a word: put the words in with the CoNLL-2012 script \
         skeleton2conll.sh and the treebank of OntoNotes",
        path.display()
    )]
    Skeleton { path: PathBuf, line: usize },
    #[error(
        "{}:{line}: no column is called `{name}`; there are {known}: set `{parameter}` to one of \
         them, or to a column's place from 0",
        path.display()
    )]
    NoColumn { path: PathBuf, line: usize, parameter: &'static str, name: String, known: String },
    #[error(
        "{}:{line}: a line break in the {field} `{text}`: if a quotation mark is an ordinary character \
         in this file, set `quoting: false`",
        path.display()
    )]
    LineBreak { path: PathBuf, line: usize, field: &'static str, text: String },
    #[error(
        "{}:{line}: a quotation mark opens a field that does not end: if it is an ordinary character \
         in this file, set `quoting: false`",
        path.display()
    )]
    OpenQuote { path: PathBuf, line: usize },
    #[error(
        "{}:{line}: no file called `{name}` is among the documents: is `documents` the right folder?",
        path.display()
    )]
    NoDocument { path: PathBuf, line: usize, name: String },
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
    /// Several problems of one file, in the order of its lines.
    #[error("{}", shown(problems, *more))]
    Several { problems: Vec<CorpusError>, more: usize },
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

    /// The line that it is about, if it is about one.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::Binary { line, .. }
            | Self::Encoding { line, .. }
            | Self::CarriageReturn { line, .. }
            | Self::LongLine { line, .. }
            | Self::Columns { line, .. }
            | Self::EmptyToken { line, .. }
            | Self::Tag { line, .. }
            | Self::Forbidden { line, .. }
            | Self::TooManyTypes { line, .. }
            | Self::NotALine { line, .. }
            | Self::Brackets { line, .. }
            | Self::Unbalanced { line, .. }
            | Self::Skeleton { line, .. }
            | Self::NoColumn { line, .. }
            | Self::LineBreak { line, .. }
            | Self::OpenQuote { line, .. }
            | Self::NoDocument { line, .. }
            | Self::Annotation { place: AnnotationPlace { line, .. }, .. } => Some(*line),
            _ => None,
        }
    }

    /// An annotation that cannot be used.
    pub(super) fn annotation(path: &Path, place: AnnotationPlace, source: AnnotationError) -> Self {
        Self::Annotation { path: path.to_owned(), place, source }
    }

    /// A parameter that cannot work.
    pub(super) fn setting(parameter: &'static str, problem: impl Into<String>) -> Self {
        Self::Setting { parameter, problem: problem.into() }
    }
}

/// The values of a table: those that are given, if they are allowed, and the defaults of the
/// others.
pub(super) fn checked(table: &[Parameter], given: &Parameters) -> Result<Parameters, CorpusError> {
    let mut all = parts::with_defaults(table, given);
    for parameter in table {
        let Some(value) = all.0.get_mut(parameter.name) else { continue };
        let allowed = parameter.check(value.clone()).map_err(|expected| {
            let problem = match parameter.kind {
                ParameterKind::Choice { of, .. } | ParameterKind::Named { of, .. } => {
                    format!("`{value}` is not one of {}", of.join(", "))
                }
                _ => format!("it should be {expected}"),
            };
            CorpusError::setting(parameter.name, problem)
        });
        *value = allowed?;
    }
    Ok(all)
}

/// Where a carriage return is, by what is before it.
fn after(text: &str) -> String {
    if text.is_empty() { "at the beginning".to_owned() } else { format!("after `{text}`") }
}

/// What to do with a tag that its scheme does not have.
fn how_to_fit(tag: &str, scheme: &str) -> String {
    let has = |tag: &String| Scheme::from_name(scheme).is_some_and(|s| s.parse(tag).is_ok());
    match respelt(tag).filter(has) {
        Some(meant) => format!(
            "if `{meant}` is meant, write it so: prefixes are upper-case, and a hyphen follows them"
        ),
        None => "set `scheme` and `tag` to fit the file".to_owned(),
    }
}

/// A problem a line, and how many more there are.
fn shown(problems: &[CorpusError], more: usize) -> String {
    let mut lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    if more > 0 {
        lines.push(format!("and {more} more problem(s) in this file"));
    }
    lines.join("\n")
}

/// The problems of a file: all are counted, the first ones kept.
#[derive(Debug, Default)]
pub(super) struct Problems {
    first: Vec<CorpusError>,
    more: usize,
}

impl Problems {
    /// As many are kept: enough to see what they have in common.
    const MOST: usize = 20;

    /// Takes a problem down.
    pub fn add(&mut self, problem: CorpusError) {
        match self.first.len() < Self::MOST {
            true => self.first.push(problem),
            false => self.more += 1,
        }
    }

    /// Counts a problem that is like others told before.
    pub fn add_alike(&mut self) {
        self.more += 1;
    }

    /// What came of it all: one problem is itself.
    pub fn settle(&mut self) -> Result<(), CorpusError> {
        let (mut problems, more) = (std::mem::take(&mut self.first), self.more);
        problems.sort_by_key(CorpusError::line);
        match (problems.len(), more) {
            (0, _) => Ok(()),
            (1, 0) => Err(problems.remove(0)),
            _ => Err(CorpusError::Several { problems, more }),
        }
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

    #[test]
    fn problems_are_counted_and_the_first_ones_kept() {
        let problem = |line| CorpusError::Binary { path: "f".into(), line };
        let mut problems = Problems::default();
        assert!(problems.settle().is_ok());
        problems.add(problem(7));
        assert!(matches!(problems.settle(), Err(CorpusError::Binary { line: 7, .. })));
        (0..25).rev().for_each(|line| problems.add(problem(line)));
        let Err(CorpusError::Several { problems, more }) = problems.settle() else { panic!() };
        assert_eq!((problems.len(), more, problems[0].line()), (20, 5, Some(5)));
        let text = CorpusError::Several { problems, more }.to_string();
        assert!(text.starts_with("f:5: a NUL byte") && text.lines().count() == 21, "{text}");
        assert!(text.ends_with("and 5 more problem(s) in this file"), "{text}");
    }
}
