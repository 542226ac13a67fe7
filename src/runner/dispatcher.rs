//! What starts when, and what everybody is told.
//!
//! One thread, this one, holds all the state and makes every decision; executor threads and the
//! listener for signals only send to its channel. So events have one order, and there is no lock.

use super::error::RunnerError;
use super::events::Event;
use super::executor::{Context, Settled, Task, execute};
use super::host;
use super::interrupts::Interrupt;
use super::program::EngineProgram;
use super::sharing::{Admission, Elsewhere, Sharing, admit};
use super::worker::Notice;
use crate::domain::{Failure, JobKey, Outcome, Point, Stage, WorkerEvent};
use crate::spec::{Job, Limits};
use crate::store::{Claim, Folder, StoreError};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

/// What is to run, and how.
#[derive(Debug)]
pub struct Sweep {
    /// In the order in which they are to start; every key once.
    pub jobs: Vec<Job>,
    /// How many run side by side.
    pub slots: usize,
    pub limits: Limits,
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
    pub interrupted: bool,
}

/// Which jobs follow from one that was just recorded. Trials among them go before all that waits: a
/// search has to wait for each of its batches, and other jobs fill the slots meanwhile.
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
    Settled { task: Box<Task>, result: Result<Settled, RunnerError> },
}

/// Whether new jobs start, and whether running ones may end by themselves.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Phase {
    Going,
    Finishing,
    Stopping,
}

/// Runs a sweep. As long as it lives it takes interrupts, which after the run mean nothing.
#[derive(Debug)]
pub struct Dispatcher {
    context: Arc<Context>,
    slots: usize,
    queue: VecDeque<Task>,
    sharing: Option<Sharing>,
    elsewhere: Elsewhere<Task>,
    running: BTreeMap<JobKey, Sender<Notice>>,
    sender: Sender<Message>,
    inbox: Receiver<Message>,
    phase: Phase,
    ended: Ended,
    /// The first error that is not a job's own; the run goes to its end and gives it back.
    error: Option<RunnerError>,
}

impl Dispatcher {
    /// Ready to run.
    pub fn new(sweep: Sweep) -> Self {
        let Sweep { jobs, slots, limits, program, folder, sharing } = sweep;
        let (sender, inbox) = mpsc::channel();
        let provenance = host::provenance();
        Self {
            context: Arc::new(Context { folder, program, limits, provenance }),
            slots: slots.max(1),
            queue: jobs.into_iter().map(|job| Task { job, attempt: 1 }).collect(),
            sharing,
            elsewhere: Elsewhere::default(),
            running: BTreeMap::new(),
            sender,
            inbox,
            phase: Phase::Going,
            ended: Ended::default(),
            error: None,
        }
    }

    /// For whoever may stop this run.
    pub fn interrupter(&self) -> Interrupter {
        Interrupter(self.sender.clone())
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
        loop {
            // Interrupts that came in meanwhile count before the next job starts.
            while let Ok(message) = self.inbox.try_recv() {
                self.handle(message, show, follow);
            }
            self.fill_slots(show, follow);
            if self.running.is_empty() {
                match self.look_again(show, follow) {
                    true => continue,
                    false => break,
                }
            }
            match self.inbox.recv() {
                Ok(message) => self.handle(message, show, follow),
                Err(_) => break,
            }
        }
        self.ended.left += self.queue.len() + self.elsewhere.len();
        match self.error.take() {
            Some(error) => Err(error),
            None => Ok(self.ended),
        }
    }

    fn fill_slots(&mut self, show: &mut dyn FnMut(&Event), follow: &mut Follow<'_>) {
        while self.phase == Phase::Going && self.running.len() < self.slots {
            let Some((task, claim)) = self.next_task(show, follow) else { return };
            let Task { job: Job { key, point, settings, .. }, attempt } = task.clone();
            match self.start(task, claim) {
                Ok(stop) => {
                    let stage = settings.stage;
                    show(&Event::JobStarted { job: key.clone(), point, stage, attempt });
                    self.running.insert(key, stop);
                }
                Err(error) => self.fail(error),
            }
        }
    }

    /// The first job that no other run has or has recorded.
    fn next_task(
        &mut self,
        show: &mut dyn FnMut(&Event),
        follow: &mut Follow<'_>,
    ) -> Option<(Task, Option<Claim>)> {
        while let Some(task) = self.queue.pop_front() {
            match admit(self.sharing.as_ref(), &self.context.folder, &task.job.key) {
                Ok(Admission::Here(claim)) => return Some((task, claim)),
                Ok(Admission::Elsewhere) => {
                    self.elsewhere.put(task.job.key.clone(), task.job.settings.stage, task);
                }
                Ok(Admission::Recorded) => self.take_on(&task.job.key, show, follow),
                Err(error) => {
                    self.ended.left += 1;
                    self.fail(error.into());
                    return None;
                }
            }
        }
        None
    }

    /// Whether there is more to do after all: jobs that other runs had, once nothing else is left.
    fn look_again(&mut self, show: &mut dyn FnMut(&Event), follow: &mut Follow<'_>) -> bool {
        if self.phase != Phase::Going {
            return false;
        }
        let Some((free, wait)) = self.elsewhere.again(&self.context.folder) else { return false };
        self.queue.extend(free);
        if let Ok(message) = self.inbox.recv_timeout(wait) {
            self.handle(message, show, follow);
        }
        true
    }

    fn start(&self, task: Task, claim: Option<Claim>) -> Result<Sender<Notice>, RunnerError> {
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
            // Given up before the end is told: a further attempt claims the job anew.
            if let Some(claim) = claim.filter(|_| recorded) {
                claim.fulfil();
            }
            let _ = sender.send(Message::Settled { task: Box::new(task), result });
        };
        thread::Builder::new().spawn(work).map_err(RunnerError::Thread)?;
        Ok(stop)
    }

    fn handle(&mut self, message: Message, show: &mut dyn FnMut(&Event), follow: &mut Follow<'_>) {
        match message {
            Message::Interrupt(interrupt) => self.interrupt(interrupt, show),
            Message::Said { job, event } => show_epoch(job, event, show),
            Message::Settled { task, result } => {
                self.running.remove(&task.job.key);
                match result {
                    Ok(settled) => self.settle(*task, settled, show, follow),
                    Err(error) => {
                        self.ended.left += 1;
                        self.fail(error);
                    }
                }
            }
        }
    }

    fn settle(
        &mut self,
        task: Task,
        settled: Settled,
        show: &mut dyn FnMut(&Event),
        follow: &mut Follow<'_>,
    ) {
        let (job, point) = (task.job.key.clone(), task.job.point.clone());
        let recorded = matches!(settled, Settled::Done { .. } | Settled::Failed { .. });
        match settled {
            Settled::Done { seconds, outcome } => {
                self.ended.done += 1;
                let stage = task.job.settings.stage;
                show(&finished(job.clone(), point, stage, seconds, &outcome));
            }
            Settled::Failed { seconds, failure } => {
                self.ended.failed += 1;
                let (job, log) = (job.clone(), self.log_of(&job));
                let (reason, stage) = (failure.to_string(), task.job.settings.stage);
                show(&Event::JobFailed { job, point, stage, seconds, failure, reason, log });
            }
            Settled::MayRetry { failure } => self.retry(task, &failure, show),
            Settled::Stopped => {
                self.ended.left += 1;
                show(&Event::JobStopped { job: job.clone(), point });
            }
        }
        if recorded {
            self.take_on(&job, show, follow);
        }
    }

    /// Takes on what follows from a job that was recorded.
    fn take_on(&mut self, job: &JobKey, show: &mut dyn FnMut(&Event), follow: &mut Follow<'_>) {
        match follow(job, show) {
            Ok(jobs) => self.enqueue(jobs),
            Err(error) => self.fail(error.into()),
        }
    }

    /// Adds jobs that are neither running nor waiting: two points of the same meaning are one job.
    fn enqueue(&mut self, jobs: Vec<Job>) {
        let waiting = self.queue.iter().map(|task| &task.job.key);
        let mut known: HashSet<JobKey> =
            waiting.chain(self.running.keys()).chain(self.elsewhere.keys()).cloned().collect();
        let new = jobs.into_iter().filter(|job| known.insert(job.key.clone()));
        let tasks = new.map(|job| Task { job, attempt: 1 });
        let (mains, trials): (Vec<Task>, Vec<Task>) =
            tasks.partition(|task| task.job.settings.stage.is_main());
        trials.into_iter().rev().for_each(|task| self.queue.push_front(task));
        self.queue.extend(mains);
    }

    fn retry(&mut self, task: Task, failure: &Failure, show: &mut dyn FnMut(&Event)) {
        let Task { job, attempt } = task;
        if self.phase == Phase::Going {
            let (key, point, reason) = (job.key.clone(), job.point.clone(), failure.to_string());
            show(&Event::JobRetried { job: key, point, attempt, reason });
        } else {
            show(&Event::JobStopped { job: job.key.clone(), point: job.point.clone() });
        }
        self.queue.push_front(Task { job, attempt: attempt + 1 });
    }

    fn interrupt(&mut self, interrupt: Interrupt, show: &mut dyn FnMut(&Event)) {
        self.ended.interrupted = true;
        let phase = match (interrupt, self.phase) {
            (Interrupt::Gentle, Phase::Going) => Phase::Finishing,
            _ => Phase::Stopping,
        };
        if phase <= self.phase {
            return;
        }
        self.phase = phase;
        let now = phase == Phase::Stopping;
        show(&Event::Interrupted { running: self.running.len(), now });
        if now {
            for stop in self.running.values() {
                // An attempt that is over by itself no longer listens.
                let _ = stop.send(Notice::Stop);
            }
        }
    }

    /// Something is wrong with this run, not with a job: nothing new starts.
    fn fail(&mut self, error: RunnerError) {
        self.error.get_or_insert(error);
        self.phase = self.phase.max(Phase::Finishing);
    }

    fn log_of(&self, job: &JobKey) -> String {
        let place = self.context.folder.job(job);
        place.map_or_else(|_| String::new(), |place| place.log().display().to_string())
    }
}

fn finished(job: JobKey, point: Point, stage: Stage, seconds: f64, outcome: &Outcome) -> Event {
    let test = outcome.test.as_ref().map(|test| &test.span);
    Event::JobFinished {
        job,
        point,
        stage,
        seconds,
        dev_micro_f1: outcome.dev.span.micro.f1,
        dev_macro_f1: outcome.dev.span.macro_.f1,
        test_micro_f1: test.map(|test| test.micro.f1),
        test_macro_f1: test.map(|test| test.macro_.f1),
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

fn show_epoch(job: JobKey, event: WorkerEvent, show: &mut dyn FnMut(&Event)) {
    if let WorkerEvent::Epoch { epoch, epochs, loss, dev_micro_f1, dev_macro_f1 } = event {
        show(&Event::Epoch { job, epoch, epochs, loss, dev_micro_f1, dev_macro_f1 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{JobRecord, Status, testing};
    use std::collections::BTreeMap;
    use std::path::Path;

    /// Says the outcome and writes predictions where the request asks for them; a trial's does not.
    fn succeed() -> String {
        let event = WorkerEvent::Finished { outcome: Box::new(testing::outcome()) };
        format!(
            r#"read request; path=${{request##*\"predictions\":\"}}; path=${{path%%\"*}}
            [ "${{path#/}}" = "$path" ] || echo 'token O O' > "$path"; echo '{}'"#,
            serde_json::to_string(&event).unwrap()
        )
    }

    fn job(key: &str, seed: u64) -> Job {
        Job {
            key: JobKey(key.to_owned()),
            point: testing::point("sc", seed),
            settings: testing::settings(seed),
            files: BTreeMap::new(),
            model_files: BTreeMap::new(),
            method_files: BTreeMap::new(),
            not_applicable: None,
            overrides: Arc::from([]),
            search: None,
            waits: false,
        }
    }

    fn sweep(place: &Path, keys: &[&str], script: &str, retries: u32) -> Sweep {
        let folder = testing::folder(place, &[]);
        Sweep {
            jobs: keys.iter().zip(1..).map(|(key, seed)| job(key, seed)).collect(),
            slots: 2,
            limits: Limits { time: None, memory: None, retries },
            program: EngineProgram {
                path: "/bin/sh".into(),
                arguments: vec!["-c".to_owned(), script.to_owned()],
            },
            folder,
            sharing: None,
        }
    }

    fn record(place: &Path, key: &str) -> Option<JobRecord> {
        testing::folder(place, &[]).read_record(&JobKey(key.to_owned())).unwrap()
    }

    fn run(mut dispatcher: Dispatcher) -> (Ended, Vec<Event>) {
        let mut events = Vec::new();
        let ended = dispatcher.run(&mut |event| events.push(event.clone())).unwrap();
        (ended, events)
    }

    #[test]
    fn every_job_ends_in_a_record_with_predictions_and_log() {
        let place = tempfile::tempdir().unwrap();
        let keys = ["aa", "bb", "cc"];
        let (ended, events) = run(Dispatcher::new(sweep(place.path(), &keys, &succeed(), 0)));
        assert_eq!(ended, Ended { done: 3, ..Ended::default() });
        assert_eq!(events.iter().filter(|e| matches!(e, Event::JobFinished { .. })).count(), 3);
        for key in keys {
            let record = record(place.path(), key).unwrap();
            assert_eq!((record.status, record.attempts), (Status::Done, 1));
            let folder = place.path().join("grid/jobs").join(key);
            let mut names: Vec<_> =
                std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name()).collect();
            names.sort();
            assert_eq!(names, ["log.txt", "predictions.tsv", "record.json"]);
        }
    }

    #[test]
    fn jobs_follow_from_what_was_recorded_trials_first() {
        let place = tempfile::tempdir().unwrap();
        let mut sweep = sweep(place.path(), &["aa", "bb"], &succeed(), 0);
        sweep.slots = 1;
        let mut dispatcher = Dispatcher::new(sweep);
        let mut started = Vec::new();
        let mut show = |event: &Event| {
            if let Event::JobStarted { job, .. } = event {
                started.push(job.0.clone());
            }
        };
        let ended = dispatcher.run_with(&mut show, &mut |key, _| {
            let mut trial = job("cc", 9);
            trial.settings.stage = Stage::Trial;
            Ok(if key.0 == "aa" { vec![job("dd", 9), trial] } else { vec![] })
        });
        // The script speaks like a main job, so the trial fails: it has scores on test.
        let expected = Ended { done: 3, failed: 1, ..Ended::default() };
        assert_eq!(
            (ended.unwrap(), started),
            (expected, ["aa", "cc", "bb", "dd"].map(String::from).to_vec())
        );
        let failure = record(place.path(), "cc").unwrap().failure.unwrap().to_string();
        assert!(failure.contains("its scores on test are not those of a trial job"), "{failure}");
    }

    #[test]
    fn a_job_that_follows_while_it_waits_or_runs_is_not_run_twice() {
        let place = tempfile::tempdir().unwrap();
        let keys = ["aa", "bb", "cc"];
        let mut dispatcher = Dispatcher::new(sweep(place.path(), &keys, &succeed(), 0));
        let mut finished = Vec::new();
        let mut show = |event: &Event| {
            if let Event::JobFinished { job, .. } = event {
                finished.push(job.0.clone());
            }
        };
        let mut first = true;
        let ended = dispatcher.run_with(&mut show, &mut |_, _| {
            Ok(match std::mem::take(&mut first) {
                true => vec![job("cc", 1), job("dd", 1), job("dd", 1)],
                false => vec![],
            })
        });
        finished.sort();
        assert_eq!(finished, ["aa", "bb", "cc", "dd"]);
        assert_eq!(ended.unwrap().done, 4);
    }

    #[test]
    fn a_failure_is_recorded_after_its_retries_and_the_sweep_goes_on() {
        let place = tempfile::tempdir().unwrap();
        let script = format!(
            "echo $TAILGRID_ATTEMPT >&2; case $TAILGRID_ATTEMPT in 1|2) exit 9;; esac; {}",
            succeed()
        );
        let (ended, events) = run(Dispatcher::new(sweep(place.path(), &["aa"], &script, 1)));
        assert_eq!(ended, Ended { failed: 1, ..Ended::default() });
        assert!(events.iter().any(|e| matches!(e, Event::JobRetried { attempt: 1, .. })));
        let failed = record(place.path(), "aa").unwrap();
        assert_eq!((failed.attempts, failed.failure), (2, Some(Failure::Vanished { code: 9 })));
        let (ended, _) = run(Dispatcher::new(sweep(place.path(), &["aa"], &script, 2)));
        assert_eq!(ended.done, 1);
        assert_eq!(record(place.path(), "aa").unwrap().attempts, 3);
    }

    #[test]
    fn a_result_without_predictions_is_no_result() {
        let place = tempfile::tempdir().unwrap();
        let script = succeed().replace("echo 'token O O' > \"$path\";", "");
        let (ended, _) = run(Dispatcher::new(sweep(place.path(), &["aa"], &script, 3)));
        assert_eq!(ended.failed, 1);
        assert!(matches!(
            record(place.path(), "aa").unwrap().failure,
            Some(Failure::Protocol { .. })
        ));
    }

    #[test]
    fn one_interrupt_finishes_what_runs_and_two_stop_it() {
        for (interrupts, expected) in [
            (&[Interrupt::Gentle][..], Ended { done: 2, failed: 0, left: 1, interrupted: true }),
            (
                &[Interrupt::Gentle, Interrupt::Gentle],
                Ended { left: 3, interrupted: true, ..Ended::default() },
            ),
            (&[Interrupt::Now], Ended { left: 3, interrupted: true, ..Ended::default() }),
        ] {
            let place = tempfile::tempdir().unwrap();
            let script = format!("sleep 0.5; {}", succeed());
            let mut dispatcher =
                Dispatcher::new(sweep(place.path(), &["aa", "bb", "cc"], &script, 0));
            let interrupter = dispatcher.interrupter();
            let mut started = 0;
            let ended = dispatcher
                .run(&mut |event| {
                    started += usize::from(matches!(event, Event::JobStarted { .. }));
                    if started == 2 && matches!(event, Event::JobStarted { .. }) {
                        interrupts.iter().for_each(|&i| assert!(interrupter.interrupt(i)));
                    }
                })
                .unwrap();
            assert_eq!(ended, expected);
            let recorded = ["aa", "bb", "cc"].iter().filter(|k| record(place.path(), k).is_some());
            assert_eq!(recorded.count(), expected.done);
        }
    }

    #[test]
    fn a_folder_that_fails_stops_the_run_with_its_error() {
        let place = tempfile::tempdir().unwrap();
        let sweep = sweep(place.path(), &["aa", "bb", "cc"], &succeed(), 0);
        std::fs::remove_dir_all(place.path().join("grid/jobs")).unwrap();
        std::fs::write(place.path().join("grid/jobs"), "a file in the way").unwrap();
        let error = Dispatcher::new(sweep).run(&mut |_| {}).unwrap_err();
        assert!(matches!(error, RunnerError::Store(_)), "{error}");
    }
}
