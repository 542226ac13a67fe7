//! What a run tells: the one event type that everything which shows progress is fed with, and that
//! `run --json` prints, one JSON value a line.

mod summary;

pub use summary::{Counts, Ending, FailedJobs, PausedLevel, SlowJob, Summary, Tally};

use domain::{Failure, JobKey, ParameterValue, Point, Stage, TrainingVerdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the events' form, in every line.
pub const EVENT_VERSION: u32 = 1;

/// Something that happened in a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// Before the first job. `jobs` is what was selected without the n/a ones; of these some are
    /// `done` or `failed` from earlier runs and `to_run` are to run now.
    RunStarted {
        grid: String,
        jobs: usize,
        done: usize,
        failed: usize,
        not_applicable: usize,
        to_run: usize,
        slots: usize,
    },
    /// Another run has the folder, and this one waits for its end. `holder` is empty, or begins
    /// with a space.
    Waiting { holder: String },
    /// The page of the results can be seen here while the run lives.
    PageServed { address: String },
    /// Something that does not keep the run from starting, in words.
    Warning { message: String },
    /// A damaged record was moved to `path`; its job runs again.
    RecordSetAside { job: JobKey, path: String, reason: String },
    JobStarted {
        job: JobKey,
        point: Point,
        #[serde(default, skip_serializing_if = "Stage::is_main")]
        stage: Stage,
        attempt: u32,
    },
    Epoch {
        job: JobKey,
        epoch: usize,
        epochs: usize,
        /// Optimiser steps until then.
        #[serde(default)]
        updates: u64,
        loss: f64,
        dev_micro_f1: f64,
        dev_macro_f1: f64,
    },
    JobFinished {
        job: JobKey,
        point: Point,
        #[serde(default, skip_serializing_if = "Stage::is_main")]
        stage: Stage,
        seconds: f64,
        dev_micro_f1: f64,
        dev_macro_f1: f64,
        /// Not of a trial, which never sees the test set.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        test_micro_f1: Option<f64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        test_macro_f1: Option<f64>,
        /// Optimiser steps that it took; none of full-batch training.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        updates: Option<u64>,
        /// Whether the model learned; none where dev has no entity to find.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        verdict: Option<TrainingVerdict>,
    },
    /// Every trial of a search has ended; `values` of the best one are what the method's jobs get.
    SearchFinished {
        corpus: String,
        scenario: String,
        model: String,
        method: String,
        trials: usize,
        /// The best one's number, from 1; none if every one failed.
        trial: Option<usize>,
        values: BTreeMap<String, ParameterValue>,
        /// On dev.
        score: Option<f64>,
    },
    /// A planned look decided a comparison: it gets no further seeds, and `not_run` jobs of this
    /// run are left out.
    ComparisonDecided {
        corpus: String,
        scenario: String,
        model: String,
        method: String,
        baseline: String,
        /// Seeds of the look, and whole pairs among them.
        look: usize,
        n: usize,
        /// above or below.
        verdict: String,
        p: Option<f64>,
        /// The nominal level that p is below.
        level: Option<f64>,
        /// All of it in words.
        reason: String,
        not_run: usize,
    },
    /// An attempt failed and another one follows after a pause.
    JobRetried {
        job: JobKey,
        point: Point,
        attempt: u32,
        reason: String,
        #[serde(default)]
        pause_seconds: f64,
    },
    /// So many jobs in a row ended for the same reason: others like them, which `level` selects as
    /// `--only` would, are not run by this run and stay to do.
    LevelPaused { level: String, jobs: usize, failures: usize, reason: String },
    /// How long the rest is expected to take, told now and then.
    Outlook { seconds_left: f64 },
    JobFailed {
        job: JobKey,
        point: Point,
        #[serde(default, skip_serializing_if = "Stage::is_main")]
        stage: Stage,
        seconds: f64,
        failure: Failure,
        reason: String,
        /// Where the job's log is.
        log: String,
    },
    /// Stopped before its end by an interrupt; it is still to do.
    JobStopped { job: JobKey, point: Point },
    /// The user asked to stop; `running` jobs are being finished, or ended `now`.
    Interrupted { running: usize, now: bool },
    /// What the run came to.
    Summary(Box<Summary>),
    /// The last event of a run, with the counts of all that was selected.
    RunFinished {
        jobs: usize,
        done: usize,
        failed: usize,
        not_applicable: usize,
        to_do: usize,
        /// Left out because planned looks decided what they were for.
        #[serde(default)]
        decided: usize,
        interrupted: bool,
        seconds: f64,
        results: String,
    },
}

impl Event {
    /// The event as a line of JSON, without the line's end.
    pub fn to_line(&self) -> String {
        // Plain values with text keys always have a JSON form.
        serde_json::to_string(&Line { v: EVENT_VERSION, event: self })
            .expect("an event has text keys")
    }
}

#[derive(Serialize)]
struct Line<'a> {
    v: u32,
    #[serde(flatten)]
    event: &'a Event,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_carries_version_and_name_and_reads_back() {
        let event = Event::JobFailed {
            job: JobKey("ab".into()),
            point: store::testing::point("sc", 3),
            stage: Stage::Main,
            seconds: 0.5,
            failure: Failure::Vanished { code: 2 },
            reason: "two\nlines".into(),
            log: "results/g/jobs/ab/log.txt".into(),
        };
        let line = event.to_line();
        assert!(line.starts_with(r#"{"v":1,"event":"job-failed","job":"ab","#), "{line}");
        assert!(!line.contains('\n'));
        assert_eq!(serde_json::from_str::<Event>(&line).unwrap(), event);
    }
}
