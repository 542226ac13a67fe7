//! What ended a job: data, not an error of the run.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a job has no outcome.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, Error)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Failure {
    /// The engine panicked; a bug or an input nobody thought of.
    #[error("the engine panicked: {message}")]
    Panic { message: String },
    /// The worker ended by a signal nobody here sent: out of memory, abort, `kill`.
    #[error("the worker was ended by signal {signal} ({name})")]
    Killed { signal: i32, name: String },
    /// The worker went away without a word.
    #[error("the worker left with exit code {code} and no result")]
    Vanished { code: i32 },
    /// The worker's answer could not be read.
    #[error("the worker's answer could not be read: {message}")]
    Protocol { message: String },
    #[error("ran longer than its limit of {limit}: raise `limits.time` of the grid if it should")]
    TimeLimit { limit: String },
    #[error(
        "used more memory than its limit of {limit}: raise `limits.memory` of the grid if it may"
    )]
    MemoryLimit { limit: String },
    /// The loss became infinite or not a number.
    #[error("the loss became {loss} in epoch {epoch}: try a lower learning rate")]
    Diverged { epoch: usize, loss: String },
    /// The corpus, or another input, is not what the plan saw or cannot be used.
    #[error("{message}")]
    Input { message: String },
    /// The backend cannot be used on this machine.
    #[error("{message}")]
    Backend { message: String },
    #[error("{message}")]
    Io { message: String },
}

impl Failure {
    /// An input that cannot be used, in words.
    pub fn input(message: impl ToString) -> Self {
        Failure::Input { message: message.to_string() }
    }

    /// Whether the same job may come through on another try. A diverged loss is a result: the same
    /// job gives the same bits.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Failure::Killed { .. } | Failure::Vanished { .. } | Failure::Io { .. })
    }
}
