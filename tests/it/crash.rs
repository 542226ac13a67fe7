//! Runs that are killed, interrupted, disturbed or badly served, with real processes and the mock
//! engine: whatever happens, nothing is lost, and the same command goes on to the same frames.

mod damage;
mod disk;
mod failpoints;
mod instants;
mod stress;
mod workers;

use crate::frames::unmeasured;
use crate::program;
use nix::sys::signal::{SigHandler, Signal, kill};
use nix::unistd::Pid;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};
use store::Results;

const JOBS: usize = 12;

/// A grid of twelve jobs and a results folder, both gone when this is.
struct Bench {
    place: tempfile::TempDir,
    /// `mock` or `real`.
    engine: &'static str,
}

impl Bench {
    fn new() -> Self {
        Self::with_limits("{time: 60s, retries: 1}")
    }

    fn with_limits(limits: &str) -> Self {
        Self::of(&format!(
            "version: 1\nname: crash\ncorpora: [synthetic]\n\
             models: [{{name: shallow, encoder: shallow, head: softmax}}]\n\
             methods: [original, sc, scr, focal]\nseeds: 3\nbaseline: original\nlimits: {limits}\n"
        ))
    }

    /// With a grid of its own, which is called `crash`.
    fn of(grid: &str) -> Self {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("grid.yaml"), grid).unwrap();
        Self { place, engine: "mock" }
    }

    fn folder(&self) -> PathBuf {
        self.place.path().join("results/crash")
    }

    /// `tailgrid COMMAND grid.yaml --engine … …` with misbehaviour of the mock as told.
    fn command(&self, command: &str, more: &[&str], mock: &str) -> Command {
        let mut program = program::command(self.place.path());
        program
            .args([command, "grid.yaml", "--engine", self.engine])
            .args(more)
            .env("TAILGRID_MOCK", mock)
            .env("TAILGRID_TEST_MARK", self.place.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        program
    }

    fn run(&self, more: &[&str], mock: &str) -> Output {
        self.command("run", more, mock).output().unwrap()
    }

    fn start(&self, mock: &str) -> Child {
        let mut command = self.command("run", &["--jobs", "2"], mock);
        // SAFETY: one async-signal-safe call. Tests may run under `nohup`, whose ignored SIGHUP a
        // program inherits and rightly leaves ignored.
        unsafe {
            command.pre_exec(|| {
                nix::sys::signal::signal(Signal::SIGHUP, SigHandler::SigDfl)?;
                Ok(())
            });
        }
        command.spawn().unwrap()
    }

    fn records(&self) -> usize {
        let jobs = fs::read_dir(self.folder().join("jobs")).into_iter().flatten().flatten();
        jobs.filter(|job| job.path().join("record.json").exists()).count()
    }

    fn job_folders(&self) -> Vec<PathBuf> {
        let jobs = fs::read_dir(self.folder().join("jobs")).into_iter().flatten();
        let mut jobs: Vec<_> = jobs.map(|job| job.unwrap().path()).filter(|p| p.is_dir()).collect();
        jobs.sort();
        jobs
    }

    /// Everything of the frames that must be identical.
    fn frames(&self) -> (Vec<u8>, Results) {
        unmeasured(&self.place.path().join("results"), "crash")
    }

    fn predictions(&self) -> Vec<Vec<u8>> {
        self.job_folders()
            .iter()
            .map(|job| fs::read(job.join("predictions.tsv")).unwrap())
            .collect()
    }

    /// How many processes of this bench are alive.
    fn processes(&self) -> usize {
        self.pids().len()
    }

    fn pids(&self) -> Vec<i32> {
        let mark = format!("TAILGRID_TEST_MARK={}\0", self.place.path().display());
        let marked = |entry: &fs::DirEntry| {
            let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
            environment.windows(mark.len()).any(|window| window == mark.as_bytes())
        };
        let pid = |entry: fs::DirEntry| entry.file_name().to_str()?.parse().ok();
        fs::read_dir("/proc").unwrap().flatten().filter(marked).filter_map(pid).collect()
    }
}

fn undisturbed() -> Bench {
    finished(Bench::new())
}

/// The same after a run that nothing disturbed.
fn finished(bench: Bench) -> Bench {
    let output = bench.run(&[], "");
    assert_eq!(code(&output), 0, "{output:?}");
    bench
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn signal(child: &Child, signal: Signal) {
    kill(Pid::from_raw(child.id() as i32), signal).unwrap();
}

fn has_log(job: &Path) -> bool {
    fs::metadata(job.join("log.txt")).is_ok_and(|log| log.len() > 0)
}

/// Waits for a condition that must come about.
fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(120), "waited in vain: {what}");
        sleep(Duration::from_millis(5));
    }
}

fn assert_complete(bench: &Bench, reference: &Bench) {
    assert!(bench.frames() == reference.frames(), "the frames differ");
    assert!(bench.predictions() == reference.predictions(), "the predictions differ");
    for job in bench.job_folders() {
        let mut names: Vec<_> = fs::read_dir(&job)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["log.txt", "predictions.tsv", "record.json"]);
    }
}

#[test]
fn a_run_killed_over_and_over_still_arrives() {
    let reference = undisturbed();
    let bench = Bench::new();
    for round in 0..15 {
        let mut child = bench.start("*:slow=10");
        sleep(Duration::from_millis(20 + 13 * round % 90));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert_eq!(code(&bench.run(&[], "")), 0);
    assert_complete(&bench, &reference);
}

#[test]
fn a_second_run_does_nothing_and_says_so() {
    let bench = undisturbed();
    let state = || {
        let files = ["runs.parquet", "metrics.parquet", "epochs.parquet", "grid.yaml"];
        let modified = |path: PathBuf| fs::metadata(path).unwrap().modified().unwrap();
        let jobs = bench.job_folders().into_iter().map(|job| modified(job.join("record.json")));
        files.iter().map(|file| modified(bench.folder().join(file))).chain(jobs).collect::<Vec<_>>()
    };
    let before = state();
    // An engine that would fail every job shows that none was started.
    let output = bench.run(&[], "*:abort");
    assert_eq!(code(&output), 0);
    assert_eq!(
        text(&output.stdout),
        "nothing to do: 12 jobs: 12 done, 0 failed, 0 n/a; results/crash\n"
    );
    assert_eq!(state(), before);
}

#[test]
fn two_runs_on_one_folder_are_one_too_many() {
    let bench = Bench::new();
    let mut first = bench.start("*:hang");
    until("the first runs", || bench.processes() == 3);
    let start = Instant::now();
    let second = bench.run(&[], "");
    assert_eq!(code(&second), 8);
    // It waits a second for the lock; the rest is for a busy machine.
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    let message = text(&second.stderr);
    let holder = format!("in use by another run (pid {}, started ", first.id());
    assert!(message.contains(&holder), "{message}");
    first.kill().unwrap();
    first.wait().unwrap();
    // The lock died with its holder.
    assert_eq!(code(&bench.run(&[], "")), 0);
}

#[test]
fn one_interrupt_finishes_the_running_jobs() {
    let reference = undisturbed();
    let bench = Bench::new();
    let child = bench.start("*:slow=100");
    until("two workers beside the runner", || bench.processes() == 3);
    signal(&child, Signal::SIGINT);
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 6, "{output:?}");
    assert!((1..=4).contains(&bench.records()), "{} records", bench.records());
    let message = text(&output.stderr);
    assert!(message.contains("Press Ctrl-C again to stop now"), "{message}");
    assert!(message.contains("run the same command again to resume"), "{message}");
    // What is done so far can be reported.
    assert_eq!(bench.frames().1.runs.len(), bench.records());
    assert_eq!(code(&bench.run(&[], "")), 0);
    assert_complete(&bench, &reference);
}

#[test]
fn two_interrupts_or_a_termination_stop_at_once() {
    let reference = undisturbed();
    for signals in [&[Signal::SIGINT, Signal::SIGINT][..], &[Signal::SIGTERM], &[Signal::SIGHUP]] {
        let bench = Bench::new();
        let child = bench.start("*:hang");
        until("two workers beside the runner", || bench.processes() == 3);
        for (n, &one) in signals.iter().enumerate() {
            // Two of the same at the same moment are one to the system.
            sleep(Duration::from_millis(200 * n as u64));
            signal(&child, one);
        }
        let start = Instant::now();
        let output = child.wait_with_output().unwrap();
        assert_eq!(code(&output), 6, "{signals:?}: {output:?}");
        assert!(start.elapsed() < Duration::from_secs(5));
        assert_eq!((bench.records(), bench.processes()), (0, 0));
        assert_eq!(code(&bench.run(&[], "")), 0);
        assert_complete(&bench, &reference);
    }
}

#[test]
fn an_unwritable_folder_is_found_before_the_first_job() {
    let bench = Bench::new();
    fs::create_dir(bench.place.path().join("results")).unwrap();
    fs::write(bench.folder(), "a file where the folder should be").unwrap();
    for more in [&[][..], &["--results", "/proc/nowhere"]] {
        let output = bench.run(more, "");
        assert_eq!(code(&output), 3, "{output:?}");
        let message = text(&output.stderr);
        assert!(message.starts_with("error: cannot ") && message.lines().count() == 1, "{message}");
        assert_eq!(text(&output.stdout), "");
    }
}

#[test]
fn shards_together_are_the_whole() {
    let bench = Bench::new();
    let run = |shard| code(&bench.run(&["--shard", shard], ""));
    assert_eq!((run("1/2"), run("2/2")), (0, 0));
    assert_complete(&bench, &undisturbed());
}

#[test]
fn nothing_selected_makes_no_folder() {
    let bench = Bench::new();
    assert_eq!(code(&bench.run(&["--only", "method=none"], "")), 4);
    assert!(!bench.folder().exists());
}

#[test]
fn events_are_json_lines_with_a_version() {
    let bench = Bench::new();
    let output = bench.run(&["--json"], "method=sc:panic");
    assert_eq!(code(&output), 5);
    assert_eq!(text(&output.stderr), "");
    let events: Vec<serde_json::Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(events.iter().all(|event| event["v"] == 1));
    let count = |name: &str| events.iter().filter(|event| event["event"] == name).count();
    assert_eq!(count("job-started"), JOBS);
    assert_eq!((count("job-finished"), count("job-failed"), count("epoch")), (9, 3, 27));
    assert_eq!(events.first().unwrap()["event"], "run-started");
    let last = events.last().unwrap();
    assert_eq!((&last["event"], &last["done"]), (&"run-finished".into(), &9.into()));
}

#[test]
fn records_and_logs_name_no_absolute_path() {
    let bench = Bench::new();
    bench.run(&[], "method=sc:panic");
    let home = bench.place.path().display().to_string();
    let files = ["record.json", "log.txt"];
    for path in bench.job_folders().iter().flat_map(|job| files.map(|file| job.join(file))) {
        let content = fs::read_to_string(&path).unwrap();
        let absolute = |word: &&str| Path::new(word).is_absolute();
        let found = content.split(|c: char| c.is_whitespace() || "\"'".contains(c)).find(absolute);
        assert_eq!(found, None, "{}", path.display());
        assert!(!content.contains(&home));
    }
}

#[test]
fn logs_print_a_job_by_the_beginning_of_its_key() {
    let bench = undisturbed();
    let logs =
        |key: &str| program::command(bench.place.path()).args(["logs", key]).output().unwrap();
    let key = bench.job_folders()[0].file_name().unwrap().to_str().unwrap().to_owned();
    let output = logs(&key[..10]);
    assert_eq!(code(&output), 0);
    assert!(text(&output.stdout).starts_with(&format!("job {key} synthetic/full/")));
    assert_eq!(code(&logs("")), 2, "twelve jobs begin with nothing");
    assert_eq!(code(&logs("../../etc")), 4);
}

#[test]
fn the_runners_own_cost_is_small() {
    let bench = Bench::new();
    let start = Instant::now();
    for _ in 0..5 {
        let mut command = program::command(bench.place.path());
        command.arg("--help").stdout(Stdio::null()).status().unwrap();
    }
    let process_start = start.elapsed() / 5;
    let start = Instant::now();
    assert_eq!(code(&bench.run(&["--jobs", "1", "--set", "seeds=50"], "")), 0);
    let jobs = bench.records() as u32;
    let own = (start.elapsed() / jobs).saturating_sub(process_start);
    // 20 ms is the promise; a machine that is busy with other tests gets some room.
    assert!(
        own < Duration::from_millis(60),
        "{own:?} a job beyond {process_start:?} of its process"
    );
    println!("{jobs} jobs, {own:?} each beyond the process start of {process_start:?}");
}
