//! The looks of a run: which jobs they hold back, and which follow from one that ended.

use super::super::grid::Standings;
use super::super::tuning::{self, read_or_set_aside};
use super::looks::Site;
use super::record::Decision;
use super::{Gate, Looks, Seed, seed};
use crate::domain::JobKey;
use crate::runner::events::Event;
use crate::spec::{Grid, Job};
use crate::store::{Folder, StoreError};
use std::collections::{HashMap, HashSet};

/// The searches and looks that a run takes on.
#[derive(Debug)]
pub struct Drive {
    tuning: tuning::Drive,
    folder: Folder,
    looks: Looks,
    /// Where looks meet a job that has its key.
    sites: HashMap<JobKey, Vec<Site>>,
    /// The places in the grid of jobs that wait for a search.
    waiting: Vec<usize>,
    /// What a look is to release or take away, in the order in which it would start.
    held: Vec<Job>,
    /// What was let through: two points of the same meaning are one job.
    started: HashSet<JobKey>,
}

impl Drive {
    /// Of a run's searches, and the looks at everything in its grid.
    pub fn new(grid: &Grid, folder: &Folder, tuning: tuning::Drive) -> Self {
        let waiting = grid.jobs.iter().enumerate().filter(|(_, job)| job.waits);
        Self {
            tuning,
            folder: folder.clone(),
            looks: Looks::default(),
            sites: HashMap::new(),
            waiting: waiting.map(|(place, _)| place).collect(),
            held: Vec::new(),
            started: HashSet::new(),
        }
    }

    /// The jobs that can run now: trials, and those of `wanted` that no look holds back. What runs again
    /// after a failure has not ended, and is never held: it was let through once.
    pub fn begin(&mut self, grid: &Grid, standings: &Standings, wanted: Vec<Job>) -> Vec<Job> {
        let open: HashSet<&JobKey> = wanted.iter().map(|job| &job.key).collect();
        self.looks = Looks::new(grid, |job| match standings.get(&job.key) {
            Some(standing) if !job.waits && !open.contains(&job.key) => seed(standing, grid.metric),
            _ => Seed::Waiting,
        });
        for job in grid.jobs.iter().filter(|job| !job.waits) {
            self.meet(job);
        }
        let trials = self.tuning.begin();
        let (again, new): (Vec<Job>, Vec<Job>) =
            wanted.into_iter().partition(|job| standings.contains_key(&job.key));
        let again = self.start(again);
        trials.into_iter().chain(again).chain(self.let_through(new)).collect()
    }

    /// The jobs that follow from one that was recorded: what its search opens, and what the looks that
    /// waited for it release.
    pub fn follow(
        &mut self,
        ended: &JobKey,
        show: &mut dyn FnMut(&Event),
    ) -> Result<Vec<Job>, StoreError> {
        let opened = self.tuning.follow(ended, show)?;
        if self.looks.is_empty() {
            return Ok(opened);
        }
        if let Some(sites) = self.sites.get(ended).cloned() {
            self.note(ended, sites, show)?;
            let held = std::mem::take(&mut self.held);
            return Ok(self.let_through(held));
        }
        // A trial: its search may have chosen.
        let again = self.meet_chosen(&opened, show)?;
        let (mains, trials): (Vec<Job>, Vec<Job>) =
            opened.into_iter().partition(|job| job.settings.stage.is_main());
        let (again, new): (Vec<Job>, Vec<Job>) =
            mains.into_iter().partition(|job| again.contains(&job.key));
        let again = self.start(again);
        let held = std::mem::take(&mut self.held).into_iter().chain(new).collect();
        Ok(trials.into_iter().chain(again).chain(self.let_through(held)).collect())
    }

    /// What is held back and may yet run.
    pub fn held(&self) -> impl Iterator<Item = &Job> {
        self.held.iter().filter(|job| self.looks.gate(&job.point) != Gate::Decided)
    }

    /// What to say of a run that ended while looks still wait.
    pub fn hint(&self) -> Option<String> {
        let held = match self.held().count() {
            0 => return None,
            1 => "1 job waits".to_owned(),
            n => format!("{n} jobs wait"),
        };
        Some(format!(
            "{held} for planned looks, whose other jobs were not selected or have not ended: run \
             without --only and --not"
        ))
    }

    /// Those that may run; the others are held.
    fn let_through(&mut self, jobs: Vec<Job>) -> Vec<Job> {
        let (free, held): (Vec<Job>, Vec<Job>) =
            jobs.into_iter().partition(|job| self.looks.gate(&job.point) == Gate::Free);
        let free = self.start(free);
        self.held = held;
        self.held.retain(|job| !self.started.contains(&job.key));
        free
    }

    /// Those that were not let through before.
    fn start(&mut self, mut jobs: Vec<Job>) -> Vec<Job> {
        jobs.retain(|job| self.started.insert(job.key.clone()));
        jobs
    }

    /// Remembers where looks meet a job.
    fn meet(&mut self, job: &Job) {
        let site = self.looks.site(&job.point).filter(|_| job.not_applicable.is_none());
        if let Some(site) = site {
            self.sites.entry(job.key.clone()).or_default().push(site);
        }
    }

    /// Remembers the jobs whose search has chosen since, and how they stand unless they are opened now;
    /// gives back those that run again after a failure.
    fn meet_chosen(
        &mut self,
        opened: &[Job],
        show: &mut dyn FnMut(&Event),
    ) -> Result<HashSet<JobKey>, StoreError> {
        let mut again = HashSet::new();
        let grid = self.tuning.grid();
        let (waiting, chosen): (Vec<usize>, Vec<usize>) =
            self.waiting.iter().partition(|place| grid.jobs[**place].waits);
        self.waiting = waiting;
        let chosen: Vec<Job> = chosen.into_iter().map(|place| grid.jobs[place].clone()).collect();
        for job in chosen {
            self.meet(&job);
            let Some(standing) = read_or_set_aside(&self.folder, &job.key, show)? else { continue };
            match opened.iter().any(|open| open.key == job.key) {
                true => {
                    again.insert(job.key);
                }
                false => {
                    let sites = self.sites.get(&job.key).cloned().unwrap_or_default();
                    self.look(sites, seed(&standing, self.tuning.grid().metric), show);
                }
            }
        }
        Ok(again)
    }

    /// Takes the looks that waited for a job that was recorded.
    fn note(
        &mut self,
        ended: &JobKey,
        sites: Vec<Site>,
        show: &mut dyn FnMut(&Event),
    ) -> Result<(), StoreError> {
        if let Some(standing) = read_or_set_aside(&self.folder, ended, show)? {
            self.look(sites, seed(&standing, self.tuning.grid().metric), show);
        }
        Ok(())
    }

    /// Takes the looks that waited for a job, and tells what they decided.
    fn look(&mut self, sites: Vec<Site>, seed: Seed, show: &mut dyn FnMut(&Event)) {
        for site in sites {
            let taken = self.looks.note(site, seed);
            let decided: Vec<Decision> = taken.into_iter().filter_map(Decision::of).collect();
            for (decision, left) in decided.iter().zip((0..decided.len()).rev()) {
                // The baseline goes on as long as one comparison does: the last takes it along.
                let along = |job: &&Job| decision.is_about(&job.point, left == 0);
                let gone = self.held.iter().filter(along);
                let gone = gone.filter(|job| self.looks.gate(&job.point) == Gate::Decided);
                show(&decision.event(gone.count()));
            }
        }
    }
}
