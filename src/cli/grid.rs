//! What every command that takes a grid does first: load it, show its warnings, choose jobs.

use super::{CliError, Common, Exit};
use crate::domain::JobKey;
use crate::spec::key::ENGINE_VERSION;
use crate::spec::{self, Grid, Job, LoadOptions, Selection};
use std::collections::HashMap;
use std::path::Path;

/// What the results folder knows of the grid's jobs; a job that is not in it has not been run.
pub type Standings = HashMap<JobKey, Standing>;

/// What the results folder knows of a job.
#[derive(Clone, PartialEq, Debug)]
pub struct Standing {
    /// Done, or failed.
    pub done: bool,
    /// Why it failed.
    pub reason: Option<String>,
    /// How long it ran.
    pub seconds: Option<f64>,
}

/// How a job of a grid stands.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum State {
    Done,
    Todo,
    Failed,
    NotApplicable,
}

impl State {
    /// The state of a job.
    pub fn of(job: &Job, standings: &Standings) -> Self {
        match standings.get(&job.key) {
            _ if job.not_applicable.is_some() => State::NotApplicable,
            None => State::Todo,
            Some(standing) if standing.done => State::Done,
            Some(_) => State::Failed,
        }
    }

    /// As `status=` and `plan --json` have it.
    pub fn name(self) -> &'static str {
        match self {
            State::Done => "done",
            State::Todo => "todo",
            State::Failed => "failed",
            State::NotApplicable => "n/a",
        }
    }
}

/// Loads a grid with the common options and further settings, and shows its warnings.
pub fn load(path: &Path, common: &Common, further: &[String]) -> Result<Grid, CliError> {
    let sets: Vec<String> = common.sets.iter().chain(further).cloned().collect();
    let options = LoadOptions { sets: &sets, corpora: &common.corpora, engine: ENGINE_VERSION };
    let grid = spec::load(path, &options).map_err(|found| CliError::new(Exit::Invalid, found))?;
    if !common.quiet {
        grid.warnings.iter().for_each(|warning| eprintln!("{warning}\n"));
    }
    Ok(grid)
}

/// The expressions of `--only` and `--not`.
pub fn selection(common: &Common) -> Result<Selection, CliError> {
    Selection::parse(common.only.as_deref(), common.not.as_deref())
        .map_err(|error| CliError::new(Exit::Usage, error))
}

/// The jobs that are selected, with their states; an error if there are none.
pub fn selected<'g>(
    grid: &'g Grid,
    standings: &Standings,
    common: &Common,
) -> Result<Vec<(&'g Job, State)>, CliError> {
    let selection = selection(common)?;
    let jobs: Vec<_> = grid
        .jobs
        .iter()
        .map(|job| (job, State::of(job, standings)))
        .filter(|(job, state)| selection.matches(&job.point, state.name()))
        .collect();
    match jobs.is_empty() {
        true => Err(CliError::new(
            Exit::NothingSelected,
            format!("none of the {} jobs of `{}` is selected", grid.jobs.len(), grid.name),
        )),
        false => Ok(jobs),
    }
}
