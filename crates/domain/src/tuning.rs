//! A search for parameters: what it may choose from, and what has come of it so far.

use super::parameters::ParameterValue;
use serde::{Deserialize, Serialize};

/// The values that a search may give a parameter, ends included.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Range {
    Real { low: f64, high: f64, scale: Scale },
    Integer { low: i64, high: i64, scale: Scale },
    Values { values: Vec<ParameterValue> },
}

/// Where differences of a number are looked at.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    #[default]
    Linear,
    /// In its logarithm: from 1e-5 to 1e-4 is as far as from 1e-3 to 1e-2.
    Log,
}

impl Scale {
    /// Both, as grids write them.
    pub const NAMES: [&str; 2] = ["linear", "log"];
}

/// One parameter that is searched.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dimension {
    /// Where it stands in a job's settings: `method.loss.gamma`, `training.learning_rate`.
    pub path: String,
    /// As the grid writes it: `gamma`.
    pub name: String,
    pub range: Range,
}

/// The dev score that a search maximises. Never the grid's headline: another headline retrains
/// nothing.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Maximised {
    #[default]
    MicroF1,
    MacroF1,
}

crate::named!(Maximised { MicroF1 = "micro_f1", MacroF1 = "macro_f1" });

impl Maximised {
    /// As tables and figures title it.
    pub fn title(self) -> &'static str {
        match self {
            Maximised::MicroF1 => "dev micro-F1",
            Maximised::MacroF1 => "dev macro-F1",
        }
    }
}

/// What is searched, and how: together with the ends of its trials it decides every proposal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchPlan {
    /// In the order of their paths.
    pub dimensions: Vec<Dimension>,
    pub trials: usize,
    /// Trials that are proposed together, from what the batches before them gave.
    pub batch: usize,
    /// Trials that must have ended before proposals are more than chance.
    pub startup: usize,
    /// Of the search, not of the jobs.
    pub seed: u64,
    pub maximise: Maximised,
}

/// How a trial ended.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum Ended {
    /// With this score on dev.
    Score(f64),
    /// Worse than any score.
    Failed,
}

impl Ended {
    /// The score, if there is one.
    pub fn score(self) -> Option<f64> {
        match self {
            Ended::Score(score) => Some(score),
            Ended::Failed => None,
        }
    }
}

/// One try of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Trial {
    /// For each dimension.
    pub values: Vec<ParameterValue>,
    /// `None` while it is to run.
    pub ended: Option<Ended>,
}

/// The trials that have been proposed, in order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Progress {
    pub trials: Vec<Trial>,
}

impl Progress {
    /// How many trials have ended.
    pub fn ended(&self) -> usize {
        self.trials.iter().filter(|trial| trial.ended.is_some()).count()
    }

    /// Whether every one of the plan's trials has ended.
    pub fn is_over(&self, plan: &SearchPlan) -> bool {
        self.ended() >= plan.trials
    }

    /// The trial with the highest score, the first of several; with its index.
    pub fn best(&self) -> Option<(usize, &Trial, f64)> {
        let scored = self.trials.iter().enumerate();
        let scored = scored.filter_map(|(at, trial)| Some((at, trial, trial.ended?.score()?)));
        scored.reduce(|best, next| if next.2 > best.2 { next } else { best })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_equal_scores_the_first_is_best_and_a_failure_never_is() {
        let trial = |ended| Trial { values: vec![], ended };
        let score = |score| trial(Some(Ended::Score(score)));
        let best = |trials| Progress { trials }.best().map(|(at, _, score)| (at, score));
        assert_eq!(best(vec![score(0.25), score(0.5), trial(None), score(0.5)]), Some((1, 0.5)));
        assert_eq!(best(vec![trial(Some(Ended::Failed)), score(0.0)]), Some((1, 0.0)));
        assert_eq!(best(vec![trial(Some(Ended::Failed)), trial(None)]), None);
    }
}
