//! By the rareness of the entity's type, r_t = -log2(tokens of type t / all training tokens)
//! (wang2022, section 3.2): one more means half as many tokens.

use super::{Bucketing, Mention};

pub(super) const BUCKETING: Bucketing = Bucketing {
    name: "rareness",
    help: "rareness of the type in training, -log2 of its share of the tokens",
    buckets: &["below 4", "4 to 6", "6 to 8", "8 to 10", "10 and more", "not in training"],
    needs_training: true,
    place: bucket,
};

fn bucket(mention: &Mention) -> usize {
    const LIMITS: [f64; 4] = [4.0, 6.0, 8.0, 10.0];
    match mention.known.rareness {
        Some(rareness) => LIMITS.partition_point(|&limit| limit <= rareness),
        None => LIMITS.len() + 1,
    }
}
