//! The jobs of a grid by what the results folder knows of them.

use crate::stopping;
use crate::{SweepError, tuning};
use domain::JobKey;
use runner::events::Counts;
use spec::{Grid, Job, Selection};
use std::collections::HashMap;
use store::{Folder, Placed, Standing, StoreError, Survey};

/// Every main job that makes sense: what tables and figures are made of.
pub fn main_jobs(grid: &Grid) -> Vec<Placed> {
    let sensible = grid.jobs.iter().filter(|job| job.not_applicable.is_none());
    sensible.map(|job| (job.key.clone(), job.point.clone()).into()).collect()
}

/// The main jobs and the trials: what frames are made of.
pub fn all_jobs(grid: &Grid) -> Vec<Placed> {
    let mut jobs = main_jobs(grid);
    for search in &grid.searches {
        for (trial, number) in search.progress.trials.iter().zip(1..) {
            let job = search.trial(&trial.values);
            jobs.push(Placed { job: job.key, point: job.point, trial: Some(number) });
        }
    }
    jobs
}

/// How a job stands by its record.
pub(crate) fn recorded(folder: &Folder, key: &JobKey) -> Result<Option<Standing>, StoreError> {
    Ok(folder.read_record(key)?.as_ref().map(Standing::from))
}

/// What the results folder knows of the grid's jobs; a job that is not in it has not been run.
pub type Standings = HashMap<JobKey, Standing>;

/// How the grid's jobs stand; a damaged record is an error.
pub fn standings(grid: &Grid, folder: &Folder) -> Result<Standings, SweepError> {
    Ok(survey(grid, folder)?.whole()?.standings)
}

/// What the records of the grid's jobs say, and which of them are damaged.
pub fn survey(grid: &Grid, folder: &Folder) -> Result<Survey, SweepError> {
    let trials: Vec<JobKey> = tuning::trial_keys(grid).collect();
    let keys = grid.jobs.iter().map(|job| &job.key).chain(&trials);
    Ok(Survey::new(folder, keys)?)
}

/// How a job of a grid stands.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum JobState {
    Done,
    Todo,
    Failed,
    NotApplicable,
    /// Not to run, because a planned look has decided what it is for.
    Decided,
}

impl JobState {
    /// Every state, for "whatever its state".
    pub const ALL: [JobState; 5] = [
        JobState::Done,
        JobState::Todo,
        JobState::Failed,
        JobState::NotApplicable,
        JobState::Decided,
    ];

    /// The state of a job by its own record: no look is taken.
    pub fn of(job: &Job, standings: &Standings) -> Self {
        match job.not_applicable.is_some() {
            true => JobState::NotApplicable,
            false => standings.get(&job.key).into(),
        }
    }

    /// As `status=` and `plan --json` have it.
    pub fn name(self) -> &'static str {
        match self {
            JobState::Done => "done",
            JobState::Todo => "todo",
            JobState::Failed => "failed",
            JobState::NotApplicable => "n/a",
            JobState::Decided => "decided",
        }
    }
}

impl From<Option<&Standing>> for JobState {
    /// The state of a job that makes sense.
    fn from(standing: Option<&Standing>) -> Self {
        match standing {
            None => JobState::Todo,
            Some(Standing { failure: None, .. }) => JobState::Done,
            Some(_) => JobState::Failed,
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
    pub decided: usize,
}

impl Totals {
    /// Done, failed, to do or decided.
    pub fn jobs(&self) -> usize {
        self.done + self.failed + self.to_do + self.decided
    }
}

impl FromIterator<JobState> for Totals {
    fn from_iter<I: IntoIterator<Item = JobState>>(states: I) -> Self {
        let mut totals = Self::default();
        for state in states {
            *match state {
                JobState::Done => &mut totals.done,
                JobState::Failed => &mut totals.failed,
                JobState::Todo => &mut totals.to_do,
                JobState::NotApplicable => &mut totals.not_applicable,
                JobState::Decided => &mut totals.decided,
            } += 1;
        }
        totals
    }
}

impl From<Totals> for Counts {
    fn from(totals: Totals) -> Self {
        let Totals { done, failed, to_do, not_applicable, decided } = totals;
        Self { jobs: totals.jobs(), done, failed, to_do, not_applicable, decided }
    }
}

/// The jobs that are selected, with their states; an error if there are none.
pub fn select<'g>(
    grid: &'g Grid,
    standings: &Standings,
    selection: &Selection,
) -> Result<Vec<(&'g Job, JobState)>, SweepError> {
    let looks = stopping::of_standings(grid, standings);
    let jobs: Vec<_> = grid
        .jobs
        .iter()
        .map(|job| (job, stopping::state(&looks, job, JobState::of(job, standings))))
        .filter(|(job, state)| selection.matches(&job.point, state.name()))
        .collect();
    match jobs.is_empty() {
        true => Err(SweepError::nothing_selected(grid)),
        false => Ok(jobs),
    }
}
