//! The same counts by what entities are like: how long, how often seen in training, how rare their
//! type. An average hides the tail; these tables show it (Fu, Liu and Neubig 2020, Interpretable
//! Multi-dataset Evaluation for Named Entity Recognition: InterpretEval).
//!
//! Each entity, of gold or prediction, falls by its own attributes into one bucket of every
//! bucketing, and equal entities into the same one, so the buckets of a bucketing add up to the
//! counts of all. Unlike InterpretEval's, the limits of buckets are fixed: what they hold can be
//! compared across systems and corpora.
//!
//! A bucketing is one module with a `BUCKETING` and one line in the list below.

mod entity_length;
mod rareness;
mod seen;
mod sentence_length;
mod training;
mod training_frequency;
mod words;

pub use training::Training;
pub use words::Words;

use super::entities::Mode;
use super::side_by_side::side_by_side;
use super::tally::{Tally, ZeroDivision};
use domain::{Counts, EntitySpan, Tag};
use training::Known;

/// Every bucketing, in the order of tables.
pub const BUCKETINGS: &[Bucketing] = &[
    entity_length::BUCKETING,
    sentence_length::BUCKETING,
    training_frequency::BUCKETING,
    seen::BUCKETING,
    rareness::BUCKETING,
];

/// One way to sort entities into buckets.
#[derive(Copy, Clone, Debug)]
pub struct Bucketing {
    /// As JSON writes it.
    pub name: &'static str,
    /// What is sorted by, in one line.
    pub help: &'static str,
    /// The names of the buckets, in order.
    pub buckets: &'static [&'static str],
    /// Whether it looks at the training data.
    pub needs_training: bool,
    /// The bucket of an entity: an index into `buckets`.
    place: fn(&Mention) -> usize,
}

/// What is known of one entity of gold or prediction.
struct Mention {
    entity: EntitySpan,
    sentence_length: usize,
    known: Known,
}

/// The place of a value among limits, each the largest value of its bucket.
fn place(value: usize, largest: &[usize]) -> usize {
    largest.partition_point(|&limit| limit < value)
}

/// Counts by bucket, filled sentence by sentence.
#[derive(Clone, Debug)]
pub struct Buckets<'t> {
    mode: Mode,
    training: Option<&'t Training>,
    tallies: Vec<(&'static Bucketing, Vec<Tally>)>,
    /// Room for the words of an entity in lower case.
    key: String,
}

/// The scores of one bucketing.
#[derive(Clone, PartialEq, Debug)]
pub struct BucketScores {
    pub name: &'static str,
    pub help: &'static str,
    /// In order, those that are empty included.
    pub buckets: Vec<(&'static str, Counts)>,
}

impl<'t> Buckets<'t> {
    /// Counts of nothing. Without training data the bucketings that need it are left out.
    pub fn new(mode: Mode, training: Option<&'t Training>) -> Self {
        let tallies = BUCKETINGS
            .iter()
            .filter(|bucketing| training.is_some() || !bucketing.needs_training)
            .map(|bucketing| (bucketing, vec![Tally::default(); bucketing.buckets.len()]))
            .collect();
        Self { mode, training, tallies, key: String::new() }
    }

    /// Counts one sentence. Both sides have as many tags, and `words` has the tokens if there is
    /// training data.
    pub fn add(&mut self, gold: &[Tag], predicted: &[Tag], words: Words) {
        side_by_side(gold, predicted, self.mode, |found, entity| {
            let known = match self.training {
                Some(training) => training.known(words, entity, &mut self.key),
                None => Known::default(),
            };
            let mention = Mention { entity, sentence_length: gold.len(), known };
            for (bucketing, tallies) in &mut self.tallies {
                found.count(&mut tallies[(bucketing.place)(&mention)]);
            }
        });
    }

    /// The scores of all that was counted, by bucketing.
    pub fn scores(&self, zero: ZeroDivision) -> Vec<BucketScores> {
        let of = |(bucketing, tallies): &(&Bucketing, Vec<Tally>)| {
            let counts = tallies.iter().map(|tally| tally.counts(zero));
            BucketScores {
                name: bucketing.name,
                help: bucketing.help,
                buckets: bucketing.buckets.iter().copied().zip(counts).collect(),
            }
        };
        self.tallies.iter().map(of).collect()
    }
}

#[cfg(test)]
mod tests;
