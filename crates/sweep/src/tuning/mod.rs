//! Searches and their results: how far the records take each search of a grid, and what it chose.
//!
//! A search is never stored as such: its proposals follow from its plan and the records of its
//! trials, so whoever reads the folder comes to the same state, in whatever order trials ran.

mod drive;

pub(crate) use drive::{SearchDrive, read_or_set_aside, set_aside};

use crate::{JobState, Standings, jobs, proposals};
use domain::{Ended, JobKey, Point, Trial};
use spec::{Grid, Search, Selection};
use store::{Folder, SearchRecord, Standing, StoreError, TrialRecord, TrialState};

/// Takes every search as far as the records of a folder go, and writes what was chosen into the
/// jobs.
pub fn settle_recorded(grid: &mut Grid, folder: &Folder) -> Result<(), StoreError> {
    settle(grid, |key| jobs::recorded(folder, key))
}

/// The same, where a trial whose record is damaged has not ended.
pub fn settle_past_damage(grid: &mut Grid, folder: &Folder) -> Result<(), StoreError> {
    settle(grid, |key| match jobs::recorded(folder, key) {
        Err(StoreError::Damaged { .. }) => Ok(None),
        read => read,
    })
}

/// The same as far as `look_up` knows records.
pub(crate) fn settle<E>(
    grid: &mut Grid,
    mut look_up: impl FnMut(&JobKey) -> Result<Option<Standing>, E>,
) -> Result<(), E> {
    (0..grid.searches.len()).try_for_each(|search| settle_one(grid, search, &mut look_up))
}

fn settle_one<E>(
    grid: &mut Grid,
    index: usize,
    look_up: &mut impl FnMut(&JobKey) -> Result<Option<Standing>, E>,
) -> Result<(), E> {
    let mut progress = std::mem::take(&mut grid.searches[index].progress);
    let search = &grid.searches[index];
    let extended = proposals::extend(&search.plan, &mut progress, |_, values| {
        let standing = look_up(&search.trial(values).key)?;
        Ok(standing.map(|standing| standing.ended(search.plan.maximise)))
    });
    let chosen = progress.best().filter(|_| progress.is_over(&search.plan));
    let chosen = chosen.map(|(_, trial, _)| trial.values.clone());
    grid.searches[index].progress = progress;
    if let Some(values) = chosen {
        grid.choose(index, &values);
    }
    extended
}

/// One trial of a search as commands show it; without a job until it is proposed.
#[derive(Debug)]
pub struct TrialRow<'g> {
    /// Its search's place in the grid.
    pub index: usize,
    pub search: &'g Search,
    /// From 1.
    pub number: usize,
    pub key: Option<JobKey>,
    pub state: JobState,
}

impl TrialRow<'_> {
    /// Why it stands as it does, where that is not plain.
    pub fn reason(&self, standings: &Standings) -> Option<String> {
        match (&self.key, self.state) {
            (None, _) => Some("proposed when the trials before its batch have ended".to_owned()),
            (Some(key), JobState::Failed) => {
                Some(standings.get(key)?.failure.as_ref()?.to_string())
            }
            _ => None,
        }
    }
}

/// The trials of a grid that are selected: a trial goes by its state, and by the names and any seed
/// of the jobs that wait for it.
pub fn trials<'g>(grid: &'g Grid, selection: &Selection) -> Vec<TrialRow<'g>> {
    let mut rows = Vec::new();
    for (index, search) in grid.searches.iter().enumerate() {
        let fits = JobState::ALL.map(|state| {
            let at = |seed: &u64| Point { seed: *seed, ..search.point().clone() };
            grid.seeds.iter().any(|seed| selection.matches(&at(seed), state.name()))
        });
        for number in 1..=search.plan.trials {
            let trial = search.progress.trials.get(number - 1);
            let state = match trial.and_then(|trial| trial.ended) {
                None => JobState::Todo,
                Some(Ended::Score(_)) => JobState::Done,
                Some(Ended::Failed) => JobState::Failed,
            };
            let key = trial.map(|trial| search.trial(&trial.values).key);
            if fits[state as usize] {
                rows.push(TrialRow { index, search, number, key, state });
            }
        }
    }
    rows
}

/// The keys of all trials that were proposed.
pub fn trial_keys(grid: &Grid) -> impl Iterator<Item = JobKey> + '_ {
    grid.searches.iter().flat_map(|search| {
        search.progress.trials.iter().map(|trial| search.trial(&trial.values).key)
    })
}

/// How a search stands, in words: `4 of 12 trials have ended`.
pub fn standing(search: &Search) -> String {
    let (ended, all) = (search.progress.ended(), search.plan.trials);
    match search.progress.is_over(&search.plan) {
        true if search.progress.best().is_none() => "every trial of its search failed".to_owned(),
        true => format!("all {all} trials of its search have ended"),
        false => format!("waits for its search: {ended} of {all} trials have ended"),
    }
}

/// What is kept and shown of the searches.
pub fn records(grid: &Grid) -> Vec<SearchRecord> {
    grid.searches.iter().map(record).collect()
}

fn record(search: &Search) -> SearchRecord {
    let Search { plan, progress, .. } = search;
    let Point { corpus, scenario, model, method, seed } = search.point().clone();
    let trial = |(at, trial): (usize, &Trial)| TrialRecord {
        trial: at + 1,
        job: search.trial(&trial.values).key,
        values: trial.values.clone(),
        state: match trial.ended {
            None => TrialState::Todo,
            Some(Ended::Score(_)) => TrialState::Done,
            Some(Ended::Failed) => TrialState::Failed,
        },
        score: trial.ended.and_then(Ended::score),
    };
    SearchRecord {
        corpus,
        scenario,
        model,
        method,
        job_seed: seed,
        maximise: plan.maximise,
        trials: plan.trials,
        batch: plan.batch,
        startup: plan.startup,
        seed: plan.seed,
        parameters: plan.dimensions.clone(),
        history: progress.trials.iter().enumerate().map(trial).collect(),
        chosen: chosen(search).map(|(at, ..)| at + 1),
    }
}

fn chosen(search: &Search) -> Option<(usize, &Trial, f64)> {
    let Search { plan, progress, .. } = search;
    progress.best().filter(|_| progress.is_over(plan))
}
