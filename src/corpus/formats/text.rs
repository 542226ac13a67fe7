//! Text files line by line: decoded and checked once, then never doubted.
//!
//! A file is read in pieces, so memory holds one line of it at a time. Only `\n` ends a line, and one
//! `\r` before it belongs to the ending: every other line separator of Unicode may be part of a token.

use crate::corpus::CorpusError;
use crate::corpus::error::excerpt;
use crate::domain::{Parameter, ParameterKind};
use encoding_rs::WINDOWS_1252;
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// The parameter of text formats that says how bytes become characters.
pub(super) const ENCODING: Parameter = Parameter {
    name: "encoding",
    help: "how the files write characters",
    kind: ParameterKind::Choice { default: "utf-8", of: &["utf-8", "windows-1252"] },
};

/// How bytes become characters.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Encoding {
    #[default]
    Utf8,
    Windows1252,
}

impl Encoding {
    /// The encoding of a value of [`ENCODING`].
    pub fn from_name(name: &str) -> Self {
        if name == "windows-1252" { Encoding::Windows1252 } else { Encoding::Utf8 }
    }

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

/// The lines of a file, one at a time.
pub(super) struct Lines<'p, R> {
    path: &'p Path,
    encoding: Encoding,
    reader: R,
    bytes: Vec<u8>,
    number: usize,
}

impl<'p> Lines<'p, BufReader<File>> {
    /// The lines of a file.
    pub fn open(path: &'p Path, encoding: Encoding) -> Result<Self, CorpusError> {
        let file = File::open(path).map_err(|source| CorpusError::io(path, source))?;
        Ok(Self::new(path, encoding, BufReader::with_capacity(1 << 16, file)))
    }
}

impl<'p, R: BufRead> Lines<'p, R> {
    /// The lines of a reader; `path` is for messages.
    pub fn new(path: &'p Path, encoding: Encoding, reader: R) -> Self {
        Self { path, encoding, reader, bytes: vec![], number: 0 }
    }

    /// The file, for messages.
    pub fn path(&self) -> &'p Path {
        self.path
    }

    /// The next line with its number, from 1, without its ending; `None` at the end of the file.
    pub fn next(&mut self) -> Result<Option<(usize, Cow<'_, str>)>, CorpusError> {
        if !self.fill()? {
            return Ok(None);
        }
        let line =
            self.bytes.strip_suffix(b"\n").map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let line = line.unwrap_or(&self.bytes);
        let number = self.number;
        self.encoding
            .decode(line)
            .map(|text| Some((number, text)))
            .ok_or_else(|| self.not_text(line))
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
        if !self.fill()? {
            return Ok(None);
        }
        let text = self.encoding.decode(&self.bytes);
        text.map(Some).ok_or_else(|| self.not_text(&self.bytes))
    }

    /// Reads the bytes of the next line; `false` at the end of the file.
    fn fill(&mut self) -> Result<bool, CorpusError> {
        let failed = |source| CorpusError::io(self.path, source);
        self.bytes.clear();
        let limit = LONGEST_LINE as u64 + 1;
        (&mut self.reader).take(limit).read_until(b'\n', &mut self.bytes).map_err(failed)?;
        self.number += 1;
        let (path, line) = (|| self.path.to_owned(), self.number);
        if self.bytes.len() > LONGEST_LINE {
            return Err(CorpusError::LongLine { path: path(), line, limit: LONGEST_LINE });
        }
        if self.bytes.contains(&0) {
            return Err(CorpusError::Binary { path: path(), line });
        }
        if self.number == 1 && self.bytes.starts_with(BYTE_ORDER_MARK) {
            self.bytes.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(!self.bytes.is_empty())
    }

    fn not_text(&self, line: &[u8]) -> CorpusError {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        CorpusError::Encoding {
            path: self.path.to_owned(),
            line: self.number,
            text: excerpt(&String::from_utf8_lossy(line)),
        }
    }
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// No line of a text corpus is longer, in bytes; a file of one endless line must not fill the memory.
const LONGEST_LINE: usize = 1 << 28;

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8], encoding: Encoding) -> Result<Vec<(usize, String)>, String> {
        let mut lines = Lines::new(Path::new("f"), encoding, bytes);
        let mut found = vec![];
        loop {
            match lines.next() {
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
        let found = utf8("a\r\nb\u{85}\u{2028}\u{b}c\r\r\n\nd".as_bytes()).unwrap();
        assert_eq!(found, numbered(&["a", "b\u{85}\u{2028}\u{b}c\r", "", "d"]));
        assert_eq!(utf8(b"a\n").unwrap(), numbered(&["a"]));
        assert_eq!(utf8(b"").unwrap(), []);
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
