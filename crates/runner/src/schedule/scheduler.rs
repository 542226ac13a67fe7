//! The state machine: jobs come in, attempts start, end, and are tried again.

use super::Round;
use super::breaker::{Breaker, Cause, Paused};
use super::capacity::{Capacity, Demand, Load};
use super::place::GridPlace;
use super::queue::{Choice, Expected, Queue};
use super::retries::Retries;
use crate::Interrupt;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// A job, by the order in which it came in.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct JobId(pub usize);

/// What the scheduler is told of a job.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Work {
    pub round: Round,
    pub threads: usize,
    pub place: GridPlace,
}

/// How an attempt came out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Settlement {
    /// The job is over, with a result.
    Succeeded,
    /// The job is over, with an error; a diverged loss has no cause.
    Failed(Option<Cause>),
    /// Another attempt is to follow.
    Again,
    /// It was told to stop, or could not be recorded: the job is left.
    Stopped,
    /// It did not start, because another run has the job or has recorded it: the job is none of
    /// this run's.
    Elsewhere,
}

/// What follows from a settlement.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdict {
    /// How long the job waits for its next attempt.
    pub again_after: Option<Duration>,
    /// What is paused from now on.
    pub paused: Vec<Paused>,
}

/// What to do next.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Next {
    /// Start this attempt, numbered from 1.
    Start { job: JobId, attempt: u32 },
    /// Nothing can start before an attempt ends, or before this time.
    Wait { until: Option<Duration> },
    /// Nothing runs and nothing will.
    Over,
}

/// Whether new jobs start, and whether running ones may end by themselves.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Phase {
    Going,
    Finishing,
    Stopping,
}

/// Jobs that have not ended, by why.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Left {
    /// Not started, or stopped on the way.
    pub waiting: usize,
    /// Held back by the breaker.
    pub paused: usize,
    /// Expected to end after the hour at which jobs are to be over.
    pub late: usize,
}

#[derive(Debug)]
struct Entry {
    work: Work,
    attempts: u32,
}

/// The jobs of a run.
#[derive(Debug)]
pub struct Scheduler {
    capacity: Capacity,
    retries: Retries,
    jobs: Vec<Entry>,
    queue: Queue,
    /// Jobs that wait for their next attempt, by its time.
    delayed: BTreeSet<(Duration, JobId)>,
    running: BTreeMap<JobId, Demand>,
    load: Load,
    breaker: Breaker,
    phase: Phase,
    ended: usize,
    paused: usize,
    late: Vec<JobId>,
}

impl Scheduler {
    /// Without a job yet.
    pub fn new(capacity: Capacity, retries: Retries) -> Self {
        Self {
            capacity,
            retries,
            jobs: Vec::new(),
            queue: Queue::default(),
            delayed: BTreeSet::new(),
            running: BTreeMap::new(),
            load: Load::default(),
            breaker: Breaker::default(),
            phase: Phase::Going,
            ended: 0,
            paused: 0,
            late: Vec::new(),
        }
    }

    /// Takes in a job, which the caller knows not to be here already.
    pub fn add(&mut self, work: Work) -> JobId {
        let job = JobId(self.jobs.len());
        self.jobs.push(Entry { work, attempts: 0 });
        match self.breaker.holds(work.place) {
            true => self.paused += 1,
            false => self.queue.push(work.round, job),
        }
        job
    }

    /// What to do at this time. `left` is how long it is until jobs are to be over, where there is
    /// such an hour; `expect` says what is known of a job now.
    pub fn next(
        &mut self,
        now: Duration,
        left: Option<Duration>,
        expect: impl Fn(JobId) -> Expected,
    ) -> Next {
        let is_going = self.phase == Phase::Going && left != Some(Duration::ZERO);
        if is_going {
            self.wake(now);
            if let Some((job, demand)) = self.choose(left, &expect) {
                return self.start(job, demand);
            }
        }
        let until = self.delayed.first().map(|(at, _)| *at).filter(|_| is_going);
        match self.running.is_empty() && until.is_none() {
            true => Next::Over,
            false => Next::Wait { until },
        }
    }

    /// Tells how a running attempt came out.
    pub fn settle(&mut self, job: JobId, settlement: Settlement, now: Duration) -> Verdict {
        let Some(demand) = self.running.remove(&job) else { return Verdict::default() };
        self.load.give_back(demand);
        let Work { place, round, .. } = self.jobs[job.0].work;
        match settlement {
            Settlement::Succeeded | Settlement::Failed(None) => {
                self.ended += 1;
                self.breaker.succeeded(place);
                Verdict::default()
            }
            // A trial that fails is an answer to its search, which goes on with other values.
            Settlement::Failed(Some(_)) if round == Round::TRIALS => {
                self.ended += 1;
                Verdict::default()
            }
            Settlement::Failed(Some(cause)) => {
                self.ended += 1;
                Verdict { again_after: None, paused: self.trip(place, &cause) }
            }
            Settlement::Again => self.delay(job, now),
            Settlement::Stopped => Verdict::default(),
            Settlement::Elsewhere => {
                self.ended += 1;
                Verdict::default()
            }
        }
    }

    /// The user asks to stop; what the run does from now on, if that changed.
    pub fn interrupt(&mut self, interrupt: Interrupt) -> Option<Phase> {
        let phase = match (interrupt, self.phase) {
            (Interrupt::Gentle, Phase::Going) => Phase::Finishing,
            _ => Phase::Stopping,
        };
        let changed = phase > self.phase;
        self.phase = self.phase.max(phase);
        changed.then_some(phase)
    }

    /// Nothing new starts.
    pub fn finish(&mut self) {
        self.phase = self.phase.max(Phase::Finishing);
    }

    /// Whether new jobs start.
    pub fn is_going(&self) -> bool {
        self.phase == Phase::Going
    }

    /// How many attempts run.
    pub fn running(&self) -> usize {
        self.running.len()
    }

    /// How much memory there is for all jobs together, seen while nothing runs.
    pub fn set_memory(&mut self, memory: Option<u64>) {
        self.capacity.memory = memory;
    }

    /// How many jobs are neither over nor running, and why.
    pub fn left(&self) -> Left {
        let (paused, late) = (self.paused, self.late.len());
        let waiting = self.jobs.len() - self.ended - self.running.len() - paused - late;
        Left { waiting, paused, late }
    }

    /// Brings back what has waited long enough.
    fn wake(&mut self, now: Duration) {
        while let Some((_, job)) = self.delayed.first().filter(|(at, _)| *at <= now).copied() {
            self.delayed.pop_first();
            self.queue.push(self.jobs[job.0].work.round, job);
        }
    }

    fn choose(
        &mut self,
        left: Option<Duration>,
        expect: &impl Fn(JobId) -> Expected,
    ) -> Option<(JobId, Demand)> {
        let Self { queue, capacity, load, jobs, late, .. } = self;
        if !load.is_idle() && self.running.len() >= capacity.slots {
            return None;
        }
        let choice = Choice {
            threads: |job: JobId| jobs[job.0].work.threads,
            expect,
            fits: |demand| capacity.fits(load, demand),
            left,
        };
        queue.pop(choice, late)
    }

    fn start(&mut self, job: JobId, demand: Demand) -> Next {
        self.running.insert(job, demand);
        self.load.take(demand);
        let entry = &mut self.jobs[job.0];
        entry.attempts += 1;
        Next::Start { job, attempt: entry.attempts }
    }

    fn delay(&mut self, job: JobId, now: Duration) -> Verdict {
        let Entry { work, attempts } = self.jobs[job.0];
        if self.breaker.holds(work.place) {
            self.paused += 1;
            return Verdict::default();
        }
        let pause = self.retries.pause(attempts);
        self.delayed.insert((now.saturating_add(pause), job));
        Verdict { again_after: Some(pause), paused: Vec::new() }
    }

    /// Counts a failure, and holds back what is to be paused. That goes for jobs that would end too
    /// late as well: whether that was seen yet depends on what stands before them.
    fn trip(&mut self, place: GridPlace, cause: &Cause) -> Vec<Paused> {
        let found = self.breaker.failed(place, cause);
        found
            .into_iter()
            .map(|(pattern, failures)| {
                let covered = |job: JobId| pattern.covers(self.jobs[job.0].work.place);
                let before = self.delayed.len() + self.late.len();
                self.delayed.retain(|(_, job)| !covered(*job));
                self.late.retain(|job| !covered(*job));
                let others = before - self.delayed.len() - self.late.len();
                let jobs = self.queue.take_where(covered).len() + others;
                self.paused += jobs;
                Paused { pattern, failures, jobs }
            })
            .collect()
    }
}
