//! What the runner and a worker process say to each other: one JSON value a line.
//!
//! The runner writes one [`JobRequest`] to the worker's standard input and keeps it open as a
//! leash: end of input means that the runner died, and the worker leaves. The worker writes
//! [`WorkerEvent`]s to standard output, `Finished` or `Failed` last; its standard error is the log.
//!
//! A fork server has a socket to the runner as its standard input. Each [`ForkRequest`] comes as
//! its length (four bytes, little-endian, with the worker's three pipes beside them) and its JSON;
//! a [`ForkAnswer`] goes back as one line. The worker then speaks as any other: its request comes
//! by its own standard input, so that it does nothing before the runner knows its process.

use super::{Epoch, Failure, JobKey, JobSettings, Outcome, Point, Processor};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The engine's version of what affects results, part of every key. A change after which the same
/// job may give other numbers raises it, so that old and new results are never mixed.
pub const ENGINE_VERSION: &str = "5";

/// What the engine writes before that version when it is checked.
pub const ENGINE_VERSION_MARK: &str = "results of version ";

/// Tells a worker which attempt at its job it is, from 1.
pub const ATTEMPT_VARIABLE: &str = "TAILGRID_ATTEMPT";

/// Asks a fork server for a worker.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForkRequest {
    /// From 1.
    pub attempt: u32,
    /// What the worker will be asked to do: the server has the files ready that it names.
    pub request: JobRequest,
}

/// What a fork server says to it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ForkAnswer {
    /// The worker leads a process group, and is the runner's child.
    Forked { pid: i32 },
    /// There is no worker, and why.
    Refused { reason: String },
}

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
    /// Where the test predictions go: token, gold, predicted, a blank line after each sentence.
    /// None of a trial, which makes none.
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
    /// What the job runs on; before anything is computed.
    Processor {
        processor: Processor,
    },
    /// Dev was scored.
    Epoch {
        epoch: Epoch,
        /// How many there will be at most.
        epochs: usize,
    },
    /// Something that does not keep the job from going on, in words.
    Warning {
        message: String,
    },
    Finished {
        outcome: Box<Outcome>,
    },
    Failed {
        failure: Failure,
    },
}
