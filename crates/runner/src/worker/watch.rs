//! An attempt watched to its end: what is heard of it, and what its limits say.

use super::{Ending, GRACE, Notice};
use crate::memory;
use domain::{Failure, WorkerEvent};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use spec::Limits;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// How often memory is looked at, where there is a limit.
const MEMORY_INTERVAL: Duration = Duration::from_millis(100);
/// How long and how far the channel is emptied before a limit is judged by the clock: where this
/// process was stopped or starved, its worker may have finished in time, unheard. Both have a
/// bound, so that a talkative worker evades no limit.
const LAST_WORDS: Duration = Duration::from_secs(1);
const LAST_NOTICES: usize = 1000;
/// Further warnings of one attempt are not passed on.
const MOST_WARNINGS: usize = 10;

/// An attempt being watched to its end.
pub(super) struct Watch<F> {
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
    pub verdict: Option<Ending>,
    pub exited: bool,
    silent: bool,
}

impl<F: FnMut(WorkerEvent)> Watch<F> {
    pub fn new(group: Pid, limits: &Limits, leash: Option<Sender<()>>, on_event: F) -> Self {
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

    pub fn until_over(&mut self, notices: &Receiver<Notice>) {
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
            (WorkerEvent::Epoch { epoch, epochs }, None) => {
                if epoch.epoch <= self.last_epoch || epoch.epoch > epochs {
                    return self.nonsense("its epochs are out of order");
                }
                self.last_epoch = epoch.epoch;
                (self.on_event)(WorkerEvent::Epoch { epoch, epochs });
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
        if let Some(time) = self.time
            && self.deadline.is_some_and(|at| at <= now)
        {
            let limit = humantime::format_duration(time).to_string();
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
