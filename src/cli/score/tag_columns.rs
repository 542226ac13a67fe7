//! Reads tags from column files, two in step or one with both columns.
//!
//! A line is a token, a blank line ends a sentence. Columns are split at tabs, or at runs of spaces
//! in a line without a tab, so with tabs a token may be a space. Lines that begin with `-DOCSTART-`
//! are no tokens. What comes out is aligned: as many gold as predicted tags in every sentence.

use crate::domain::{Tag, TypeSet};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// More types than any corpus has: the wrong column was read.
const MOST_TYPES: usize = 10_000;

/// Why files give no tags to compare.
#[derive(Debug, Error)]
pub enum InputError {
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{}:{line}: not a text file in UTF-8", path.display())]
    NotText { path: PathBuf, line: usize },
    #[error("{}: no tokens in this file", path.display())]
    Empty { path: PathBuf },
    #[error(
        "{}:{line}: {} here, but a tag was expected in column {column}: {text:?}",
        path.display(), plural(*columns)
    )]
    Short { path: PathBuf, line: usize, columns: usize, column: isize, text: String },
    #[error(
        "{}:{line}: {tag:?} in column {column} is not an IOB2 tag (O, B-type or I-type)",
        path.display()
    )]
    NotATag { path: PathBuf, line: usize, column: isize, tag: String },
    #[error(
        "{}:{line}: more than {MOST_TYPES} entity types: is column {column} the tag?",
        path.display()
    )]
    TooManyTypes { path: PathBuf, line: usize, column: isize },
    #[error("the files part: {one} {one_has}, {other} {other_has}")]
    Misaligned { one: Place, one_has: String, other: Place, other_has: String },
}

/// A line of a file, for messages.
#[derive(Clone, Debug)]
pub struct Place {
    path: PathBuf,
    line: usize,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.path.display(), self.line)
    }
}

fn plural(columns: usize) -> String {
    format!("{columns} column{}", if columns == 1 { "" } else { "s" })
}

/// The place of a column: from 0, or from the end with -1 the last.
#[derive(Copy, Clone, Debug)]
pub struct Column(pub isize);

impl Column {
    /// The field of a line without spaces around it, or how many fields the line has.
    fn of(self, line: &str) -> Result<&str, usize> {
        let found = match usize::try_from(self.0) {
            Ok(index) => fields(line).nth(index),
            Err(_) => fields(line).nth_back(self.0.unsigned_abs() - 1),
        };
        found.map(|field| field.trim_matches(' ')).ok_or_else(|| fields(line).count())
    }
}

/// The fields of a line. Only ASCII separates: tokens may be other white space.
fn fields(line: &str) -> impl DoubleEndedIterator<Item = &str> {
    let separator = if line.contains('\t') { '\t' } else { ' ' };
    line.split(separator).filter(move |field| separator == '\t' || !field.is_empty())
}

/// The tags of gold and prediction, sentence by sentence.
#[derive(Debug, Default)]
pub struct Tagged {
    /// The types of both.
    pub types: TypeSet,
    known: HashMap<String, Tag>,
    gold: Vec<Tag>,
    predicted: Vec<Tag>,
    /// Where each sentence ends.
    ends: Vec<usize>,
}

impl Tagged {
    /// The gold tags of each sentence.
    pub fn gold(&self) -> impl Iterator<Item = &[Tag]> {
        self.sentences(&self.gold)
    }

    /// The predicted tags of each sentence.
    pub fn predicted(&self) -> impl Iterator<Item = &[Tag]> {
        self.sentences(&self.predicted)
    }

    fn sentences<'a>(&'a self, tags: &'a [Tag]) -> impl Iterator<Item = &'a [Tag]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &tags[start..end])
    }

    /// The tag in a column of the line that `rows` has just read.
    fn tag(&mut self, rows: &Rows, column: Column) -> Result<Tag, InputError> {
        let field = column.of(&rows.text).map_err(|columns| rows.short(columns, column))?;
        if let Some(&tag) = self.known.get(field) {
            return Ok(tag);
        }
        let (Place { path, line }, column) = (rows.place(), column.0);
        if self.types.len() >= MOST_TYPES {
            return Err(InputError::TooManyTypes { path, line, column });
        }
        let tag = parse_tag(&mut self.types, field).ok_or_else(|| InputError::NotATag {
            path,
            line,
            column,
            tag: field.to_owned(),
        })?;
        self.known.insert(field.to_owned(), tag);
        Ok(tag)
    }

    /// What was read, unless it is nothing.
    fn finish(self, path: &Path) -> Result<Self, InputError> {
        match self.ends.is_empty() {
            true => Err(InputError::Empty { path: path.to_owned() }),
            false => Ok(self),
        }
    }
}

/// A tag as files write it. B and I without a type are of the type `_`, as in seqeval.
fn parse_tag(types: &mut TypeSet, text: &str) -> Option<Tag> {
    match text.split_once('-') {
        None if text == "O" => Some(Tag::Outside),
        None if text == "B" => Some(Tag::Begin(types.intern("_"))),
        None if text == "I" => Some(Tag::Inside(types.intern("_"))),
        Some(("B", name)) if !name.is_empty() => Some(Tag::Begin(types.intern(name))),
        Some(("I", name)) if !name.is_empty() => Some(Tag::Inside(types.intern(name))),
        _ => None,
    }
}

/// Reads one file that has both columns.
pub fn read_one(path: &Path, gold: Column, predicted: Column) -> Result<Tagged, InputError> {
    let mut rows = Rows::open(path)?;
    let mut tagged = Tagged::default();
    loop {
        match rows.advance()? {
            Step::Token => {
                let (gold, predicted) = (tagged.tag(&rows, gold)?, tagged.tag(&rows, predicted)?);
                tagged.gold.push(gold);
                tagged.predicted.push(predicted);
            }
            Step::SentenceEnd => tagged.ends.push(tagged.gold.len()),
            Step::FileEnd => return tagged.finish(path),
        }
    }
}

/// Reads two files in step, and refuses them at the first line where they part. Where both have a
/// token column (the first of several) the tokens must be the same, unless they are not compared.
pub fn read_two(
    (gold_path, gold_column): (&Path, Column),
    (predicted_path, predicted_column): (&Path, Column),
    compare_tokens: bool,
) -> Result<Tagged, InputError> {
    let (mut gold, mut predicted) = (Rows::open(gold_path)?, Rows::open(predicted_path)?);
    let mut tagged = Tagged::default();
    loop {
        let steps = (gold.advance()?, predicted.advance()?);
        match steps {
            (Step::Token, Step::Token) => {
                if compare_tokens
                    && gold.token().zip(predicted.token()).is_some_and(|(a, b)| a != b)
                {
                    return Err(parted(&gold, &predicted, steps));
                }
                let tag = tagged.tag(&gold, gold_column)?;
                tagged.gold.push(tag);
                let tag = tagged.tag(&predicted, predicted_column)?;
                tagged.predicted.push(tag);
            }
            (Step::SentenceEnd, Step::SentenceEnd) => tagged.ends.push(tagged.gold.len()),
            (Step::FileEnd, Step::FileEnd) => return tagged.finish(gold_path),
            _ => return Err(parted(&gold, &predicted, steps)),
        }
    }
}

/// The error of two files that differ at the lines just read.
fn parted(gold: &Rows, predicted: &Rows, steps: (Step, Step)) -> InputError {
    InputError::Misaligned {
        one: gold.place(),
        one_has: gold.describe(steps.0),
        other: predicted.place(),
        other_has: predicted.describe(steps.1),
    }
}

/// What a line turned out to be. A sentence is one `Token` or more and a `SentenceEnd`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Step {
    Token,
    SentenceEnd,
    FileEnd,
}

/// The lines of a column file, one at a time.
struct Rows {
    path: PathBuf,
    input: BufReader<File>,
    /// The line just read, without its end.
    text: String,
    /// Its number, from 1.
    line: usize,
    in_sentence: bool,
}

impl Rows {
    fn open(path: &Path) -> Result<Self, InputError> {
        let file = File::open(path)
            .map_err(|source| InputError::Unreadable { path: path.to_owned(), source })?;
        Ok(Self {
            path: path.to_owned(),
            input: BufReader::new(file),
            text: String::new(),
            line: 0,
            in_sentence: false,
        })
    }

    /// Goes on to the next token or end of a sentence; blank lines beyond the first are passed over.
    fn advance(&mut self) -> Result<Step, InputError> {
        loop {
            let more = self.read_line()?;
            let is_token = more && !self.is_break();
            if is_token || self.in_sentence {
                self.in_sentence = is_token;
                return Ok(if is_token { Step::Token } else { Step::SentenceEnd });
            }
            if !more {
                return Ok(Step::FileEnd);
            }
        }
    }

    /// Reads a line; false at the end of the file.
    fn read_line(&mut self) -> Result<bool, InputError> {
        let mut bytes = std::mem::take(&mut self.text).into_bytes();
        bytes.clear();
        let length = self
            .input
            .read_until(b'\n', &mut bytes)
            .map_err(|source| InputError::Unreadable { path: self.path.clone(), source })?;
        self.line += 1;
        let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
        self.text =
            text.ok_or_else(|| InputError::NotText { path: self.path.clone(), line: self.line })?;
        self.text.truncate(self.text.trim_end_matches(['\n', '\r']).len());
        if self.line == 1 && self.text.starts_with('\u{feff}') {
            self.text.remove(0);
        }
        Ok(length > 0)
    }

    fn is_break(&self) -> bool {
        self.text.bytes().all(|byte| byte == b' ' || byte == b'\t')
            || fields(&self.text).next() == Some("-DOCSTART-")
    }

    /// The error of a line that has no such column.
    fn short(&self, columns: usize, Column(column): Column) -> InputError {
        let Place { path, line } = self.place();
        InputError::Short { path, line, columns, column, text: self.text.clone() }
    }

    fn place(&self) -> Place {
        Place { path: self.path.clone(), line: self.line }
    }

    /// The first of several columns.
    fn token(&self) -> Option<&str> {
        let mut fields = fields(&self.text);
        fields.next().filter(|_| fields.next().is_some())
    }

    /// What is at this line, for a message.
    fn describe(&self, step: Step) -> String {
        match (step, self.token()) {
            (Step::Token, Some(token)) => format!("has the token {token:?}"),
            (Step::Token, None) => format!("has {:?}", self.text),
            (Step::SentenceEnd, _) => "ends the sentence".to_owned(),
            (Step::FileEnd, _) => "is the end of the file".to_owned(),
        }
    }
}
