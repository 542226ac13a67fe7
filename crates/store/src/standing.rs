//! What most commands ask of a job that ended: how, how long it took, its scores on dev, and
//! whether its model learned.

use super::JobRecord;
use domain::{Ended, Failure, Maximised, Measured, Metric, TrainingVerdict};
use serde::{Deserialize, Serialize};

/// What the results folder knows of a job that ended.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Standing {
    /// Why it failed; `None` if it is done.
    pub failure: Option<Failure>,
    /// How long it ran.
    pub seconds: f64,
    /// Micro and macro F1 on dev, of a job that is done.
    pub dev: Option<[f64; 2]>,
    /// What it cost, of a job that is done.
    pub cost: Option<Measured>,
    /// F1 on test by the metrics in their order, of a main job that is done.
    pub test: Option<[f64; Metric::ALL.len()]>,
    /// Whether the model learned, where that is known of a job that is done.
    pub verdict: Option<TrainingVerdict>,
    /// Optimiser steps that it took; none of full-batch training.
    pub updates: Option<u64>,
}

impl Standing {
    /// How a trial of a search ended.
    pub fn ended(&self, maximise: Maximised) -> Ended {
        match (self.dev, maximise) {
            (Some([micro, _]), Maximised::MicroF1) => Ended::Score(micro),
            (Some([_, macro_f1]), Maximised::MacroF1) => Ended::Score(macro_f1),
            (None, _) => Ended::Failed,
        }
    }
}

impl From<&JobRecord> for Standing {
    fn from(record: &JobRecord) -> Self {
        let dev = record.outcome.as_ref().map(|outcome| &outcome.dev.span);
        let test = record.outcome.as_ref().and_then(|outcome| outcome.test.as_ref());
        Self {
            failure: record.failure.clone(),
            seconds: record.timings.seconds,
            dev: dev.map(|dev| [dev.micro.f1, dev.macro_.f1]),
            cost: record.outcome.as_ref().map(|o| Measured::new(o, record.timings.seconds)),
            test: test.map(|test| Metric::ALL.map(|metric| test.f1(metric))),
            verdict: record.outcome.as_ref().and_then(|outcome| outcome.verdict),
            updates: record.outcome.as_ref().and_then(|o| Some(o.effort?.updates)),
        }
    }
}
