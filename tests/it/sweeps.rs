//! Whole sweeps with real processes and the mock engine: every way in which a job can end, what is
//! tried again and what is not, what is paused, and what starts when.

use crate::program::{Workspace, text};
use domain::JobKey;
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;
use store::{Folder, JobRecord, Status, read_frames};

/// A grid in a folder of its own.
struct Sweep {
    workspace: Workspace,
}

/// What a run printed, as events.
struct Events {
    code: i32,
    all: Vec<Value>,
}

impl Sweep {
    fn new(methods: &str, seeds: usize, limits: &str) -> Self {
        let workspace = Workspace::new();
        let grid = format!(
            "version: 1\nname: sweep\ncorpora: [synthetic]\n\
             models: [{{name: shallow, encoder: shallow, head: softmax}}]\n\
             methods: [{methods}]\nseeds: {seeds}\nlimits: {limits}\n"
        );
        workspace.write("grid.yaml", &grid);
        Self { workspace }
    }

    /// `tailgrid COMMAND grid.yaml --engine mock`, on two cores and without long pauses.
    fn command(&self, command: &str, more: &[&str], mock: &str) -> Command {
        let mut program = self.workspace.tailgrid(&[command, "grid.yaml", "--engine", "mock"]);
        program
            .args(more)
            .env("TAILGRID_MOCK", mock)
            .env("TAILGRID_CORES", "2")
            .env("TAILGRID_PAUSE", "20ms");
        program
    }

    fn run(&self, more: &[&str], mock: &str) -> Events {
        let output = self.command("run", more, mock).arg("--json").output().unwrap();
        let lines = text(&output.stdout);
        let all = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        Events { code: output.status.code().unwrap_or(-1), all }
    }

    fn folder(&self) -> Folder {
        Folder::new(&self.workspace.path("results"), "sweep").unwrap()
    }

    fn records(&self) -> BTreeMap<u64, JobRecord> {
        let folder = self.folder();
        let keys = folder.keys().unwrap();
        let records = keys.iter().filter_map(|key| folder.read_record(key).unwrap());
        records.map(|record| (record.point.seed, record)).collect()
    }
}

impl Events {
    fn named(&self, name: &str) -> Vec<&Value> {
        self.all.iter().filter(|event| event["event"] == name).collect()
    }

    /// The methods in the order in which their jobs started.
    fn started(&self) -> Vec<&str> {
        let started = self.named("job-started").into_iter();
        started.map(|event| event["point"]["method"].as_str().unwrap()).collect()
    }

    /// How many jobs ran at once, at most.
    fn side_by_side(&self) -> usize {
        let (mut now, mut most) = (0usize, 0);
        for event in &self.all {
            match event["event"].as_str().unwrap() {
                "job-started" => now += 1,
                "job-finished" | "job-failed" | "job-retried" | "job-stopped" => now -= 1,
                _ => {}
            }
            most = most.max(now);
        }
        most
    }
}

#[test]
fn every_outcome_is_recorded_for_what_it_is() {
    let expected = [
        ("succeed", "", 1),
        ("diverge", "the loss became NaN in epoch 1", 1),
        ("panic", "the engine panicked: asked to panic", 1),
        ("abort", "the worker was ended by signal 6 (SIGABRT)", 2),
        ("segfault", "the worker was ended by signal 11 (SIGSEGV)", 2),
        ("hang", "ran longer than its limit of 4s", 1),
        ("flood", "", 1),
        ("silent", "the worker left with exit code 0 and no result", 2),
        ("io", "", 2),
        ("exit", "the worker left with exit code 3 and no result", 2),
        ("kill", "the worker was ended by signal 9 (SIGKILL)", 2),
        ("garbage", "the worker's answer could not be read", 1),
        ("flaky", "", 2),
    ];
    let sweep = Sweep::new("original", expected.len(), "{time: 4s, retries: 1}");
    let rules: Vec<String> = expected
        .iter()
        .zip(1..)
        .map(|((action, ..), seed)| format!("seed={seed}:{action}"))
        .collect();
    let events = sweep.run(&[], &rules.join(";"));
    assert_eq!(events.code, 5);
    let records = sweep.records();
    assert_eq!(records.len(), expected.len(), "every job has a record");
    for ((action, reason, attempts), seed) in expected.into_iter().zip(1..) {
        let record = &records[&seed];
        let failure = record.failure.as_ref().map(ToString::to_string).unwrap_or_default();
        assert!(failure.starts_with(reason), "{action}: {failure}");
        let status = if reason.is_empty() { Status::Done } else { Status::Failed };
        assert_eq!((record.status, record.attempts), (status, attempts), "{action}");
    }
    let log = sweep.folder().job(&records[&7].job).unwrap().log();
    assert!(std::fs::metadata(log).unwrap().len() < 2 << 20, "a flood does not fill the disk");
    let frames = read_frames(&sweep.folder()).unwrap();
    assert_eq!(frames.runs.len(), expected.len());
    assert!(events.side_by_side() <= 2);
}

#[test]
fn a_failure_that_may_pass_is_tried_again_after_longer_and_longer_pauses() {
    let sweep = Sweep::new("original", 1, "{retries: 3}");
    let events = sweep.run(&[], "*:exit");
    let pauses: Vec<f64> = events
        .named("job-retried")
        .iter()
        .map(|event| event["pause_seconds"].as_f64().unwrap())
        .collect();
    assert_eq!(pauses, [0.02, 0.04, 0.08]);
    assert_eq!(sweep.records()[&1].attempts, 4);
    let sweep = Sweep::new("original", 1, "{retries: 3}");
    assert!(sweep.run(&[], "*:diverge").named("job-retried").is_empty(), "a result is a result");
}

#[test]
fn a_method_that_fails_again_and_again_is_paused_and_the_rest_goes_on() {
    let sweep = Sweep::new("original, sc", 8, "{retries: 0}");
    let events = sweep.run(&["--jobs", "1"], "method=sc:panic");
    assert_eq!(events.code, 5);
    assert_eq!((events.named("job-failed").len(), events.named("job-finished").len()), (3, 8));
    let paused = events.named("level-paused");
    assert_eq!(paused.len(), 1);
    assert_eq!(
        (&paused[0]["jobs"], &paused[0]["failures"], &paused[0]["reason"]),
        (&5.into(), &3.into(), &"the engine panicked: asked to panic".into())
    );
    let level = paused[0]["level"].as_str().unwrap();
    assert!(level.ends_with("model=shallow method=sc"), "{level}");
    let last = events.all.last().unwrap();
    assert_eq!((&last["event"], &last["to_do"]), (&"run-finished".into(), &5.into()));
    // The level is a selection: what is paused can be left out, and then nothing is left to do.
    assert_eq!(sweep.run(&["--not", level], "*:abort").named("job-started").len(), 0);
    // Once the cause is gone, the same command with --retry-failed does the rest.
    let events = sweep.run(&["--retry-failed"], "");
    assert_eq!((events.code, events.named("job-finished").len()), (0, 8));
}

#[test]
fn a_diverging_method_is_not_paused() {
    let sweep = Sweep::new("original, sc", 5, "{retries: 0}");
    let events = sweep.run(&[], "method=sc:diverge");
    assert_eq!((events.named("job-failed").len(), events.named("level-paused").len()), (5, 0));
}

#[test]
fn threads_never_exceed_the_cores_and_more_jobs_than_fit_are_warned_of() {
    let sweep = Sweep::new("original, sc, scr", 2, "{}");
    let events = sweep.run(&["--threads", "2", "--jobs", "4"], "*:slow=5");
    assert_eq!((events.code, events.side_by_side()), (0, 1));
    let warnings = events.named("warning");
    let warned = |event: &&&Value| event["message"].as_str().unwrap().contains("--jobs 4");
    assert_eq!(warnings.iter().filter(warned).count(), 1);
    let one_thread = Sweep::new("original, sc, scr", 2, "{}");
    let events = one_thread.run(&["--jobs", "2"], "*:slow=20");
    assert_eq!((events.side_by_side(), events.named("warning").len()), (2, 0));
}

#[test]
fn jobs_that_may_take_all_memory_run_one_at_a_time() {
    let sweep = Sweep::new("original, sc, scr", 1, "{memory: 1000TiB}");
    let events = sweep.run(&["--jobs", "2"], "*:slow=20");
    assert_eq!((events.code, events.side_by_side()), (0, 1));
}

#[test]
fn the_longest_jobs_of_a_round_go_first_once_that_is_known() {
    let sweep = Sweep::new("original, sc, scr, focal", 1, "{}");
    let slow = "method=scr:slow=250;method=focal:slow=120;method=sc:slow=20";
    assert_eq!(
        sweep.run(&["--jobs", "1"], slow).started(),
        ["original", "sc", "scr", "focal"],
        "nothing is known yet: the order of the grid"
    );
    let events = sweep.run(&["--jobs", "1", "--set", "seeds=3"], slow);
    let started = events.started();
    assert_eq!(started[..2], ["scr", "focal"]);
    assert_eq!(started[4..6], ["scr", "focal"], "a round after the other");
}

#[test]
fn what_a_job_told_before_its_time_was_over_is_kept() {
    let sweep = Sweep::new("original, sc", 1, "{time: 2s, retries: 0}");
    assert_eq!(sweep.run(&[], "method=sc:slow=1700").code, 5);
    let frames = read_frames(&sweep.folder()).unwrap();
    let run = frames.runs.iter().find(|run| run.point.method == "sc").unwrap();
    assert_eq!((run.status, run.epochs), (Status::Failed, Some(1)));
    assert!(run.failure.as_deref().unwrap().contains("longer than its limit of 2s"));
    let epochs: Vec<_> = frames.epochs.iter().filter(|epoch| epoch.job == run.job).collect();
    assert_eq!(epochs.len(), 1);
    let record = sweep.folder().read_record(&JobKey(run.job.0.clone())).unwrap().unwrap();
    let partial = record.partial.unwrap().epochs;
    assert_eq!((partial.len(), partial[0].dev_micro_f1), (1, epochs[0].dev_micro_f1));
    assert!(partial[0].seconds > 1.6, "{}", partial[0].seconds);
    // Whoever has no time limit runs it to its end, and nothing of this stays.
    sweep
        .workspace
        .write("grid.yaml", &text(&sweep.workspace.read("grid.yaml")).replace("2s", "60s"));
    assert_eq!(sweep.run(&["--retry-failed"], "").code, 0);
    assert!(sweep.records().values().all(|record| record.partial.is_none()));
}

#[test]
fn a_run_starts_nothing_that_would_end_after_its_hour() {
    let sweep = Sweep::new("original, sc", 1, "{}");
    let slow = "method=sc:slow=800";
    assert_eq!(sweep.run(&[], slow).code, 0);
    let until = |more: &[&str], now: &str| {
        let mut command = sweep.command("run", &["--set", "seeds=3", "--json"], slow);
        let output = command.args(more).env("TZ", "UTC").env("TAILGRID_NOW", now).output().unwrap();
        let lines = text(&output.stdout);
        let all = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        Events { code: output.status.code().unwrap_or(-1), all }
    };
    // Two seconds: time for the quick jobs, not for those that took 2.4 s.
    let events = until(&["--until", "08:00"], "2026-01-01T07:59:58Z");
    assert_eq!((events.code, events.started()), (6, vec!["original", "original"]));
    let summary = events.named("summary")[0];
    assert_eq!((&summary["ending"], &summary["to_do"]), (&"out-of-time".into(), &2.into()));
    // The hour is over within the next day.
    let events = until(&["--until", "08:00"], "2026-01-01T08:00:00Z");
    assert_eq!((events.code, events.started()), (0, vec!["sc", "sc"]));
    assert_eq!(events.named("summary")[0]["ending"], "complete");
}

#[test]
fn a_plan_knows_what_the_rest_will_take() {
    let sweep = Sweep::new("original, sc", 1, "{}");
    assert_eq!(sweep.run(&[], "method=sc:slow=100").code, 0);
    let plan = sweep.command("plan", &["--set", "seeds=5", "--json"], "").output().unwrap();
    let plan: Value = serde_json::from_slice(&plan.stdout).unwrap();
    let estimate = |job: &Value| job["estimated_seconds"].as_f64();
    let jobs = plan["jobs"].as_array().unwrap();
    let sc: Vec<f64> =
        jobs.iter().filter(|job| job["method"] == "sc").filter_map(estimate).collect();
    assert_eq!(sc.len(), 4);
    let recorded = sweep.records()[&1].timings.seconds;
    assert!(sc.iter().all(|seconds| *seconds == sc[0] && *seconds > 0.3), "{sc:?} {recorded}");
    let totals = &plan["totals"];
    let work: f64 = jobs.iter().filter_map(estimate).sum();
    let wall = totals["estimated_wall_seconds"].as_f64().unwrap();
    assert!((totals["estimated_seconds"].as_f64().unwrap() - work).abs() < 1e-9);
    // Two slots halve the work at best; sums in another order differ in their last bits.
    assert!(wall < 0.75 * work && wall >= work / 2.0 - 1e-9, "{wall} of {work}");
    let text_plan =
        text(&sweep.command("plan", &["--set", "seeds=5"], "").output().unwrap().stdout);
    assert!(text_plan.contains("with 2 jobs at a time."), "{text_plan}");
}

#[test]
fn whoever_wants_to_know_is_told_how_a_run_ended() {
    let sweep = Sweep::new("original, sc", 2, "{retries: 0}");
    let run = |notify: &str, grid: &str, mock: &str| {
        let mut command = sweep.command("run", &["--notify", notify], mock);
        command.env("GRID", grid).output().unwrap()
    };
    let output = run("cat > told.txt; echo was told", "", "method=sc:panic");
    assert_eq!(output.status.code(), Some(5));
    let told = text(&sweep.workspace.read("told.txt"));
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[0], "sweep: 4 jobs: 2 done, 2 failed, 0 n/a; results/sweep");
    assert!(lines[1].starts_with("time: ") && lines[1].ends_with(" % of it busy"), "{told}");
    assert!(lines[2].starts_with("slowest: synthetic/full/shallow/"), "{told}");
    assert_eq!(lines[3], "training: 2 converged");
    assert!(
        lines[4].starts_with("failed: 2 × the engine panicked: asked to panic (first "),
        "{told}"
    );
    assert!(told.ends_with("runs them again\n"), "{told}");
    // What people read says the same, and the command's own words are not among the results.
    assert!(text(&output.stderr).contains(lines[3]) && text(&output.stderr).contains("was told"));
    assert_eq!(text(&output.stdout), "4 jobs: 2 done, 2 failed, 0 n/a; results/sweep\n");
    // Its failure is a warning, never an error.
    let output = run("exit 3", "", "");
    assert!(text(&output.stderr).contains("warning: --notify `exit 3`: it left with exit code 3"));
    assert_eq!(output.status.code(), Some(5), "as without it");
    // A run that could not start ended as well.
    sweep.workspace.write("grid.yaml", "version: 1\nname: sweep\n");
    assert_eq!(run("cat > told.txt", "", "").status.code(), Some(3));
    let told = text(&sweep.workspace.read("told.txt"));
    assert!(told.starts_with("grid.yaml: ") && told.contains("corpora"), "{told}");
}

/// User and system time of a process itself, in ticks of 10 ms.
fn ticks(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
}

#[test]
fn the_runner_takes_a_few_milliseconds_of_processor_time_a_job() {
    let jobs = 400;
    let sweep = Sweep::new("original, sc", jobs / 2, "{}");
    let mut child = sweep.command("run", &["--quiet"], "").spawn().unwrap();
    let mut last = 0;
    while child.try_wait().unwrap().is_none() {
        last = ticks(child.id()).unwrap_or(last).max(last);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(sweep.records().len(), jobs / 2, "a record a seed of the last method");
    let each = last as f64 * 10.0 / jobs as f64;
    println!("{each:.2} ms of processor time a job");
    assert!(each < 5.0, "{each} ms");
}
