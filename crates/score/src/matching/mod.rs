//! Softer ways to match entities: the categories of MUC-5 (Chinchor and Sundheim 1993) under the
//! four criteria of SemEval-2013 task 9 (Segura-Bedmar et al. 2013), counted as nervaluate 1.2
//! does.
//!
//! Each prediction takes at most one gold entity and each gold entity is taken once. Predictions
//! choose in their order: what fully meets the criterion, else the first gold entity that they
//! overlap. The scores of a type are those of the entities of that type alone, on both sides.

mod assignment;
mod matcher;

pub use matcher::{Matched, Matcher, TypeMatches};

use super::ZeroDivision;
use serde::Serialize;

/// What a prediction must have in common with a gold entity to be correct.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Criterion {
    /// Both ends and the type.
    Strict,
    /// Both ends, whatever the type.
    Exact,
    /// Both ends, whatever the type; an overlap is half a match.
    Partial,
    /// The type and a token.
    EntType,
}

// As nervaluate names them.
domain::named!(Criterion {
    Strict = "strict",
    Exact = "exact",
    Partial = "partial",
    EntType = "ent_type",
});

/// How many predictions and gold entities fell into each category.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Categories {
    /// Pairs that meet the criterion.
    pub correct: u64,
    /// Pairs that only overlap.
    pub incorrect: u64,
    /// Pairs that only overlap, where that is half a match.
    pub partial: u64,
    /// Gold entities that no prediction took.
    pub missed: u64,
    /// Predictions that took nothing.
    pub spurious: u64,
}

impl Categories {
    /// All gold entities.
    pub fn possible(&self) -> u64 {
        self.correct + self.incorrect + self.partial + self.missed
    }

    /// All predictions.
    pub fn actual(&self) -> u64 {
        self.correct + self.incorrect + self.partial + self.spurious
    }

    /// The ratios, a partial match being half a correct one (SemEval-2013 task 9, section 5).
    pub fn scores(&self, zero: ZeroDivision) -> MatchScores {
        let &Categories { correct, incorrect, partial, missed, spurious } = self;
        let (possible, actual) = (self.possible(), self.actual());
        let matched = correct as f64 + 0.5 * partial as f64;
        MatchScores {
            precision: zero.ratio(matched, actual),
            recall: zero.ratio(matched, possible),
            f1: zero.ratio(2.0 * matched, possible + actual),
            correct,
            incorrect,
            partial,
            missed,
            spurious,
            possible,
            actual,
        }
    }

    fn add(&mut self, other: &Categories) {
        self.correct += other.correct;
        self.incorrect += other.incorrect;
        self.partial += other.partial;
        self.missed += other.missed;
        self.spurious += other.spurious;
    }
}

/// Categories with their ratios.
#[derive(Copy, Clone, PartialEq, Debug, Default, Serialize)]
pub struct MatchScores {
    pub precision: f64,
    pub recall: f64,
    pub f1: f64,
    pub correct: u64,
    pub incorrect: u64,
    pub partial: u64,
    pub missed: u64,
    pub spurious: u64,
    /// Gold entities: the support of other tables.
    pub possible: u64,
    /// Predictions.
    pub actual: u64,
}

#[cfg(test)]
mod tests;
