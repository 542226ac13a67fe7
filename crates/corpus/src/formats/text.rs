//! Text files line by line: decoded and checked once, then never doubted.
//!
//! A file is read in pieces, so memory holds one line of it at a time. Only `\n` ends a line, and
//! `\r` before it belongs to the ending. Any other `\r` is refused with its line: with the line
//! ends of old Macs a whole file would be read as one line, and its tokens would be lost in
//! silence. Every other line separator of Unicode may be part of a token.

use crate::CorpusError;
use crate::error::excerpt;
use encoding_rs::WINDOWS_1252;
use parts::{Parameter, choice};
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

choice! {
    /// How bytes become characters.
    #[derive(Default)]
    pub enum Encoding {
        #[default]
        Utf8 = "utf-8",
        Windows1252 = "windows-1252",
    }
}

/// The parameter of text formats that says how bytes become characters.
pub(super) const ENCODING: Parameter = Parameter {
    name: "encoding",
    help: "how the files write characters",
    kind: Encoding::Utf8.kind(),
};

impl Encoding {
    fn decode(self, bytes: &[u8]) -> Option<Cow<'_, str>> {
        match self {
            Encoding::Utf8 => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
            Encoding::Windows1252 => Some(WINDOWS_1252.decode_without_bom_handling(bytes).0),
        }
    }
}

/// The whole text of a file without a byte order mark, for formats that need all of it at once.
pub(super) fn read(path: &Path, encoding: Encoding) -> Result<String, CorpusError> {
    Lines::open(path, encoding)?.into_text()
}

/// The lines of a file, one at a time: where they stand in the reader's buffer, or gathered if they
/// do not fit into it.
pub struct Lines<'p, R> {
    path: &'p Path,
    encoding: Encoding,
    reader: R,
    number: usize,
    /// How much of the buffer the line before took.
    used: usize,
    /// How much of the buffer is known to be without a NUL byte.
    clean: usize,
    /// Whether there may be a carriage return in the buffer.
    has_returns: bool,
    /// The line, if it was not in the buffer as a whole.
    gathered: Vec<u8>,
}

/// Where the bytes of a line are.
enum LineBytes {
    /// The first so many of the buffer.
    Buffer(usize),
    Gathered,
}

impl<'p> Lines<'p, BufReader<File>> {
    /// The lines of a file.
    pub fn open(path: &'p Path, encoding: Encoding) -> Result<Self, CorpusError> {
        let file = File::open(path).map_err(|source| CorpusError::io(path, source))?;
        Ok(Self::new(path, encoding, BufReader::with_capacity(1 << 17, file)))
    }
}

impl<'b> Lines<'static, &'b [u8]> {
    /// The lines of these bytes.
    pub fn of_bytes(encoding: Encoding, bytes: &'b [u8]) -> Self {
        Self::new(Path::new("bytes"), encoding, bytes)
    }
}

impl<'p, R: BufRead> Lines<'p, R> {
    /// The lines of a reader; `path` is for messages.
    pub fn new(path: &'p Path, encoding: Encoding, reader: R) -> Self {
        Self {
            path,
            encoding,
            reader,
            number: 0,
            used: 0,
            clean: 0,
            has_returns: true,
            gathered: vec![],
        }
    }

    /// The file, for messages.
    pub fn path(&self) -> &'p Path {
        self.path
    }

    /// The next line with its number, from 1, without its ending; `None` at the end of the file.
    pub fn next_line(&mut self) -> Result<Option<(usize, Cow<'_, str>)>, CorpusError> {
        let (path, encoding, number) = (self.path, self.encoding, self.number + 1);
        let Some((line, may_return)) = self.next_bytes()? else { return Ok(None) };
        let line = without_end(line);
        let text = encoding.decode(line).ok_or_else(|| not_text(path, number, line))?;
        if may_return && let Some((before, _)) = text.split_once('\r') {
            let (path, text) = (path.to_owned(), last_of(before));
            return Err(CorpusError::CarriageReturn { path, line: number, text });
        }
        Ok(Some((number, text)))
    }

    /// All lines that are left, with their endings.
    pub fn into_text(mut self) -> Result<String, CorpusError> {
        let mut text = String::new();
        while let Some(line) = self.next_with_ending()? {
            text.push_str(&line);
        }
        Ok(text)
    }

    fn next_with_ending(&mut self) -> Result<Option<Cow<'_, str>>, CorpusError> {
        let (path, encoding, number) = (self.path, self.encoding, self.number + 1);
        let Some((line, _)) = self.next_bytes()? else { return Ok(None) };
        encoding.decode(line).map(Some).ok_or_else(|| not_text(path, number, line))
    }

    /// The bytes of the next line with its ending, and whether a carriage return may be among them.
    fn next_bytes(&mut self) -> Result<Option<(&[u8], bool)>, CorpusError> {
        self.reader.consume(self.used);
        self.clean = self.clean.saturating_sub(std::mem::take(&mut self.used));
        self.number += 1;
        let (path, number) = (self.path, self.number);
        let failed = |source| CorpusError::io(path, source);
        let place = self.find().map_err(failed)?;
        let (bytes, is_clean, may_return) = match place {
            LineBytes::Buffer(length) => {
                self.used = length;
                let bytes = &self.reader.fill_buf().map_err(failed)?[..length];
                (bytes, length <= self.clean, self.has_returns)
            }
            LineBytes::Gathered => (&self.gathered[..], false, true),
        };
        if bytes.len() > LONGEST_LINE {
            return Err(CorpusError::LongLine {
                path: path.to_owned(),
                line: number,
                limit: LONGEST_LINE,
            });
        }
        if !is_clean && bytes.contains(&0) {
            return Err(CorpusError::Binary { path: path.to_owned(), line: number });
        }
        let bytes = match number {
            1 => bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes),
            _ => bytes,
        };
        Ok((!bytes.is_empty()).then_some((bytes, may_return)))
    }

    /// Finds the next line, of at most one byte more than is allowed.
    fn find(&mut self) -> io::Result<LineBytes> {
        let buffer = fill(&mut self.reader)?;
        if self.clean == 0 {
            self.has_returns = buffer.contains(&b'\r');
            self.clean = match buffer.contains(&0) {
                false => buffer.len(),
                true => buffer.iter().position(|&byte| byte == 0).unwrap_or(0),
            };
        }
        let mut rest = buffer;
        let length = rest.skip_until(b'\n')?;
        if buffer[..length].ends_with(b"\n") && length <= LONGEST_LINE {
            return Ok(LineBytes::Buffer(length));
        }
        self.gathered.clear();
        let limit = LONGEST_LINE as u64 + 1;
        (&mut self.reader).take(limit).read_until(b'\n', &mut self.gathered)?;
        self.clean = 0;
        Ok(LineBytes::Gathered)
    }
}

/// What a reader has buffered, tried again if a signal came in between.
fn fill(reader: &mut impl BufRead) -> io::Result<&[u8]> {
    while let Err(error) = reader.fill_buf() {
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    reader.fill_buf()
}

fn not_text(path: &Path, line: usize, bytes: &[u8]) -> CorpusError {
    let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    CorpusError::Encoding {
        path: path.to_owned(),
        line,
        text: excerpt(&String::from_utf8_lossy(text)),
    }
}

fn without_end(line: &[u8]) -> &[u8] {
    let mut line = line.strip_suffix(b"\n").unwrap_or(line);
    while let [rest @ .., b'\r'] = line {
        line = rest;
    }
    line
}

/// What is before a carriage return, for a message.
fn last_of(before: &str) -> String {
    const LONGEST: usize = 30;
    let start = before.char_indices().rev().nth(LONGEST - 1).map_or(0, |(at, _)| at);
    excerpt(&before[start..])
}

/// Whether there is nothing but ASCII white space in a line: every other white space may be a
/// token.
pub fn is_blank(line: &str) -> bool {
    line.bytes().all(|byte| byte.is_ascii_whitespace())
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// No line of a text corpus is longer, in bytes; a file of one endless line must not fill the
/// memory.
const LONGEST_LINE: usize = 1 << 28;

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8], encoding: Encoding) -> Result<Vec<(usize, String)>, String> {
        let mut lines = Lines::new(Path::new("f"), encoding, bytes);
        let mut found = vec![];
        loop {
            match lines.next_line() {
                Ok(Some((number, line))) => found.push((number, line.into_owned())),
                Ok(None) => return Ok(found),
                Err(error) => return Err(error.to_string()),
            }
        }
    }

    fn utf8(bytes: &[u8]) -> Result<Vec<(usize, String)>, String> {
        lines(bytes, Encoding::Utf8)
    }

    fn numbered(lines: &[&str]) -> Vec<(usize, String)> {
        (1..).zip(lines.iter().map(|line| line.to_string())).collect()
    }

    #[test]
    fn lines_end_at_line_feeds_alone() {
        let found = utf8("a\r\nb\u{85}\u{2028}\u{b}c\r\r\n\nd\r".as_bytes()).unwrap();
        assert_eq!(found, numbered(&["a", "b\u{85}\u{2028}\u{b}c", "", "d"]));
        assert_eq!(utf8(b"a\n").unwrap(), numbered(&["a"]));
        assert_eq!(utf8(b"").unwrap(), []);
    }

    #[test]
    fn a_carriage_return_that_ends_no_line_is_refused_with_its_line() {
        let mac = utf8(b"Ada B-per\rX I-per\rin O\r").unwrap_err();
        assert!(mac.starts_with("f:1: a carriage return (CR) after `Ada B-per`"), "{mac}");
        for (bytes, line) in
            [(&b"a O\nb O\rc O\nd O\n"[..], 2), (b"a O\r\nb O\rc O\r", 2), (b"\ra O\n", 1)]
        {
            let error = utf8(bytes).unwrap_err();
            assert!(error.starts_with(&format!("f:{line}: a carriage return")), "{error}");
        }
        // In buffers smaller than a line, and in a later buffer than the first.
        for capacity in [1, 2, 3, 7] {
            let reader = BufReader::with_capacity(capacity, &b"a\nbc\r\nde\rf\n"[..]);
            let mut lines = Lines::new(Path::new("f"), Encoding::Utf8, reader);
            assert_eq!(lines.next_line().unwrap().unwrap(), (1, "a".into()), "{capacity}");
            assert_eq!(lines.next_line().unwrap().unwrap(), (2, "bc".into()), "{capacity}");
            assert!(lines.next_line().is_err(), "{capacity}");
        }
    }

    #[test]
    fn one_byte_order_mark_is_dropped_at_the_start_only() {
        let found = utf8("\u{feff}\u{feff}a\n\u{feff}b".as_bytes()).unwrap();
        assert_eq!(found, numbered(&["\u{feff}a", "\u{feff}b"]));
        assert_eq!(utf8("\u{feff}".as_bytes()).unwrap(), []);
        assert_eq!(utf8("\u{feff}\na".as_bytes()).unwrap(), numbered(&["", "a"]));
    }

    #[test]
    fn windows_1252_has_an_ellipsis_and_a_degree_sign() {
        let found = lines(b"a\x85 20\xb0\r\ncaf\xe9", Encoding::Windows1252).unwrap();
        assert_eq!(found, numbered(&["a… 20°", "café"]));
    }

    #[test]
    fn what_is_not_text_is_told_with_its_line() {
        let binary = utf8(b"a\nb\0c").unwrap_err();
        assert!(binary.starts_with("f:2: a NUL byte"), "{binary}");
        let latin = utf8(b"a\tO\ncaf\xe9\tO\nb\tO").unwrap_err();
        assert!(latin.starts_with("f:2: not UTF-8 in `caf\u{fffd}\\tO`"), "{latin}");
        assert!(utf8(b"\xff").unwrap_err().starts_with("f:1: not UTF-8"));
    }

    #[test]
    fn a_whole_text_keeps_its_line_endings() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        std::fs::write(&path, "\u{feff}a\r\n\nb").unwrap();
        assert_eq!(read(&path, Encoding::Utf8).unwrap(), "a\r\n\nb");
    }
}
