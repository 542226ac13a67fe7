//! The scheduler beside a plain model of it, over random scripts: jobs of several rounds, threads,
//! memories and costs, attempts that come out as they like, interrupts, and an hour to be over by.
//!
//! The model looks at every job at every step and keeps the whole history; it shares no code with
//! the scheduler but the types. Both must do the same at every step, and what the module promises
//! is checked on what they do.

use super::*;
use crate::Interrupt;
use proptest::collection::vec;
use proptest::prelude::*;
use std::time::Duration;

/// How an attempt comes out, and how long it takes.
#[derive(Copy, Clone, PartialEq, Debug)]
enum Outcome {
    Succeeds,
    /// With this cause; may be tried again or not.
    Fails(u8, bool),
    /// As a diverged loss does.
    Diverges,
}

#[derive(Clone, Debug)]
struct Script {
    work: Work,
    expected: Expected,
    /// One an attempt; the last one stands for all further ones.
    outcomes: Vec<Outcome>,
}

#[derive(Copy, Clone, Debug)]
enum Step {
    /// One of the running attempts ends, so many seconds later.
    End {
        which: usize,
        after: u64,
    },
    /// Time goes by.
    Pass(u64),
    /// A job that follows comes in.
    Add,
    Interrupt(Interrupt),
}

#[derive(Copy, Clone, PartialEq, Debug)]
enum State {
    Ready,
    Delayed(Duration),
    Running,
    Ended,
    Paused,
    Late,
    Stopped,
}

struct Job {
    script: Script,
    state: State,
    attempts: u32,
}

/// Everything, in the plainest form.
struct Model {
    capacity: Capacity,
    retries: Retries,
    jobs: Vec<Job>,
    /// Place and cause of what ended, in order; no cause is a success.
    history: Vec<(GridPlace, Option<u8>)>,
    paused: Vec<[Option<u32>; 4]>,
    phase: Phase,
}

fn fits(pattern: &[Option<u32>; 4], place: GridPlace) -> bool {
    (0..4).all(|axis| pattern[axis].is_none() || pattern[axis] == Some(place.0[axis]))
}

fn steps(bytes: Option<u64>) -> u64 {
    bytes.unwrap_or(0).div_ceil(64 << 20)
}

impl Model {
    fn running(&self) -> impl Iterator<Item = &Job> {
        self.jobs.iter().filter(|job| job.state == State::Running)
    }

    fn has_room(&self, job: &Job) -> bool {
        let threads: usize = self.running().map(|job| job.script.work.threads.max(1)).sum();
        let memory: u64 = self.running().map(|job| steps(job.script.expected.memory)).sum();
        let all = self.capacity.memory.map_or(u64::MAX, |all| all / (64 << 20));
        let count = self.running().count();
        count == 0
            || count < self.capacity.slots
                && threads + job.script.work.threads.max(1) <= self.capacity.cores
                && memory + steps(job.script.expected.memory) <= all
    }

    fn is_paused(&self, place: GridPlace) -> bool {
        self.paused.iter().any(|pattern| fits(pattern, place))
    }

    fn add(&mut self, script: Script) {
        let paused = self.is_paused(script.work.place);
        let state = if paused { State::Paused } else { State::Ready };
        self.jobs.push(Job { script, state, attempts: 0 });
    }

    fn next(&mut self, now: Duration, left: Option<Duration>) -> Next {
        let going = self.phase == Phase::Going && left != Some(Duration::ZERO);
        if going {
            for job in &mut self.jobs {
                if matches!(job.state, State::Delayed(at) if at <= now) {
                    job.state = State::Ready;
                }
            }
            if let Some(job) = self.best(left) {
                self.jobs[job].state = State::Running;
                self.jobs[job].attempts += 1;
                return Next::Start { job: JobId(job), attempt: self.jobs[job].attempts };
            }
        }
        let at = |job: &Job| match job.state {
            State::Delayed(at) if going => Some(at),
            _ => None,
        };
        let until = self.jobs.iter().filter_map(at).min();
        match self.running().count() == 0 && until.is_none() {
            true => Next::Over,
            false => Next::Wait { until },
        }
    }

    fn best(&mut self, left: Option<Duration>) -> Option<usize> {
        if self.running().count() >= self.capacity.slots.max(1) {
            return None;
        }
        loop {
            let ready = self.jobs.iter().filter(|job| job.state == State::Ready);
            let round = ready.map(|job| job.script.work.round).min()?;
            let is_late = |job: &Job| {
                let seconds = job.script.expected.seconds;
                left.is_some_and(|left| seconds.is_some_and(|s| s > left.as_secs_f64()))
            };
            let of_round =
                |job: &&mut Job| job.state == State::Ready && job.script.work.round == round;
            let mut any = false;
            for job in self.jobs.iter_mut().filter(of_round) {
                match is_late(job) {
                    true => job.state = State::Late,
                    false => any = true,
                }
            }
            if !any {
                continue;
            }
            let fitting = self.jobs.iter().enumerate().filter(|(_, job)| {
                job.state == State::Ready && job.script.work.round == round && self.has_room(job)
            });
            // The longest, and of as long ones the first: nothing known is longest of all.
            let length = |job: &Job| job.script.expected.seconds.unwrap_or(f64::INFINITY);
            return fitting
                .reduce(|a, b| if length(b.1) > length(a.1) { b } else { a })
                .map(|(at, _)| at);
        }
    }

    fn end(&mut self, at: usize, now: Duration) -> Settlement {
        let (retries, phase) = (self.retries, self.phase);
        let job = &mut self.jobs[at];
        if phase == Phase::Stopping {
            job.state = State::Stopped;
            return Settlement::Stopped;
        }
        let attempt = job.attempts as usize;
        let place = job.script.work.place;
        let outcomes = &job.script.outcomes;
        match outcomes[(attempt - 1).min(outcomes.len() - 1)] {
            Outcome::Fails(_, true) if job.attempts <= retries.most => {
                let pause = retries.first_pause * 2u32.pow(job.attempts - 1);
                job.state = State::Delayed(now + pause.min(retries.longest_pause));
                if self.is_paused(place) {
                    self.jobs[at].state = State::Paused;
                }
                Settlement::Again
            }
            Outcome::Fails(cause, _) => {
                job.state = State::Ended;
                if job.script.work.round != Round::TRIALS {
                    self.history.push((place, Some(cause)));
                    self.pause(place, cause);
                }
                Settlement::Failed(Some(Cause::named(&cause.to_string())))
            }
            outcome => {
                job.state = State::Ended;
                self.history.push((place, None));
                match outcome {
                    Outcome::Diverges => Settlement::Failed(None),
                    _ => Settlement::Succeeded,
                }
            }
        }
    }

    /// Looks back over everything that ended, at model, method and both.
    fn pause(&mut self, place: GridPlace, cause: u8) {
        for axes in [&[2][..], &[3], &[2, 3]] {
            let same = |other: &GridPlace| axes.iter().all(|axis| other.0[*axis] == place.0[*axis]);
            let row: Vec<GridPlace> = self
                .history
                .iter()
                .rev()
                .filter(|(other, _)| same(other))
                .take_while(|(_, ended)| *ended == Some(cause))
                .map(|(other, _)| *other)
                .collect();
            if row.len() >= 3 {
                let common = |axis: usize| {
                    let value = row[0].0[axis];
                    row.iter().all(|place| place.0[axis] == value).then_some(value)
                };
                self.paused.push([0, 1, 2, 3].map(common));
            }
        }
        let paused = std::mem::take(&mut self.paused);
        for job in &mut self.jobs {
            let waits = matches!(job.state, State::Ready | State::Delayed(_) | State::Late);
            if waits && paused.iter().any(|pattern| fits(pattern, job.script.work.place)) {
                job.state = State::Paused;
            }
        }
        self.paused = paused;
    }

    fn left(&self) -> Left {
        let count =
            |wanted: fn(&State) -> bool| self.jobs.iter().filter(|job| wanted(&job.state)).count();
        Left {
            waiting: count(|s| matches!(s, State::Ready | State::Delayed(_) | State::Stopped)),
            paused: count(|s| *s == State::Paused),
            late: count(|s| *s == State::Late),
        }
    }

    /// What the module promises, whatever happened.
    fn check(&self, left: Option<Duration>, started: usize) {
        let threads: usize = self.running().map(|job| job.script.work.threads.max(1)).sum();
        let memory: u64 = self.running().map(|job| steps(job.script.expected.memory)).sum();
        let count = self.running().count();
        if count > 1 {
            assert!(count <= self.capacity.slots && threads <= self.capacity.cores);
            assert!(self.capacity.memory.is_none_or(|all| memory <= all / (64 << 20)));
        }
        let job = &self.jobs[started];
        let outcomes = &job.script.outcomes;
        let before = outcomes.iter().take(job.attempts as usize - 1);
        assert!(before.into_iter().all(|outcome| matches!(outcome, Outcome::Fails(_, true))));
        assert!(job.attempts <= 1 + self.retries.most, "more attempts than allowed");
        assert!(!self.is_paused(job.script.work.place), "a paused job was started");
        if let (Some(left), Some(seconds)) = (left, job.script.expected.seconds) {
            assert!(seconds <= left.as_secs_f64(), "it would end too late");
        }
        let earlier = self.jobs.iter().filter(|other| {
            other.state == State::Ready && other.script.work.round < job.script.work.round
        });
        assert_eq!(earlier.count(), 0, "a job of an earlier round is ready");
    }
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        4 => Just(Outcome::Succeeds),
        3 => (0u8..2, any::<bool>()).prop_map(|(cause, again)| Outcome::Fails(cause, again)),
        1 => Just(Outcome::Diverges),
    ]
}

fn script() -> impl Strategy<Value = Script> {
    let round = prop_oneof![
        1 => Just(Round::TRIALS),
        6 => (0usize..3).prop_map(Round::of_seed),
    ];
    let place = (0u32..2, 0u32..2, 0u32..3, 0u32..3);
    let seconds = prop_oneof![Just(None), (0u32..40).prop_map(|s| Some(f64::from(s)))];
    let memory = prop_oneof![3 => Just(None), 2 => (0u64..12).prop_map(|n| Some(n << 26))];
    (round, 0usize..4, place, seconds, memory, vec(outcome(), 1..5)).prop_map(
        |(round, threads, (c, s, m, t), seconds, memory, outcomes)| Script {
            work: Work { round, threads, place: GridPlace([c, s, m, t]) },
            expected: Expected { seconds, memory },
            outcomes,
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        60 => (any::<usize>(), 0u64..20).prop_map(|(which, after)| Step::End { which, after }),
        20 => (0u64..9).prop_map(Step::Pass),
        10 => Just(Step::Add),
        1 => Just(Step::Interrupt(Interrupt::Gentle)),
        1 => Just(Step::Interrupt(Interrupt::Now)),
    ]
}

fn capacity() -> impl Strategy<Value = Capacity> {
    let memory = prop_oneof![Just(None), (1u64..20).prop_map(|n| Some(n << 26))];
    (1usize..5, 1usize..6, memory).prop_map(|(slots, cores, memory)| Capacity {
        slots,
        cores,
        memory,
    })
}

/// Without telling what waits from what is late: the scheduler sees that when its turn comes.
fn summed(left: Left) -> Left {
    Left { waiting: left.waiting + left.late, late: 0, ..left }
}

/// Both side by side.
struct Both {
    model: Model,
    scheduler: Scheduler,
    now: Duration,
    hour: Option<Duration>,
}

impl Both {
    fn new(capacity: Capacity, most: u32, hour: Option<u64>) -> Self {
        let retries = Retries::new(most);
        let (jobs, history, paused, phase) = (vec![], vec![], vec![], Phase::Going);
        Self {
            model: Model { capacity, retries, jobs, history, paused, phase },
            scheduler: Scheduler::new(capacity, retries),
            now: Duration::ZERO,
            hour: hour.map(Duration::from_secs),
        }
    }

    fn add(&mut self, script: Script) {
        let id = self.scheduler.add(script.work);
        assert_eq!(id.0, self.model.jobs.len());
        self.model.add(script);
    }

    /// Starts what can start; says what is waited for.
    fn fill(&mut self) -> Next {
        loop {
            let left = self.hour.map(|hour| hour.saturating_sub(self.now));
            let before: Vec<State> = self.model.jobs.iter().map(|job| job.state).collect();
            let expected = self.model.next(self.now, left);
            let jobs = &self.model.jobs;
            let next = self.scheduler.next(self.now, left, |job| jobs[job.0].script.expected);
            assert_eq!(next, expected);
            assert_eq!(summed(self.scheduler.left()), summed(self.model.left()));
            assert_eq!(self.scheduler.running(), self.model.running().count());
            match next {
                Next::Start { job, .. } => {
                    assert_ne!(before[job.0], State::Running, "two attempts at once");
                    self.model.check(left, job.0);
                }
                waits => return waits,
            }
        }
    }

    fn end(&mut self, which: usize) {
        let jobs = self.model.jobs.iter().enumerate();
        let running: Vec<usize> =
            jobs.filter(|(_, job)| job.state == State::Running).map(|(at, _)| at).collect();
        let Some(&at) = running.get(which % running.len().max(1)) else { return };
        let settlement = self.model.end(at, self.now);
        let again = settlement == Settlement::Again;
        let verdict = self.scheduler.settle(JobId(at), settlement, self.now);
        let delayed = matches!(self.model.jobs[at].state, State::Delayed(_));
        assert_eq!(verdict.again_after.is_some(), again && delayed);
    }

    fn step(&mut self, step: Step, spare: &mut Vec<Script>) {
        match step {
            Step::End { which, after } => {
                self.now += Duration::from_secs(after);
                self.end(which);
            }
            Step::Pass(seconds) => self.now += Duration::from_secs(seconds),
            Step::Add => spare.pop().into_iter().for_each(|script| self.add(script)),
            Step::Interrupt(interrupt) => {
                let before = self.model.phase;
                self.model.phase = match (interrupt, before) {
                    (Interrupt::Gentle, Phase::Going) => Phase::Finishing,
                    _ => Phase::Stopping,
                };
                let changed = (self.model.phase > before).then_some(self.model.phase);
                assert_eq!(self.scheduler.interrupt(interrupt), changed);
            }
        }
    }

    /// Lets everything end: it must come to an end by itself.
    fn drain(&mut self) {
        for _ in 0..10_000 {
            match self.fill() {
                Next::Over => return,
                Next::Wait { until } if self.scheduler.running() == 0 => {
                    self.now = until.expect("something to wait for");
                }
                _ => self.end(0),
            }
        }
        panic!("it does not come to an end");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_scheduler_does_what_the_model_does(
        capacity in capacity(),
        most in 0u32..4,
        hour in prop_oneof![3 => Just(None), 1 => (0u64..120).prop_map(Some)],
        scripts in vec(script(), 0..24),
        mut spare in vec(script(), 0..6),
        steps in vec(step(), 0..60),
    ) {
        let mut both = Both::new(capacity, most, hour);
        scripts.into_iter().for_each(|script| both.add(script));
        for step in steps {
            both.fill();
            both.step(step, &mut spare);
        }
        both.drain();
        // Nothing is lost: every job has ended, or is left for a reason.
        let ended = both.model.jobs.iter().filter(|job| job.state == State::Ended).count();
        let Left { waiting, paused, late } = both.scheduler.left();
        prop_assert_eq!(ended + waiting + paused + late, both.model.jobs.len());
        if both.model.phase == Phase::Going && both.hour.is_none() {
            prop_assert_eq!((waiting, late), (0, 0), "nothing but the breaker holds a job back");
        }
    }
}
