//! The course of one training: how many updates it may take, and the shares that it is cut into.
//!
//! Everything that happens now and then, such as scoring dev, decay, restarts and temperatures,
//! happens at the end of a share, so that it comes at the same part of the budget whatever the size
//! of a method's data. Under `budget: updates` a share is an equal part of the optimiser steps,
//! which do not depend on the method; under `budget: passes` it is one pass over the method's own
//! data.

use crate::batches::{self, Size};
use crate::prepare::Prepared;
use domain::{BudgetRule, Failure, TrainingSettings};

/// The course of one training.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Course {
    /// At least 1, and with a budget of updates at most as many as these.
    pub shares: usize,
    /// `None` where a share is a pass.
    updates: Option<usize>,
}

impl Course {
    /// The course that a job's settings give to one training on its data.
    pub fn new(training: &TrainingSettings, data: &Prepared) -> Self {
        Self::over(training, steps_of_a_pass(training, &data.original))
    }

    /// The same, where a pass over the data before the method takes so many steps.
    fn over(training: &TrainingSettings, steps: usize) -> Self {
        let updates = match training.budget {
            BudgetRule::Passes => None,
            BudgetRule::Updates => Some(training.updates_over(steps)),
        };
        Self { shares: training.epochs, updates }.cut()
    }

    /// A part of it for one of several stages; alone the stage would take so many passes.
    pub fn part(self, part: f64, passes: usize) -> Self {
        let updates = self.updates.map(|updates| (updates as f64 * part) as usize);
        Self { shares: passes, updates: updates.map(|updates| updates.max(1)) }.cut()
    }

    /// What so many stages leave of it, for one that alone would take so many passes.
    pub fn rest(self, stage: Self, stages: usize, passes: usize) -> Self {
        let taken = stage.updates.unwrap_or(0) * stages;
        let updates = self.updates.map(|updates| updates.saturating_sub(taken).max(1));
        Self { shares: passes, updates }.cut()
    }

    /// An error if so many stages cannot share it.
    pub fn check_stages(self, stages: usize) -> Result<(), Failure> {
        match self.updates {
            Some(updates) if updates < stages => Err(Failure::input(format!(
                "the budget of {updates} updates is shared by the {stages} trainings of this method: raise \
                 `training.updates`"
            ))),
            _ => Ok(()),
        }
    }

    /// No more shares than updates.
    fn cut(self) -> Self {
        let most = self.updates.unwrap_or(usize::MAX);
        Self { shares: self.shares.clamp(1, most.max(1)), ..self }
    }

    /// The same where a step takes so many updates: no share is without a step.
    pub fn with_steps_of(self, updates: usize) -> Self {
        let most = self.updates.map_or(usize::MAX, |budget| budget / updates.max(1));
        Self { shares: self.shares.clamp(1, most.max(1)), ..self }
    }

    /// The updates of the whole course, where a pass takes so many.
    pub fn budget(self, of_pass: usize) -> usize {
        self.updates.unwrap_or(self.shares * of_pass)
    }

    /// The updates after which a share, from 1, is over; `None` where it is over with the pass.
    pub fn end(self, share: usize) -> Option<usize> {
        // No product that could overflow: updates may be many.
        let (updates, shares) = (self.updates?, self.shares);
        Some(updates / shares * share + updates % shares * share / shares)
    }
}

/// Optimiser steps of a pass over sentences of these lengths, in the order of the file.
fn steps_of_a_pass(training: &TrainingSettings, lengths: &[usize]) -> usize {
    let size = Size { sentences: training.batch, places: training.tokens };
    batches::in_order(lengths, size).len().div_ceil(training.accumulate.max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::training;

    fn course(settings: &TrainingSettings, steps: usize) -> (usize, Option<usize>) {
        let Course { shares, updates } = Course::over(settings, steps);
        (shares, updates)
    }

    #[test]
    fn the_budget_is_that_of_the_data_before_the_method() {
        let settings = TrainingSettings { epochs: 20, batch: 10, ..training() };
        assert_eq!(course(&settings, steps_of_a_pass(&settings, &[3; 95])), (20, Some(200)));
        let outright = TrainingSettings { updates: Some(70), ..settings.clone() };
        assert_eq!(course(&outright, 10), (20, Some(70)));
        let few = TrainingSettings { updates: Some(7), ..settings.clone() };
        assert_eq!(course(&few, 10), (7, Some(7)));
        let floor = TrainingSettings { min_updates: 1000, ..settings.clone() };
        assert_eq!(course(&floor, 10), (20, Some(1000)));
        assert_eq!(course(&floor, 51), (20, Some(1020)));
        let passes = TrainingSettings { budget: BudgetRule::Passes, ..floor };
        assert_eq!(course(&passes, 10), (20, None));
        let accumulated = TrainingSettings { accumulate: 4, ..settings.clone() };
        assert_eq!(steps_of_a_pass(&accumulated, &[3; 95]), 3);
        let bounded = TrainingSettings { tokens: 15, ..settings };
        assert_eq!(steps_of_a_pass(&bounded, &[3; 95]), 19);
    }

    #[test]
    fn shares_are_alike_and_end_with_the_budget() {
        let course = Course { shares: 7, updates: Some(100) };
        let ends: Vec<usize> = (1..=7).map(|share| course.end(share).unwrap()).collect();
        assert_eq!(ends, [14, 28, 42, 57, 71, 85, 100]);
        assert_eq!(Course { shares: 7, updates: None }.end(3), None);
        let large = Course { shares: 100_000, updates: Some(usize::MAX) };
        assert_eq!(large.end(100_000), Some(usize::MAX));
    }

    #[test]
    fn stages_share_one_budget() {
        let whole = Course { shares: 20, updates: Some(1000) };
        assert_eq!(whole.part(0.25, 5), Course { shares: 5, updates: Some(250) });
        assert_eq!(whole.part(0.002, 15), Course { shares: 2, updates: Some(2) });
        let stage = whole.part(0.13, 15);
        assert_eq!(whole.rest(stage, 6, 20), Course { shares: 20, updates: Some(1000 - 6 * 130) });
        assert!(whole.check_stages(1000).is_ok());
        let error = whole.check_stages(1001).unwrap_err().to_string();
        assert!(error.contains("shared by the 1001 trainings"), "{error}");
        let passes = Course { shares: 20, updates: None };
        assert_eq!(passes.rest(passes, 3, 20), passes);
        assert_eq!(passes.part(0.25, 5), Course { shares: 5, updates: None });
    }
}
