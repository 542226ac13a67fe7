//! What stops a whole run; what ends one job is a `domain::Failure`.

use crate::domain::Backend;
use crate::store::StoreError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a run could not start or go on.
#[derive(Debug, Error)]
pub enum RunnerError {
    #[error(
        "there is no tailgrid-engine beside tailgrid ({} does not exist): \
         `cargo build --release` makes both", path.display()
    )]
    NoEngine { path: PathBuf },
    #[error("this program cannot tell where it is: {0}")]
    NoOwnPath(io::Error),
    /// The engine's own words, which name the command that mends it.
    #[error("the backend {backend} cannot be used: {message}")]
    Backend { backend: Backend, message: String },
    #[error("cannot listen for signals: {0}")]
    Signals(nix::Error),
    #[error("cannot start another thread: {0}")]
    Thread(io::Error),
    #[error("job {job}: the runner itself failed: {message}")]
    Executor { job: String, message: String },
    #[error(transparent)]
    Store(#[from] StoreError),
}
