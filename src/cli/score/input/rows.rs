//! The lines of one file.

use super::column::{Column, Fields};
use super::error::{InputError, Place};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

/// What a line turned out to be. A sentence is one `Token` or more and a `SentenceEnd`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Step {
    Token,
    SentenceEnd,
    FileEnd,
}

/// The lines of a column file, one at a time.
pub struct Rows {
    path: PathBuf,
    input: Box<dyn BufRead>,
    /// The line just read, without its end.
    text: String,
    fields: Fields,
    /// Its number, from 1.
    line: usize,
    in_sentence: bool,
    documents: usize,
}

/// How much is read at once: files may be large and are read from front to back.
const BUFFER: usize = 1 << 18;

impl Rows {
    /// Opens a file, or standard input for `-`.
    pub fn open(path: &Path) -> Result<Self, InputError> {
        if path == Path::new("-") {
            let input = BufReader::with_capacity(BUFFER, io::stdin());
            return Ok(Self::new(PathBuf::from("standard input"), Box::new(input)));
        }
        let file = File::open(path)
            .map_err(|source| InputError::Unreadable { path: path.to_owned(), source })?;
        Ok(Self::new(path.to_owned(), Box::new(BufReader::with_capacity(BUFFER, file))))
    }

    fn new(path: PathBuf, input: Box<dyn BufRead>) -> Self {
        Self {
            path,
            input,
            text: String::new(),
            fields: Fields::default(),
            line: 0,
            in_sentence: false,
            documents: 0,
        }
    }

    /// Goes on to the next token or end of a sentence; blank lines beyond the first are passed over.
    pub fn advance(&mut self) -> Result<Step, InputError> {
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
        while let Some(b'\n' | b'\r') = bytes.last() {
            bytes.pop();
        }
        let is_text = !bytes.contains(&0);
        self.text = String::from_utf8(bytes)
            .ok()
            .filter(|_| is_text)
            .ok_or_else(|| InputError::NotText { place: self.place() })?;
        if self.line == 1 && self.text.starts_with('\u{feff}') {
            self.text.remove(0);
        }
        Ok(length > 0)
    }

    /// Whether the line is no token: blank, or the start of a document, which is counted.
    fn is_break(&mut self) -> bool {
        if self.text.bytes().all(|byte| byte == b' ' || byte == b'\t') {
            return true;
        }
        self.fields.find(&self.text);
        let starts_document = self.fields.first(&self.text) == Some(DOCSTART);
        self.documents += usize::from(starts_document);
        starts_document
    }

    /// The line just read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many documents have started so far.
    pub fn documents(&self) -> usize {
        self.documents
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The line just read, for messages.
    pub fn place(&self) -> Place {
        Place { path: self.path.clone(), line: self.line }
    }

    /// A field of the line.
    pub fn field(&self, column: Column) -> Option<&str> {
        self.fields.get(&self.text, column)
    }

    /// How many fields the line has.
    pub fn columns(&self) -> usize {
        self.fields.count()
    }

    /// The first column, unless there are only as many as `tags`.
    pub fn token(&self, tags: usize) -> Option<&str> {
        self.fields.first(&self.text).filter(|_| self.fields.count() > tags)
    }

    /// What is at this line, for a message.
    pub fn describe(&self, step: Step) -> String {
        match (step, self.token(1)) {
            (Step::Token, Some(token)) => format!("has the token {token:?}"),
            (Step::Token, None) => format!("has {:?}", self.text),
            (Step::SentenceEnd, _) => "ends the sentence".to_owned(),
            (Step::FileEnd, _) => "is the end of the file".to_owned(),
        }
    }
}

/// What a line begins with that says that a document starts.
const DOCSTART: &str = "-DOCSTART-";
