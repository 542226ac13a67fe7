//! What a run is about: the jobs and searches that are selected, in its shard and in its plan.

use super::RunOptions;
use super::plan_file::SavedPlan;
use crate::stopping::{self, Looks};
use crate::tuning::{self, SearchDrive};
use crate::{JobState, Standings, SweepError, Totals};
use domain::JobKey;
use sha2::{Digest, Sha256};
use spec::{Grid, Job, Search, Selection};
use std::collections::BTreeSet;
use std::str::FromStr;
use store::Folder;

/// One of several parts of a grid's jobs, told apart by their keys.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Shard {
    part: u64,
    of: u64,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers =
            text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((part, of)) if (1..=of).contains(&part) => Ok(Self { part, of }),
            _ => Err("write it as K/N with K from 1 to N, as in 2/3".to_owned()),
        }
    }
}

impl Shard {
    fn has(self, key: &JobKey) -> bool {
        let digest = Sha256::digest(key.0.as_bytes());
        let number = digest.iter().take(8).fold(0, |n, &byte| n << 8 | u64::from(byte));
        number % self.of == self.part - 1
    }
}

/// A mistyped selection must not even make a folder.
pub(super) fn refuse_empty(grid: &Grid, selection: &Selection) -> Result<(), SweepError> {
    // A part without a job is not a mistake: whoever splits a grid cannot know which parts are
    // empty.
    let possible =
        |job: &Job| JobState::ALL.iter().any(|state| selection.matches(&job.point, state.name()));
    match grid.jobs.iter().any(possible) {
        true => Ok(()),
        false => Err(SweepError::nothing_selected(grid)),
    }
}

/// Whether a job is in the part that is run. The trials of a search and the jobs that wait for it
/// are in one part, and with planned looks all jobs of a corpus, scenario and model: none could go
/// on alone.
fn in_shard(grid: &Grid, job: &Job, shard: Option<Shard>) -> bool {
    let search = job.search.and_then(|search| grid.searches.get(search));
    shard.is_none_or(|shard| match search {
        Some(search) => shard.has(&search_key(grid, search)),
        None => shard.has(&stopping::column_key(grid, &job.point).unwrap_or(job.key.clone())),
    })
}

/// What stands for a search in shards.
fn search_key(grid: &Grid, search: &Search) -> JobKey {
    stopping::column_key(grid, search.point()).unwrap_or_else(|| search.key())
}

/// What a run is about: jobs of the grid by their places, with their states before it, and
/// searches.
#[derive(Debug)]
pub(super) struct Selected {
    pub jobs: Vec<(usize, JobState)>,
    pub searches: BTreeSet<usize>,
    /// Of the searches.
    pub trials: Vec<JobState>,
}

impl Selected {
    /// What `--only`, `--not`, `--shard` and `--plan` leave; an error if that is nothing.
    pub fn new(
        grid: &Grid,
        standings: &Standings,
        options: &RunOptions,
    ) -> Result<Self, SweepError> {
        let RunOptions { selection, shard, .. } = options;
        let looks = stopping::of_standings(grid, standings);
        let state = |job: &Job| stopping::state(&looks, job, JobState::of(job, standings));
        let plan = options.plan.as_ref().map(|path| SavedPlan::read(path, grid)).transpose()?;
        let jobs = grid.jobs.iter().enumerate().map(|(at, job)| (at, state(job)));
        let jobs: Vec<_> = jobs
            .filter(|(at, state)| {
                let job = &grid.jobs[*at];
                selection.matches(&job.point, state.name())
                    && in_shard(grid, job, *shard)
                    && plan.as_ref().is_none_or(|plan| plan.has(&job.point))
            })
            .collect();
        let here = |search: usize| {
            let search = &grid.searches[search];
            shard.is_none_or(|shard| shard.has(&search_key(grid, search)))
                && plan.as_ref().is_none_or(|plan| plan.has_search(search.point()))
        };
        let trials = tuning::trials(grid, selection);
        let searches: BTreeSet<usize> =
            trials.iter().map(|trial| trial.index).filter(|search| here(*search)).collect();
        let trials = trials.iter().filter(|trial| searches.contains(&trial.index));
        let trials: Vec<JobState> = trials.map(|trial| trial.state).collect();
        match jobs.is_empty() && trials.is_empty() && shard.is_none() {
            true => Err(SweepError::nothing_selected(grid)),
            false => Ok(Self { jobs, searches, trials }),
        }
    }

    /// The searches, ready to go on.
    pub fn drive(&self, grid: &Grid, folder: &Folder, retry_failed: bool) -> SearchDrive {
        let places = self.jobs.iter().map(|(place, _)| *place).collect();
        SearchDrive::new(grid.clone(), folder.clone(), retry_failed, self.searches.clone(), places)
    }

    /// The jobs that are done by now.
    pub fn done<'g>(
        &self,
        grid: &'g Grid,
        standings: &'g Standings,
    ) -> impl Iterator<Item = (&'g Job, JobState)> {
        let jobs = self.jobs.iter().map(|(at, _)| &grid.jobs[*at]);
        jobs.map(|job| (job, JobState::of(job, standings)))
            .filter(|(_, state)| *state == JobState::Done)
    }

    /// How many jobs and trials are in which state before the run.
    pub fn totals(&self) -> Totals {
        self.jobs.iter().map(|(_, state)| *state).chain(self.trials.iter().copied()).collect()
    }

    /// The same after it, by the records.
    pub fn totals_now(&self, grid: &Grid, standings: &Standings, looks: &Looks) -> Totals {
        let jobs = self.jobs.iter().map(|(at, before)| match before {
            JobState::NotApplicable => JobState::NotApplicable,
            _ => {
                let job = &grid.jobs[*at];
                stopping::state(looks, job, standings.get(&job.key).into())
            }
        });
        let everything = Selection::default();
        let trials = tuning::trials(grid, &everything).into_iter();
        let trials = trials.filter(|trial| self.searches.contains(&trial.index));
        jobs.chain(trials.map(|trial| trial.state)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_part_the_keys_without_rest_or_overlap() {
        let shards: Vec<Shard> = (1..=3).map(|k| format!("{k}/3").parse().unwrap()).collect();
        let mut sizes = [0; 3];
        for n in 0..300 {
            let key = JobKey(format!("{n:032x}"));
            let owners: Vec<usize> = (0..3).filter(|&k| shards[k].has(&key)).collect();
            assert_eq!(owners.len(), 1);
            sizes[owners[0]] += 1;
        }
        assert!(sizes.iter().all(|&size| size > 60), "{sizes:?}");
    }

    #[test]
    fn shards_that_are_none_are_refused() {
        for text in ["", "1", "0/3", "4/3", "1/0", "a/b", "-1/2", "1/2/3"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
