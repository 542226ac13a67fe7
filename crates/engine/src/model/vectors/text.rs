//! Text: a word and its numbers a line, with or without a first line that counts them.

use super::{MOST_DIMENSIONS, Take, VectorsError, header};
use std::io::{BufRead, Read};
use std::path::Path;

/// The longest line that can be one: a word, and numbers of 32 characters.
const LONGEST: u64 = 32 * MOST_DIMENSIONS as u64;

pub(super) fn read(
    path: &Path,
    mut reader: impl BufRead,
    take: &mut Take<'_>,
) -> Result<(), VectorsError> {
    let (mut line, mut numbers) = (Vec::new(), Vec::new());
    let (mut expected, mut counted, mut rows) = (None, None, 0);
    for place in 1.. {
        line.clear();
        let read = reader.by_ref().take(LONGEST).read_until(b'\n', &mut line);
        if read.map_err(VectorsError::read(path))? == 0 {
            break;
        }
        let row = line.trim_ascii_end();
        match header(row).filter(|_| place == 1) {
            Some((words, dimension)) => {
                (counted, expected) = (Some(words), Some(dimension.min(MOST_DIMENSIONS)));
            }
            None if row.is_empty() => {}
            None => {
                let dimension = *expected.get_or_insert_with(|| fields(row).saturating_sub(1));
                let split = split(row, dimension, &mut numbers);
                let word = split.map_err(VectorsError::line(path, place))?;
                rows += 1;
                // The odd word of a large file that is not UTF-8 can be no word of a corpus that
                // is.
                if let Ok(word) = std::str::from_utf8(word) {
                    take(word, &numbers).map_err(VectorsError::line(path, place))?;
                }
            }
        }
    }
    match counted.filter(|counted| *counted != rows) {
        Some(counted) => {
            let problem = format!("{rows} words, where its first line counts {counted}");
            Err(VectorsError::whole(path, problem))
        }
        None => Ok(()),
    }
}

fn is_space(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn fields(row: &[u8]) -> usize {
    row.split(is_space).count()
}

/// Whether a field can only be a number; `nan` and `inf` are words, too.
fn is_number(field: &[u8]) -> bool {
    let parses = std::str::from_utf8(field).is_ok_and(|field| field.parse::<f32>().is_ok());
    parses && field.iter().any(u8::is_ascii_digit)
}

/// The word of a row, which may hold spaces, and its last `dimension` fields as numbers.
fn split<'r>(row: &'r [u8], dimension: usize, numbers: &mut Vec<f32>) -> Result<&'r [u8], String> {
    numbers.clear();
    let mut rest = row;
    for _ in 0..dimension {
        let Some(space) = rest.iter().rposition(is_space) else {
            return Err(format!("fewer than {dimension} numbers after the word"));
        };
        let field = &rest[space + 1..];
        let number = std::str::from_utf8(field).ok().and_then(|field| field.parse().ok());
        let Some(number) = number else {
            let field = String::from_utf8_lossy(&field[..field.len().min(40)]);
            return Err(format!("`{}` is not a number", field.escape_debug()));
        };
        numbers.push(number);
        rest = &rest[..space];
    }
    numbers.reverse();
    let last = rest.rsplit(is_space).next().filter(|last| last.len() < rest.len());
    match last.is_some_and(is_number) {
        true => Err(format!("more than {dimension} numbers after the word")),
        false => Ok(rest),
    }
}
