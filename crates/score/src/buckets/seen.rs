//! By whether the training data has the entity: its words, and its type. Words that were an entity
//! only of another type are the hardest: what was learnt points the wrong way (the low end of
//! InterpretEval's label consistency, `eCon`).

use super::{Bucketing, Mention};

pub(super) const BUCKETING: Bucketing = Bucketing {
    name: "seen",
    help: "the same words as an entity in training",
    buckets: &["seen", "other type only", "unseen"],
    needs_training: true,
    place: bucket,
};

fn bucket(mention: &Mention) -> usize {
    match (mention.known.frequency, mention.known.as_type) {
        (0, _) => 2,
        (_, false) => 1,
        (_, true) => 0,
    }
}
