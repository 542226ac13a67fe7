//! What stops a whole run; what ends one job is a `domain::Failure`.

use super::EngineProblem;
use std::io;
use store::StoreError;
use thiserror::Error;

/// Why a run could not start or go on.
#[derive(Debug, Error)]
pub enum RunnerError {
    #[error("this program cannot tell where it is: {0}")]
    NoOwnPath(io::Error),
    #[error(transparent)]
    Engine(#[from] EngineProblem),
    #[error("cannot listen for signals: {0}")]
    Signals(io::Error),
    #[error("cannot start another thread: {0}")]
    Thread(io::Error),
    #[error("job {job}: the runner itself failed: {message}")]
    Executor { job: String, message: String },
    #[error(transparent)]
    Store(#[from] StoreError),
}
