//! The program that runs a job: the engine, or the mock that speaks like it.

use super::RunnerError;
use super::environment::engine_command;
use super::fork_server::{ForkServers, Forked};
use super::process::{Process, Worker, WorkerPipes, pipes};
use domain::{ATTEMPT_VARIABLE, Backend, ENGINE_VERSION, ForkRequest};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// Which engine a run uses.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum EngineKind {
    /// `tailgrid-engine`: trains.
    Real,
    /// Made-up scores within milliseconds, to try out a grid or the runner itself.
    Mock,
}

impl EngineKind {
    /// The engine's version of what affects results, which goes into every job's key: made-up
    /// scores are never taken for real ones.
    pub fn version(self) -> &'static str {
        match self {
            EngineKind::Real => ENGINE_VERSION,
            EngineKind::Mock => "mock-2",
        }
    }
}

/// How a worker process is started. Clones share their fork servers.
#[derive(Clone, Debug)]
pub struct EngineProgram {
    pub path: PathBuf,
    pub arguments: Vec<String>,
    /// None where every worker is a new process.
    servers: Option<Arc<ForkServers>>,
}

/// Where the engine is: beside this program.
pub fn engine_path() -> Result<PathBuf, RunnerError> {
    let program = std::env::current_exe().map_err(RunnerError::NoOwnPath)?;
    Ok(program.with_file_name(executable(ENGINE)))
}

const ENGINE: &str = "tailgrid-engine";

fn executable(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

/// What computes where nothing else is said: a build without LibTorch does what it can.
pub const fn default_backend() -> Backend {
    if cfg!(feature = "libtorch") { Backend::Libtorch } else { Backend::Flex }
}

impl EngineProgram {
    /// The program of this kind of engine: in this folder, or beside this program, which is
    /// `tailgrid` then.
    pub fn find(kind: EngineKind, folder: Option<&Path>) -> Result<Self, RunnerError> {
        let named = |name: &str| folder.map(|folder| folder.join(executable(name)));
        match kind {
            EngineKind::Mock => {
                let own = || std::env::current_exe().map_err(RunnerError::NoOwnPath);
                let path = named("tailgrid").map_or_else(own, Ok)?;
                Ok(Self::new(path, vec!["mock-engine".to_owned()]))
            }
            EngineKind::Real => {
                let path = named(ENGINE).map_or_else(engine_path, Ok)?;
                let servers = ForkServers::wanted().map(Arc::new);
                Ok(Self { servers, ..Self::new(path, Vec::new()) })
            }
        }
    }

    /// A program that is started anew for each worker.
    pub fn new(path: PathBuf, arguments: Vec<String>) -> Self {
        Self { path, arguments, servers: None }
    }

    /// A worker for one attempt, and what is to be told about its start. It has no request yet.
    /// There is none where `is_stopped` said meanwhile that none is wanted any more.
    pub(super) fn start(
        &self,
        request: &ForkRequest,
        is_stopped: &dyn Fn() -> bool,
    ) -> io::Result<(Option<Worker>, Vec<String>)> {
        let forked = self.servers.as_ref().map(|servers| servers.fork(self, request, is_stopped));
        match forked.unwrap_or((Forked::Nothing, Vec::new())) {
            (Forked::Worker(worker), remarks) => Ok((Some(worker), remarks)),
            (Forked::Stopped, remarks) => Ok((None, remarks)),
            (Forked::Nothing, remarks) => Ok((Some(self.start_anew(request)?), remarks)),
        }
    }

    fn start_anew(&self, request: &ForkRequest) -> io::Result<Worker> {
        let (pipes, theirs) = pipes()?;
        let WorkerPipes { stdin, stdout, stderr } = theirs;
        let mut command = self.command(request.request.settings.training.threads, request.attempt);
        command.stdin(stdin).stdout(stdout).stderr(stderr).process_group(0);
        // The command holds the worker's ends until it is dropped here.
        Ok(Worker { process: Process::Started(command.spawn()?), pipes })
    }

    /// A command for one attempt at a job of `threads` threads.
    pub(super) fn command(&self, threads: usize, attempt: u32) -> Command {
        let mut command = engine_command(&self.path, threads);
        command.args(&self.arguments).env(ATTEMPT_VARIABLE, attempt.to_string());
        command
    }
}
