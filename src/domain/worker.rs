//! What the runner and a worker process say to each other: one JSON value a line.
//!
//! The runner writes one [`JobRequest`] to the worker's standard input and keeps it open as a leash:
//! end of input means that the runner died, and the worker leaves. The worker writes
//! [`WorkerEvent`]s to standard output, `Finished` or `Failed` last; its standard error is the log.

use super::{Failure, JobKey, JobSettings, Outcome, Point};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// One job for a worker.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobRequest {
    pub job: JobKey,
    /// Names for messages.
    pub point: Point,
    pub settings: JobSettings,
    /// File role to path, the same roles as in the corpus's digests.
    pub files: BTreeMap<String, PathBuf>,
    /// The same for the model's.
    #[serde(default)]
    pub model_files: BTreeMap<String, PathBuf>,
    /// The same for the method's.
    #[serde(default)]
    pub method_files: BTreeMap<String, PathBuf>,
    /// Where the test predictions go: token, gold, predicted, a blank line after each sentence. None
    /// of a trial, which makes none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predictions: Option<PathBuf>,
    /// Where the trained model goes, if it is to be kept.
    #[serde(default)]
    pub kept_model: Option<PathBuf>,
}

/// What a worker tells.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case", deny_unknown_fields)]
pub enum WorkerEvent {
    /// An epoch is over.
    Epoch {
        epoch: usize,
        epochs: usize,
        loss: f64,
        dev_micro_f1: f64,
        dev_macro_f1: f64,
    },
    Finished {
        outcome: Box<Outcome>,
    },
    Failed {
        failure: Failure,
    },
}
