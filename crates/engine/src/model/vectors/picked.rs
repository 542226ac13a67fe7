//! The vectors of a few words straight from their file, where there is no cache.

use super::lookup::VectorRows;
use super::{VectorsError, read};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// The rows of a file that were asked for.
#[derive(Debug)]
pub(super) struct Picked {
    dimension: usize,
    rows: HashMap<String, u32>,
    vectors: Vec<f32>,
}

impl Picked {
    /// Reads a whole file and keeps what these words may be found by.
    pub fn read(path: &Path, words: &[&str]) -> Result<Self, VectorsError> {
        let lowered = words.iter().map(|word| word.to_lowercase());
        let wanted: HashSet<String> =
            lowered.chain(words.iter().map(|word| (*word).to_owned())).collect();
        let (mut rows, mut vectors) = (HashMap::new(), Vec::new());
        let dimension = read(path, &mut |word, vector| {
            // Of a word that is there twice the first counts, as in a table.
            if wanted.contains(word) && !rows.contains_key(word) {
                rows.insert(word.to_owned(), rows.len() as u32);
                vectors.extend_from_slice(vector);
            }
            Ok(())
        })?;
        Ok(Self { dimension, rows, vectors })
    }
}

impl VectorRows for Picked {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn row(&self, word: &str) -> Option<u32> {
        self.rows.get(word).copied()
    }

    fn read(&self, rows: &[u32]) -> Result<Vec<f32>, VectorsError> {
        let start = |row: &u32| *row as usize * self.dimension;
        let row = |row: &u32| self.vectors[start(row)..][..self.dimension].iter().copied();
        Ok(rows.iter().flat_map(row).collect())
    }
}
