//! Asking one of Slurm's commands, and waiting no longer than a user would.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// How often the end of a command is looked for.
const INTERVAL: Duration = Duration::from_millis(10);
/// What is read of an answer, at most: a million tasks fit.
const LONGEST: u64 = 64 << 20;

/// What came of asking.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// The command is not installed here.
    NotThere,
    /// It took too long, or could not be started.
    Silent,
    /// It failed, and said so on standard error.
    Refused(String),
    Said(String),
}

/// Runs a command to its end, or for so long.
pub(super) fn ask(program: &str, arguments: &[&OsStr], patience: Duration) -> Answer {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Answer::NotThere,
        Err(_) => return Answer::Silent,
    };
    // Both at once, so that neither pipe fills up while the other is read.
    let (said, complained) = (read(child.stdout.take()), read(child.stderr.take()));
    let start = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if start.elapsed() < patience => thread::sleep(INTERVAL),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return Answer::Silent;
            }
        }
    };
    let text = |pipe: Receiver<String>| pipe.recv_timeout(patience).unwrap_or_default();
    match status.success() {
        true => Answer::Said(text(said)),
        false => Answer::Refused(text(complained).trim_end().to_owned()),
    }
}

fn read(pipe: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            // What was read before an error is what there is.
            let _ = pipe.take(LONGEST).read_to_end(&mut bytes);
        }
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, patience: Duration) -> Answer {
        ask("/bin/sh", &["-c".as_ref(), script.as_ref()], patience)
    }

    #[test]
    fn every_ending_of_a_command_is_an_answer() {
        let minute = Duration::from_secs(60);
        assert_eq!(shell("echo 12; echo note >&2", minute), Answer::Said("12\n".into()));
        assert_eq!(shell("echo 12; echo no >&2; exit 1", minute), Answer::Refused("no".into()));
        assert_eq!(ask("tailgrid-no-such-program", &[], minute), Answer::NotThere);
        let start = Instant::now();
        assert_eq!(shell("exec sleep 60", Duration::from_millis(50)), Answer::Silent);
        assert!(start.elapsed() < Duration::from_secs(30));
        let long = shell("yes x | head -c 1000000; exit 0", minute);
        assert!(matches!(long, Answer::Said(said) if said.len() == 1_000_000));
    }
}
