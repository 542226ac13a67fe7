//! What a run would do: the jobs of a grid, how they stand and what the rest is expected to take.

use crate::budgets::{self, Budget};
use crate::tuning::{self, TrialRow};
use crate::{
    Estimates, GridSource, JobState, Pending, Standings, SweepError, asked_and_missing, checks,
    select, standings, stopping,
};
use domain::{Contender, JobKey, Point};
use spec::{Grid, Job, Selection};
use std::collections::HashSet;

/// The selected jobs of a grid with what is known of each.
#[derive(Debug)]
pub struct Plan<'g> {
    pub grid: &'g Grid,
    /// Trials before main jobs.
    pub jobs: Vec<PlannedRow<'g>>,
    /// Seconds that the jobs to do take, so many at a time.
    pub wall: (f64, usize),
    /// How long they are trained.
    pub budgets: Vec<Budget<'g>>,
    /// Finished jobs whose models the grid asks for and which have none.
    pub models_missing: usize,
}

/// A job of a plan, or a trial.
#[derive(Debug)]
pub struct PlannedRow<'g> {
    /// None until a search says what the job is.
    pub key: Option<JobKey>,
    pub point: &'g Point,
    /// The number of a trial, from 1.
    pub trial: Option<usize>,
    pub waits: bool,
    pub state: JobState,
    pub reason: Option<String>,
    /// Seconds of a job that is to run.
    pub estimate: Option<f64>,
}

fn is_to_do((_, state): &&(&Job, JobState)) -> bool {
    *state == JobState::Todo
}

impl<'g> Plan<'g> {
    /// Plans the selected jobs of a grid, by the results that it has; runs nothing.
    pub fn of(
        source: &GridSource,
        grid: &'g Grid,
        selection: &Selection,
    ) -> Result<Self, SweepError> {
        let folder = source.folder(grid)?;
        let standings = standings(grid, &folder)?;
        let jobs = select(grid, &standings, selection)?;
        checks::precision(jobs.iter().filter(is_to_do).map(|(job, _)| *job))?;
        let trials = tuning::trials(grid, selection);
        let budgets = budgets::of(jobs.iter().filter(is_to_do).map(|(job, _)| *job));
        let models_missing = asked_and_missing(jobs.iter().copied(), &folder)?.len();
        let plan = Self::new(grid, jobs, trials, &standings, runner::cores());
        Ok(Self { budgets, models_missing, ..plan })
    }

    /// Puts together what is known; without budgets, which need the corpora.
    pub fn new(
        grid: &'g Grid,
        jobs: Vec<(&'g Job, JobState)>,
        trials: Vec<TrialRow<'g>>,
        standings: &Standings,
        cores: usize,
    ) -> Self {
        let estimates = Estimates::new(grid, standings);
        let estimate =
            |point: &Point, state| estimates.of(point).filter(|_| state == JobState::Todo);
        let trials = trials.into_iter().map(|trial| PlannedRow {
            point: trial.search.point(),
            trial: Some(trial.number),
            waits: false,
            state: trial.state,
            reason: trial.reason(standings),
            estimate: estimate(trial.search.point(), trial.state),
            key: trial.key,
        });
        let looks = stopping::of_standings(grid, standings);
        let mains = jobs.into_iter().map(|(job, state)| PlannedRow {
            key: (!job.waits).then(|| job.key.clone()),
            point: &job.point,
            trial: None,
            waits: job.waits,
            state,
            reason: reason(grid, job, state, standings, &looks),
            estimate: estimate(&job.point, state),
        });
        let jobs: Vec<PlannedRow<'_>> = trials.chain(mains).collect();
        let to_do = jobs.iter().filter(|planned| planned.state == JobState::Todo);
        let pending = to_do
            .map(|planned| Pending { point: planned.point, is_trial: planned.trial.is_some() });
        let wall = estimates.wall(cores, pending);
        Self { grid, jobs, wall, budgets: Vec::new(), models_missing: 0 }
    }

    /// How many jobs and trials are in a state.
    pub fn count(&self, state: JobState) -> usize {
        self.jobs.iter().filter(|planned| planned.state == state).count()
    }

    /// Seconds of all jobs to do, and whether every one of them has an estimate.
    pub fn estimate(&self) -> (f64, bool) {
        let todo = || self.jobs.iter().filter(|planned| planned.state == JobState::Todo);
        let known = todo().filter_map(|planned| planned.estimate);
        // The sum of nothing is minus zero.
        (known.clone().sum::<f64>() + 0.0, known.count() == todo().count())
    }

    /// The pairs of the grid's report that no job of it answers.
    pub fn unanswered_pairs(&self) -> impl Iterator<Item = &'g [Contender; 2]> {
        let grid = self.grid;
        grid.report.pairs.iter().filter(|pair| !can_be_compared(grid, pair))
    }
}

/// Why a job stands as it does, where that is not plain.
fn reason(
    grid: &Grid,
    job: &Job,
    state: JobState,
    standings: &Standings,
    looks: &stopping::Looks,
) -> Option<String> {
    match state {
        JobState::NotApplicable => job.not_applicable.clone(),
        JobState::Failed => {
            let failure = standings.get(&job.key).and_then(|s| s.failure.as_ref());
            failure.map(ToString::to_string)
        }
        JobState::Todo if job.waits => {
            let search = job.search.and_then(|search| grid.searches.get(search));
            search.map(tuning::standing)
        }
        JobState::Todo | JobState::Decided => stopping::reason(looks, &job.point),
        JobState::Done => None,
    }
}

/// Whether some jobs of the grid are both sides of a pair: of one corpus, scenario and seed and,
/// where neither side names a model, of one model.
fn can_be_compared(grid: &Grid, [one, other]: &[Contender; 2]) -> bool {
    !places(grid, one, other).is_disjoint(&places(grid, other, one))
}

/// Where jobs are one side of a pair.
fn places<'g>(
    grid: &'g Grid,
    side: &Contender,
    against: &Contender,
) -> HashSet<(&'g str, &'g str, u64, Option<&'g str>)> {
    let across = side.model.is_some() || against.model.is_some();
    let is_side = |point: &&Point| match &side.model {
        _ if point.method != side.method => false,
        Some(model) => *model == point.model,
        // In every model but that of the same method on the other side.
        None => side.method != against.method || against.model.as_ref() != Some(&point.model),
    };
    let jobs = grid.jobs.iter().filter(|job| job.not_applicable.is_none());
    let points = jobs.map(|job| &job.point).filter(is_side);
    points
        .map(|Point { corpus, scenario, model, seed, .. }| {
            (&**corpus, &**scenario, *seed, (!across).then_some(&**model))
        })
        .collect()
}
