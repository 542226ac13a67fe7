//! How much a model was trained, and whether it learned.
//!
//! A comparison is only as good as the models under it: every outcome carries both, and whatever
//! compares outcomes reads them.

use super::{Epoch, Outcome};
use serde::{Deserialize, Serialize};
use std::fmt;

/// How much a model was trained. Several stages of one method are added up.
#[derive(Copy, Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effort {
    /// Optimiser steps that the job was allowed: what is compared between methods.
    pub budget: u64,
    /// Optimiser steps that it took before it stopped.
    pub updates: u64,
    /// Words of all batches that it was trained on.
    pub tokens_seen: u64,
    /// Passes over the method's own training data.
    pub passes: f64,
}

impl std::ops::AddAssign for Effort {
    fn add_assign(&mut self, other: Self) {
        self.budget += other.budget;
        self.updates += other.updates;
        self.tokens_seen += other.tokens_seen;
        self.passes += other.passes;
    }
}

/// Whether a model learned, judged by its own scores on dev (docs/training.md).
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrainingVerdict {
    /// It used its budget, and the last fifth of it brought little.
    Converged,
    /// The last fifth of its budget still brought more than a point.
    StillImproving,
    /// Dev did not improve for as long as `patience` allows.
    StoppedEarly,
    /// Its best score on dev is below 1 %.
    NeverLearned,
}

crate::named!(TrainingVerdict {
    Converged = "converged",
    StillImproving = "still-improving",
    StoppedEarly = "stopped-early",
    NeverLearned = "never-learned",
});

impl TrainingVerdict {
    /// Best dev micro-F1 below which nothing was learned.
    pub const LEARNED: f64 = 0.01;
    /// Gain in dev micro-F1 over the last fifth of the budget above which training was cut short.
    pub const IMPROVING: f64 = 0.01;
    /// The share of the budget before its last fifth.
    const BEFORE_THE_LAST_FIFTH: f64 = 0.8;

    /// The verdict on a training whose evaluations these are.
    pub fn on(evaluations: &[Epoch], effort: &Effort, stopped_early: bool) -> Self {
        let best = |until: f64| {
            let before = evaluations.iter().filter(|row| row.updates as f64 <= until);
            before.map(|row| row.dev_micro_f1).fold(0.0, f64::max)
        };
        let early = best(Self::BEFORE_THE_LAST_FIFTH * effort.budget as f64);
        match best(f64::INFINITY) {
            highest if highest < Self::LEARNED => Self::NeverLearned,
            _ if stopped_early => Self::StoppedEarly,
            highest if highest - early > Self::IMPROVING => Self::StillImproving,
            _ => Self::Converged,
        }
    }

    /// The verdict of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.name() == name)
    }
}

/// How many trainings came to which verdict. Those without one are not counted.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct VerdictCounts {
    pub converged: usize,
    pub still_improving: usize,
    pub stopped_early: usize,
    pub never_learned: usize,
}

impl VerdictCounts {
    /// Counts one training.
    pub fn add(&mut self, verdict: TrainingVerdict) {
        *match verdict {
            TrainingVerdict::Converged => &mut self.converged,
            TrainingVerdict::StillImproving => &mut self.still_improving,
            TrainingVerdict::StoppedEarly => &mut self.stopped_early,
            TrainingVerdict::NeverLearned => &mut self.never_learned,
        } += 1;
    }

    /// How many trainings have a verdict.
    pub fn all(&self) -> usize {
        self.converged + self.still_improving + self.stopped_early + self.never_learned
    }

    /// Every verdict with its count.
    pub fn by_verdict(&self) -> [(TrainingVerdict, usize); 4] {
        [
            (TrainingVerdict::Converged, self.converged),
            (TrainingVerdict::StoppedEarly, self.stopped_early),
            (TrainingVerdict::StillImproving, self.still_improving),
            (TrainingVerdict::NeverLearned, self.never_learned),
        ]
    }
}

impl FromIterator<TrainingVerdict> for VerdictCounts {
    fn from_iter<I: IntoIterator<Item = TrainingVerdict>>(verdicts: I) -> Self {
        let mut counts = Self::default();
        verdicts.into_iter().for_each(|verdict| counts.add(verdict));
        counts
    }
}

impl fmt::Display for VerdictCounts {
    /// As people read it: `18 converged, 2 never learned`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.by_verdict().into_iter().filter(|(_, count)| *count > 0);
        let words: Vec<String> = known.map(|(verdict, n)| format!("{n} {verdict}")).collect();
        f.write_str(&words.join(", "))
    }
}

impl fmt::Display for TrainingVerdict {
    /// As people read it: `never learned`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name().replace('-', " "))
    }
}

/// What a finished job took: what the cost of like jobs is estimated from.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// From the start of its process to its end.
    pub seconds: f64,
    /// That an epoch, or share of the budget, was trained on.
    pub tokens: f64,
    /// These over the tokens of the training data before the method.
    pub token_factor: f64,
    pub parameters: f64,
    /// That were trained.
    pub epochs: f64,
    pub peak_rss_mb: f64,
}

impl Measured {
    /// Of a job that gave this outcome.
    pub fn new(outcome: &Outcome, seconds: f64) -> Self {
        let epochs = outcome.epochs.last().map_or(0, |last| last.epoch) as f64;
        let all = outcome.train_tokens as f64;
        // Under a budget of updates an epoch is a share of it, whatever the size of the data.
        let seen = outcome.effort.map(|effort| effort.tokens_seen as f64 / epochs);
        let tokens = seen.filter(|seen| seen.is_finite()).unwrap_or(all);
        Self {
            seconds,
            tokens,
            token_factor: if all > 0.0 { outcome.token_factor * tokens / all } else { 0.0 },
            parameters: outcome.parameters as f64,
            epochs,
            peak_rss_mb: outcome.peak_rss_mb,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(scores: &[f64]) -> Vec<Epoch> {
        let row = |(i, score): (usize, &f64)| Epoch {
            epoch: i + 1,
            updates: 10 * (i as u64 + 1),
            loss: 1.0,
            dev_micro_f1: *score,
            dev_macro_f1: 0.0,
            added: Default::default(),
            seconds: 0.0,
        };
        scores.iter().enumerate().map(row).collect()
    }

    fn verdict(scores: &[f64], budget: u64, stopped_early: bool) -> TrainingVerdict {
        let effort = Effort { budget, ..Effort::default() };
        TrainingVerdict::on(&rows(scores), &effort, stopped_early)
    }

    #[test]
    fn verdicts_follow_the_scores_on_dev() {
        use TrainingVerdict::*;
        assert_eq!(verdict(&[0.0, 0.005, 0.009, 0.0, 0.0], 50, true), NeverLearned);
        assert_eq!(verdict(&[0.1, 0.3, 0.4, 0.41, 0.43], 50, false), StillImproving);
        assert_eq!(verdict(&[0.1, 0.3, 0.4, 0.425, 0.43], 50, false), Converged);
        // A late peak counts against the best before the last fifth, not against the last of them.
        assert_eq!(verdict(&[0.1, 0.5, 0.4, 0.4, 0.505], 50, false), Converged);
        assert_eq!(verdict(&[0.1, 0.5, 0.4], 100, true), StoppedEarly);
        // One look at the end cannot tell that training was long enough.
        assert_eq!(verdict(&[0.5], 10, false), StillImproving);
        assert_eq!(verdict(&[], 10, false), NeverLearned);
    }

    #[test]
    fn verdicts_are_counted_and_listed() {
        use TrainingVerdict::*;
        let counts: VerdictCounts = [NeverLearned, Converged, NeverLearned].into_iter().collect();
        assert_eq!((counts.never_learned, counts.all()), (2, 3));
        assert_eq!(counts.to_string(), "1 converged, 2 never learned");
        let json = serde_json::to_value(counts).unwrap();
        assert_eq!(json["never-learned"], 2, "the names of the verdicts");
        assert_eq!(VerdictCounts::default().to_string(), "");
    }

    #[test]
    fn names_come_back() {
        for name in ["converged", "still-improving", "stopped-early", "never-learned"] {
            let verdict = TrainingVerdict::named(name).unwrap();
            assert_eq!(verdict.name(), name);
            let json = serde_json::to_value(verdict).unwrap();
            assert_eq!(json, name, "frames and records have one spelling");
        }
        assert_eq!(TrainingVerdict::named("learned"), None);
    }
}
