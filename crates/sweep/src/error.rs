//! What a call could not do, and how one ended: the kinds are data, for exit codes.

use crate::{Outdated, PlanFileError};
use corpus::CorpusError;
use domain::{Point, PrecisionProblem};
use runner::RunnerError;
use spec::{Diagnostics, Grid, SelectionError};
use std::io;
use store::StoreError;
use thiserror::Error;

/// What kind of error it is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// An option cannot be understood.
    Usage,
    /// The grid or another input is not valid.
    Invalid,
    NothingSelected,
    /// A file of the results folder is damaged.
    Damaged,
    /// Another run holds the results folder.
    InUse,
    Internal,
}

/// How a run or a verification ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Conclusion {
    Done,
    /// It came to its end, some jobs failed.
    SomeFailed,
    /// It was stopped, and the same call resumes.
    Interrupted,
    /// A rerun gave other bits.
    Differs,
}

/// Why a grid could not be planned, run or verified, in words for whoever asked.
#[derive(Debug, Error)]
pub enum SweepError {
    /// Everything that is wrong with the grid.
    #[error("{0}")]
    Grid(Diagnostics),
    #[error(transparent)]
    Selection(#[from] SelectionError),
    #[error("none of the {jobs} jobs of `{grid}` is selected: see --only, --not and --shard")]
    NothingSelected { grid: String, jobs: usize },
    #[error("none of the selected jobs of `{grid}` is finished: there is nothing to verify")]
    NothingFinished {
        grid: String,
        /// What was finished with other settings or files.
        outdated: Vec<Outdated>,
    },
    #[error(transparent)]
    PlanFile(#[from] PlanFileError),
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    #[error("corpus `{corpus}` under scenario `{scenario}`: {error}")]
    Scenario { corpus: String, scenario: String, error: Box<CorpusError> },
    #[error("job {point}: {problem}; write `precision: f32`")]
    Precision { point: Point, problem: PrecisionProblem },
    #[error("TAILGRID_PAUSE={text}: {error}")]
    Pause { text: String, error: humantime::DurationError },
    #[error("cannot make a temporary folder: {0}")]
    TemporaryFolder(io::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Runner(RunnerError),
}

impl From<RunnerError> for SweepError {
    fn from(error: RunnerError) -> Self {
        match error {
            RunnerError::Store(error) => Self::Store(error),
            error => Self::Runner(error),
        }
    }
}

impl SweepError {
    /// The error for a selection without a job in it.
    pub fn nothing_selected(grid: &Grid) -> Self {
        Self::NothingSelected { grid: grid.name.clone(), jobs: grid.jobs.len() }
    }

    /// What kind of error it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Selection(_) | Self::Pause { .. } => ErrorKind::Usage,
            Self::NothingSelected { .. } | Self::NothingFinished { .. } => {
                ErrorKind::NothingSelected
            }
            Self::PlanFile(PlanFileError::NothingToDo { .. }) => ErrorKind::NothingSelected,
            Self::Grid(_)
            | Self::PlanFile(_)
            | Self::Corpus(_)
            | Self::Scenario { .. }
            | Self::Precision { .. }
            | Self::TemporaryFolder(_)
            | Self::Runner(RunnerError::Engine(_)) => ErrorKind::Invalid,
            Self::Store(error) => of_store(error),
            Self::Runner(_) => ErrorKind::Internal,
        }
    }
}

fn of_store(error: &StoreError) -> ErrorKind {
    match error {
        StoreError::InUse { .. } => ErrorKind::InUse,
        StoreError::Damaged { .. } | StoreError::Irregular { .. } | StoreError::Newer { .. } => {
            ErrorKind::Damaged
        }
        StoreError::Io { .. } | StoreError::Name { .. } => ErrorKind::Invalid,
        StoreError::Encode { .. } => ErrorKind::Internal,
    }
}
