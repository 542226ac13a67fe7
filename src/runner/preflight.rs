//! Before the first job: does the engine start, and do its backends work?
//!
//! A missing library would otherwise fail every job of a sweep, one after the other.

use super::{EngineProgram, RunnerError};
use crate::domain::Backend;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Loading LibTorch from a cold disk takes seconds; a minute means that something hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// Asks the engine whether it can use `backend` on this machine.
pub fn check_engine(program: &EngineProgram, backend: Backend) -> Result<(), RunnerError> {
    let mut command = Command::new(&program.path);
    command.args(&program.arguments).args(["--check", backend.name()]);
    match answer(command) {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(RunnerError::Backend { backend, message: complaint(backend, &output) }),
        Err(message) => Err(RunnerError::Backend { backend, message }),
    }
}

fn answer(mut command: Command) -> Result<Output, String> {
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("tailgrid-engine cannot be started: {error}"))?;
    let pid = Pid::from_raw(child.id() as i32);
    let (sender, receiver) = mpsc::channel();
    let waiting = thread::spawn(move || {
        let _ = sender.send(child.wait_with_output());
    });
    let output = receiver.recv_timeout(PATIENCE);
    if output.is_err() {
        // Still ours to kill: nobody has waited for it yet. That it is gone by now is no matter.
        let _ = kill(pid, Signal::SIGKILL);
    }
    let _ = waiting.join();
    match output {
        Ok(output) => output.map_err(|error| format!("tailgrid-engine cannot be run: {error}")),
        Err(_) => Err(format!("tailgrid-engine did not answer within {} s", PATIENCE.as_secs())),
    }
}

/// What the engine said, with the way out where it could not even start.
fn complaint(backend: Backend, output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let said: String = said.trim().chars().take(2000).collect();
    if said.contains("loading shared libraries") || said.contains("Library not loaded") {
        let otherwise = match backend {
            Backend::Libtorch => "; `make demo BACKEND=flex` does without it",
            Backend::Flex => "",
        };
        return format!(
            "{said}\n`make libtorch` gets LibTorch{otherwise}, `tailgrid doctor` says more"
        );
    }
    match said.is_empty() {
        true => {
            format!("tailgrid-engine ended with {}; `tailgrid doctor` says more", output.status)
        }
        false => said,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> EngineProgram {
        EngineProgram {
            path: "/bin/sh".into(),
            arguments: vec!["-c".to_owned(), script.to_owned()],
        }
    }

    #[test]
    fn an_engine_that_agrees_is_fine_and_gets_the_backend() {
        // sh -c SCRIPT --check flex: $0 is --check and $1 the backend.
        check_engine(&shell(r#"[ "$0 $1" = "--check flex" ]"#), Backend::Flex).unwrap();
    }

    #[test]
    fn its_own_words_reach_the_user() {
        let program = shell("echo 'no LibTorch 2.9: run `make libtorch`' >&2; exit 1");
        let error = check_engine(&program, Backend::Libtorch).unwrap_err().to_string();
        assert_eq!(
            error,
            "the backend libtorch cannot be used: no LibTorch 2.9: run `make libtorch`"
        );
    }

    #[test]
    fn a_loader_error_gets_the_command_that_mends_it() {
        let program = shell("echo 'error while loading shared libraries: libc10.so' >&2; exit 127");
        let error = check_engine(&program, Backend::Libtorch).unwrap_err().to_string();
        assert!(error.contains("`make libtorch`"), "{error}");
    }

    #[test]
    fn a_silent_end_and_a_missing_program_are_told() {
        let error = check_engine(&shell("exit 4"), Backend::Flex).unwrap_err().to_string();
        assert!(error.contains("exit status: 4"), "{error}");
        let missing = EngineProgram { path: "/nowhere/engine".into(), arguments: vec![] };
        let error = check_engine(&missing, Backend::Flex).unwrap_err().to_string();
        assert!(error.contains("cannot be started"), "{error}");
    }
}
