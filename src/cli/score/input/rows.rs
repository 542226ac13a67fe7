//! The lines of one file.

use super::column::Column;
use super::error::{InputError, Place};
use corpus::formats::{Encoding, Fields, Lines, Separator, is_blank, is_docstart};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// What a line turned out to be. A sentence is one `Token` or more and a `SentenceEnd`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Step {
    Token,
    SentenceEnd,
    FileEnd,
}

/// The lines of a column file, one at a time.
pub struct Rows<'p> {
    path: &'p Path,
    lines: Lines<'p, Box<dyn BufRead>>,
    separator: Separator,
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

impl<'p> Rows<'p> {
    /// Opens a file, or standard input for `-`.
    pub fn open(path: &'p Path) -> Result<Self, InputError> {
        if path == Path::new("-") {
            let input = BufReader::with_capacity(BUFFER, io::stdin());
            return Ok(Self::new(Path::new("standard input"), Box::new(input)));
        }
        let file = File::open(path)
            .map_err(|source| InputError::Unreadable { path: path.to_owned(), source })?;
        Ok(Self::new(path, Box::new(BufReader::with_capacity(BUFFER, file))))
    }

    fn new(path: &'p Path, input: Box<dyn BufRead>) -> Self {
        Self {
            path,
            lines: Lines::new(path, Encoding::Utf8, input),
            separator: Separator::Auto,
            text: String::new(),
            fields: Fields::default(),
            line: 0,
            in_sentence: false,
            documents: 0,
        }
    }

    /// Goes on to the next token or end of a sentence; blank lines beyond the first are passed
    /// over.
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
        self.text.clear();
        self.line += 1;
        let line = self.lines.next_line()?;
        let more = line.is_some();
        if let Some((_, line)) = line {
            self.text.push_str(&line);
        }
        Ok(more)
    }

    /// Whether the line is no token: blank, or the start of a document, which is counted.
    fn is_break(&mut self) -> bool {
        let starts_document = is_docstart(&self.text);
        self.documents += usize::from(starts_document);
        if starts_document || is_blank(&self.text) {
            return true;
        }
        self.separator.settle(&self.text);
        self.separator.split(&self.text, &mut self.fields);
        false
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
        self.path
    }

    /// The line just read, for messages.
    pub fn place(&self) -> Place {
        Place { path: self.path.to_owned(), line: self.line }
    }

    /// A field of the line without white space around it.
    pub fn field(&self, column: Column) -> Option<&str> {
        let place = column.place(self.columns())?;
        Some(self.fields.of(&self.text, place).trim_ascii())
    }

    /// How many fields the line has.
    pub fn columns(&self) -> usize {
        self.fields.count()
    }

    /// The first column, unless there are only as many as `tags`.
    pub fn token(&self, tags: usize) -> Option<&str> {
        (self.columns() > tags).then(|| self.fields.of(&self.text, 0))
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
