//! Which vector a corpus's word has.

use super::VectorsError;
use super::checksum::checksum;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// How words are looked up.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Policy {
    /// Words of digits alone are one word, whose vector is zero (as sequence_tagging's NUM).
    pub numbers: bool,
    pub unknown: Unknown,
}

/// The vector of a word that the table lacks.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// Zero: all such words are one.
    Zero,
    /// Drawn from ±√(3/d), by the seed and the word's letters alone.
    Random { seed: u64 },
}

/// How a word was found.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Fate {
    /// As it is written.
    Exact,
    /// In lower case.
    Lowered,
    /// As a number.
    Number,
    /// Not at all.
    Unknown,
}

/// The vectors of some words, each distinct vector once.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    pub dimension: usize,
    /// rows × dimension; the first row is that of unknown words, the second that of numbers.
    pub rows: Vec<f32>,
    /// The row of each word that was looked up.
    pub row_of: Vec<u32>,
    pub fates: Vec<Fate>,
}

impl Found {
    /// The row of unknown words, where they share one.
    pub const UNKNOWN: u32 = 0;
    /// The row of numbers.
    pub const NUMBER: u32 = 1;

    /// The share of tokens whose word was not found, given how often each word occurs.
    pub fn unknown_rate(&self, counts: &[usize]) -> f64 {
        let sum = |fates: fn(&Fate) -> bool| -> usize {
            let words = self.fates.iter().zip(counts);
            words.filter(|(fate, _)| fates(fate)).map(|(_, count)| count).sum()
        };
        sum(|fate| *fate == Fate::Unknown) as f64 / sum(|_| true).max(1) as f64
    }
}

/// Rows of vectors, some of which belong to a word.
pub(super) trait VectorRows {
    /// Numbers a word.
    fn dimension(&self) -> usize;
    /// The row of a word.
    fn row(&self, word: &str) -> Option<u32>;
    /// The vectors of some rows, which are given in ascending order: rows × dimension.
    fn read(&self, rows: &[u32]) -> Result<Vec<f32>, VectorsError>;
}

/// The vectors of some words.
pub(super) fn look_up(
    table: &impl VectorRows,
    words: &[&str],
    policy: Policy,
) -> Result<Found, VectorsError> {
    let fates: Vec<(Fate, u32)> = words.iter().map(|word| fate(table, word, policy)).collect();
    let is_row = |fate: &&(Fate, u32)| matches!(fate.0, Fate::Exact | Fate::Lowered);
    let mut in_table: Vec<u32> = fates.iter().filter(is_row).map(|(_, row)| *row).collect();
    in_table.sort_unstable();
    in_table.dedup();
    let dimension = table.dimension();
    let mut rows = vec![0.0; 2 * dimension];
    rows.extend(table.read(&in_table)?);
    let mut drawn = BTreeMap::new();
    let row_of = words.iter().zip(&fates).map(|(word, (fate, row))| match (fate, policy.unknown) {
        (Fate::Exact | Fate::Lowered, _) => {
            2 + in_table.partition_point(|other| other < row) as u32
        }
        (Fate::Number, _) => Found::NUMBER,
        (Fate::Unknown, Unknown::Zero) => Found::UNKNOWN,
        (Fate::Unknown, Unknown::Random { seed }) => *drawn.entry(*word).or_insert_with(|| {
            let row = rows.len() / dimension;
            rows.extend(draw(seed, word, dimension));
            row as u32
        }),
    });
    let row_of = row_of.collect();
    Ok(Found { dimension, rows, row_of, fates: fates.into_iter().map(|(fate, _)| fate).collect() })
}

/// How a word is found, and its row in the table if it has one.
fn fate(table: &impl VectorRows, word: &str, policy: Policy) -> (Fate, u32) {
    if policy.numbers && !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()) {
        return (Fate::Number, 0);
    }
    if let Some(row) = table.row(word) {
        return (Fate::Exact, row);
    }
    let lowered = word.to_lowercase();
    match (lowered != word).then(|| table.row(&lowered)).flatten() {
        Some(row) => (Fate::Lowered, row),
        None => (Fate::Unknown, 0),
    }
}

/// A vector of unit variance, however long.
fn draw(seed: u64, word: &str, dimension: usize) -> impl Iterator<Item = f32> {
    let bound = (3.0 / dimension as f32).sqrt();
    let mut random = ChaCha8Rng::seed_from_u64(checksum(seed, word.as_bytes()));
    (0..dimension).map(move |_| random.random_range(-bound..=bound))
}
