//! Before the first job: whether `tailgrid-engine` can start and has a working backend, and if not,
//! why, in one sentence with the command that fixes it.
//!
//! The engine is asked in a process of its own (`tailgrid-engine --check BACKEND`), because only
//! starting it tells what the system's loader makes of LibTorch. A missing library would otherwise
//! fail every job of a sweep, one after the other.

use super::environment::engine_command;
use domain::{Backend, ENGINE_VERSION, ENGINE_VERSION_MARK};
use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use thiserror::Error;

/// A cold start of LibTorch from a slow disk takes seconds; a minute means that something hangs.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often an engine that is killed is asked.
const MOST_TRIES: u32 = 3;
/// How long it is waited before the second try; twice as long before the third.
const PAUSE: Duration = Duration::from_millis(500);

/// Why the engine cannot run jobs on a backend.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum EngineProblem {
    #[error("there is no tailgrid-engine in {}: run `make build`", folder.display())]
    Missing { folder: PathBuf },
    #[error("this tailgrid was built without LibTorch: run `make build`, or use `--backend flex`")]
    NotBuilt,
    #[error(
        "tailgrid-engine does not find {library}: run `make libtorch`, or go without LibTorch by `make build BACKEND=flex`"
    )]
    NoLibrary { library: String },
    #[error(
        "tailgrid-engine finds another LibTorch than it was built with ({detail}): run `make libtorch` and `make build`"
    )]
    OtherLibrary { detail: String },
    #[error(
        "this system is older than LibTorch needs ({detail}): go without LibTorch by `make build BACKEND=flex`"
    )]
    OldSystem { detail: String },
    #[error("{} cannot be started ({reason}): run `make build`", engine.display())]
    NotStarted { engine: PathBuf, reason: String },
    #[error("tailgrid-engine gave no answer within {} s: run `tailgrid-engine --check {backend}` to see where it stops", PATIENCE.as_secs())]
    NoAnswer { backend: Backend },
    #[error(
        "tailgrid-engine gives results of another version ({found}) than this tailgrid ({ENGINE_VERSION}): build both with `make build`"
    )]
    OtherResults { found: String },
    #[error("the {backend} backend does not work: {message}")]
    Refused { backend: Backend, message: String },
}

/// Asks the engine whether a backend works; what it says of itself if so.
pub fn check_engine(engine: &Path, backend: Backend) -> Result<String, EngineProblem> {
    if backend == Backend::Libtorch && !cfg!(feature = "libtorch") {
        return Err(EngineProblem::NotBuilt);
    }
    if !engine.is_file() {
        let folder = engine.parent().unwrap_or(Path::new(".")).to_owned();
        return Err(EngineProblem::Missing { folder });
    }
    let not_started = |error: io::Error| EngineProblem::NotStarted {
        engine: engine.to_owned(),
        reason: error.to_string(),
    };
    let answer = ask(engine, backend).map_err(not_started)?;
    let answer = answer.ok_or(EngineProblem::NoAnswer { backend })?;
    match answer.status.success() {
        true => same_results(answer.out.trim()),
        false => Err(understand(backend, answer.status, &answer.err)),
    }
}

/// What the engine says of itself, if its results are of the version that this program plans.
fn same_results(said: &str) -> Result<String, EngineProblem> {
    let (name, version) = said.rsplit_once('\n').unwrap_or((said, ""));
    match version.strip_prefix(ENGINE_VERSION_MARK) {
        Some(ENGINE_VERSION) => Ok(name.to_owned()),
        other => Err(EngineProblem::OtherResults { found: other.unwrap_or("unknown").to_owned() }),
    }
}

/// Asks until there is an answer, or the patience is over. Whoever kills the engine here (the
/// system where memory is short, an administrator) may spare it the next time, as it may a job.
fn ask(engine: &Path, backend: Backend) -> io::Result<Option<Answer>> {
    let mut tries = 1;
    loop {
        let mut command = engine_command(engine, 1);
        command.args(["--check", backend.word()]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        match answer_of(command.spawn()?)? {
            Some(answer) if answer.status.signal().is_some() && tries < MOST_TRIES => {
                std::thread::sleep(PAUSE * tries);
                tries += 1;
            }
            answer => return Ok(answer),
        }
    }
}

struct Answer {
    status: ExitStatus,
    out: String,
    err: String,
}

/// Waits for the child and takes what it wrote; `None` if it had to be stopped. Its output is read
/// while it runs, so that a talkative one is not held up by a full pipe.
fn answer_of(mut child: Child) -> io::Result<Option<Answer>> {
    let out = read_aside(child.stdout.take());
    let err = read_aside(child.stderr.take());
    let began = Instant::now();
    let status = loop {
        match child.try_wait()? {
            Some(status) => break status,
            None if began.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(2)),
            None => {
                child.kill()?;
                child.wait()?;
                return Ok(None);
            }
        }
    };
    let text = |reader: std::thread::JoinHandle<String>| reader.join().unwrap_or_default();
    Ok(Some(Answer { status, out: text(out), err: text(err) }))
}

fn read_aside(source: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(source) = source {
            // What could not be read is missing from a message, no more.
            let _ = source.take(1 << 20).read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// What a failed check means, from the words of the system's loader or of the engine.
fn understand(backend: Backend, status: ExitStatus, said: &str) -> EngineProblem {
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
    if let Some(missing) = between(said, "error while loading shared libraries: ", ": cannot open")
    {
        return EngineProblem::NoLibrary { library: missing.to_owned() };
    }
    if let Some(version) = between(said, "version `", "' not found") {
        return EngineProblem::OldSystem { detail: format!("it lacks {version}") };
    }
    if said.contains("undefined symbol") || said.contains("symbol lookup error") {
        return EngineProblem::OtherLibrary { detail: last.to_owned() };
    }
    let message = match last {
        "" if status.signal().is_some() => format!(
            "tailgrid-engine was ended by {status} each of the {MOST_TRIES} times that it was started. \
             The system does this where memory is short: end other programs and run again"
        ),
        "" => format!("tailgrid-engine ended with {status} and said nothing"),
        _ => last.trim_start_matches("error: ").to_owned(),
    };
    EngineProblem::Refused { backend, message }
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(found, _)| found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    /// A program that stands in for the engine. Written by one process and started by another
    /// (`sh`), because a file that is open for writing in this process cannot be started.
    fn engine(folder: &Path, script: &str) -> PathBuf {
        let path = folder.join("tailgrid-engine");
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn problem(script: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        // Another test may fork while the script is still open here: try again (ETXTBSY).
        for _ in 0..50 {
            match check_engine(&engine(folder.path(), script), Backend::Flex).unwrap_err() {
                EngineProblem::NotStarted { .. } => std::thread::sleep(Duration::from_millis(20)),
                problem => return problem.to_string(),
            }
        }
        panic!("the stand-in never started");
    }

    #[test]
    fn a_missing_engine_names_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let problem = check_engine(&folder.path().join("tailgrid-engine"), Backend::Flex);
        assert_eq!(problem, Err(EngineProblem::Missing { folder: folder.path().to_owned() }));
    }

    #[test]
    fn a_missing_library_names_make_libtorch() {
        let text = problem(
            "echo 'tailgrid-engine: error while loading shared libraries: libtorch_cpu.so: \
             cannot open shared object file: No such file or directory' >&2; exit 127",
        );
        assert!(
            text.starts_with("tailgrid-engine does not find libtorch_cpu.so: run `make libtorch`"),
            "{text}"
        );
    }

    #[test]
    fn an_old_system_and_another_version_are_told_apart() {
        let old = problem(
            "echo \"/lib/libc.so.6: version \\`GLIBC_2.38' not found (required by x)\" >&2; exit 1",
        );
        assert!(old.contains("older than LibTorch needs (it lacks GLIBC_2.38)"), "{old}");
        let other =
            problem("echo 'symbol lookup error: x: undefined symbol: _ZN2at' >&2; exit 127");
        assert!(other.contains("another LibTorch") && other.contains("make build"), "{other}");
    }

    #[test]
    fn an_engine_of_other_results_is_refused() {
        let other = problem("echo flex 0.22.1; echo results of version 4");
        assert!(other.contains("another version (4)") && other.contains("make build"), "{other}");
        assert!(problem("echo flex 0.22.1").contains("another version (unknown)"));
    }

    #[test]
    fn other_words_and_silence_are_passed_on() {
        assert_eq!(
            problem("echo error: no luck >&2; exit 1"),
            "the flex backend does not work: no luck"
        );
        assert!(problem("exit 3").contains("said nothing"));
        let killed = problem("kill -9 $$");
        assert!(killed.contains("signal: 9") && killed.contains("each of the 3 times"), "{killed}");
    }

    #[test]
    fn an_engine_that_is_killed_is_asked_again() {
        let folder = tempfile::tempdir().unwrap();
        let counted =
            "cd \"${0%/*}\"; echo >> tries; [ $(wc -l < tries) = 3 ] || kill -9 $$; echo flex 1";
        let script = format!("{counted}; echo {ENGINE_VERSION_MARK}{ENGINE_VERSION}");
        let path = engine(folder.path(), &script);
        let answer = (0..50).find_map(|_| {
            std::thread::sleep(Duration::from_millis(20));
            check_engine(&path, Backend::Flex).ok()
        });
        assert_eq!(answer.as_deref(), Some("flex 1"));
        assert_eq!(fs::read_to_string(folder.path().join("tries")).unwrap(), "\n\n\n");
    }

    #[test]
    fn a_working_engine_speaks_for_itself_however_much_it_says() {
        let folder = tempfile::tempdir().unwrap();
        let path = engine(
            folder.path(),
            &format!(
                "head -c 300000 /dev/zero >&2; echo flex 0.22.1; echo {ENGINE_VERSION_MARK}{ENGINE_VERSION}"
            ),
        );
        let answer = (0..50).find_map(|_| {
            std::thread::sleep(Duration::from_millis(20));
            check_engine(&path, Backend::Flex).ok()
        });
        assert_eq!(answer.as_deref(), Some("flex 0.22.1"));
    }
}
