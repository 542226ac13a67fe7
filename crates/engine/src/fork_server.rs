//! A process that has LibTorch loaded and forks a worker whenever the runner asks for one.
//!
//! What always holds: the server has one thread and has run no tensor operation, so a worker begins
//! in the state of a new process after loading; standard input is the runner's socket, and its end
//! means that the runner is gone; at a fork no pipe of another worker is open here. What a worker
//! does, and how it ends, is its own affair: the runner is its parent.

use super::shared;
use domain::{ATTEMPT_VARIABLE, ForkAnswer, ForkRequest};
use nix::libc;
use nix::sys::signal::SigSet;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, send};
use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, Pid, fork, read, setpgid};
use std::io::{self, IoSliceMut, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// A request is settings and paths; a longer one is none.
const LONGEST: usize = 64 << 20;

/// Who returns from [`serve`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Role {
    /// The runner is gone, and the server has nothing left to do.
    Server,
    /// A worker that was just forked: its pipes are standard input, output and error, and its job
    /// waits there.
    Worker,
}

/// Forks a worker for each request. Comes back in every one of them, and in the server at the end.
pub fn serve() -> io::Result<Role> {
    // The runner blocks signals for itself, and a process starts with what its parent blocks.
    SigSet::empty().thread_set_mask()?;
    while let Some((request, pipes)) = next_request()? {
        let answer = match request {
            Ok(request) => {
                shared::make_ready(&request.request);
                match fork_worker(&request, pipes) {
                    Ok(Forked::Here) => return Ok(Role::Worker),
                    Ok(Forked::There(pid)) => ForkAnswer::Forked { pid: pid.as_raw() },
                    Err(error) => ForkAnswer::Refused { reason: error.to_string() },
                }
            }
            Err(error) => ForkAnswer::Refused { reason: format!("not a request: {error}") },
        };
        let mut line = serde_json::to_vec(&answer)?;
        line.push(b'\n');
        Runner.write_all(&line)?;
    }
    Ok(Role::Server)
}

/// The runner's end of the socket, which is standard input here; a worker has a pipe in its place.
struct Runner;

impl Read for Runner {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(read(io::stdin(), buffer)?)
    }
}

impl Write for Runner {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(send(io::stdin().as_raw_fd(), bytes, MsgFlags::MSG_NOSIGNAL)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The worker's ends: standard input, output and error.
type WorkerPipes = [OwnedFd; 3];
type Asked = (serde_json::Result<ForkRequest>, WorkerPipes);

/// What the runner asks for next; `None` if it is gone.
fn next_request() -> io::Result<Option<Asked>> {
    let mut length = [0; 4];
    let Some((read, ends)) = receive(&mut length)? else { return Ok(None) };
    Runner.read_exact(&mut length[read..])?;
    let length = u32::from_le_bytes(length) as usize;
    let pipes = WorkerPipes::try_from(ends);
    let (Ok(pipes), 0..=LONGEST) = (pipes, length) else {
        return Err(io::Error::other("the runner asks for something else than a worker"));
    };
    let mut bytes = vec![0; length];
    Runner.read_exact(&mut bytes)?;
    Ok(Some((serde_json::from_slice(&bytes), pipes)))
}

/// How many bytes came, and which files beside them; `None` at the end.
fn receive(buffer: &mut [u8]) -> io::Result<Option<(usize, Vec<OwnedFd>)>> {
    let mut space = nix::cmsg_space!([RawFd; 3]);
    let mut parts = [IoSliceMut::new(buffer)];
    let socket = io::stdin().as_raw_fd();
    let flags = MsgFlags::MSG_CMSG_CLOEXEC;
    let message = recvmsg::<()>(socket, &mut parts, Some(&mut space), flags)?;
    let mut ends = Vec::new();
    for control in message.cmsgs()? {
        if let ControlMessageOwned::ScmRights(files) = control {
            // SAFETY: the kernel opened these for this process, and nobody else has them from it.
            ends.extend(files.into_iter().map(|file| unsafe { OwnedFd::from_raw_fd(file) }));
        }
    }
    Ok((message.bytes > 0).then_some((message.bytes, ends)))
}

enum Forked {
    /// This is the worker.
    Here,
    /// This is the server, and the worker has this number.
    There(Pid),
}

/// Forks twice: the process between ends at once, and the runner, which takes in orphans, becomes
/// the worker's parent. That has happened when this returns in the server.
fn fork_worker(request: &ForkRequest, pipes: WorkerPipes) -> io::Result<Forked> {
    check_threads()?;
    let (mut number, mut tell) = io::pipe()?;
    // SAFETY: this process has one thread, so no lock is held by one that the child lacks.
    let between = match unsafe { fork() }? {
        ForkResult::Parent { child } => child,
        ForkResult::Child => {
            drop(number);
            // SAFETY: as above.
            match unsafe { fork() } {
                Ok(ForkResult::Child) => {
                    drop(tell);
                    if become_worker(request, pipes).is_ok() {
                        return Ok(Forked::Here);
                    }
                }
                Ok(ForkResult::Parent { child }) => {
                    // In place before the runner hears of the worker.
                    let _ = setpgid(child, child);
                    let _ = tell.write_all(&child.as_raw().to_le_bytes());
                }
                Err(_) => {}
            }
            // SAFETY: ends this process, without destructors that belong to the server.
            unsafe { libc::_exit(0) }
        }
    };
    drop((tell, pipes));
    let mut bytes = [0; 4];
    let told = number.read_exact(&mut bytes);
    waitpid(between, None)?;
    told.map_err(|_| io::Error::other("the system forks no further process"))?;
    Ok(Forked::There(Pid::from_raw(i32::from_le_bytes(bytes))))
}

/// Takes the worker's place: its group, its pipes, its environment.
fn become_worker(request: &ForkRequest, pipes: WorkerPipes) -> io::Result<()> {
    let _ = setpgid(Pid::from_raw(0), Pid::from_raw(0));
    for (pipe, place) in pipes.iter().zip(0..) {
        // SAFETY: standard input, output and error are borrowed by nobody in between.
        if unsafe { libc::dup2(pipe.as_raw_fd(), place) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    // SAFETY: this process has one thread, so nobody reads the environment meanwhile.
    unsafe { std::env::set_var(ATTEMPT_VARIABLE, request.attempt.to_string()) };
    Ok(())
}

/// A library that starts a thread when it is loaded would be forked without it.
fn check_threads() -> io::Result<()> {
    match std::fs::read_dir("/proc/self/task")?.count() {
        1 => Ok(()),
        threads => Err(io::Error::other(format!("it has {threads} threads, and may have one"))),
    }
}
