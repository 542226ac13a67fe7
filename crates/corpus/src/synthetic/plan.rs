//! How many of what: the shares that a corpus was asked for, as whole numbers.
//!
//! Quotas instead of coin tosses, so that a small corpus has the statistics it was asked for too.

use super::settings::Synthetic;

/// Whether a split is the one that others are compared with.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum SplitKind {
    Train,
    /// Dev or test: some of its names are not in train.
    Later,
}

/// The numbers of one split.
pub(super) struct Plan {
    pub sentences: usize,
    pub mean_length: usize,
    /// Sentences that hold mentions.
    pub with_mentions: usize,
    /// By type, the commonest first.
    pub types: Vec<TypePlan>,
    /// Probability that an unambiguous name has a cue beside it.
    pub cues: f64,
}

/// Mentions of one type, by what their names are.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct TypePlan {
    /// Names that are nothing else; in [`SplitKind::Later`], known from train.
    pub plain: usize,
    /// Names that are ordinary words too.
    pub ambiguous: usize,
    /// Names that train does not have.
    pub unseen: usize,
}

impl Plan {
    /// The numbers of a split of so many sentences.
    pub fn new(settings: &Synthetic, kind: SplitKind, sentences: usize) -> Self {
        let with_mentions = part(settings.entity_sentences, sentences).max(1);
        let mentions = (with_mentions as f64 * settings.mentions_a_sentence()).round() as usize;
        let unseen = if kind == SplitKind::Later { settings.unseen } else { 0.0 };
        let plan = |mentions| {
            let unseen = part(unseen, mentions);
            let ambiguous = part(settings.ambiguity, mentions - unseen);
            TypePlan { plain: mentions - unseen - ambiguous, ambiguous, unseen }
        };
        let mut by_type = apportion(mentions, &tail_weights(settings.types, settings.tail));
        if kind == SplitKind::Train {
            // What train does not have cannot be known later.
            by_type.iter_mut().for_each(|n| *n = (*n).max(1));
        }
        Self {
            sentences,
            mean_length: settings.mean_length,
            with_mentions,
            types: by_type.into_iter().map(plan).collect(),
            cues: settings.cues,
        }
    }
}

fn part(share: f64, whole: usize) -> usize {
    (share * whole as f64).round() as usize
}

/// Weights that fall as 1/(1 + c·rank) from 1 to `tail`: a long tail that needs no power function.
fn tail_weights(types: usize, tail: f64) -> Vec<f64> {
    let steps = (types - 1).max(1) as f64;
    let weight = |rank: usize| 1.0 / (1.0 + rank as f64 * (1.0 / tail - 1.0) / steps);
    (0..types).map(weight).collect()
}

/// Shares a total out in proportion to weights, by largest remainder.
fn apportion(total: usize, weights: &[f64]) -> Vec<usize> {
    let sum: f64 = weights.iter().sum();
    let exact: Vec<f64> = weights.iter().map(|weight| total as f64 * weight / sum).collect();
    let mut parts: Vec<usize> = exact.iter().map(|part| part.floor() as usize).collect();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()));
    let missing = total.saturating_sub(parts.iter().sum());
    for &index in order.iter().cycle().take(missing) {
        parts[index] += 1;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_goes_from_one_to_its_ratio() {
        for (types, tail) in [(6, 0.25), (2, 0.01), (12, 1.0)] {
            let weights = tail_weights(types, tail);
            assert_eq!((weights[0], weights.len()), (1.0, types));
            assert!((weights[types - 1] - tail).abs() < 1e-12);
            assert!(weights.is_sorted_by(|a, b| a >= b));
        }
        assert_eq!(tail_weights(1, 0.25), [1.0]);
    }

    #[test]
    fn parts_sum_to_the_total() {
        assert_eq!(apportion(10, &[1.0, 1.0, 1.0]), [4, 3, 3]);
        assert_eq!(apportion(0, &[1.0, 0.5]), [0, 0]);
        assert_eq!(apportion(7, &[3.0, 1.0]), [5, 2]);
    }
}
