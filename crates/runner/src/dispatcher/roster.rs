//! The jobs that a run knows, with what is known of their costs.

use crate::cost::{CostModel, Profile};
use crate::schedule::{Expected, GridPlace, JobId, Names, Pattern, Round, Work};
use domain::{JobKey, Measured, Outcome};
use spec::Job;
use std::collections::HashMap;
use std::sync::Arc;

/// Jobs by the scheduler's numbers, each until it is over.
#[derive(Debug)]
pub(super) struct Roster {
    names: Names,
    costs: CostModel,
    /// The round of each seed.
    rounds: HashMap<u64, usize>,
    /// What a job may use at most, where nothing else is known.
    memory_limit: Option<u64>,
    jobs: Vec<Known>,
    /// Jobs that wait or run.
    open: HashMap<JobKey, JobId>,
    /// How many of these are at a place.
    places: HashMap<GridPlace, (Profile, usize)>,
}

#[derive(Debug)]
struct Known {
    job: Option<Arc<Job>>,
    profile: Profile,
}

impl Roster {
    pub fn new(
        seeds: &[u64],
        memory_limit: Option<u64>,
        (names, costs): (Names, CostModel),
    ) -> Self {
        let rounds = seeds.iter().enumerate().map(|(round, seed)| (*seed, round)).collect();
        let (jobs, open, places) = Default::default();
        Self { names, costs, rounds, memory_limit, jobs, open, places }
    }

    /// Takes in a job that neither waits nor runs: two points of the same meaning are one job.
    pub fn admit(&mut self, job: Job, add: impl FnOnce(Work) -> JobId) {
        if self.open.contains_key(&job.key) {
            return;
        }
        let profile = Profile::of(&job, &mut self.names);
        let round = match job.settings.stage.is_main() {
            // A seed that the grid lacks comes last.
            true => {
                let last = self.rounds.len();
                Round::of_seed(self.rounds.get(&job.point.seed).copied().unwrap_or(last))
            }
            false => Round::TRIALS,
        };
        let threads = job.settings.training.threads;
        let id = add(Work { round, threads, place: profile.place });
        debug_assert_eq!(id.0, self.jobs.len());
        self.open.insert(job.key.clone(), id);
        self.places.entry(profile.place).or_insert((profile, 0)).1 += 1;
        self.jobs.push(Known { job: Some(Arc::new(job)), profile });
    }

    /// A job that is not over.
    pub fn job(&self, id: JobId) -> Option<Arc<Job>> {
        self.jobs.get(id.0).and_then(|known| known.job.clone())
    }

    /// The job is over, in a record.
    pub fn close(&mut self, id: JobId) {
        let Some(job) = self.jobs.get_mut(id.0).and_then(|known| known.job.take()) else { return };
        self.open.remove(&job.key);
        if let Some((_, jobs)) = self.places.get_mut(&self.jobs[id.0].profile.place) {
            *jobs = jobs.saturating_sub(1);
        }
    }

    /// What a finished job cost.
    pub fn learn(&mut self, id: JobId, outcome: &Outcome, seconds: f64) {
        if let Some(known) = self.jobs.get(id.0) {
            self.costs.observe(&known.profile, &Measured::new(outcome, seconds));
        }
    }

    /// What is known of a job before it starts.
    pub fn expect(&self, id: JobId) -> Expected {
        let Some(Known { profile, .. }) = self.jobs.get(id.0) else { return Expected::default() };
        let memory = self.costs.memory(profile).or(self.memory_limit);
        Expected { seconds: self.costs.seconds(profile), memory }
    }

    /// Seconds of work, and seconds times threads, of all jobs that are not over; jobs of which
    /// nothing is known are taken to be like the others. None where nothing is known of any.
    pub fn work_left(&self) -> Option<[f64; 2]> {
        let (mut seconds, mut weighted, mut known, mut all) = (0.0, 0.0, 0, 0);
        for (profile, jobs) in self.places.values() {
            all += jobs;
            if let Some(each) = self.costs.seconds(profile) {
                known += jobs;
                seconds += each * *jobs as f64;
                weighted += each * (*jobs * profile.kind.threads.max(1)) as f64;
            }
        }
        let scale = all as f64 / known as f64;
        (known > 0).then_some([seconds * scale, weighted * scale])
    }

    /// A pattern as selections write it.
    pub fn expression(&self, pattern: &Pattern) -> String {
        self.names.expression(pattern)
    }
}
