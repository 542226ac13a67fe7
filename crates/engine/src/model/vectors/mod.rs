//! Word vectors that others trained: GloVe, word2vec and fastText, as text, binary or JSON.
//!
//! A file is read once, a row at a time, and kept as a table in the user's cache, named by what the
//! file's content hashes to. A job takes from it the few thousand rows that its corpus has words
//! for: that costs the table's index and those rows, not the table. Neither file nor table is ever
//! trusted: what is wrong with a file is an error with its place, and a damaged table is made
//! again.

mod binary;
mod checksum;
mod index;
mod json;
mod lookup;
mod picked;
mod source;
mod table;
mod text;

#[cfg(test)]
pub use lookup::Fate;
pub use lookup::{Found, Policy, Unknown};
pub use source::Source;

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why word vectors cannot be used.
#[derive(Debug, Error)]
pub enum VectorsError {
    #[error("{}: cannot be read: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{}: cannot be written: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("{}:{line}: {problem}", path.display())]
    Line { path: PathBuf, line: usize, problem: String },
    #[error("{}: {problem}", path.display())]
    Whole { path: PathBuf, problem: String },
    #[error("{}: this is no whole table of word vectors", path.display())]
    Damaged { path: PathBuf },
}

impl VectorsError {
    fn read(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Read { path: path.to_owned(), source }
    }

    fn write(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Write { path: path.to_owned(), source }
    }

    fn line(path: &Path, line: usize) -> impl FnOnce(String) -> Self + '_ {
        move |problem| Self::Line { path: path.to_owned(), line, problem }
    }

    fn whole(path: &Path, problem: impl Into<String>) -> Self {
        Self::Whole { path: path.to_owned(), problem: problem.into() }
    }
}

/// More numbers per word than this are no word vectors.
const MOST_DIMENSIONS: usize = 8192;

/// Takes a file's words one after the other; refuses one in words.
type Take<'a> = dyn FnMut(&str, &[f32]) -> Result<(), String> + 'a;

/// Reads a file of any of the known forms, which its first bytes tell; `take` hears of each word.
/// How many numbers per word has.
fn read(path: &Path, take: &mut Take<'_>) -> Result<usize, VectorsError> {
    let file = File::open(path).map_err(VectorsError::read(path))?;
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut dimension = 0;
    let take = &mut |word: &str, vector: &[f32]| {
        check(vector, &mut dimension)?;
        take(word, vector)
    };
    let start = reader.fill_buf().map_err(VectorsError::read(path))?;
    match start.first() {
        None => return Err(VectorsError::whole(path, "the file is empty")),
        Some(b'{') => json::read(path, reader, take)?,
        Some(_) if binary::is_model(start) => {
            let problem = "a model of fastText: give the text file of its vectors (.vec) instead";
            return Err(VectorsError::whole(path, problem));
        }
        Some(_) if binary::is_binary(start) => binary::read(path, reader, take)?,
        Some(_) => text::read(path, reader, take)?,
    }
    match dimension {
        0 => Err(VectorsError::whole(path, "no word in it")),
        dimension => Ok(dimension),
    }
}

/// Every word has as many numbers as the first, and they are numbers.
fn check(vector: &[f32], dimension: &mut usize) -> Result<(), String> {
    if *dimension == 0 {
        *dimension = vector.len();
    }
    if vector.len() != *dimension || vector.is_empty() || vector.len() > MOST_DIMENSIONS {
        return Err(format!("{} numbers, where {dimension} are expected", vector.len()));
    }
    match vector.iter().all(|number| number.is_finite()) {
        true => Ok(()),
        false => Err("a number that is infinite or none".to_owned()),
    }
}

/// `400000 100`, as word2vec and fastText begin a file: how many words, how many numbers each.
fn header(line: &[u8]) -> Option<(usize, usize)> {
    let mut fields = std::str::from_utf8(line).ok()?.split_ascii_whitespace();
    let (words, dimension) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    fields.next().is_none().then_some((words, dimension))
}

#[cfg(test)]
mod tests;
