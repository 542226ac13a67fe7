//! What starts when, and what everybody is told.
//!
//! One thread, this one, holds all the state and does what [`super::schedule`] says; executor
//! threads and the listener for signals only send to its channel. So events have one order, and
//! there is no lock.

mod roster;
#[cfg(test)]
mod tests;
mod told;

use super::cost::CostModel;
use super::error::RunnerError;
use super::events::Event;
use super::executor::{Context, Settled, Task, execute};
use super::interrupts::Interrupt;
use super::program::EngineProgram;
use super::schedule::{
    Capacity, Cause, JobId, Left, Names, Next, Paused, Phase, Retries, Scheduler, Settlement,
};
use super::sharing::{Admission, Elsewhere, Sharing, admit};
use super::worker::Notice;
use super::{available, host};
use domain::{JobKey, WorkerEvent};
use roster::Roster;
use spec::{Job, Limits};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant, SystemTime};
use store::{Claim, Folder, StoreError};
use told::{again, finished, show_said};

/// How often the rest is estimated, at most.
const OUTLOOK: Duration = Duration::from_secs(1);

/// What is to run, and how.
#[derive(Debug)]
pub struct Sweep {
    /// Every key once.
    pub jobs: Vec<Job>,
    /// The grid's, in its order: a round each.
    pub seeds: Vec<u64>,
    pub capacity: Capacity,
    pub retries: Retries,
    pub limits: Limits,
    /// What is known of costs, and the names behind its numbers.
    pub costs: (Names, CostModel),
    /// Jobs that are expected to end later do not start.
    pub until: Option<SystemTime>,
    pub program: EngineProgram,
    pub folder: Folder,
    /// Of a run that is not alone on the folder.
    pub sharing: Option<Sharing>,
}

/// How a sweep ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Ended {
    pub done: usize,
    pub failed: usize,
    /// Not started, or stopped before their end.
    pub left: usize,
    /// Of these, held back because jobs like them failed.
    pub paused: usize,
    pub interrupted: bool,
    /// Whether jobs are left because of the hour at which they are to be over.
    pub out_of_time: bool,
}

/// How the slots were used.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct Usage {
    /// Of all attempts together.
    pub busy: Duration,
    /// From the first start to the last end.
    pub wall: Duration,
}

/// Which jobs follow from one that was just recorded. Trials among them go before all that waits.
pub type Follow<'a> =
    dyn FnMut(&JobKey, &mut dyn FnMut(&Event)) -> Result<Vec<Job>, StoreError> + 'a;

/// Hands interrupts to a running dispatcher.
#[derive(Clone, Debug)]
pub struct Interrupter(Sender<Message>);

impl Interrupter {
    /// Whether there was still somebody to interrupt.
    pub fn interrupt(&self, interrupt: Interrupt) -> bool {
        self.0.send(Message::Interrupt(interrupt)).is_ok()
    }
}

#[derive(Debug)]
enum Message {
    Interrupt(Interrupt),
    Said { job: JobKey, event: WorkerEvent },
    Settled { job: JobId, result: Result<Settled, RunnerError> },
}

/// An attempt that runs.
#[derive(Debug)]
struct Running {
    stop: Sender<Notice>,
    attempt: u32,
    since: Instant,
}

/// Runs a sweep. As long as it lives it takes interrupts, which after the run mean nothing.
#[derive(Debug)]
pub struct Dispatcher {
    context: Arc<Context>,
    capacity: Capacity,
    scheduler: Scheduler,
    roster: Roster,
    until: Option<SystemTime>,
    sharing: Option<Sharing>,
    /// What other runs on the folder have.
    elsewhere: Elsewhere<Arc<Job>>,
    running: BTreeMap<JobId, Running>,
    sender: Sender<Message>,
    inbox: Receiver<Message>,
    start: Instant,
    ended: Ended,
    usage: Usage,
    /// When the rest was estimated last.
    outlook: Option<Instant>,
    /// The first error that is not a job's own; the run goes to its end and gives it back.
    error: Option<RunnerError>,
}

impl Dispatcher {
    /// Ready to run.
    pub fn new(sweep: Sweep) -> Self {
        let Sweep { jobs, seeds, capacity, retries, limits, costs, until, .. } = sweep;
        let Sweep { program, folder, sharing, .. } = sweep;
        let (sender, inbox) = mpsc::channel();
        let provenance = host::provenance();
        let mut scheduler = Scheduler::new(capacity, retries);
        let mut roster = Roster::new(&seeds, limits.memory, costs);
        for job in jobs {
            roster.admit(job, |work| scheduler.add(work));
        }
        Self {
            context: Arc::new(Context { folder, program, limits, retries, provenance }),
            capacity,
            scheduler,
            roster,
            until,
            sharing,
            elsewhere: Elsewhere::default(),
            running: BTreeMap::new(),
            sender,
            inbox,
            start: Instant::now(),
            ended: Ended::default(),
            usage: Usage::default(),
            outlook: None,
            error: None,
        }
    }

    /// For whoever may stop this run.
    pub fn interrupter(&self) -> Interrupter {
        Interrupter(self.sender.clone())
    }

    /// How the slots were used.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// Runs every job to its end, or until interrupted.
    pub fn run(&mut self, show: &mut dyn FnMut(&Event)) -> Result<Ended, RunnerError> {
        self.run_with(show, &mut |_, _| Ok(Vec::new()))
    }

    /// The same, with the jobs that follow from a recorded one.
    pub fn run_with(
        &mut self,
        show: &mut dyn FnMut(&Event),
        follow: &mut Follow<'_>,
    ) -> Result<Ended, RunnerError> {
        self.start = Instant::now();
        self.tell_outlook(show);
        loop {
            // Interrupts that came in meanwhile count before the next job starts.
            while let Ok(message) = self.inbox.try_recv() {
                self.handle(message, show, follow);
            }
            let wait = match self.fill_slots(show, follow) {
                Some(wait) => wait,
                None => match self.look_again() {
                    Some(wait) => Some(wait),
                    None => break,
                },
            };
            match receive(&self.inbox, wait) {
                Ok(message) => self.handle(message, show, follow),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.usage.wall = self.start.elapsed();
        let Left { waiting, paused, late } = self.scheduler.left();
        self.ended.left = waiting + paused + late + self.elsewhere.len();
        self.ended.paused = paused;
        self.ended.out_of_time =
            late > 0 || (self.time_left() == Some(Duration::ZERO) && waiting > 0);
        match self.error.take() {
            Some(error) => Err(error),
            None => Ok(self.ended),
        }
    }

    /// How long it is until jobs are to be over.
    fn time_left(&self) -> Option<Duration> {
        let left = |hour: SystemTime| hour.duration_since(SystemTime::now()).unwrap_or_default();
        self.until.map(left)
    }

    /// Starts what can start; how long to wait for a message then, or nothing if all is over.
    fn fill_slots(
        &mut self,
        show: &mut dyn FnMut(&Event),
        follow: &mut Follow<'_>,
    ) -> Option<Option<Duration>> {
        loop {
            if self.running.is_empty() {
                self.scheduler.set_memory(available::memory());
            }
            let (now, left) = (self.start.elapsed(), self.time_left());
            match self.scheduler.next(now, left, |job| self.roster.expect(job)) {
                Next::Start { job, attempt } => self.begin(job, attempt, show, follow),
                Next::Wait { until } => return Some(until.map(|at| at.saturating_sub(now))),
                Next::Over => return None,
            }
        }
    }

    /// Starts an attempt, unless another run has the job or has recorded it.
    fn begin(
        &mut self,
        id: JobId,
        attempt: u32,
        show: &mut dyn FnMut(&Event),
        follow: &mut Follow<'_>,
    ) {
        let Some(job) = self.roster.job(id) else { return };
        match admit(self.sharing.as_ref(), &self.context.folder, &job.key) {
            Ok(Admission::Here(claim)) => self.attempt(id, job, attempt, claim, show),
            Ok(Admission::Elsewhere) => {
                self.scheduler.settle(id, Settlement::Elsewhere, self.start.elapsed());
                self.roster.close(id);
                self.elsewhere.put(job.key.clone(), job.settings.stage, job);
            }
            Ok(Admission::Recorded) => {
                self.scheduler.settle(id, Settlement::Elsewhere, self.start.elapsed());
                self.recorded(id, &job, show, follow);
            }
            Err(error) => self.give_up(id, error.into()),
        }
    }

    fn attempt(
        &mut self,
        id: JobId,
        job: Arc<Job>,
        attempt: u32,
        claim: Option<Claim>,
        show: &mut dyn FnMut(&Event),
    ) {
        match self.start(id, Task { job: Arc::clone(&job), attempt }, claim) {
            Ok(stop) => {
                let (key, point, stage) = (job.key.clone(), job.point.clone(), job.settings.stage);
                show(&Event::JobStarted { job: key, point, stage, attempt });
                self.running.insert(id, Running { stop, attempt, since: Instant::now() });
            }
            Err(error) => self.give_up(id, error),
        }
    }

    /// The job is left, because something is wrong with this run.
    fn give_up(&mut self, id: JobId, error: RunnerError) {
        self.scheduler.settle(id, Settlement::Stopped, self.start.elapsed());
        self.fail(error);
    }

    /// Takes back what other runs had and no longer have, once nothing else is left to start; how
    /// long to wait before the next look, if there is anything to wait for.
    fn look_again(&mut self) -> Option<Duration> {
        if !self.scheduler.is_going() || self.time_left() == Some(Duration::ZERO) {
            return None;
        }
        let (free, wait) = self.elsewhere.again(&self.context.folder)?;
        let Self { roster, scheduler, .. } = self;
        for job in free {
            roster.admit(Arc::unwrap_or_clone(job), |work| scheduler.add(work));
        }
        Some(wait)
    }

    fn start(
        &self,
        id: JobId,
        task: Task,
        claim: Option<Claim>,
    ) -> Result<Sender<Notice>, RunnerError> {
        let inbox = mpsc::channel();
        let stop = inbox.0.clone();
        let (context, sender) = (Arc::clone(&self.context), self.sender.clone());
        let work = move || {
            let job = &task.job.key;
            let on_epoch = |event| {
                let _ = sender.send(Message::Said { job: job.clone(), event });
            };
            // A bug in here must not leave the dispatcher waiting for ever.
            let result =
                catch_unwind(AssertUnwindSafe(|| execute(&context, &task, inbox, on_epoch)));
            let result = result.map_or_else(|panic| Err(own_failure(job, &panic)), settled);
            let recorded = matches!(result, Ok(Settled::Done { .. } | Settled::Failed { .. }));
            if let Some(claim) = claim.filter(|_| recorded) {
                claim.fulfil();
            }
            let _ = sender.send(Message::Settled { job: id, result });
        };
        thread::Builder::new().spawn(work).map_err(RunnerError::Thread)?;
        Ok(stop)
    }

    fn handle(&mut self, message: Message, show: &mut dyn FnMut(&Event), follow: &mut Follow<'_>) {
        match message {
            Message::Interrupt(interrupt) => self.interrupt(interrupt, show),
            Message::Said { job, event } => show_said(job, event, show),
            Message::Settled { job, result } => {
                let Some(running) = self.running.remove(&job) else { return };
                self.usage.busy += running.since.elapsed();
                match result {
                    Ok(settled) => self.settle(job, running.attempt, settled, show, follow),
                    Err(error) => self.give_up(job, error),
                }
            }
        }
    }

    fn settle(
        &mut self,
        id: JobId,
        attempt: u32,
        settled: Settled,
        show: &mut dyn FnMut(&Event),
        follow: &mut Follow<'_>,
    ) {
        let Some(job) = self.roster.job(id) else { return };
        let (key, point, stage) = (job.key.clone(), job.point.clone(), job.settings.stage);
        let now = self.start.elapsed();
        match settled {
            Settled::Done { seconds, outcome } => {
                self.ended.done += 1;
                self.roster.learn(id, &outcome, seconds);
                self.scheduler.settle(id, Settlement::Succeeded, now);
                show(&finished(key, point, stage, seconds, &outcome));
                self.recorded(id, &job, show, follow);
            }
            Settled::Failed { seconds, failure } => {
                self.ended.failed += 1;
                let settlement = Settlement::Failed(Cause::of(&failure));
                let paused = self.scheduler.settle(id, settlement, now).paused;
                let (reason, log) = (failure.to_string(), self.log_of(&key));
                let cause = reason.clone();
                show(&Event::JobFailed { job: key, point, stage, seconds, failure, reason, log });
                paused.iter().for_each(|paused| self.tell_paused(paused, &cause, show));
                self.recorded(id, &job, show, follow);
            }
            Settled::MayRetry { failure } => {
                let pause = self.scheduler.settle(id, Settlement::Again, now).again_after;
                show(&again(
                    key,
                    point,
                    attempt,
                    &failure,
                    pause.filter(|_| self.scheduler.is_going()),
                ));
            }
            Settled::Stopped => {
                self.scheduler.settle(id, Settlement::Stopped, now);
                show(&Event::JobStopped { job: key, point });
            }
        }
    }

    /// The job is over: what follows from it comes in.
    fn recorded(
        &mut self,
        id: JobId,
        job: &Job,
        show: &mut dyn FnMut(&Event),
        follow: &mut Follow<'_>,
    ) {
        self.roster.close(id);
        match follow(&job.key, show) {
            Ok(jobs) => {
                let Self { roster, scheduler, .. } = self;
                jobs.into_iter().for_each(|job| roster.admit(job, |work| scheduler.add(work)));
            }
            Err(error) => self.fail(error.into()),
        }
        if self.outlook.is_none_or(|last| last.elapsed() >= OUTLOOK) {
            self.tell_outlook(show);
        }
    }

    /// How long the rest will take, where anything is known.
    fn tell_outlook(&mut self, show: &mut dyn FnMut(&Event)) {
        let Some([seconds, weighted]) = self.roster.work_left() else { return };
        self.outlook = Some(Instant::now());
        let running: Duration = self.running.values().map(|running| running.since.elapsed()).sum();
        let Capacity { slots, cores, .. } = self.capacity;
        let slots = (seconds - running.as_secs_f64()) / slots.max(1) as f64;
        let seconds_left = slots.max((weighted - running.as_secs_f64()) / cores.max(1) as f64);
        show(&Event::Outlook { seconds_left: seconds_left.max(0.0) });
    }

    fn tell_paused(&self, paused: &Paused, reason: &str, show: &mut dyn FnMut(&Event)) {
        if paused.jobs == 0 {
            return;
        }
        show(&Event::LevelPaused {
            level: self.roster.expression(&paused.pattern),
            jobs: paused.jobs,
            failures: paused.failures,
            reason: reason.to_owned(),
        });
    }

    fn interrupt(&mut self, interrupt: Interrupt, show: &mut dyn FnMut(&Event)) {
        self.ended.interrupted = true;
        let Some(phase) = self.scheduler.interrupt(interrupt) else { return };
        let now = phase == Phase::Stopping;
        show(&Event::Interrupted { running: self.running.len(), now });
        if now {
            for Running { stop, .. } in self.running.values() {
                // An attempt that is over by itself no longer listens.
                let _ = stop.send(Notice::Stop);
            }
        }
    }

    /// Something is wrong with this run, not with a job: nothing new starts.
    fn fail(&mut self, error: RunnerError) {
        self.error.get_or_insert(error);
        self.scheduler.finish();
    }

    fn log_of(&self, job: &JobKey) -> String {
        let place = self.context.folder.job(job);
        place.map_or_else(|_| String::new(), |place| place.log().display().to_string())
    }
}

fn receive(inbox: &Receiver<Message>, wait: Option<Duration>) -> Result<Message, RecvTimeoutError> {
    match wait {
        Some(wait) => inbox.recv_timeout(wait),
        None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
    }
}

fn settled(result: Result<Settled, StoreError>) -> Result<Settled, RunnerError> {
    result.map_err(RunnerError::Store)
}

fn own_failure(job: &JobKey, panic: &(dyn std::any::Any + Send)) -> RunnerError {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let message = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
    RunnerError::Executor { job: job.to_string(), message: message.to_owned() }
}
