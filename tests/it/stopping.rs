//! Planned looks from outside: what a look has decided gets no further seeds, whatever else
//! happens.

use crate::frames::unmeasured;
use crate::program::{Workspace, text};
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};
use store::Results;

const GRID: &str = "\
version: 1
name: early
corpora: [synthetic]
models:
  - {name: one, encoder: shallow, head: softmax, dimension: 8}
  - {name: two, encoder: shallow, head: softmax, dimension: 9}
methods: [original, scr, focal]
seeds: 8
baseline: original
stopping: {looks: [4, 6], spending: pocock}
limits: {retries: 0}
";

/// `scr` is far below the others.
const BELOW: &str = "method=scr:shift=-1";
const JOBS: usize = 2 * 3 * 8;
/// Without the seeds of `scr` after the first look.
const RUN: usize = JOBS - 2 * 4;

fn workspace(grid: &str) -> Workspace {
    let workspace = Workspace::new();
    workspace.write("grid.yaml", grid);
    workspace
}

fn run(workspace: &Workspace, mock: &str, more: &[&str]) -> Output {
    let arguments = [&["run", "grid.yaml", "--engine", "mock"], more].concat();
    workspace.tailgrid(&arguments).env("TAILGRID_MOCK", mock).output().unwrap()
}

/// A run that is expected to end well; what it printed.
fn done(workspace: &Workspace, mock: &str, more: &[&str]) -> String {
    let output = run(workspace, mock, more);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{out}\n{err}");
    out + &err
}

fn plan(workspace: &Workspace, more: &[&str]) -> Value {
    workspace.json(&[&["plan", "grid.yaml", "--engine", "mock"], more].concat())
}

fn kept(workspace: &Workspace) -> Value {
    serde_json::from_slice(&workspace.read("results/early/stopping.json")).unwrap()
}

/// Everything of the results that must be identical.
fn results(workspace: &Workspace) -> (Vec<u8>, Vec<u8>, Results) {
    let (metrics, results) = unmeasured(&workspace.path("results"), "early");
    (workspace.read("results/early/stopping.json"), metrics, results)
}

fn records(workspace: &Workspace) -> usize {
    let jobs = std::fs::read_dir(workspace.path("results/early/jobs")).into_iter().flatten();
    jobs.flatten().filter(|job| job.path().join("record.json").exists()).count()
}

#[test]
fn a_decided_comparison_gets_no_further_seeds_and_everything_says_so() {
    let workspace = workspace(GRID);
    let before = plan(&workspace, &["--only", "method=scr model=one seed=4,5"]);
    assert_eq!(before["jobs"][0]["reason"], Value::Null);
    assert_eq!(before["jobs"][1]["reason"], "waits for the look at 4 seeds");
    assert_eq!(before["jobs"][1]["state"], "todo");

    let shown = done(&workspace, BELOW, &["--jobs", "2"]);
    assert!(
        shown.contains(&format!("{JOBS} jobs: {RUN} done, 0 failed, 8 decided, 0 n/a")),
        "{shown}"
    );
    assert!(shown.contains("planned looks: 2 of 4 comparisons decided\n"), "{shown}");
    let line = "  synthetic/full/one/scr: below at 4 seeds, p = 0.00";
    assert!(shown.contains(line) && shown.contains("; 4 seeds not run"), "{shown}");
    assert!(shown.contains("scr: decided at the look at 4 seeds: below, p = 0.00"), "{shown}");
    assert!(shown.contains("; 4 jobs are left out"), "{shown}");
    assert!(shown.contains(&format!("[{RUN}/{RUN}]")), "the count follows: {shown}");
    assert_eq!(records(&workspace), RUN);
    let looks = kept(&workspace);
    what_is_kept_is_what_compare_finds(&workspace, &looks);
    the_plan_leaves_out_what_is_decided(&workspace);

    let explain =
        ["explain", "synthetic/full/two/scr/7", "--grid", "grid.yaml", "--engine", "mock"];
    let explained = text(&workspace.expect(0, &explain).stdout);
    assert!(explained.contains("\ndecided: decided at the look at 4 seeds: below"), "{explained}");
    let status = ["status", "grid.yaml", "--engine", "mock"];
    let told = text(&workspace.expect(0, &status).stdout);
    assert!(told.contains("decided      8\n") && told.contains(line), "{told}");
    let status = workspace.json(&status);
    assert_eq!((&status["decided"], &status["stopping"]), (&8.into(), &looks));
}

fn what_is_kept_is_what_compare_finds(workspace: &Workspace, looks: &Value) {
    assert_eq!((&looks["version"], &looks["metric"]), (&1.into(), &"macro_f1".into()));
    let first = &looks["comparisons"][0];
    assert_eq!((&first["method"], &first["verdict"]), (&"scr".into(), &"below".into()));
    assert_eq!(first["decided_at"], 4);
    assert_eq!(first["not_run"], serde_json::json!([5, 6, 7, 8]));
    assert_eq!(first["baseline_not_run"], serde_json::json!([]));
    let compared = workspace.json(&["compare", "grid.yaml", "--engine", "mock"]);
    let [kept, shown] =
        [looks, &compared].map(|side| side["comparisons"].as_array().unwrap().iter());
    for (kept, shown) in kept.zip(shown) {
        let sequential = &shown["sequential"];
        for name in ["alpha", "verdict", "next_look", "waits_for", "looks"] {
            assert_eq!(kept[name], sequential[name], "{name}");
        }
        assert_eq!(kept["method"], shown["method"]);
    }
}

fn the_plan_leaves_out_what_is_decided(workspace: &Workspace) {
    let after = plan(workspace, &[]);
    assert_eq!((&after["totals"]["todo"], &after["totals"]["decided"]), (&0.into(), &8.into()));
    let decided = plan(workspace, &["--only", "status=decided"]);
    let jobs = decided["jobs"].as_array().unwrap();
    assert_eq!(jobs.len(), 8);
    for job in jobs {
        assert_eq!((&job["state"], &job["method"]), (&"decided".into(), &"scr".into()));
        assert!(
            job["reason"]
                .as_str()
                .unwrap()
                .starts_with("decided at the look at 4 seeds: below, p = ")
        );
        assert_eq!(job["estimated_seconds"], Value::Null);
    }
    let plain = text(&workspace.expect(0, &["plan", "grid.yaml", "--engine", "mock"]).stdout);
    assert!(plain.contains("4/8 (4 decided)"), "{plain}");
}

#[test]
fn reports_and_comparisons_say_what_was_not_run() {
    let workspace = workspace(GRID);
    done(&workspace, BELOW, &["--quiet"]);
    workspace.expect(0, &["report", "grid.yaml", "--engine", "mock"]);
    let page = text(&workspace.read("reports/early/index.html"));
    assert!(page.contains("8 jobs not run: a planned look had decided</h3>"));
    assert!(!page.contains("not run yet</h3>") && !page.contains("have no score yet"));
    let scores = text(&workspace.read("reports/early/tables/macro-f1-synthetic-full.csv"));
    assert!(scores.contains("one,scr,macro_f1,scored,4,8,"), "{scores}");
    assert!(scores.contains("one,original,macro_f1,scored,8,8,"), "{scores}");
    let told = text(&workspace.expect(0, &["compare", "grid.yaml", "--engine", "mock"]).stdout);
    let missing = "seeds 5, 6, 7, 8 (scr was not run: a look had decided)";
    assert!(told.contains(missing) && told.contains("below after 4 seeds"), "{told}");
    // By another metric or pair the seeds that were left out are not waited for.
    for other in [["--metric", "weighted_f1"], ["--baseline", "focal"]] {
        let told = workspace
            .expect(0, &[&["compare", "grid.yaml", "--engine", "mock"], &other[..]].concat());
        assert!(!text(&told.stdout).contains("waits for"), "{}", text(&told.stdout));
    }
}

#[test]
fn a_decision_is_an_event() {
    let workspace = workspace(GRID);
    let output = run(&workspace, BELOW, &["--json"]);
    let lines = text(&output.stdout);
    let events: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let decided: Vec<&Value> =
        events.iter().filter(|it| it["event"] == "comparison-decided").collect();
    let models: BTreeSet<&str> = decided.iter().filter_map(|it| it["model"].as_str()).collect();
    assert_eq!((decided.len(), models.len()), (2, 2));
    for event in decided {
        assert_eq!(
            (&event["v"], &event["verdict"], &event["look"]),
            (&1.into(), &"below".into(), &4.into())
        );
        assert_eq!(
            (&event["not_run"], &event["n"], &event["baseline"]),
            (&4.into(), &4.into(), &"original".into())
        );
        assert!(event["p"].as_f64().unwrap() < event["level"].as_f64().unwrap());
    }
    let last = events.last().unwrap();
    assert_eq!(
        (&last["event"], &last["decided"], &last["to_do"]),
        (&"run-finished".into(), &8.into(), &0.into())
    );
}

#[test]
fn slots_and_kills_change_nothing() {
    let reference = workspace(GRID);
    done(&reference, BELOW, &["--jobs", "1"]);
    let many = workspace(GRID);
    done(&many, BELOW, &["--jobs", "8"]);
    assert!(results(&many) == results(&reference), "8 slots");
    for (least, jobs) in [(2, "8"), (14, "1"), (20, "3"), (27, "8"), (34, "2")] {
        let broken = workspace(GRID);
        let arguments = ["run", "grid.yaml", "--engine", "mock", "--jobs", jobs];
        let mut command = broken.tailgrid(&arguments);
        command.env("TAILGRID_MOCK", format!("{BELOW};method=focal:slow=9;*:slow=4"));
        let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let start = Instant::now();
        while records(&broken) < least {
            assert!(start.elapsed() < Duration::from_secs(120), "waited in vain");
            std::thread::sleep(Duration::from_millis(2));
        }
        run.kill().unwrap();
        run.wait().unwrap();
        assert!(records(&broken) <= RUN);
        done(&broken, BELOW, &["--jobs", "2"]);
        assert!(
            results(&broken) == results(&reference),
            "killed after {least} jobs of {jobs} slots"
        );
    }
}

#[test]
fn a_grid_that_grows_keeps_its_decisions_and_one_without_looks_runs_all() {
    let workspace = workspace(GRID);
    done(&workspace, BELOW, &["--quiet"]);
    let again = done(&workspace, BELOW, &[]);
    assert!(again.starts_with("nothing to do: "), "{again}");
    // More seeds: those of what is still open.
    workspace.write("grid.yaml", &GRID.replace("seeds: 8", "seeds: 10"));
    let shown = done(&workspace, BELOW, &[]);
    assert!(shown.contains(&format!("60 jobs: {} done, 0 failed, 12 decided", RUN + 8)), "{shown}");
    // Without `stopping` everything is to do, and the same records count.
    let without: String =
        GRID.lines().filter(|l| !l.starts_with("stopping")).map(|l| format!("{l}\n")).collect();
    workspace.write("grid.yaml", &without);
    let state = plan(&workspace, &[]);
    assert_eq!((&state["totals"]["todo"], &state["totals"]["decided"]), (&8.into(), &0.into()));
    done(&workspace, BELOW, &[]);
    assert!(!workspace.path("results/early/stopping.json").exists());
    // With looks again: what has run is done, decided or not.
    workspace.write("grid.yaml", GRID);
    let state = plan(&workspace, &[]);
    assert_eq!((&state["totals"]["done"], &state["totals"]["decided"]), (&JOBS.into(), &0.into()));
}

#[test]
fn a_selection_without_the_baseline_waits_at_its_look_and_says_so() {
    let reference = workspace(GRID);
    done(&reference, BELOW, &["--jobs", "1"]);
    let workspace = workspace(GRID);
    let shown = done(&workspace, BELOW, &["--only", "method=scr"]);
    assert!(shown.contains("16 jobs: 8 done, 0 failed, 8 to do, 0 n/a"), "{shown}");
    assert!(shown.contains("8 jobs wait for planned looks"), "{shown}");
    done(&workspace, BELOW, &["--only", "seed=1,2,3,4,5"]);
    assert_eq!(records(&workspace), 2 * (3 * 5 - 1));
    done(&workspace, BELOW, &[]);
    assert!(results(&workspace) == results(&reference));
}

#[test]
fn shards_have_whole_columns() {
    let reference = workspace(GRID);
    done(&reference, BELOW, &[]);
    let sharded = workspace(GRID);
    for part in ["1/3", "2/3", "3/3"] {
        let output = run(&sharded, BELOW, &["--shard", part]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(!text(&output.stdout).contains(" to do, "), "{}", text(&output.stdout));
    }
    assert!(results(&sharded) == results(&reference));
}

#[test]
fn failed_jobs_make_looks_smaller_and_run_again_on_demand() {
    let workspace = workspace(GRID);
    let output = run(&workspace, "method=scr:diverge", &[]);
    assert_eq!(output.status.code(), Some(5));
    assert_eq!(kept(&workspace)["comparisons"][0]["verdict"], "not tested");
    let shown = done(&workspace, BELOW, &["--retry-failed"]);
    assert!(shown.contains(&format!("{JOBS} done, 0 failed, 0 n/a")), "{shown}");
    let first = &kept(&workspace)["comparisons"][0];
    assert_eq!((&first["decided_at"], &first["not_run"]), (&4.into(), &serde_json::json!([])));

    // What fails in seed 2 leaves three pairs; run again it opens or closes nothing but by its
    // score.
    let workspace = self::workspace(GRID);
    let output = run(&workspace, &format!("seed=2:diverge;{BELOW}"), &["--only", "seed=1,2,3,4"]);
    assert_eq!(output.status.code(), Some(5));
    done(&workspace, BELOW, &["--retry-failed"]);
    let reference = self::workspace(GRID);
    done(&reference, BELOW, &[]);
    assert!(results(&workspace) == results(&reference));
}

#[test]
fn tuned_methods_wait_for_search_and_look() {
    let grid = format!(
        "{GRID}tune: {{method: scr, parameters: {{training.learning_rate: [0.0001, 0.1]}}, trials: 4, batch: 2}}\n"
    );
    let [one, many, killed] = [workspace(&grid), workspace(&grid), workspace(&grid)];
    let shown = done(&one, BELOW, &["--jobs", "1"]);
    assert!(shown.contains(&format!("{} done, 0 failed, 8 decided", RUN + 8)), "{shown}");
    done(&many, BELOW, &["--jobs", "6"]);
    assert!(results(&one) == results(&many));
    done(&killed, BELOW, &["--only", "method=original seed=1,2,3,4"]);
    done(&killed, BELOW, &["--jobs", "3"]);
    assert!(results(&one) == results(&killed));
    // A search that is over at the beginning, with records of its jobs.
    let again = done(&one, BELOW, &[]);
    assert!(again.starts_with("nothing to do"), "{again}");
}

/// Two models of one meaning are one column of jobs under two names, of which the one with fewer
/// methods decides more easily: a job runs once, and as long as one of its names asks for it.
#[test]
fn a_job_of_two_names_runs_once_and_as_long_as_one_of_them_is_open() {
    let grid =
        GRID.replace("dimension: 9", "dimension: 8") + "exclude: [{model: two, method: focal}]\n";
    let decided = |workspace: &Workspace| -> Vec<bool> {
        let looks = kept(workspace);
        let all = looks["comparisons"].as_array().unwrap().iter();
        all.filter(|it| it["method"] == "scr").map(|it| !it["decided_at"].is_null()).collect()
    };
    // Some distance is enough for one test and too little for one of two.
    let between = (1..30).map(|n| format!("method=scr:shift=-0.{n:02}")).find(|mock| {
        let workspace = workspace(&grid);
        done(&workspace, mock, &["--quiet"]);
        decided(&workspace) == [false, true]
    });
    let mock = between.expect("a distance that the two names judge differently");
    let [one, many] = [workspace(&grid), workspace(&grid)];
    for (workspace, jobs) in [(&one, "1"), (&many, "8")] {
        let output = run(workspace, &mock, &["--json", "--jobs", jobs]);
        let lines = text(&output.stdout);
        let events = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let started = events.filter(|event| event["event"] == "job-started");
        let started: Vec<String> = started.map(|event| event["job"].to_string()).collect();
        let different: BTreeSet<&String> = started.iter().collect();
        assert_eq!((different.len(), started.len()), (24, 24));
        let totals = &plan(workspace, &[])["totals"];
        assert_eq!((&totals["done"], &totals["decided"]), (&40.into(), &0.into()));
    }
    assert!(results(&one) == results(&many));
}
