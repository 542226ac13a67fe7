//! The looks of a run: which jobs they hold back, and which follow from one that ended.

use super::looks::LookSite;
use super::record::LookDecision;
use super::{Gate, Looks, Seed, seed};
use crate::Standings;
use crate::tuning::{SearchDrive, read_or_set_aside};
use domain::JobKey;
use runner::events::Event;
use spec::{Grid, Job};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use store::{Folder, StoreError};

/// The searches and looks that a run takes on.
#[derive(Debug)]
pub struct LookDrive {
    tuning: SearchDrive,
    folder: Folder,
    looks: Looks,
    /// Where looks meet a job that has its key.
    sites: HashMap<JobKey, Vec<LookSite>>,
    /// The places in the grid of jobs that wait for a search.
    waiting: Vec<usize>,
    /// What a look is to release or take away, by its column, in the order in which it would start.
    held: BTreeMap<usize, Vec<Job>>,
    /// What was let through: two points of the same meaning are one job.
    started: HashSet<JobKey>,
}

impl LookDrive {
    /// Of a run's searches, and the looks at everything in its grid.
    pub fn new(grid: &Grid, folder: &Folder, tuning: SearchDrive) -> Self {
        let waiting = grid.jobs.iter().enumerate().filter(|(_, job)| job.waits);
        Self {
            tuning,
            folder: folder.clone(),
            looks: Looks::default(),
            sites: HashMap::new(),
            waiting: waiting.map(|(place, _)| place).collect(),
            held: BTreeMap::new(),
            started: HashSet::new(),
        }
    }

    /// The jobs that can run now: trials, and those of `wanted` that no look holds back. What runs
    /// again after a failure has not ended, and is never held: it was let through once.
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
        let mains = self.let_through(wanted, |key| standings.contains_key(key));
        trials.into_iter().chain(mains).collect()
    }

    /// The jobs that follow from one that was recorded: what its search opens, and what the looks
    /// that waited for it release.
    pub fn follow(
        &mut self,
        ended: &JobKey,
        show: &mut dyn FnMut(&Event),
    ) -> Result<Vec<Job>, StoreError> {
        let opened = self.tuning.follow(ended, show)?;
        if self.looks.is_empty() {
            return Ok(opened);
        }
        let (mains, mut jobs): (Vec<Job>, Vec<Job>) =
            opened.into_iter().partition(|job| job.settings.stage.is_main());
        let taken = match self.sites.contains_key(ended) {
            true => self.note(ended, show)?,
            false => {
                // A trial: its search may have chosen.
                let Chosen { again, taken } = self.meet_chosen(&mains, show)?;
                jobs.extend(self.let_through(mains, |key| again.contains(key)));
                taken
            }
        };
        for column in taken {
            let held = self.held.remove(&column).unwrap_or_default();
            jobs.extend(self.let_through(held, |_| false));
        }
        Ok(jobs)
    }

    /// What is held back and may yet run.
    pub fn held(&self) -> impl Iterator<Item = &Job> {
        let held = self.held.values().flatten().filter(|job| !self.started.contains(&job.key));
        held.filter(|job| self.looks.gate(&job.point) != Gate::Decided)
    }

    /// Those that may run, or run `again`, and were not let through before; the others are held.
    fn let_through(&mut self, jobs: Vec<Job>, again: impl Fn(&JobKey) -> bool) -> Vec<Job> {
        let mut free = Vec::new();
        for job in jobs {
            let site = self.looks.site(&job.point).filter(|_| !again(&job.key));
            match site.filter(|site| self.looks.gate_at(*site) != Gate::Free) {
                Some(site) => self.held.entry(site.column).or_default().push(job),
                None if self.started.insert(job.key.clone()) => free.push(job),
                None => {}
            }
        }
        free
    }

    /// Remembers where looks meet a job.
    fn meet(&mut self, job: &Job) {
        let site = self.looks.site(&job.point).filter(|_| job.not_applicable.is_none());
        if let Some(site) = site {
            self.sites.entry(job.key.clone()).or_default().push(site);
        }
    }

    /// Remembers the jobs whose search has chosen since, and takes in those of them that have ended
    /// and are not opened now.
    fn meet_chosen(
        &mut self,
        opened: &[Job],
        show: &mut dyn FnMut(&Event),
    ) -> Result<Chosen, StoreError> {
        let grid = self.tuning.grid();
        let (waiting, chosen): (Vec<usize>, Vec<usize>) =
            self.waiting.iter().partition(|place| grid.jobs[**place].waits);
        let chosen: Vec<Job> = chosen.into_iter().map(|place| grid.jobs[place].clone()).collect();
        self.waiting = waiting;
        let opened: HashSet<&JobKey> = opened.iter().map(|job| &job.key).collect();
        let (mut again, mut taken) = (HashSet::new(), BTreeSet::new());
        for job in chosen {
            self.meet(&job);
            match opened.contains(&job.key) {
                false => taken.extend(self.note(&job.key, show)?),
                true if read_or_set_aside(&self.folder, &job.key, show)?.is_some() => {
                    again.insert(job.key);
                }
                true => {}
            }
        }
        Ok(Chosen { again, taken })
    }

    /// Takes the looks that waited for a job, if it has ended, and tells what they decided; gives
    /// back the columns in which a look was taken.
    fn note(
        &mut self,
        ended: &JobKey,
        show: &mut dyn FnMut(&Event),
    ) -> Result<BTreeSet<usize>, StoreError> {
        let sites = self.sites.get(ended).cloned().unwrap_or_default();
        let mut columns = BTreeSet::new();
        let Some(standing) = read_or_set_aside(&self.folder, ended, show)? else {
            return Ok(columns);
        };
        let seed = seed(&standing, self.tuning.grid().metric);
        for site in sites {
            let taken = self.looks.note(site, seed);
            if !taken.is_empty() {
                columns.insert(site.column);
            }
            let decided: Vec<LookDecision> =
                taken.into_iter().filter_map(LookDecision::of).collect();
            self.tell(site.column, &decided, show);
        }
        Ok(columns)
    }

    /// Tells what was decided in a column, and how many jobs that spares the run.
    fn tell(&self, column: usize, decided: &[LookDecision], show: &mut dyn FnMut(&Event)) {
        let held = self.held.get(&column).map_or(&[][..], Vec::as_slice);
        for (decision, left) in decided.iter().zip((0..decided.len()).rev()) {
            // The baseline goes on as long as one comparison does: the last takes it along.
            let gone = held.iter().filter(|job| decision.is_about(&job.point, left == 0));
            let gone = gone.filter(|job| self.looks.gate(&job.point) == Gate::Decided);
            show(&decision.event(gone.count()));
        }
    }
}

/// What a search's choice means for looks.
struct Chosen {
    /// Jobs that run again after a failure.
    again: HashSet<JobKey>,
    /// Columns in which a look was taken.
    taken: BTreeSet<usize>,
}
