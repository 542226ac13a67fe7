//! Processes that have the engine loaded and fork a worker whenever one is asked for.
//!
//! Loading LibTorch is most of what a new process costs, and a fork saves it. There is a server for
//! each number of threads, started with the environment that a new worker would have, because
//! libraries read it while they are loaded. A worker from a server is like any other: a process of
//! its own that leads its group, the runner's child, on the runner's pipes. It is handed over by a
//! process between the two that ends at once, so a server's death does not touch the workers that
//! it forked.
//!
//! A run that is to stop waits for no server: one that owes an answer then is killed.
//!
//! Whatever goes wrong about a server costs time and nothing else: it is started again, a few
//! times, and then workers are new processes; either way that is said. A worker whose number the
//! runner never heard of has no request and leaves, because its pipes are closed.

use super::process::{Pipes, Process, Worker, WorkerPipes, pipes};
use super::program::EngineProgram;
use domain::{ForkAnswer, ForkRequest};
use nix::sys::signal::{Signal, killpg};
use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg};
use nix::unistd::Pid;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::{self, BufRead, BufReader, IoSlice, PipeReader, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

/// The environment variable that says `off`: every worker is a new process.
const SWITCH: &str = "TAILGRID_FORK";
/// What the engine is started with to serve.
const SERVE: &str = "--serve";
/// How long a server may take for an answer. Its first one includes loading LibTorch, and whatever
/// a job reads that no job before it did.
const PATIENCE: Duration = Duration::from_secs(60);
/// While an answer is waited for, how often the attempt is asked whether it is to stop.
const LOOK: Duration = Duration::from_millis(50);
/// The same while another attempt has the servers, which is a moment where all is well.
const TURN: Duration = Duration::from_millis(2);
/// How long the end of a killed server is waited for. The system ends it at once, unless the server
/// is inside a call that nothing interrupts.
const DEATH: Duration = Duration::from_secs(1);
/// A longer answer is refused.
const LONGEST_ANSWER: u64 = 1 << 16;
/// So many servers may fail before there is no further one.
const MOST_FAILURES: usize = 3;
/// Of what a server said before it ended, so much is told.
const LAST_WORDS: u64 = 4 << 10;

/// The servers of a run, started when they are first needed and ended with it.
#[derive(Debug, Default)]
pub(super) struct ForkServers {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// By the number of threads of their workers.
    servers: BTreeMap<usize, Server>,
    failures: usize,
}

/// What came of asking for a worker.
#[derive(Debug)]
pub(super) enum Forked {
    Worker(Worker),
    /// None can be forked.
    Nothing,
    /// The attempt was told to stop before there was one.
    Stopped,
}

/// Why a server gave no worker.
#[derive(Debug)]
enum Missed {
    /// Nobody wants one any more.
    Stopped,
    Failed(io::Error),
}

impl From<io::Error> for Missed {
    fn from(error: io::Error) -> Self {
        Missed::Failed(error)
    }
}

/// How long an answer is waited for, and whether it is still wanted.
struct Wait<'a> {
    until: Instant,
    is_stopped: &'a dyn Fn() -> bool,
}

impl Wait<'_> {
    /// An error once the wait is over.
    fn go_on(&self) -> Result<(), Missed> {
        if (self.is_stopped)() {
            return Err(Missed::Stopped);
        }
        if Instant::now() >= self.until {
            let message = format!("it gave no answer within {} s", PATIENCE.as_secs());
            return Err(Missed::Failed(io::Error::other(message)));
        }
        Ok(())
    }

    /// The result of reading or writing that was interrupted every [`LOOK`] until it was possible.
    fn patiently<T>(&self, mut attempt: impl FnMut() -> io::Result<T>) -> Result<T, Missed> {
        use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
        loop {
            match attempt() {
                Err(error) if matches!(error.kind(), Interrupted | TimedOut | WouldBlock) => {
                    self.go_on()?;
                }
                result => return result.map_err(|error| Missed::Failed(hung_up(error))),
            }
        }
    }
}

impl ForkServers {
    /// Servers, unless the environment does without them.
    pub fn wanted() -> Option<Self> {
        let off = std::env::var_os(SWITCH).is_some_and(|value| value == "off");
        (!off && cfg!(target_os = "linux")).then(Self::default)
    }

    /// A worker for one attempt at a job, and what is to be told about it. Comes back soon after
    /// `is_stopped` says that none is wanted any more.
    pub fn fork(
        &self,
        program: &EngineProgram,
        request: &ForkRequest,
        is_stopped: &dyn Fn() -> bool,
    ) -> (Forked, Vec<String>) {
        let threads = request.request.settings.training.threads;
        let mut remarks = Vec::new();
        let Some(mut state) = self.turn(is_stopped) else { return (Forked::Stopped, remarks) };
        while state.failures < MOST_FAILURES {
            match state.fork(program, threads, request, is_stopped) {
                Ok(worker) => return (Forked::Worker(worker), remarks),
                Err(Missed::Stopped) => {
                    // It may owe an answer, which the next one to ask would take for theirs.
                    state.servers.remove(&threads);
                    return (Forked::Stopped, remarks);
                }
                Err(Missed::Failed(error)) => {
                    state.failures += 1;
                    let last = state.servers.remove(&threads).map(Server::end);
                    let reason = last.flatten().unwrap_or_else(|| error.to_string());
                    remarks.push(told(&reason, state.failures));
                }
            }
        }
        (Forked::Nothing, remarks)
    }

    /// The servers, once no other attempt has them; `None` if the attempt is to stop before that.
    fn turn(&self, is_stopped: &dyn Fn() -> bool) -> Option<MutexGuard<'_, State>> {
        loop {
            match self.state.try_lock() {
                Ok(state) => return Some(state),
                // A thread that panicked in here leaves servers that answer or are replaced.
                Err(TryLockError::Poisoned(state)) => return Some(state.into_inner()),
                Err(TryLockError::WouldBlock) if is_stopped() => return None,
                Err(TryLockError::WouldBlock) => thread::sleep(TURN),
            }
        }
    }
}

/// What is said of a server that failed.
fn told(reason: &str, failures: usize) -> String {
    let next = match failures < MOST_FAILURES {
        true => "it is started again",
        false => "from here on every job is started as a new process, which takes a little longer",
    };
    format!("the fork server failed ({reason}): {next}")
}

impl State {
    fn fork(
        &mut self,
        program: &EngineProgram,
        threads: usize,
        request: &ForkRequest,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Worker, Missed> {
        let server = match self.servers.entry(threads) {
            Entry::Occupied(server) => server.into_mut(),
            Entry::Vacant(place) => {
                place.insert(Server::start(program.command(threads, request.attempt))?)
            }
        };
        // New pipes for each try: a worker that was forked unheard must not read another's request.
        let (pipes, theirs) = pipes()?;
        let wait = Wait { until: Instant::now() + PATIENCE, is_stopped };
        server.fork(request, pipes, theirs, &wait)
    }
}

/// One server.
#[derive(Debug)]
struct Server {
    child: Child,
    /// Its end tells the server that the runner is gone.
    socket: BufReader<UnixStream>,
    stderr: PipeReader,
    stopped: bool,
}

impl Server {
    fn start(mut command: Command) -> io::Result<Self> {
        adopt_orphans()?;
        let (socket, theirs) = UnixStream::pair()?;
        socket.set_read_timeout(Some(LOOK))?;
        socket.set_write_timeout(Some(LOOK))?;
        let (stderr, theirs_err) = io::pipe()?;
        // A group of its own, so that a terminal's Ctrl-C does not reach it.
        command.arg(SERVE).process_group(0);
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(theirs_err);
        let child = command.spawn()?;
        Ok(Self { child, socket: BufReader::new(socket), stderr, stopped: false })
    }

    fn fork(
        &mut self,
        request: &ForkRequest,
        pipes: Pipes,
        theirs: WorkerPipes,
        wait: &Wait,
    ) -> Result<Worker, Missed> {
        let request = serde_json::to_vec(request).map_err(io::Error::from)?;
        let length = u32::try_from(request.len()).map_err(io::Error::other)?.to_le_bytes();
        let WorkerPipes { stdin, stdout, stderr } = &theirs;
        let ends = [stdin.as_raw_fd(), stdout.as_raw_fd(), stderr.as_raw_fd()];
        let rights = [ControlMessage::ScmRights(&ends)];
        let parts = [IoSlice::new(&length)];
        let socket = self.socket.get_mut();
        let send = || {
            let flags = MsgFlags::MSG_NOSIGNAL;
            Ok(sendmsg::<()>(socket.as_raw_fd(), &parts, &rights, flags, None)?)
        };
        if wait.patiently(send)? != length.len() {
            return Err(io::Error::other("it takes no request").into());
        }
        let mut rest = request.as_slice();
        while !rest.is_empty() {
            let written = wait.patiently(|| socket.write(rest))?;
            rest = &rest[written..];
        }
        drop(theirs);
        let process = Process::Forked(self.answer(wait)?);
        Ok(Worker { process, pipes })
    }

    /// The worker's number.
    fn answer(&mut self, wait: &Wait) -> Result<Pid, Missed> {
        let mut line = Vec::new();
        let mut answer = self.socket.by_ref().take(LONGEST_ANSWER);
        // What was read before an interruption stays in the line.
        wait.patiently(|| answer.read_until(b'\n', &mut line))?;
        match serde_json::from_slice(&line) {
            Ok(ForkAnswer::Forked { pid }) if pid > 1 => Ok(Pid::from_raw(pid)),
            Ok(ForkAnswer::Refused { reason }) => Err(io::Error::other(reason).into()),
            _ if line.is_empty() => Err(hung_up(io::ErrorKind::UnexpectedEof.into()).into()),
            _ => Err(io::Error::other("its answer makes no sense").into()),
        }
    }

    /// Ends it; what it said last, if it said anything.
    fn end(mut self) -> Option<String> {
        if !self.stop() {
            return None;
        }
        let mut said = Vec::new();
        self.stderr.by_ref().take(LAST_WORDS).read_to_end(&mut said).ok()?;
        let said = String::from_utf8_lossy(&said).into_owned();
        said.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned)
    }

    /// Ends it and whatever it has not handed over; whether it is gone. Its group is signalled
    /// while it is unreaped: later its number may be another's.
    fn stop(&mut self) -> bool {
        if !self.stopped {
            // That it is gone already is what was wanted.
            let _ = killpg(Pid::from_raw(self.child.id() as i32), Signal::SIGKILL);
            let until = Instant::now() + DEATH;
            while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < until {
                thread::sleep(Duration::from_millis(1));
            }
            self.stopped = !matches!(self.child.try_wait(), Ok(None));
        }
        self.stopped
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Workers become this process's children when the one between them and their server ends.
#[cfg(target_os = "linux")]
fn adopt_orphans() -> io::Result<()> {
    Ok(nix::sys::prctl::set_child_subreaper(true)?)
}

#[cfg(not(target_os = "linux"))]
fn adopt_orphans() -> io::Result<()> {
    Err(io::Error::other("this system hands over no processes"))
}

/// The same error; what the system says of a socket whose other end is gone depends on how far that
/// had read.
fn hung_up(error: io::Error) -> io::Error {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
    match error.kind() {
        BrokenPipe | ConnectionReset | UnexpectedEof => io::Error::other("it ended"),
        _ => error,
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use domain::{JobKey, JobRequest};
    use store::testing;

    fn request() -> ForkRequest {
        let request = JobRequest {
            job: JobKey("ab".into()),
            point: testing::point("sc", 1),
            settings: testing::settings(1),
            files: BTreeMap::new(),
            model_files: BTreeMap::new(),
            method_files: BTreeMap::new(),
            predictions: None,
            kept_model: None,
        };
        ForkRequest { attempt: 1, request }
    }

    /// What is told where every server does this.
    fn remarks(script: &str) -> Vec<String> {
        let arguments = vec!["-c".to_owned(), script.to_owned()];
        let program = EngineProgram::new("/bin/sh".into(), arguments);
        let servers = ForkServers::default();
        let (forked, remarks) = servers.fork(&program, &request(), &|| false);
        assert!(matches!(forked, Forked::Nothing));
        let again = servers.fork(&program, &request(), &|| false);
        assert!(matches!(again, (Forked::Nothing, said) if said.is_empty()), "it is said once");
        remarks
    }

    #[test]
    fn a_server_that_fails_is_started_again_and_then_no_more() {
        let start = Instant::now();
        for (script, reason) in [
            ("[ $0 = --serve ] && echo 'no luck' >&2; exit 1", "no luck"),
            ("head -c 4 >/dev/null; echo nonsense >&0; sleep 60", "its answer makes no sense"),
            (
                "head -c 4 >/dev/null; echo '{\"answer\":\"refused\",\"reason\":\"too full\"}' >&0; sleep 60",
                "too full",
            ),
            (
                "head -c 4 >/dev/null; echo '{\"answer\":\"forked\",\"pid\":0}' >&0",
                "makes no sense",
            ),
            ("head -c 4 >/dev/null", "it ended"),
        ] {
            let remarks = remarks(script);
            assert_eq!(remarks.len(), MOST_FAILURES, "{script}");
            assert!(remarks.iter().all(|remark| remark.contains(reason)), "{remarks:?}");
            assert!(remarks[0].ends_with("it is started again"), "{remarks:?}");
            assert!(remarks[2].contains("started as a new process"), "{remarks:?}");
        }
        assert!(start.elapsed() < PATIENCE);
    }

    #[test]
    fn a_stop_waits_for_no_server_and_for_no_turn() {
        let program = |script: &str| {
            EngineProgram::new("/bin/sh".into(), vec!["-c".to_owned(), script.to_owned()])
        };
        // One that is stopped itself, one that answers nothing, one that stops in the middle of a
        // word.
        let half = "head -c 4 >/dev/null; printf '{\"answer\"' >&0; sleep 600";
        for script in ["kill -STOP $$", "sleep 600", half] {
            let servers = ForkServers::default();
            let (start, until) = (Instant::now(), Instant::now() + Duration::from_millis(300));
            let is_stopped = || Instant::now() >= until;
            thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| {
                        let forked = servers.fork(&program(script), &request(), &is_stopped);
                        assert!(matches!(forked, (Forked::Stopped, said) if said.is_empty()));
                    });
                }
            });
            let taken = start.elapsed();
            assert!(taken < Duration::from_secs(2), "{script}: {taken:?}");
            let state = servers.state.lock().unwrap();
            assert!(state.servers.is_empty() && state.failures == 0, "{script}");
        }
    }

    #[test]
    fn a_server_ends_with_the_run() {
        let folder = tempfile::tempdir().unwrap();
        let note = folder.path().join("pid");
        let script = format!(
            "echo $$ > '{}'; head -c 4 >/dev/null; \
             echo '{{\"answer\":\"forked\",\"pid\":2147483647}}' >&0; exec sleep 600",
            note.display()
        );
        let program = EngineProgram::new("/bin/sh".into(), vec!["-c".to_owned(), script]);
        let servers = ForkServers::default();
        let (Forked::Worker(worker), _) = servers.fork(&program, &request(), &|| false) else {
            panic!("no worker")
        };
        assert_eq!(worker.process.pid(), Pid::from_raw(i32::MAX));
        let pid = std::fs::read_to_string(note).unwrap();
        let alive = || std::path::Path::new("/proc").join(pid.trim()).exists();
        assert!(alive());
        drop(servers);
        assert!(!alive());
    }
}
