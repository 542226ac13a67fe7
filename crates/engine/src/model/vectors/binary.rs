//! word2vec's binary form: a line that counts, then each word, a space, and its numbers as bytes.

use super::{MOST_DIMENSIONS, Take, VectorsError, header};
use std::io::{self, BufRead, Read};
use std::path::Path;

/// The longest word, in bytes.
const LONGEST: u64 = 1 << 16;

/// How a model of fastText begins.
const MODEL: [u8; 4] = 793_712_314_i32.to_le_bytes();

/// Whether a file is a whole model of fastText, not its vectors.
pub(super) fn is_model(start: &[u8]) -> bool {
    start.starts_with(&MODEL)
}

/// Whether a file begins with a count and goes on with bytes that are no text.
pub(super) fn is_binary(start: &[u8]) -> bool {
    let Some(end) = start.iter().take(64).position(|byte| *byte == b'\n') else { return false };
    let rest = &start[end + 1..];
    let is_text = |byte: &u8| matches!(byte, b'\t'..=b'\r' | b' '..);
    header(&start[..end]).is_some() && !rest.iter().take(4096).all(is_text)
}

/// Reads a file; a place in an error is the number of a word.
pub(super) fn read(
    path: &Path,
    mut reader: impl BufRead,
    take: &mut Take<'_>,
) -> Result<(), VectorsError> {
    let mut word = Vec::new();
    reader.read_until(b'\n', &mut word).map_err(VectorsError::read(path))?;
    let (words, dimension) = header(word.trim_ascii()).unwrap_or_default();
    if dimension == 0 || dimension > MOST_DIMENSIONS {
        return Err(VectorsError::whole(path, format!("{dimension} numbers per word cannot be")));
    }
    let (mut bytes, mut numbers) = (vec![0; 4 * dimension], Vec::with_capacity(dimension));
    for place in 1..=words {
        word.clear();
        let read = reader.by_ref().take(LONGEST).read_until(b' ', &mut word);
        read.map_err(VectorsError::read(path))?;
        if word.pop() != Some(b' ') {
            let problem = format!("the file ends at word {place} of {words}");
            return Err(VectorsError::line(path, place)(problem));
        }
        let cut = |_| VectorsError::line(path, place)("the file ends in its vector".to_owned());
        reader.read_exact(&mut bytes).map_err(cut)?;
        numbers.clear();
        numbers.extend(bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)));
        // Some writers end each vector with a line feed, which then stands before the next word. A
        // word that is not UTF-8 can be no word of a corpus that is.
        if let Ok(word) = std::str::from_utf8(word.trim_ascii_start()) {
            take(word, &numbers).map_err(VectorsError::line(path, place))?;
        }
    }
    match goes_on(&mut reader).map_err(VectorsError::read(path))? {
        true => Err(VectorsError::whole(
            path,
            format!("it has more than the {words} words that its first line counts"),
        )),
        false => Ok(()),
    }
}

/// Whether there is more than the line feeds that some writers end a file with.
fn goes_on(reader: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let rest = reader.fill_buf()?;
        if !rest.iter().all(u8::is_ascii_whitespace) {
            return Ok(true);
        }
        match rest.len() {
            0 => return Ok(false),
            length => reader.consume(length),
        }
    }
}
