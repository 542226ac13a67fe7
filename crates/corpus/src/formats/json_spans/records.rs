//! The records of a JSON file one at a time, found by their brackets alone: whether what is between
//! them is JSON is for its reader to say.

use crate::CorpusError;
use crate::error::excerpt;
use crate::formats::{AnnotationError, AnnotationPlace};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// The records of a file.
pub struct Records<'p, R> {
    path: &'p Path,
    reader: R,
    /// The line of the next byte, from 1.
    line: usize,
    /// How many records there were.
    count: usize,
    form: Form,
    bytes: Vec<u8>,
}

/// What holds the records.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Form {
    /// Not known before the first byte.
    Unknown,
    /// A list.
    List,
    /// Nothing: they follow each other.
    Stream,
    /// A list that has ended.
    Ended,
}

/// No record is longer, in bytes; a file without an end must not fill the memory.
const LONGEST: usize = 1 << 28;

impl<'p> Records<'p, BufReader<File>> {
    /// The records of a file.
    pub fn open(path: &'p Path) -> Result<Self, CorpusError> {
        let file = File::open(path).map_err(|source| CorpusError::io(path, source))?;
        Ok(Self::new(path, BufReader::with_capacity(1 << 16, file)))
    }
}

impl<'p, R: BufRead> Records<'p, R> {
    /// The records of a reader; `path` is for messages.
    pub fn new(path: &'p Path, reader: R) -> Self {
        Self { path, reader, line: 1, count: 0, form: Form::Unknown, bytes: vec![] }
    }

    /// The file, for messages.
    pub fn path(&self) -> &'p Path {
        self.path
    }

    /// The next record with its place; `None` at the end of the file.
    pub fn next(&mut self) -> Result<Option<(AnnotationPlace, &str)>, CorpusError> {
        self.bytes.clear();
        let depth = match self.form {
            Form::Unknown => self.start()?,
            _ => 0,
        };
        if depth == 0 && !self.is_next()? {
            return Ok(None);
        }
        self.count += 1;
        let place = AnnotationPlace { line: self.line, record: Some(self.count) };
        self.take_value(Scan::new(depth), place)?;
        match std::str::from_utf8(&self.bytes) {
            Ok(json) => Ok(Some((place, json))),
            Err(error) => Err(self.not_text(place, error.valid_up_to())),
        }
    }

    /// Settles the form. A list that begins with a string is not one of records but spaCy's record
    /// of text and annotations, which may come a line each: its bracket is taken already.
    fn start(&mut self) -> Result<usize, CorpusError> {
        if self.peek()? == Some(BYTE_ORDER_MARK[0]) {
            self.skip_byte_order_mark()?;
        }
        self.form = Form::Stream;
        if self.peek_dense()? != Some(b'[') {
            return Ok(0);
        }
        self.advance()?;
        match self.peek_dense()? {
            Some(b'"') => {
                self.bytes.push(b'[');
                Ok(1)
            }
            _ => {
                self.form = Form::List;
                Ok(0)
            }
        }
    }

    fn skip_byte_order_mark(&mut self) -> Result<(), CorpusError> {
        for expected in BYTE_ORDER_MARK {
            if self.advance()? != Some(*expected) {
                let place = AnnotationPlace { line: 1, record: None };
                return Err(self.problem(place, "this is neither JSON nor UTF-8"));
            }
        }
        Ok(())
    }

    /// Goes to the next record and says whether there is one.
    fn is_next(&mut self) -> Result<bool, CorpusError> {
        let mut next = self.peek_dense()?;
        let place = AnnotationPlace { line: self.line, record: Some(self.count + 1) };
        if self.form == Form::List {
            match next {
                Some(b']') => {
                    self.advance()?;
                    self.form = Form::Ended;
                    next = self.peek_dense()?;
                }
                Some(b',') if self.count > 0 => {
                    self.advance()?;
                    next = self.peek_dense()?;
                }
                Some(_) if self.count == 0 => {}
                Some(_) => return Err(self.problem(place, "a comma is missing before it")),
                None => return Err(self.problem(place, "the list of records has no end")),
            }
        }
        match (self.form, next) {
            (Form::Ended, Some(_)) => {
                let place = AnnotationPlace { line: self.line, ..place };
                Err(self.problem(place, "there is something after the list of records"))
            }
            (_, next) => Ok(next.is_some()),
        }
    }

    /// Takes the bytes of a value up to its end or the file's.
    fn take_value(&mut self, mut scan: Scan, place: AnnotationPlace) -> Result<(), CorpusError> {
        let mut is_whole = false;
        while !is_whole {
            let failed = |source| CorpusError::io(self.path, source);
            let buffer = self.reader.fill_buf().map_err(failed)?;
            if buffer.is_empty() {
                break;
            }
            let length;
            (length, is_whole) = scan.advance(buffer);
            self.bytes.extend_from_slice(&buffer[..length]);
            self.line += buffer[..length].iter().filter(|&&byte| byte == b'\n').count();
            self.reader.consume(length);
            if self.bytes.len() > LONGEST {
                let problem = format!("it is longer than {LONGEST} bytes");
                return Err(self.problem(place, &problem));
            }
        }
        Ok(())
    }

    fn peek(&mut self) -> Result<Option<u8>, CorpusError> {
        let failed = |source| CorpusError::io(self.path, source);
        Ok(self.reader.fill_buf().map_err(failed)?.first().copied())
    }

    /// The next byte that is not white space.
    fn peek_dense(&mut self) -> Result<Option<u8>, CorpusError> {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek()? {
            self.advance()?;
        }
        self.peek()
    }

    /// Takes one byte.
    fn advance(&mut self) -> Result<Option<u8>, CorpusError> {
        let byte = self.peek()?;
        if byte.is_some() {
            self.reader.consume(1);
        }
        self.line += usize::from(byte == Some(b'\n'));
        Ok(byte)
    }

    fn problem(&self, place: AnnotationPlace, problem: &str) -> CorpusError {
        let source = AnnotationError::Json { problem: problem.to_owned() };
        CorpusError::annotation(self.path, place, source)
    }

    fn not_text(&self, mut place: AnnotationPlace, valid: usize) -> CorpusError {
        place.line += self.bytes[..valid].iter().filter(|&&byte| byte == b'\n').count();
        let around = valid.saturating_sub(20)..self.bytes.len().min(valid + 20);
        let text = excerpt(&String::from_utf8_lossy(&self.bytes[around]));
        self.problem(place, &format!("not UTF-8 in `{text}`, as JSON must be"))
    }
}

/// What of a value has been seen.
struct Scan {
    /// How many brackets are open.
    depth: usize,
    in_string: bool,
    /// Whether a backslash came just before.
    is_escaped: bool,
    is_begun: bool,
}

impl Scan {
    /// A value of which as many brackets are open already.
    fn new(depth: usize) -> Self {
        Self { depth, in_string: false, is_escaped: false, is_begun: depth > 0 }
    }

    /// How many of the bytes belong to the value, and whether it is whole with them.
    fn advance(&mut self, bytes: &[u8]) -> (usize, bool) {
        for (index, &byte) in bytes.iter().enumerate() {
            let is_inside = self.depth > 0 || self.in_string || !self.is_begun;
            if !is_inside && ends_scalar(byte) {
                return (index, true);
            }
            self.is_begun = true;
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' if self.in_string => self.is_escaped = true,
                b'"' => self.in_string = !self.in_string,
                _ if self.in_string => {}
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' if self.depth <= 1 => return (index + 1, true),
                b'}' | b']' => self.depth -= 1,
                _ => {}
            }
        }
        (bytes.len(), false)
    }
}

/// Whether a byte is no part of a number or a word.
fn ends_scalar(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b'{' | b'[' | b'}' | b']' | b'"')
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

#[cfg(test)]
mod tests {
    use super::*;

    /// The records of a text, read in pieces of a few bytes.
    fn records(text: &str, piece: usize) -> Vec<(usize, String)> {
        let reader = BufReader::with_capacity(piece, text.as_bytes());
        let mut records = Records::new(Path::new("f"), reader);
        let mut found = vec![];
        while let Some((place, json)) = records.next().unwrap() {
            found.push((place.line, json.to_owned()));
        }
        found
    }

    #[test]
    fn a_record_ends_with_its_brackets_wherever_the_buffer_does() {
        let text = "\u{feff}[\n{\"a\": \"}]\\\"[\\\\\"},\n\n[1, {\"b\": []}] , 7,\"x\"\n]\n";
        let expected =
            [(2, r#"{"a": "}]\"[\\"}"#), (4, r#"[1, {"b": []}]"#), (4, "7"), (4, r#""x""#)];
        let expected = expected.map(|(line, json)| (line, json.to_owned()));
        for piece in 1..20 {
            assert_eq!(records(text, piece), expected, "{piece}");
        }
    }

    #[test]
    fn records_may_follow_each_other_on_a_line_or_over_lines() {
        let text = "{\"a\":1}{\"b\":\n2} 3 [4]\n\"]\"";
        let expected = [(1, "{\"a\":1}"), (1, "{\"b\":\n2}"), (2, "3"), (2, "[4]"), (3, "\"]\"")];
        for piece in 1..20 {
            assert_eq!(records(text, piece), expected.map(|(line, json)| (line, json.to_owned())));
        }
        assert_eq!(records("[\"t\", {}]\n[\"u\", {}]", 3).len(), 2, "pairs of text and spans");
    }
}
