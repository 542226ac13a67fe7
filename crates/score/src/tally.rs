//! Counting what is in gold, what was predicted and what is both, and the ratios of the counts.

use domain::{Counts, TypeId, TypeSet};
use std::iter::Sum;
use std::ops::AddAssign;

/// What a ratio is that has nothing below its line, as seqeval's and scikit-learn's option of that
/// name.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum ZeroDivision {
    /// 0, as every job is scored.
    #[default]
    Zero,
    /// 1: who was asked for nothing and gave nothing made no mistake.
    One,
}

domain::named!(ZeroDivision { Zero = "0", One = "1" });

impl ZeroDivision {
    /// The choice of that name.
    pub fn from_name(name: &str) -> Option<ZeroDivision> {
        ZeroDivision::ALL.into_iter().find(|choice| choice.name() == name)
    }

    /// The ratio, or this choice where there is nothing below the line.
    pub fn ratio(self, above: f64, below: u64) -> f64 {
        match (below, self) {
            (0, ZeroDivision::Zero) => 0.0,
            (0, ZeroDivision::One) => 1.0,
            _ => above / below as f64,
        }
    }
}

/// How many entities (or tokens) are in gold, were predicted, and are both.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    pub support: u64,
    pub predicted: u64,
    pub correct: u64,
}

impl Tally {
    /// The ratios of these counts.
    pub fn counts(self, zero: ZeroDivision) -> Counts {
        let Tally { support, predicted, correct } = self;
        Counts {
            precision: zero.ratio(correct as f64, predicted),
            recall: zero.ratio(correct as f64, support),
            // 2PR / (P + R) with the two divisions taken out. Where only one of P and R is a ratio
            // of nothing, nothing is correct and F1 is 0 whatever that ratio is taken for.
            f1: zero.ratio(2.0 * correct as f64, predicted + support),
            support,
            predicted,
            correct,
        }
    }

    /// Whether neither side has one.
    pub fn is_empty(self) -> bool {
        self.support + self.predicted == 0
    }
}

impl From<&Counts> for Tally {
    fn from(counts: &Counts) -> Self {
        let &Counts { support, predicted, correct, .. } = counts;
        Self { support, predicted, correct }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.support += other.support;
        self.predicted += other.predicted;
        self.correct += other.correct;
    }
}

impl Sum for Tally {
    fn sum<I: Iterator<Item = Tally>>(tallies: I) -> Self {
        tallies.fold(Tally::default(), |mut sum, tally| {
            sum += tally;
            sum
        })
    }
}

/// Something for each type, there from the first time that the type is asked for.
#[derive(Clone, Debug)]
pub(super) struct ByType<T>(Vec<T>);

impl<T> Default for ByType<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Copy + Default> ByType<T> {
    /// That of a type.
    pub fn of(&mut self, id: TypeId) -> &mut T {
        let index = id.0 as usize;
        if index >= self.0.len() {
            self.0.resize(index + 1, T::default());
        }
        &mut self.0[index]
    }

    /// That of a type if it ever came.
    pub fn get(&self, id: TypeId) -> Option<T> {
        self.0.get(id.0 as usize).copied()
    }

    /// Those of all types that came, by name.
    pub fn named<'a>(&'a self, types: &'a TypeSet) -> impl Iterator<Item = (&'a str, T)> {
        types.names().iter().map(String::as_str).zip(self.0.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratios(support: u64, predicted: u64, correct: u64, zero: ZeroDivision) -> [f64; 3] {
        let counts = Tally { support, predicted, correct }.counts(zero);
        [counts.precision, counts.recall, counts.f1]
    }

    #[test]
    fn a_ratio_of_nothing_is_what_was_chosen() {
        use ZeroDivision::{One, Zero};
        assert_eq!(ratios(0, 0, 0, Zero), [0.0, 0.0, 0.0]);
        assert_eq!(ratios(0, 0, 0, One), [1.0, 1.0, 1.0]);
        assert_eq!(ratios(2, 0, 0, Zero), [0.0, 0.0, 0.0]);
        assert_eq!(ratios(2, 0, 0, One), [1.0, 0.0, 0.0]);
        assert_eq!(ratios(0, 2, 0, One), [0.0, 1.0, 0.0]);
        assert_eq!(ratios(4, 2, 1, One), ratios(4, 2, 1, Zero));
    }

    #[test]
    fn names_lead_back_to_choices() {
        for choice in ZeroDivision::ALL {
            assert_eq!(ZeroDivision::from_name(choice.name()), Some(choice));
        }
        assert_eq!(ZeroDivision::from_name("nan"), None);
    }
}
