//! Text files as lines: UTF-8 checked once, then never doubted.

use crate::corpus::CorpusError;
use crate::corpus::error::excerpt;
use std::path::Path;

/// A file's text without a byte order mark. An error names the line where the text ends to be text.
pub(super) fn read(path: &Path) -> Result<String, CorpusError> {
    let bytes = std::fs::read(path).map_err(|source| CorpusError::io(path, source))?;
    decode(path, bytes)
}

/// The text of bytes that a file had.
pub(super) fn decode(path: &Path, bytes: Vec<u8>) -> Result<String, CorpusError> {
    if let Some(position) = bytes.iter().position(|&byte| byte == 0) {
        return Err(CorpusError::Binary { path: path.to_owned(), line: line_of(&bytes, position) });
    }
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let position = error.utf8_error().valid_up_to();
        not_utf8(path, error.as_bytes(), position)
    })?;
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(text)
}

/// Numbered lines, from 1. Only `\n` ends a line, and one `\r` before it belongs to the ending:
/// every other line separator of Unicode may be part of a token.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let strip = |line| str::strip_suffix(line, '\r').unwrap_or(line);
    (1..).zip(text.split('\n').map(strip))
}

fn not_utf8(path: &Path, bytes: &[u8], position: usize) -> CorpusError {
    let start = bytes[..position].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let end = bytes[position..].iter().position(|&byte| byte == b'\n');
    let line = &bytes[start..end.map_or(bytes.len(), |at| position + at)];
    CorpusError::Encoding {
        path: path.to_owned(),
        line: line_of(bytes, position),
        text: excerpt(&String::from_utf8_lossy(line)),
    }
}

fn line_of(bytes: &[u8], position: usize) -> usize {
    1 + bytes[..position].iter().filter(|&&byte| byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> Result<String, String> {
        decode(Path::new("f"), bytes.to_vec()).map_err(|error| error.to_string())
    }

    #[test]
    fn lines_end_at_line_feeds_alone() {
        let found: Vec<_> = lines("a\r\nb\u{85}\u{2028}\u{b}c\r\r\n\nd").collect();
        assert_eq!(found, [(1, "a"), (2, "b\u{85}\u{2028}\u{b}c\r"), (3, ""), (4, "d")]);
    }

    #[test]
    fn one_byte_order_mark_is_dropped_at_the_start_only() {
        assert_eq!(
            decoded("\u{feff}\u{feff}a\n\u{feff}b".as_bytes()).unwrap(),
            "\u{feff}a\n\u{feff}b"
        );
    }

    #[test]
    fn what_is_not_text_is_told_with_its_line() {
        let binary = decoded(b"a\nb\0c").unwrap_err();
        assert!(binary.starts_with("f:2: a NUL byte"), "{binary}");
        let latin = decoded(b"a\tO\ncaf\xe9\tO\nb\tO").unwrap_err();
        assert!(latin.starts_with("f:2: not UTF-8 in `caf\u{fffd}\\tO`"), "{latin}");
        assert!(decoded(b"\xff").unwrap_err().starts_with("f:1: not UTF-8"));
    }
}
