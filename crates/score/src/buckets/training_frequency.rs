//! By how often the training data has an entity of the same words, of any type (InterpretEval's
//! `eFre`, which too compares words in lower case).

use super::{Bucketing, Mention, place};

pub(super) const BUCKETING: Bucketing = Bucketing {
    name: "training_frequency",
    help: "entities of the same words in training",
    buckets: &["0", "1", "2-4", "5-19", "20+"],
    needs_training: true,
    place: bucket,
};

fn bucket(mention: &Mention) -> usize {
    place(mention.known.frequency, &[0, 1, 4, 19])
}
