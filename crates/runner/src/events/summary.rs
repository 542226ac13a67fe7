//! What a run came to, put together from its events.

use super::Event;
use crate::schedule::Cause;
use domain::{Failure, Point, TrainingVerdict, VerdictCounts};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// How many of the slowest jobs are named.
const SLOWEST: usize = 3;

/// Why a run is over.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// Nothing is left that it could have run.
    #[default]
    Complete,
    /// The user stopped it.
    Interrupted,
    /// What is left would not have been over by the hour of `--until`.
    OutOfTime,
}

/// How many of the selected jobs are in which state now.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Counts {
    pub jobs: usize,
    pub done: usize,
    pub failed: usize,
    pub to_do: usize,
    pub not_applicable: usize,
    /// Not run, because a look has decided their comparison.
    #[serde(default)]
    pub decided: usize,
}

/// Jobs of this run that failed for the same reason.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FailedJobs {
    /// Of the first of them.
    pub reason: String,
    pub jobs: usize,
    pub first: Point,
    pub log: String,
}

/// A job of this run that took long.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SlowJob {
    pub point: Point,
    pub seconds: f64,
}

/// Jobs that this run held back, see [`Event::LevelPaused`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PausedLevel {
    pub level: String,
    pub jobs: usize,
    pub failures: usize,
    pub reason: String,
}

/// What a run came to.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Summary {
    pub grid: String,
    pub ending: Ending,
    #[serde(flatten)]
    pub counts: Counts,
    /// Jobs that this run recorded.
    pub recorded: usize,
    /// Attempts that were followed by another.
    pub retries: usize,
    pub seconds: f64,
    pub slots: usize,
    /// The share of the slots' time in which jobs ran, if any did.
    pub utilisation: Option<f64>,
    /// How the trainings of this run's jobs ended, trials apart.
    #[serde(default)]
    pub verdicts: VerdictCounts,
    /// The jobs whose models never learned.
    #[serde(default)]
    pub never_learned: Vec<Point>,
    /// Most jobs first.
    pub failures: Vec<FailedJobs>,
    /// Slowest first.
    pub slowest: Vec<SlowJob>,
    pub paused: Vec<PausedLevel>,
    /// What planned looks have decided, in lines.
    #[serde(default)]
    pub looks: Vec<String>,
    pub results: String,
}

/// Counts along with a run.
#[derive(Debug, Default)]
pub struct Tally {
    summary: Summary,
    /// Where the failures of a cause are counted.
    causes: HashMap<Option<Cause>, usize>,
}

impl Tally {
    /// Counts an event.
    pub fn take(&mut self, event: &Event) {
        match event {
            Event::RunStarted { slots, .. } => self.summary.slots = *slots,
            Event::JobFinished { point, stage, seconds, verdict, .. } => {
                self.recorded(point, *seconds);
                self.trained(point, verdict.filter(|_| stage.is_main()));
            }
            Event::JobFailed { point, seconds, failure, reason, log, .. } => {
                self.recorded(point, *seconds);
                self.failed(point, failure, reason, log);
            }
            Event::JobRetried { .. } => self.summary.retries += 1,
            Event::LevelPaused { level, jobs, failures, reason } => {
                let (level, reason) = (level.clone(), reason.clone());
                let (jobs, failures) = (*jobs, *failures);
                self.summary.paused.push(PausedLevel { level, jobs, failures, reason });
            }
            _ => {}
        }
    }

    fn recorded(&mut self, point: &Point, seconds: f64) {
        let Summary { slowest, recorded, .. } = &mut self.summary;
        *recorded += 1;
        let at = slowest.partition_point(|slow| slow.seconds >= seconds);
        if at < SLOWEST {
            slowest.insert(at, SlowJob { point: point.clone(), seconds });
            slowest.truncate(SLOWEST);
        }
    }

    fn trained(&mut self, point: &Point, verdict: Option<TrainingVerdict>) {
        if let Some(verdict) = verdict {
            self.summary.verdicts.add(verdict);
        }
        if verdict == Some(TrainingVerdict::NeverLearned) {
            self.summary.never_learned.push(point.clone());
        }
    }

    fn failed(&mut self, point: &Point, failure: &Failure, reason: &str, log: &str) {
        let failures = &mut self.summary.failures;
        let at = *self.causes.entry(Cause::of(failure)).or_insert(failures.len());
        match failures.get_mut(at) {
            Some(group) => group.jobs += 1,
            None => {
                let (reason, log) = (reason.to_owned(), log.to_owned());
                failures.push(FailedJobs { reason, jobs: 1, first: point.clone(), log });
            }
        }
    }

    /// The summary so far.
    pub fn summary(&self) -> Summary {
        let mut summary = self.summary.clone();
        summary.failures.sort_by_key(|group| std::cmp::Reverse(group.jobs));
        summary
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{JobKey, Stage};
    use store::testing::point;

    fn failed(seed: u64, seconds: f64, message: &str) -> Event {
        let failure = Failure::Panic { message: message.to_owned() };
        Event::JobFailed {
            job: JobKey(format!("{seed:02x}")),
            point: point("sc", seed),
            stage: Stage::Main,
            seconds,
            reason: failure.to_string(),
            failure,
            log: format!("{seed}.txt"),
        }
    }

    #[test]
    fn failures_are_grouped_by_reason_and_the_slowest_are_named() {
        let mut tally = Tally::default();
        for (seed, seconds, message) in
            [(1, 4.0, "no vector"), (2, 1.0, "index 3"), (3, 9.0, "index 4"), (4, 2.0, "index 99")]
        {
            tally.take(&failed(seed, seconds, message));
        }
        let summary = tally.summary();
        let groups: Vec<_> =
            summary.failures.iter().map(|group| (group.jobs, group.first.seed)).collect();
        assert_eq!(groups, [(3, 2), (1, 1)]);
        let slowest: Vec<u64> = summary.slowest.iter().map(|slow| slow.point.seed).collect();
        assert_eq!((slowest, summary.recorded), (vec![3, 1, 4], 4));
    }
}
