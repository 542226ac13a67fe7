//! One attempt at one job in a process of its own.
//!
//! The process leads a process group, and whatever ends the attempt, the whole group is ended with
//! it. Standard input stays open as a leash (see `domain::worker`). The thread that calls
//! [`attend`] only waits on one channel, into which a thread a pipe and one for the process's end
//! report.

use super::memory;
use super::process::{Pipes, Worker, wait_unreaped};
use super::program::EngineProgram;
use super::protocol::next_event;
use domain::{Failure, ForkRequest, JobRequest, Outcome, WorkerEvent};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use spec::Limits;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};
use store::{LogFile, without_absolute_paths};

/// How long a worker that gave its result may take to leave, and a dead one's pipes to run dry.
const GRACE: Duration = Duration::from_secs(5);
/// How often memory is looked at, where there is a limit.
const MEMORY_INTERVAL: Duration = Duration::from_millis(100);
/// How long and how far the channel is emptied before a limit is judged by the clock: where this
/// process was stopped or starved, its worker may have finished in time, unheard. Both have a bound,
/// so that a talkative worker evades no limit.
const LAST_WORDS: Duration = Duration::from_secs(1);
const LAST_NOTICES: usize = 1000;
/// The end of the log that is kept to find a panic's message in.
const LAST_LINES: usize = 40;
/// A longer line of the log is broken.
const LONGEST_LOG_LINE: u64 = 16 << 10;
/// Further warnings of one attempt are not passed on.
const MOST_WARNINGS: usize = 10;
/// What a Rust program that panicked leaves with.
const PANIC_CODE: i32 = 101;

/// What an attempt hears.
#[derive(Debug)]
pub(super) enum Notice {
    /// From the worker, or why its words make no sense.
    Said(Result<WorkerEvent, Failure>),
    /// The worker's standard output is at its end.
    Silent,
    /// The process ended.
    Exited,
    /// From the dispatcher: end it now.
    Stop,
}

/// How an attempt ended.
#[derive(Debug)]
pub(super) enum Ending {
    Finished(Box<Outcome>),
    Failed(Failure),
    /// By [`Notice::Stop`].
    Stopped,
}

/// The channel of one attempt; the dispatcher keeps a sender to stop it with.
pub(super) type Inbox = (Sender<Notice>, Receiver<Notice>);

/// A process for one attempt, whose request is still to be written to it.
#[derive(Debug)]
pub(super) struct Started {
    worker: Worker,
    /// The request as the worker reads it.
    line: String,
}

/// Starts a process for the request, telling what is worth a warning. Whoever is told to stop by then waits
/// for none.
pub(super) fn start(
    program: &EngineProgram,
    request: &JobRequest,
    number: u32,
    log: &mut LogFile,
    (_, notices): &Inbox,
    mut on_event: impl FnMut(WorkerEvent),
) -> Result<Started, Ending> {
    let io_failure = |error: io::Error| {
        let message = format!("the worker cannot be started: {error}");
        Ending::Failed(Failure::Io { message: without_absolute_paths(&message).into_owned() })
    };
    let line = serde_json::to_string(request).map_err(|error| io_failure(error.into()))? + "\n";
    let asked = ForkRequest { attempt: number, request: request.clone() };
    // Nobody else has the inbox before there is a process, so this is the dispatcher's only word.
    let is_stopped = || matches!(notices.try_recv(), Ok(Notice::Stop));
    let (worker, remarks) = program.start(&asked, &is_stopped).map_err(io_failure)?;
    for message in remarks {
        let _ = log.line(&message);
        on_event(WorkerEvent::Warning { message });
    }
    worker.map(|worker| Started { worker, line }).ok_or(Ending::Stopped)
}

/// Sees the attempt to its end, telling every epoch, and what is worth a warning.
pub(super) fn attend(
    Started { worker, line }: Started,
    limits: &Limits,
    log: LogFile,
    (sender, notices): Inbox,
    on_event: impl FnMut(WorkerEvent),
) -> Ending {
    let Worker { process, pipes } = worker;
    let Pipes { stdin, stdout, stderr } = pipes;
    let group = process.pid();
    let leash = Some(hold_leash(stdin, line));
    let last_lines = copy_log(stderr, log);
    listen(stdout, sender.clone());
    thread::spawn(move || {
        wait_unreaped(group);
        let _ = sender.send(Notice::Exited);
    });
    let mut watch = Watch::new(group, limits, leash, on_event);
    watch.until_over(&notices);
    // The log is whole before anybody is told that the attempt is over.
    let last_lines = last_lines.recv_timeout(GRACE).unwrap_or_default();
    // The process has ended and its group is gone: nobody signals this number any more.
    let status = process.wait();
    watch.verdict.unwrap_or_else(|| Ending::Failed(cause(status, &last_lines)))
}

/// Writes the request, then holds the pipe open until the returned sender is dropped. In a thread
/// of its own, because a worker that does not read must not block its runner.
fn hold_leash(mut stdin: PipeWriter, line: String) -> Sender<()> {
    let (leash, released) = mpsc::channel();
    thread::spawn(move || {
        // A worker that is gone before it read shows in its exit.
        let _ = stdin.write_all(line.as_bytes());
        let _ = released.recv();
    });
    leash
}

fn listen(stdout: PipeReader, sender: Sender<Notice>) {
    thread::spawn(move || {
        let mut stdout = BufReader::new(stdout);
        loop {
            let (notice, over) = match next_event(&mut stdout) {
                Ok(Some(event)) => (Notice::Said(Ok(event)), false),
                Ok(None) => (Notice::Silent, true),
                Err(failure) => (Notice::Said(Err(failure)), true),
            };
            // After nonsense nothing is listened to any more, which is an end as well.
            let nonsense = matches!(notice, Notice::Said(Err(_)));
            if sender.send(notice).is_err()
                || (nonsense && sender.send(Notice::Silent).is_err())
                || over
            {
                return;
            }
        }
    });
}

/// Copies standard error to the log; gives the last lines once it is at its end.
fn copy_log(stderr: PipeReader, mut log: LogFile) -> Receiver<VecDeque<String>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut stderr = BufReader::new(stderr);
        let mut last = VecDeque::new();
        let mut line = Vec::new();
        loop {
            line.clear();
            match stderr.by_ref().take(LONGEST_LOG_LINE).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            // A log on a full disk must not stop the worker; the record's write tells of the disk.
            let _ = log.line(&text);
            last.push_back(text);
            if last.len() > LAST_LINES {
                last.pop_front();
            }
        }
        let _ = log.finish();
        let _ = sender.send(last);
    });
    receiver
}

/// An attempt being watched to its end.
struct Watch<F> {
    group: Pid,
    time: Option<Duration>,
    memory: Option<u64>,
    /// When waiting is over, for whatever is waited for.
    deadline: Option<Instant>,
    /// When to look at the memory next.
    memory_check: Option<Instant>,
    leash: Option<Sender<()>>,
    on_event: F,
    last_epoch: usize,
    warnings: usize,
    /// What decided the attempt.
    verdict: Option<Ending>,
    exited: bool,
    silent: bool,
}

impl<F: FnMut(WorkerEvent)> Watch<F> {
    fn new(group: Pid, limits: &Limits, leash: Option<Sender<()>>, on_event: F) -> Self {
        let now = Instant::now();
        Self {
            group,
            time: limits.time,
            memory: limits.memory,
            deadline: limits.time.and_then(|time| now.checked_add(time)),
            memory_check: limits.memory.map(|_| now + MEMORY_INTERVAL),
            leash,
            on_event,
            last_epoch: 0,
            warnings: 0,
            verdict: None,
            exited: false,
            silent: false,
        }
    }

    fn until_over(&mut self, notices: &Receiver<Notice>) {
        while !(self.exited && self.silent) {
            let now = Instant::now();
            if self.is_due(now) {
                self.hear_out(notices, now);
                if !self.is_due(now) {
                    continue;
                }
                if self.exited {
                    return;
                }
                self.check_limits(now);
                continue;
            }
            match receive(notices, self.wake().map(|at| at - now)) {
                Ok(notice) => self.take(notice),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// When to look up, whatever is heard or not.
    fn wake(&self) -> Option<Instant> {
        self.deadline.into_iter().chain(self.memory_check).min()
    }

    fn is_due(&self, now: Instant) -> bool {
        self.wake().is_some_and(|at| at <= now)
    }

    /// Takes what has come, and where the deadline is over, what comes within a moment.
    fn hear_out(&mut self, notices: &Receiver<Notice>, now: Instant) {
        let late = self.deadline.is_some_and(|at| at <= now);
        let until = if late { now + LAST_WORDS } else { now };
        for _ in 0..LAST_NOTICES {
            if !self.is_due(now) || (self.exited && self.silent) {
                return;
            }
            let wait = until.saturating_duration_since(Instant::now());
            match notices.recv_timeout(wait) {
                Ok(notice) => self.take(notice),
                Err(_) => return,
            }
        }
    }

    fn take(&mut self, notice: Notice) {
        match notice {
            Notice::Said(Ok(event)) => self.hear(event),
            Notice::Said(Err(failure)) => self.refuse(failure),
            Notice::Silent => self.silent = true,
            Notice::Exited => self.after_exit(),
            Notice::Stop => self.decide(Ending::Stopped),
        }
    }

    fn hear(&mut self, event: WorkerEvent) {
        match (event, &self.verdict) {
            (_, Some(Ending::Finished(_))) => self.nonsense("it went on after its result"),
            (_, Some(_)) => {}
            (event @ WorkerEvent::Epoch { epoch, epochs, .. }, None) => {
                if epoch <= self.last_epoch || epoch > epochs {
                    return self.nonsense("its epochs are out of order");
                }
                self.last_epoch = epoch;
                (self.on_event)(event);
            }
            (event @ WorkerEvent::Processor { .. }, None) => (self.on_event)(event),
            (event @ WorkerEvent::Warning { .. }, None) => {
                self.warnings += 1;
                if self.warnings <= MOST_WARNINGS {
                    (self.on_event)(event);
                }
            }
            (WorkerEvent::Finished { outcome }, None) => self.settle(Ending::Finished(outcome)),
            (WorkerEvent::Failed { failure }, None) => self.settle(Ending::Failed(failure)),
        }
    }

    fn nonsense(&mut self, message: &str) {
        self.refuse(Failure::Protocol { message: message.to_owned() });
    }

    /// Who speaks nonsense is not believed before or after; a failure or a stop stands.
    fn refuse(&mut self, failure: Failure) {
        if matches!(self.verdict, Some(Ending::Finished(_))) {
            self.verdict = None;
        }
        self.decide(Ending::Failed(failure));
    }

    /// The worker gave its result: it is let off the leash and has a moment to leave.
    fn settle(&mut self, verdict: Ending) {
        self.verdict = Some(verdict);
        self.leash = None;
        self.memory_check = None;
        self.deadline = Some(Instant::now() + GRACE);
    }

    /// Ends the attempt now. What is decided already stands.
    fn decide(&mut self, verdict: Ending) {
        self.verdict.get_or_insert(verdict);
        self.kill();
        self.memory_check = None;
        // The end of the process is waited for however long it takes, that of its pipes is not.
        self.deadline = self.deadline.filter(|_| self.exited);
    }

    fn after_exit(&mut self) {
        self.exited = true;
        // What the worker started and left behind goes with it, and the pipes it holds run dry.
        self.kill();
        self.memory_check = None;
        self.deadline = Some(Instant::now() + GRACE);
    }

    fn check_limits(&mut self, now: Instant) {
        if self.deadline.is_some_and(|at| at <= now) {
            let limit = humantime::format_duration(self.time.unwrap_or_default()).to_string();
            return self.decide(Ending::Failed(Failure::TimeLimit { limit }));
        }
        self.memory_check = self.memory.map(|_| now + MEMORY_INTERVAL);
        if let Some(limit) = self.memory
            && memory::resident(self.group).is_some_and(|used| used > limit)
        {
            let limit = bytesize::ByteSize(limit).display().iec().to_string();
            self.decide(Ending::Failed(Failure::MemoryLimit { limit }));
        }
    }

    fn kill(&self) {
        // That the group is gone already is what was wanted.
        let _ = killpg(self.group, Signal::SIGKILL);
    }
}

fn receive(notices: &Receiver<Notice>, wait: Option<Duration>) -> Result<Notice, RecvTimeoutError> {
    match wait {
        Some(wait) => notices.recv_timeout(wait),
        None => notices.recv().map_err(|_| RecvTimeoutError::Disconnected),
    }
}

/// Why a worker that gave no result ended.
fn cause(status: io::Result<ExitStatus>, last_lines: &VecDeque<String>) -> Failure {
    let status = match status {
        Ok(status) => status,
        Err(error) => {
            return Failure::Io { message: format!("the worker's end is not known: {error}") };
        }
    };
    match (status.signal(), status.code()) {
        (Some(signal), _) => {
            let name = Signal::try_from(signal).map_or("unknown", Signal::as_str).to_owned();
            Failure::Killed { signal, name }
        }
        (None, Some(PANIC_CODE)) => Failure::Panic { message: panic_message(last_lines) },
        (None, code) => Failure::Vanished { code: code.unwrap_or_default() },
    }
}

/// The line after the last `… panicked at file:line:`, where Rust puts the message.
fn panic_message(last_lines: &VecDeque<String>) -> String {
    let at = last_lines.iter().rposition(|line| line.contains("panicked at "));
    let message = at.and_then(|at| last_lines.get(at + 1)).map(String::as_str);
    without_absolute_paths(message.unwrap_or("its log does not say why")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::JobKey;
    use std::collections::BTreeMap;
    use store::{Folder, testing};

    struct Bench {
        _place: tempfile::TempDir,
        folder: Folder,
    }

    impl Bench {
        fn new() -> Self {
            let place = tempfile::tempdir().unwrap();
            let folder = testing::folder(place.path(), &[testing::failed("ab", "sc", 1)]);
            Self { _place: place, folder }
        }

        fn log(&self) -> String {
            std::fs::read_to_string(self.folder.job(&JobKey("ab".into())).unwrap().log()).unwrap()
        }

        fn run(&self, script: &str, limits: Limits, inbox: Inbox) -> (Ending, Vec<usize>) {
            let job = self.folder.job(&JobKey("ab".into())).unwrap();
            let arguments = vec!["-c".to_owned(), script.to_owned()];
            let program = EngineProgram::new("/bin/sh".into(), arguments);
            let request = JobRequest {
                job: JobKey("ab".into()),
                point: testing::point("sc", 1),
                settings: testing::settings(1),
                files: BTreeMap::new(),
                model_files: BTreeMap::new(),
                method_files: BTreeMap::new(),
                predictions: Some(job.attempt(store::KeptFile::Predictions)),
                kept_model: None,
            };
            let mut epochs = Vec::new();
            let mut log = LogFile::open(&job, 1).unwrap();
            let started = start(&program, &request, 1, &mut log, &inbox, |_| {}).unwrap();
            let ending = attend(started, &limits, log, inbox, |event| {
                if let WorkerEvent::Epoch { epoch, .. } = event {
                    epochs.push(epoch);
                }
            });
            (ending, epochs)
        }

        fn failure(&self, script: &str, limits: Limits) -> Failure {
            match self.run(script, limits, mpsc::channel()).0 {
                Ending::Failed(failure) => failure,
                ending => panic!("{ending:?}"),
            }
        }
    }

    fn no_limits() -> Limits {
        Limits { time: None, memory: None, retries: 0 }
    }

    fn say(event: &WorkerEvent) -> String {
        format!("echo '{}'\n", serde_json::to_string(event).unwrap())
    }

    fn finished() -> String {
        say(&WorkerEvent::Finished { outcome: Box::new(testing::outcome()) })
    }

    fn epoch(epoch: usize) -> String {
        let (loss, dev_micro_f1, dev_macro_f1) = (1.0, 0.5, 0.5);
        let added = Default::default();
        let updates = 0;
        say(&WorkerEvent::Epoch {
            epoch,
            epochs: 3,
            updates,
            loss,
            dev_micro_f1,
            dev_macro_f1,
            added,
        })
    }

    #[test]
    fn a_job_that_comes_through_tells_its_epochs_and_its_outcome() {
        let bench = Bench::new();
        let script = format!(
            "read request; echo \"threads $OMP_NUM_THREADS\" >&2; {}{}{}",
            epoch(1),
            epoch(2),
            finished()
        );
        let (ending, epochs) = bench.run(&script, no_limits(), mpsc::channel());
        assert!(matches!(ending, Ending::Finished(outcome) if *outcome == testing::outcome()));
        assert_eq!(epochs, [1, 2]);
        assert_eq!(bench.log(), "threads 1\n");
    }

    #[test]
    fn every_way_to_die_has_its_reason() {
        let bench = Bench::new();
        let failure = |script: &str| bench.failure(script, no_limits()).to_string();
        assert_eq!(failure("kill -ABRT $$"), "the worker was ended by signal 6 (SIGABRT)");
        assert_eq!(failure("kill -KILL $$"), "the worker was ended by signal 9 (SIGKILL)");
        assert_eq!(failure("exit 3"), "the worker left with exit code 3 and no result");
        let panic =
            "echo \"thread 'main' panicked at /a/b/c.rs:1:1:\" >&2; echo oh no >&2; exit 101";
        assert_eq!(failure(panic), "the engine panicked: oh no");
        assert!(bench.log().contains("panicked at …/b/c.rs:1:1:"));
        assert!(failure("echo hello").contains("could not be read: "));
        assert!(failure(&(epoch(2) + &epoch(1))).contains("out of order"));
        assert!(failure(&(finished() + &finished())).contains("after its result"));
    }

    #[test]
    fn a_request_that_is_never_read_blocks_nobody() {
        let bench = Bench::new();
        let (ending, _) =
            bench.run(&format!("exec 0<&-; {}", finished()), no_limits(), mpsc::channel());
        assert!(matches!(ending, Ending::Finished(_)));
    }

    #[test]
    fn the_time_limit_ends_the_whole_group() {
        let bench = Bench::new();
        let limits = Limits { time: Some(Duration::from_millis(300)), ..no_limits() };
        let start = Instant::now();
        let failure = bench.failure("sleep 600 & echo $! >&2; wait", limits);
        assert!(
            failure.to_string().starts_with("ran longer than its limit of 300ms: "),
            "{failure}"
        );
        assert!(start.elapsed() < GRACE);
        let grandchild: i32 = bench.log().trim().parse().unwrap();
        assert!(gone(grandchild));
    }

    /// Whether a process has ended; who adopts it may take a moment to reap it.
    fn gone(pid: i32) -> bool {
        let state = || std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        (0..100).any(|_| {
            thread::sleep(Duration::from_millis(10));
            let state = state();
            state.is_empty() || state.contains(") Z ")
        })
    }

    #[test]
    fn a_talkative_worker_does_not_evade_the_time_limit() {
        let bench = Bench::new();
        let limits = Limits { time: Some(Duration::from_millis(300)), ..no_limits() };
        let event = epoch(1).replace(":1,", ":$n,").replace(":3,", ":1000000000,");
        let event = event.replace('"', "\\\"").replace('\'', "\"");
        let script = format!("n=0; while :; do n=$((n+1)); {event} done");
        let failure = bench.failure(&script, limits);
        assert!(matches!(failure, Failure::TimeLimit { .. }), "{failure}");
    }

    /// The verdict on a worker whose time is over while the notices wait to be heard.
    fn verdict_when_late(exited: bool, queue: Vec<Notice>) -> Option<Ending> {
        let limits = Limits { time: Some(Duration::ZERO), ..no_limits() };
        // No group has this number.
        let mut watch = Watch::new(Pid::from_raw(i32::MAX), &limits, None, |_| {});
        watch.exited = exited;
        let (sender, notices) = mpsc::channel();
        queue.into_iter().for_each(|notice| sender.send(notice).unwrap());
        watch.until_over(&notices);
        watch.verdict
    }

    #[test]
    fn a_result_that_waits_to_be_heard_counts_although_the_time_is_over() {
        let said = || {
            let outcome = Box::new(testing::outcome());
            Notice::Said(Ok(WorkerEvent::Finished { outcome }))
        };
        let late = verdict_when_late(false, vec![said(), Notice::Silent, Notice::Exited]);
        assert!(matches!(late, Some(Ending::Finished(_))), "{late:?}");
        let exit_first = verdict_when_late(false, vec![Notice::Exited, said(), Notice::Silent]);
        assert!(matches!(exit_first, Some(Ending::Finished(_))), "{exit_first:?}");
        let gone = verdict_when_late(true, vec![said(), Notice::Silent]);
        assert!(matches!(gone, Some(Ending::Finished(_))), "{gone:?}");
        assert!(verdict_when_late(true, Vec::new()).is_none());
        let stopped = verdict_when_late(true, vec![Notice::Stop]);
        assert!(matches!(stopped, Some(Ending::Stopped)), "{stopped:?}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_memory_limit_ends_a_glutton() {
        let bench = Bench::new();
        let limits =
            Limits { memory: Some(30 << 20), time: Some(Duration::from_secs(60)), retries: 0 };
        let script = "x=$(head -c 60000000 /dev/zero | tr '\\0' x); sleep 600";
        let failure = bench.failure(script, limits);
        assert!(failure.to_string().starts_with("used more memory than its limit of 30.0 MiB: "));
    }

    #[test]
    fn a_child_left_behind_does_not_hold_the_attempt_open() {
        let bench = Bench::new();
        let start = Instant::now();
        let (ending, _) =
            bench.run(&format!("sleep 600 & {}", finished()), no_limits(), mpsc::channel());
        assert!(matches!(ending, Ending::Finished(_)));
        assert!(start.elapsed() < GRACE);
    }

    #[test]
    fn a_stop_ends_it_now() {
        let bench = Bench::new();
        let inbox = mpsc::channel();
        inbox.0.send(Notice::Stop).unwrap();
        let (ending, _) = bench.run("sleep 600", no_limits(), inbox);
        assert!(matches!(ending, Ending::Stopped));
    }

    #[test]
    fn the_leash_ends_when_the_result_is_there() {
        let bench = Bench::new();
        // `cat` leaves at the end of input: without it the test would wait for the grace.
        let start = Instant::now();
        let (ending, _) =
            bench.run(&format!("read r; {} cat", finished()), no_limits(), mpsc::channel());
        assert!(matches!(ending, Ending::Finished(_)) && start.elapsed() < GRACE);
    }
}
