//! From counts to precision, recall and F1, and the averages over types.

use super::tally::Tally;
use crate::domain::{Counts, LevelScores};
use std::collections::{BTreeMap, BTreeSet};

impl Tally {
    /// The ratios of these counts.
    pub(super) fn counts(self) -> Counts {
        let Tally { support, predicted, correct } = self;
        Counts {
            precision: ratio(correct, predicted),
            recall: ratio(correct, support),
            // 2PR / (P + R) with the two divisions taken out.
            f1: ratio(2 * correct, predicted + support),
            support,
            predicted,
            correct,
        }
    }
}

/// A ratio, 0 where there is nothing below the line.
fn ratio(above: u64, below: u64) -> f64 {
    if below == 0 { 0.0 } else { above as f64 / below as f64 }
}

/// The scores of one level from the counts of its types; a type nobody used is left out.
pub(super) fn level(tallies: impl Iterator<Item = (String, Tally)>) -> LevelScores {
    let types: BTreeMap<String, Counts> = tallies
        .filter(|(_, tally)| tally.support + tally.predicted > 0)
        .map(|(name, tally)| (name, tally.counts()))
        .collect();
    let in_gold = |counts: &&Counts| counts.support > 0;
    LevelScores {
        micro: total(types.values()).counts(),
        macro_: mean(types.values(), |_| 1.0),
        macro_fixed: mean(types.values().filter(in_gold), |_| 1.0),
        weighted: mean(types.values(), |counts| counts.support as f64),
        types,
    }
}

/// The macro average over types fixed by hand; one that nobody used counts as 0, a repeated one once.
pub fn macro_over<'a>(level: &LevelScores, types: impl IntoIterator<Item = &'a str>) -> Counts {
    let names: BTreeSet<&str> = types.into_iter().collect();
    let counts: Vec<Counts> =
        names.iter().map(|&name| level.types.get(name).copied().unwrap_or_default()).collect();
    mean(counts.iter(), |_| 1.0)
}

/// The sum of the counts.
fn total<'a>(counts: impl Iterator<Item = &'a Counts>) -> Tally {
    counts.fold(Tally::default(), |sum, counts| Tally {
        support: sum.support + counts.support,
        predicted: sum.predicted + counts.predicted,
        correct: sum.correct + counts.correct,
    })
}

/// The mean of precision, of recall and of F1 (not the F1 of the means), with the counts summed.
fn mean<'a>(
    counts: impl Iterator<Item = &'a Counts> + Clone,
    weight: impl Fn(&Counts) -> f64,
) -> Counts {
    let weights: f64 = counts.clone().map(&weight).sum();
    let of = |part: fn(&Counts) -> f64| {
        let sum: f64 = counts.clone().map(|counts| weight(counts) * part(counts)).sum();
        if weights == 0.0 { 0.0 } else { sum / weights }
    };
    let Tally { support, predicted, correct } = total(counts.clone());
    let (precision, recall, f1) = (of(|c| c.precision), of(|c| c.recall), of(|c| c.f1));
    Counts { precision, recall, f1, support, predicted, correct }
}
