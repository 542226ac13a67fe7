//! `--notify`: a command that is told how a run ended.

use nix::sys::signal::{SigSet, Signal, killpg};
use nix::unistd::Pid;
use std::io::{self, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use thiserror::Error;

/// How long the command may take: a run that is over must end.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// How often its end is looked for.
const INTERVAL: Duration = Duration::from_millis(10);

/// Why a command could not be told.
#[derive(Debug, Error)]
pub enum NotifyProblem {
    #[error("sh cannot be started: {0}")]
    Start(io::Error),
    #[error("its end is not known: {0}")]
    Wait(io::Error),
    #[error("it left with exit code {0}")]
    Code(i32),
    #[error("it was ended by signal {0}")]
    Signal(i32),
    #[error("it took longer than {} and was ended", humantime::format_duration(*.0))]
    TooLong(Duration),
}

/// Runs `sh -c COMMAND` with the text on its standard input. What it prints goes to standard error,
/// because results are on standard output.
pub fn tell(command: &str, text: &str, patience: Duration) -> Result<(), NotifyProblem> {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).stdin(Stdio::piped()).stdout(io::stderr()).process_group(0);
    // SAFETY: one async-signal-safe call. Runs block signals for themselves, and a process starts
    // with what its parent blocks.
    unsafe {
        shell.pre_exec(|| Ok(SigSet::empty().thread_set_mask()?));
    }
    let mut child = shell.spawn().map_err(NotifyProblem::Start)?;
    if let Some(mut stdin) = child.stdin.take() {
        let text = text.to_owned();
        // A command that does not read must not hold this up; one that needs no text is not wrong.
        thread::spawn(move || stdin.write_all(text.as_bytes()));
    }
    let status = wait(&mut child, patience)?;
    match (status.signal(), status.code()) {
        (Some(signal), _) => Err(NotifyProblem::Signal(signal)),
        (None, Some(0) | None) => Ok(()),
        (None, Some(code)) => Err(NotifyProblem::Code(code)),
    }
}

fn wait(child: &mut Child, patience: Duration) -> Result<ExitStatus, NotifyProblem> {
    let start = Instant::now();
    loop {
        match child.try_wait().map_err(NotifyProblem::Wait)? {
            Some(status) => return Ok(status),
            None if start.elapsed() < patience => thread::sleep(INTERVAL),
            None => {
                // It and what it started; that they are gone already is what was wanted.
                let _ = killpg(Pid::from_raw(child.id() as i32), Signal::SIGKILL);
                child.wait().map_err(NotifyProblem::Wait)?;
                return Err(NotifyProblem::TooLong(patience));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_gets_the_text() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("told");
        let command = format!("cat > '{}'", file.display());
        tell(&command, "all is done\n", PATIENCE).unwrap();
        assert_eq!(std::fs::read_to_string(file).unwrap(), "all is done\n");
    }

    #[test]
    fn a_command_that_does_not_read_is_fine_and_one_that_fails_is_told_of() {
        tell("true", &"x".repeat(1 << 20), PATIENCE).unwrap();
        let problem = tell("exit 7", "", PATIENCE).unwrap_err().to_string();
        assert_eq!(problem, "it left with exit code 7");
        let problem = tell("kill -TERM $$", "", PATIENCE).unwrap_err().to_string();
        assert_eq!(problem, "it was ended by signal 15");
    }

    #[test]
    fn a_command_without_end_is_ended() {
        let patience = Duration::from_millis(200);
        let start = Instant::now();
        let problem = tell("sleep 30", "", patience).unwrap_err().to_string();
        assert_eq!(problem, "it took longer than 200ms and was ended");
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}
