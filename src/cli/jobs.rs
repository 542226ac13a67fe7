//! The jobs of a grid beside what its results folder has of them: what `run` and `status` start
//! from.

use super::{CliError, Common, Exit};
use crate::domain::{Failure, JobKey, Point};
use crate::runner::{EngineKind, RunnerError};
use crate::spec::{self, Grid, Job, Selection};
use crate::store::{Folder, JobRecord, StoreError};
use std::io::Write;
use std::path::Path;

/// How a job of the grid stands.
#[derive(Clone, PartialEq, Debug)]
pub enum State {
    Done,
    Failed(Failure),
    ToDo,
    /// The combination makes no sense, and why.
    NotApplicable(String),
}

impl State {
    /// Every name, for "whatever its state".
    pub const NAMES: [&'static str; 4] = ["done", "failed", "todo", "n/a"];

    /// As `--only status=…` has it.
    pub fn name(&self) -> &'static str {
        match self {
            State::Done => "done",
            State::Failed(_) => "failed",
            State::ToDo => "todo",
            State::NotApplicable(_) => "n/a",
        }
    }

    /// The state of a job with this record, if it has one.
    pub fn of(job: &Job, record: Option<&JobRecord>) -> Self {
        match (&job.not_applicable, record) {
            (Some(reason), _) => State::NotApplicable(reason.clone()),
            (None, None) => State::ToDo,
            (None, Some(JobRecord { failure: Some(failure), .. })) => {
                State::Failed(failure.clone())
            }
            (None, Some(_)) => State::Done,
        }
    }
}

/// How many jobs are in which state. `n/a` ones are no jobs.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    pub done: usize,
    pub failed: usize,
    pub to_do: usize,
    pub not_applicable: usize,
}

impl Totals {
    /// Done, failed or to do.
    pub fn jobs(&self) -> usize {
        self.done + self.failed + self.to_do
    }
}

impl<'a> FromIterator<&'a State> for Totals {
    fn from_iter<I: IntoIterator<Item = &'a State>>(states: I) -> Self {
        let mut totals = Self::default();
        for state in states {
            *match state {
                State::Done => &mut totals.done,
                State::Failed(_) => &mut totals.failed,
                State::ToDo => &mut totals.to_do,
                State::NotApplicable(_) => &mut totals.not_applicable,
            } += 1;
        }
        totals
    }
}

/// Loads the grid, with its warnings on standard error.
pub fn load_grid(
    path: &Path,
    common: &Common,
    sets: &[String],
    engine: EngineKind,
) -> Result<Grid, CliError> {
    let options = spec::LoadOptions { sets, corpora: &common.corpora, engine: engine.version() };
    let grid = spec::load(path, &options).map_err(|errors| CliError::new(Exit::Invalid, errors))?;
    if !common.quiet {
        grid.warnings.iter().for_each(|warning| eprintln!("{warning}"));
    }
    Ok(grid)
}

/// The selection of `--only` and `--not`.
pub fn selection(common: &Common) -> Result<Selection, CliError> {
    Selection::parse(common.only.as_deref(), common.not.as_deref())
        .map_err(|error| CliError::new(Exit::Usage, error))
}

/// Where the grid's results are.
pub fn folder(grid: &Grid, common: &Common) -> Result<Folder, CliError> {
    Ok(Folder::new(&common.results, &grid.name)?)
}

/// Key and point of every job that makes sense: what frames are made of.
pub fn points(grid: &Grid) -> Vec<(JobKey, Point)> {
    let sensible = grid.jobs.iter().filter(|job| job.not_applicable.is_none());
    sensible.map(|job| (job.key.clone(), job.point.clone())).collect()
}

/// Prints to standard output; a reader that has gone (`| head`) is no reason to panic.
pub fn print(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// The error for a selection without a job in it.
pub fn nothing_selected() -> CliError {
    CliError::new(
        Exit::NothingSelected,
        "no job of the grid is selected: see --only, --not and --shard",
    )
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        let exit = match error {
            StoreError::InUse { .. } => Exit::InUse,
            StoreError::Damaged { .. } | StoreError::Newer { .. } => Exit::Damaged,
            StoreError::Io { .. } | StoreError::Name { .. } => Exit::Invalid,
            StoreError::Encode { .. } => Exit::Internal,
        };
        CliError::new(exit, error)
    }
}

impl From<RunnerError> for CliError {
    fn from(error: RunnerError) -> Self {
        match error {
            RunnerError::Store(error) => error.into(),
            RunnerError::NoEngine { .. } | RunnerError::Backend { .. } => {
                CliError::new(Exit::Invalid, error)
            }
            _ => CliError::new(Exit::Internal, error),
        }
    }
}
