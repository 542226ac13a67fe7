//! Several runs at once on one results folder, with real processes and the mock engine: every job
//! runs once, whoever is killed, and the frames are those of a run alone.

use crate::frames::unmeasured;
use crate::program::{Workspace, text};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const JOBS: usize = 12;

fn workspace(more: &str) -> Workspace {
    let place = Workspace::new();
    let grid = format!(
        "version: 1\nname: many\ncorpora: [synthetic]\n\
         models: [{{name: shallow, encoder: shallow, head: softmax}}]\n\
         methods: [original, sc, scr, focal]\nseeds: 3\nbaseline: original\n{more}"
    );
    place.write("grid.yaml", &grid);
    place
}

/// Starts a shared run of one job at a time that tells its events.
fn start(place: &Workspace, more: &[&str], mock: &str) -> Child {
    let run = ["run", "grid.yaml", "--engine", "mock", "--shared", "--jobs", "1", "--json"];
    let mut command = place.tailgrid(&[&run, more].concat());
    command.env("TAILGRID_MOCK", mock).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// How often an event was told by runs that are over.
fn count(children: Vec<Child>, event: &str) -> usize {
    let told = |child: Child| {
        let output = child.wait_with_output().unwrap();
        // One that leaves the last failed jobs to the others still sees them as failed.
        let code = output.status.code().unwrap_or(-1);
        assert!([0, 5].contains(&code), "{}", text(&output.stderr));
        let mark = format!("\"event\":\"{event}\"");
        text(&output.stdout).lines().filter(|line| line.contains(&mark)).count()
    };
    children.into_iter().map(told).sum()
}

fn records(place: &Workspace) -> usize {
    let jobs = std::fs::read_dir(place.path("results/many/jobs")).into_iter().flatten().flatten();
    jobs.filter(|job| job.path().join("record.json").exists()).count()
}

fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(120), "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The frames are those of a run alone, which leaves nothing to sweep.
fn assert_as_alone(place: &Workspace, more: &str) {
    let alone = workspace(more);
    alone.expect(0, &["run", "grid.yaml", "--engine", "mock"]);
    let frames = |place: &Workspace| unmeasured(&place.path("results"), "many");
    assert!(frames(place) == frames(&alone), "the frames differ");
    // What killed runs left is swept by the next one that is alone.
    place.expect(0, &["run", "grid.yaml", "--engine", "mock", "--quiet"]);
    for job in std::fs::read_dir(place.path("results/many/jobs")).unwrap() {
        let job = job.unwrap().path();
        assert!(job.is_dir(), "{}", job.display());
    }
}

#[test]
fn runs_that_share_a_folder_run_every_job_once() {
    let place = workspace("");
    let children = (0..4).map(|_| start(&place, &[], "*:slow=10")).collect();
    assert_eq!(count(children, "job-finished"), JOBS);
    assert_as_alone(&place, "");
    // Another one finds nothing to do.
    assert_eq!(count(vec![start(&place, &[], "")], "job-started"), 0);
}

#[test]
fn what_a_killed_run_had_is_run_by_the_others() {
    let place = workspace("");
    let mut lost = start(&place, &[], "*:hang");
    until("a job of the first run", || place.path("results/many/jobs").exists());
    let others: Vec<_> = (0..2).map(|_| start(&place, &[], "*:slow=20")).collect();
    until("some records", || records(&place) > 2);
    lost.kill().unwrap();
    lost.wait().unwrap();
    assert!(count(others, "job-finished") >= JOBS - 2);
    // Where the others ended before the kill, its job is left for the next.
    count(vec![start(&place, &[], "")], "job-finished");
    assert_eq!(records(&place), JOBS);
    assert_as_alone(&place, "");
}

#[test]
fn runs_that_are_killed_over_and_over_still_arrive() {
    let place = workspace("");
    for round in 0..8 {
        let mut children: Vec<_> = (0..4).map(|_| start(&place, &[], "*:slow=10")).collect();
        for child in &mut children {
            std::thread::sleep(Duration::from_millis(5 + 17 * round % 40));
            child.kill().unwrap();
        }
        for child in &mut children {
            child.wait().unwrap();
        }
    }
    let children = (0..4).map(|_| start(&place, &[], "")).collect();
    count(children, "job-finished");
    assert_eq!(records(&place), JOBS);
    // One that is alone sweeps what is left of the killed ones.
    place.expect(0, &["run", "grid.yaml", "--engine", "mock"]);
    assert_as_alone(&place, "");
}

#[test]
fn a_run_alone_and_runs_that_share_refuse_each_other() {
    let place = workspace("");
    let run = ["run", "grid.yaml", "--engine", "mock"];
    let mut child = start(&place, &[], "*:hang");
    until("the run's first job", || place.path("results/many/grid.yaml").exists());
    let refused = text(&place.expect(8, &run).stderr);
    assert!(refused.contains("in use by another run (one or more with --shared)"), "{refused}");
    let status = place.json(&["status", "grid.yaml", "--engine", "mock"]);
    let running = &status["running"];
    assert_eq!((&running["shared"], &running["pid"]), (&true.into(), &serde_json::Value::Null));
    assert_eq!(running["jobs"].as_array().map(Vec::len), Some(1), "{running}");
    child.kill().unwrap();
    child.wait().unwrap();
    let mut alone = place.tailgrid(&run);
    let mut alone = alone.env("TAILGRID_MOCK", "*:hang").stderr(Stdio::null()).spawn().unwrap();
    let pid = alone.id();
    until("the lock and a job", || {
        let running = &place.json(&["status", "grid.yaml", "--engine", "mock"])["running"];
        let jobs = running["jobs"].as_array().map_or(0, Vec::len);
        let started = running["started"].as_str().is_some_and(|at| at.starts_with("20"));
        running["pid"] == pid && jobs > 0 && started
    });
    let status = place.json(&["status", "grid.yaml", "--engine", "mock"]);
    let job = &status["running"]["jobs"][0];
    assert_eq!((&job["corpus"], &job["stage"]), (&"synthetic".into(), &"main".into()));
    let told = text(&place.expect(0, &["status", "grid.yaml", "--engine", "mock"]).stdout);
    assert!(told.contains(job["job"].as_str().unwrap()), "{told}");
    place.expect(8, &[&run[..], &["--shared"]].concat());
    alone.kill().unwrap();
    alone.wait().unwrap();
}

#[test]
fn searches_go_on_by_the_trials_of_all_runs() {
    let tune = "tune: {method: focal, parameters: {gamma: [0.0, 5.0]}, trials: 10, batch: 3}\n";
    let place = workspace(tune);
    let children = (0..3).map(|_| start(&place, &[], "*:slow=10")).collect();
    // Ten trials, of which none came twice, and the jobs of the grid.
    let finished = count(children, "job-finished");
    assert_eq!(finished, records(&place));
    assert!(finished > JOBS, "{finished}");
    assert_as_alone(&place, tune);
    let alone = workspace(tune);
    alone.expect(0, &["run", "grid.yaml", "--engine", "mock"]);
    let tuning = "results/many/tuning.json";
    assert!(place.read(tuning) == alone.read(tuning), "the searches chose differently");
}

#[test]
fn failed_jobs_are_tried_again_once_by_all_together() {
    let place = workspace("limits: {retries: 0}\n");
    let run = |mock| start(&place, &["--retry-failed"], mock);
    let output = start(&place, &[], "method=sc:exit").wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(5));
    // Slow enough that each meets what another one has just recorded.
    let children: Vec<_> = (0..3).map(|_| run("*:slow=30")).collect();
    assert_eq!(count(children, "job-finished"), 3);
    assert_as_alone(&place, "limits: {retries: 0}\n");
}

#[test]
fn a_damaged_record_is_set_aside_by_one_of_them() {
    let place = workspace("");
    place.expect(0, &["run", "grid.yaml", "--engine", "mock"]);
    let jobs = std::fs::read_dir(place.path("results/many/jobs")).unwrap();
    let job = jobs.flatten().next().unwrap().path();
    std::fs::write(job.join("record.json"), "{").unwrap();
    let children: Vec<_> = (0..3).map(|_| start(&place, &[], "*:slow=20")).collect();
    assert_eq!(count(children, "job-finished"), 1);
    let aside = std::fs::read_to_string(job.join("record.json.damaged")).unwrap();
    assert_eq!((aside.as_str(), job.join("record.json.damaged-2").exists()), ("{", false));
    assert_as_alone(&place, "");
}
