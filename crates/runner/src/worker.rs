//! One attempt at one job in a process of its own.
//!
//! The process leads a process group, and whatever ends the attempt, the whole group is ended with
//! it. Standard input stays open as a leash (see `domain::worker`). The thread that calls
//! [`attend`] only waits on one channel, into which a thread a pipe and one for the process's end
//! report.

mod watch;

#[cfg(test)]
mod tests;

use super::process::{Pipes, Worker, wait_unreaped};
use super::program::EngineProgram;
use super::protocol::next_event;
use domain::{Failure, ForkRequest, JobRequest, Outcome, WorkerEvent};
use nix::sys::signal::Signal;
use spec::Limits;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;
use store::{LogFile, without_absolute_paths};
use watch::Watch;

/// How long a worker that gave its result may take to leave, and a dead one's pipes to run dry.
const GRACE: Duration = Duration::from_secs(5);
/// The end of the log that is kept to find a panic's message in.
const LAST_LINES: usize = 40;
/// A longer line of the log is broken.
const LONGEST_LOG_LINE: u64 = 16 << 10;
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

/// Starts a process for the request, telling what is worth a warning. Whoever is told to stop by
/// then waits for none.
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
        (None, Some(code)) => Failure::Vanished { code },
        (None, None) => Failure::Io { message: format!("the worker's end is not known: {status}") },
    }
}

/// The line after the last `… panicked at file:line:`, where Rust puts the message.
fn panic_message(last_lines: &VecDeque<String>) -> String {
    let at = last_lines.iter().rposition(|line| line.contains("panicked at "));
    let message = at.and_then(|at| last_lines.get(at + 1)).map(String::as_str);
    without_absolute_paths(message.unwrap_or("its log does not say why")).into_owned()
}
