//! The process of one attempt and its three pipes, whoever started it.

use nix::libc;
use nix::unistd::Pid;
use std::io::{self, PipeReader, PipeWriter};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};

/// A worker that this process has to wait for.
#[derive(Debug)]
pub(super) struct Worker {
    pub process: Process,
    pub pipes: Pipes,
}

/// This side of a worker's pipes. No other process has them: where this one dies, the worker's
/// standard input is at its end.
#[derive(Debug)]
pub(super) struct Pipes {
    pub stdin: PipeWriter,
    pub stdout: PipeReader,
    pub stderr: PipeReader,
}

/// The worker's side of them.
#[derive(Debug)]
pub(super) struct WorkerPipes {
    pub stdin: PipeReader,
    pub stdout: PipeWriter,
    pub stderr: PipeWriter,
}

/// Pipes for a new worker.
pub(super) fn pipes() -> io::Result<(Pipes, WorkerPipes)> {
    let (theirs_in, stdin) = io::pipe()?;
    let (stdout, theirs_out) = io::pipe()?;
    let (stderr, theirs_err) = io::pipe()?;
    let theirs = WorkerPipes { stdin: theirs_in, stdout: theirs_out, stderr: theirs_err };
    Ok((Pipes { stdin, stdout, stderr }, theirs))
}

/// A child of this process that leads a group of its own.
#[derive(Debug)]
pub(super) enum Process {
    Started(Child),
    /// By a fork server, which handed it over.
    Forked(Pid),
}

impl Process {
    /// Its number, which is also that of its group.
    pub fn pid(&self) -> Pid {
        match self {
            Process::Started(child) => Pid::from_raw(child.id() as i32),
            Process::Forked(pid) => *pid,
        }
    }

    /// Waits for its end and forgets it: from here on its number may be another's.
    pub fn wait(self) -> io::Result<ExitStatus> {
        match self {
            Process::Started(mut child) => child.wait(),
            Process::Forked(pid) => reap(pid),
        }
    }
}

fn reap(pid: Pid) -> io::Result<ExitStatus> {
    loop {
        let mut status = 0;
        // SAFETY: `waitpid` writes to `status`, which lives on this stack.
        match unsafe { libc::waitpid(pid.as_raw(), &mut status, 0) } {
            -1 if nix::Error::last() == nix::Error::EINTR => {}
            -1 => return Err(io::Error::last_os_error()),
            _ => return Ok(ExitStatus::from_raw(status)),
        }
    }
}

/// Waits until the process has ended, and leaves it unreaped: as long as it is, its number is not
/// given to another process, and its group can be signalled without hitting a stranger.
pub(super) fn wait_unreaped(pid: Pid) {
    loop {
        // SAFETY: `waitid` writes to `info`, which lives on this stack and is plain data.
        let result = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let id = pid.as_raw() as libc::id_t;
            libc::waitid(libc::P_PID, id, &mut info, libc::WEXITED | libc::WNOWAIT)
        };
        if result == 0 || nix::Error::last() != nix::Error::EINTR {
            return;
        }
    }
}
