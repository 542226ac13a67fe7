//! The searches of a run: which trials can start, and which jobs follow from one that ended.

use super::{chosen, settle_one};
use crate::jobs;
use domain::{JobKey, Point};
use runner::events::Event;
use spec::{Grid, Job, Search};
use std::collections::{BTreeSet, HashMap, HashSet};
use store::{Claim, Folder, Standing, StoreError};

/// How a job stands by its record. A damaged record is set aside, and the job is to do again.
pub fn read_or_set_aside(
    folder: &Folder,
    key: &JobKey,
    show: &mut dyn FnMut(&Event),
) -> Result<Option<Standing>, StoreError> {
    match jobs::recorded(folder, key) {
        Err(StoreError::Damaged { .. }) => set_aside(folder, key, show),
        read => read,
    }
}

/// Moves the record of a job that is damaged, or has damaged files, out of the way, and says so.
/// Whoever else has the job on a shared folder has done that, or will; so it is looked at once more
/// when it is ours.
pub fn set_aside(
    folder: &Folder,
    key: &JobKey,
    show: &mut dyn FnMut(&Event),
) -> Result<Option<Standing>, StoreError> {
    let Some(_claim) = Claim::take(&folder.job(key)?)? else { return Ok(None) };
    // Byte by byte: nothing that is whole is set aside.
    match folder.read_whole(key).map(|record| record.as_ref().map(Standing::from)) {
        Err(damage @ StoreError::Damaged { .. }) => {
            let path = folder.set_aside(key)?.display().to_string();
            show(&Event::RecordSetAside { job: key.clone(), path, reason: damage.to_string() });
            Ok(None)
        }
        read => read,
    }
}

/// The searches that a run takes on.
#[derive(Debug)]
pub struct SearchDrive {
    grid: Grid,
    folder: Folder,
    /// Whether what failed in an earlier run is to run again.
    retry_failed: bool,
    /// By their places in the grid.
    searches: BTreeSet<usize>,
    /// The places of the jobs that the run is about.
    jobs: BTreeSet<usize>,
    /// Searches by the keys of their open trials.
    open: HashMap<JobKey, Vec<usize>>,
    /// What this run recorded.
    recorded: HashSet<JobKey>,
}

impl SearchDrive {
    /// Of some searches and jobs of a grid, by their places.
    pub fn new(
        grid: Grid,
        folder: Folder,
        retry_failed: bool,
        searches: BTreeSet<usize>,
        jobs: BTreeSet<usize>,
    ) -> Self {
        let (open, recorded) = (HashMap::new(), HashSet::new());
        Self { grid, folder, retry_failed, searches, jobs, open, recorded }
    }

    /// The grid with what its searches have chosen so far.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The trials that can run now.
    pub fn begin(&mut self) -> Vec<Job> {
        let searches: Vec<usize> = self.searches.iter().copied().collect();
        searches.into_iter().flat_map(|search| self.opened(search)).collect()
    }

    /// The jobs that follow from one that was recorded: trials of the next batch, or the jobs that
    /// waited for the search.
    pub fn follow(
        &mut self,
        ended: &JobKey,
        show: &mut dyn FnMut(&Event),
    ) -> Result<Vec<Job>, StoreError> {
        self.recorded.insert(ended.clone());
        let mut jobs = Vec::new();
        for search in self.open.remove(ended).unwrap_or_default() {
            let Self { grid, folder, recorded, retry_failed, .. } = self;
            settle_one(grid, search, &mut |key| {
                let standing = read_or_set_aside(folder, key, show)?;
                Ok::<_, StoreError>(standing.filter(|standing| {
                    recorded.contains(key) || !is_reopened(standing, *retry_failed)
                }))
            })?;
            let found = &self.grid.searches[search];
            match found.progress.is_over(&found.plan) {
                true => {
                    show(&finished(found));
                    jobs.extend(self.released(search, show)?);
                }
                false => jobs.extend(self.opened(search)),
            }
        }
        Ok(jobs)
    }

    /// The jobs that waited for a search and are still to run.
    fn released(
        &self,
        search: usize,
        show: &mut dyn FnMut(&Event),
    ) -> Result<Vec<Job>, StoreError> {
        let mut jobs: Vec<Job> = Vec::new();
        for (place, job) in self.grid.jobs.iter().enumerate() {
            let is_ready = job.search == Some(search) && !job.waits && self.jobs.contains(&place);
            if !is_ready || self.recorded.contains(&job.key) {
                continue;
            }
            let standing = read_or_set_aside(&self.folder, &job.key, show)?;
            if standing.is_none_or(|standing| is_reopened(&standing, self.retry_failed)) {
                jobs.push(job.clone());
            }
        }
        Ok(jobs)
    }

    /// The open trials of a search that no other one has opened.
    fn opened(&mut self, index: usize) -> Vec<Job> {
        let search = &self.grid.searches[index];
        let mut jobs = Vec::new();
        for trial in search.progress.trials.iter().filter(|trial| trial.ended.is_none()) {
            let job = search.trial(&trial.values);
            let waiting = self.open.entry(job.key.clone()).or_default();
            if waiting.is_empty() {
                jobs.push(job);
            }
            if !waiting.contains(&index) {
                waiting.push(index);
            }
        }
        jobs
    }
}

/// Whether a job that ended in an earlier run is to run again.
fn is_reopened(standing: &Standing, retry_failed: bool) -> bool {
    retry_failed && standing.failure.is_some()
}

fn finished(search: &Search) -> Event {
    let Point { corpus, scenario, model, method, .. } = search.point().clone();
    let best = chosen(search);
    let values = best.map(|(_, trial, _)| {
        let names = search.plan.dimensions.iter().map(|dimension| dimension.name.clone());
        names.zip(trial.values.iter().cloned()).collect()
    });
    Event::SearchFinished {
        corpus,
        scenario,
        model,
        method,
        trials: search.plan.trials,
        trial: best.map(|(at, ..)| at + 1),
        values: values.unwrap_or_default(),
        score: best.map(|(_, _, score)| score),
    }
}
