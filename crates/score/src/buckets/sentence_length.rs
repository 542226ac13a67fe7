//! By how many tokens the sentence has (InterpretEval's `sLen`).

use super::{Bucketing, Mention, place};

pub(super) const BUCKETING: Bucketing = Bucketing {
    name: "sentence_length",
    help: "tokens of the sentence",
    buckets: &["1-10", "11-20", "21-30", "31-50", "51+"],
    needs_training: false,
    place: bucket,
};

fn bucket(mention: &Mention) -> usize {
    place(mention.sentence_length, &[10, 20, 30, 50])
}
