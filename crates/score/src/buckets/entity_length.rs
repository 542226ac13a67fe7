//! By how many tokens an entity has (InterpretEval's `eLen`).

use super::{Bucketing, Mention, place};

pub(super) const BUCKETING: Bucketing = Bucketing {
    name: "entity_length",
    help: "tokens of the entity",
    buckets: &["1", "2", "3", "4", "5+"],
    needs_training: false,
    place: bucket,
};

fn bucket(mention: &Mention) -> usize {
    place(mention.entity.end - mention.entity.start, &[1, 2, 3, 4])
}
