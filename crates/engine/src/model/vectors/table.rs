//! Vectors on disk: opened in milliseconds, read row by row.
//!
//! ```text
//! magic, rows, dimension, words, buckets, bytes of text, checksum    8 bytes each, little-endian
//! rows, in the order of the file they come from                      4 bytes a number, 4 for a checksum
//! the index of words                                                 see `Index`
//! ```
//!
//! A table is whole or not there: it is written under another name and renamed. Every byte of it is
//! covered by a checksum, which is looked at when the byte is read.

use super::checksum::checksum;
use super::index::{Index, Sizes, Words};
use super::lookup::VectorRows;
use super::{MOST_DIMENSIONS, VectorsError, read};
use std::fs::{DirEntry, File};
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

const MAGIC: u64 = u64::from_le_bytes(*b"tgvec\0\0\x02");
const HEAD: usize = 56;
/// An unfinished table that is older belongs to a process that is no more.
const LEFT_BEHIND: Duration = Duration::from_secs(24 * 60 * 60);
/// Rows that are read in one go although they are not wanted, where they stand between wanted ones:
/// copying them costs less than another call.
const GAP: u32 = 24;
/// Rows that are read in one go, at most.
const RUN: usize = 512;

/// A file of words and their vectors.
#[derive(Debug)]
pub(super) struct Table {
    path: PathBuf,
    file: File,
    dimension: usize,
    index: Index,
}

/// Reads a file of vectors and makes a table of it.
pub(super) fn make(from: &Path, path: &Path) -> Result<(), VectorsError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(VectorsError::write(folder))?;
    remove_left_behind(folder);
    let temporary = atomic::temporary_beside(path);
    let made = write_to(from, &temporary)
        .and_then(|()| atomic::adopt(&temporary, path).map_err(VectorsError::write(path)));
    if made.is_err() {
        // The first error is the one to tell.
        let _ = std::fs::remove_file(&temporary);
    }
    made
}

/// Removes unfinished tables of processes that are no more, as far as that is possible.
fn remove_left_behind(folder: &Path) {
    let Ok(files) = std::fs::read_dir(folder) else { return };
    let is_old = |file: &DirEntry| {
        let age = file.metadata().and_then(|data| data.modified()).map(|then| then.elapsed());
        age.is_ok_and(|age| age.is_ok_and(|age| age > LEFT_BEHIND))
    };
    let is_temporary =
        |file: &DirEntry| file.file_name().to_string_lossy().starts_with(atomic::TEMPORARY);
    for file in files.flatten().filter(|file| is_temporary(file) && is_old(file)) {
        let _ = std::fs::remove_file(file.path());
    }
}

fn write_to(from: &Path, path: &Path) -> Result<(), VectorsError> {
    let error = || VectorsError::write(path);
    let mut out = BufWriter::with_capacity(1 << 20, File::create_new(path).map_err(error())?);
    out.write_all(&[0; HEAD]).map_err(error())?;
    let (mut words, mut failed, mut bytes) = (Words::default(), None, Vec::new());
    let taken = read(from, &mut |word, vector| {
        bytes.clear();
        vector.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes.extend(row_checksum(words.len(), &bytes).to_le_bytes());
        words.push(word)?;
        out.write_all(&bytes).map_err(|cause| {
            let problem = cause.to_string();
            failed = Some(cause);
            problem
        })
    });
    if let Some(cause) = failed {
        return Err(error()(cause));
    }
    let (dimension, rows, index) = (taken?, words.len(), words.into_index());
    let Sizes { words, buckets, text } = index.sizes();
    out.write_all(&index.to_bytes()).map_err(error())?;
    let mut file = out.into_inner().map_err(|cause| error()(cause.into_error()))?;
    let finished = file.seek(SeekFrom::Start(0));
    finished
        .and_then(|_| file.write_all(&head([rows, dimension, words, buckets, text])))
        .map_err(error())
}

fn head(numbers: [usize; 5]) -> Vec<u8> {
    let mut head = MAGIC.to_le_bytes().to_vec();
    numbers.iter().for_each(|number| head.extend((*number as u64).to_le_bytes()));
    head.extend(checksum(1, &head).to_le_bytes());
    head
}

fn row_checksum(row: usize, bytes: &[u8]) -> u32 {
    // The upper half: the better mixed one.
    (checksum(row as u64, bytes) >> 32) as u32
}

impl Table {
    /// Opens a table.
    pub fn open(path: &Path) -> Result<Self, VectorsError> {
        let damaged = || VectorsError::Damaged { path: path.to_owned() };
        let mut file = File::open(path).map_err(VectorsError::read(path))?;
        let mut bytes = [0; HEAD];
        file.read_exact(&mut bytes).map_err(|_| damaged())?;
        let number = |place: usize| u64::from_le_bytes(bytes.as_chunks().0[place]) as usize;
        let numbers @ [rows, dimension, words, buckets, text] = [1, 2, 3, 4, 5].map(number);
        if bytes[..] != head(numbers) || dimension == 0 || dimension > MOST_DIMENSIONS {
            return Err(damaged());
        }
        let sizes = Sizes { words, buckets, text };
        let index = sizes.on_disk().ok_or_else(damaged)?;
        let start = rows.checked_mul(4 * dimension + 4).and_then(|size| size.checked_add(HEAD));
        let start = start.ok_or_else(damaged)?;
        let length = file.metadata().map_err(VectorsError::read(path))?.len();
        if start.checked_add(index).map(|length| length as u64) != Some(length) {
            return Err(damaged());
        }
        let mut bytes = vec![0; index];
        file.read_exact_at(&mut bytes, start as u64).map_err(VectorsError::read(path))?;
        let index = Index::from_bytes(bytes, sizes, rows).ok_or_else(damaged)?;
        Ok(Self { path: path.to_owned(), file, dimension, index })
    }

    /// Reads from one row to the last of `rows` at once and keeps those wanted.
    fn read_run(
        &self,
        first: u32,
        rows: &[u32],
        bytes: &mut Vec<u8>,
        into: &mut Vec<f32>,
    ) -> Result<(), VectorsError> {
        let width = 4 * self.dimension + 4;
        let count = (rows[rows.len() - 1] - first) as usize + 1;
        bytes.resize(count * width, 0);
        let start = (HEAD + first as usize * width) as u64;
        let read = self.file.read_exact_at(bytes, start);
        read.map_err(VectorsError::read(&self.path))?;
        for row in rows {
            let bytes = &bytes[(row - first) as usize * width..][..width];
            let (numbers, sum) = bytes.split_at(4 * self.dimension);
            if sum != row_checksum(*row as usize, numbers).to_le_bytes() {
                return Err(VectorsError::Damaged { path: self.path.clone() });
            }
            into.extend(numbers.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)));
        }
        Ok(())
    }
}

impl VectorRows for Table {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn row(&self, word: &str) -> Option<u32> {
        self.index.row(word)
    }

    fn read(&self, rows: &[u32]) -> Result<Vec<f32>, VectorsError> {
        let mut vectors = Vec::with_capacity(rows.len() * self.dimension);
        let mut bytes = Vec::new();
        let mut rest = rows;
        while let Some(first) = rest.first() {
            let near = |pair: &[u32]| pair[1] - pair[0] <= GAP;
            let run = 1 + rest.windows(2).take(RUN - 1).take_while(|pair| near(pair)).count();
            let (now, later) = rest.split_at(run);
            self.read_run(*first, now, &mut bytes, &mut vectors)?;
            rest = later;
        }
        Ok(vectors)
    }
}
