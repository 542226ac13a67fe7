//! From counts by type to averages over types.

use super::tally::{Tally, ZeroDivision};
use domain::{Counts, LevelScores};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What the averages are over, and what a ratio of nothing counts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Policy {
    pub zero_division: ZeroDivision,
    /// The types of `macro_fixed`; those in gold where there are none. One that nobody used counts
    /// as a ratio of nothing, a repeated one once.
    pub fixed_types: BTreeSet<String>,
}

/// The averages of a level where O is one class more.
#[derive(Copy, Clone, PartialEq, Debug, Default, Serialize)]
pub struct OutsideScores {
    /// O itself.
    pub outside: Counts,
    pub micro: Counts,
    #[serde(rename = "macro")]
    pub macro_: Counts,
    /// O and the types of the level's `macro_fixed`.
    pub macro_fixed: Counts,
    pub weighted: Counts,
}

impl Policy {
    /// The scores of one level from the counts of its types; a type nobody used is left out.
    pub(super) fn level<'a>(&self, tallies: impl Iterator<Item = (&'a str, Tally)>) -> LevelScores {
        let types: BTreeMap<String, Counts> = tallies
            .filter(|(_, tally)| !tally.is_empty())
            .map(|(name, tally)| (name.to_owned(), tally.counts(self.zero_division)))
            .collect();
        let all: Vec<Counts> = types.values().copied().collect();
        LevelScores {
            micro: self.micro(&all),
            macro_: self.mean(&all),
            macro_fixed: self.mean(&self.fixed(&types)),
            weighted: self.weighted(&all),
            types,
        }
    }

    /// The averages of a level with O as one class more, unless nobody used it.
    pub(super) fn with_outside(&self, level: &LevelScores, outside: Tally) -> OutsideScores {
        let outside = outside.counts(self.zero_division);
        let used = |counts: &Counts| !Tally::from(counts).is_empty();
        let first = Some(outside).filter(used);
        let all: Vec<Counts> = first.into_iter().chain(level.types.values().copied()).collect();
        let in_gold = first.filter(|outside| outside.support > 0);
        let fixed: Vec<Counts> = in_gold.into_iter().chain(self.fixed(&level.types)).collect();
        OutsideScores {
            outside,
            micro: self.micro(&all),
            macro_: self.mean(&all),
            macro_fixed: self.mean(&fixed),
            weighted: self.weighted(&all),
        }
    }

    /// The types of `macro_fixed`.
    fn fixed(&self, types: &BTreeMap<String, Counts>) -> Vec<Counts> {
        if self.fixed_types.is_empty() {
            return types.values().copied().filter(|counts| counts.support > 0).collect();
        }
        let unused = Tally::default().counts(self.zero_division);
        self.fixed_types.iter().map(|name| types.get(name).copied().unwrap_or(unused)).collect()
    }

    /// The ratios of the sums.
    fn micro(&self, counts: &[Counts]) -> Counts {
        total(counts).counts(self.zero_division)
    }

    fn mean(&self, counts: &[Counts]) -> Counts {
        self.average(counts, |_| 1.0)
    }

    fn weighted(&self, counts: &[Counts]) -> Counts {
        self.average(counts, |counts| counts.support as f64)
    }

    /// The mean of precision, of recall and of F1 (not the F1 of the means), with the counts
    /// summed. Where nothing has a weight it is the ratio of the sums, as in seqeval.
    fn average(&self, counts: &[Counts], weight: impl Fn(&Counts) -> f64) -> Counts {
        let weights: f64 = counts.iter().map(&weight).sum();
        if weights == 0.0 {
            return self.micro(counts);
        }
        let of = |part: fn(&Counts) -> f64| {
            counts.iter().map(|counts| weight(counts) * part(counts)).sum::<f64>() / weights
        };
        let Tally { support, predicted, correct } = total(counts);
        let (precision, recall, f1) = (of(|c| c.precision), of(|c| c.recall), of(|c| c.f1));
        Counts { precision, recall, f1, support, predicted, correct }
    }
}

/// The sum of the counts.
fn total(counts: &[Counts]) -> Tally {
    counts.iter().map(Tally::from).sum()
}
