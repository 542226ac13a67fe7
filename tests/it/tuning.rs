//! Searches from outside: batch after batch in one run, the same choice whatever happens, and
//! nothing of the test set in it.

use crate::frames::unmeasured;
use crate::program::{Workspace, text};
use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use store::Results;

const GRID: &str = "\
version: 1
name: tuned
corpora: [{name: mine, format: columns, train: train.txt, dev: dev.txt, test: test.txt}]
models: [{name: shallow, encoder: shallow, head: softmax, dimension: 8}]
methods: [original, focal]
seeds: 2
baseline: original
training: {epochs: 2}
tune: {method: focal, parameters: {gamma: [0, 5]}, trials: 12, batch: 2}
limits: {retries: 0}
";

const RUN: [&str; 6] = ["run", "grid.yaml", "--engine", "mock", "--jobs", "2"];
const TEST: &str = "Rome\tB-LOC\nis\tO\n\n";

fn workspace(grid: &str) -> Workspace {
    let workspace = Workspace::new();
    let sentences = "Ada\tB-PER\nmet\tO\nBob\tB-PER\n\nRome\tB-LOC\nis\tO\nold\tO\n\n".repeat(4);
    workspace.write("train.txt", &sentences);
    workspace.write("dev.txt", &sentences);
    workspace.write("test.txt", TEST);
    workspace.write("grid.yaml", grid);
    workspace
}

fn plan(workspace: &Workspace, more: &[&str]) -> Value {
    workspace.json(&[&["plan", "grid.yaml", "--engine", "mock"], more].concat())
}

fn tuning(workspace: &Workspace) -> Value {
    serde_json::from_slice(&workspace.read("results/tuned/tuning.json")).unwrap()
}

/// Everything of the results that must be identical.
fn results(workspace: &Workspace) -> (Vec<u8>, Vec<u8>, Results) {
    let (metrics, mut results) = unmeasured(&workspace.path("results"), "tuned");
    // Trials of a search that all failed are no longer proposed once one has a score.
    results.runs.retain(|run| run.current);
    (workspace.read("results/tuned/tuning.json"), metrics, results)
}

fn records(workspace: &Workspace) -> usize {
    let jobs = std::fs::read_dir(workspace.path("results/tuned/jobs")).into_iter().flatten();
    jobs.flatten().filter(|job| job.path().join("record.json").exists()).count()
}

#[test]
fn a_search_runs_and_its_choice_is_in_the_jobs() {
    let workspace = workspace(GRID);
    let before = plan(&workspace, &[]);
    assert_eq!((&before["totals"]["jobs"], &before["totals"]["todo"]), (&16.into(), &16.into()));
    let jobs = before["jobs"].as_array().unwrap();
    let trials: Vec<&Value> = jobs.iter().filter(|job| job["stage"] == "trial").collect();
    assert_eq!(
        (trials.len(), &trials[0]["trial"], &trials[11]["trial"]),
        (12, &1.into(), &12.into())
    );
    assert!(trials[1]["key"].is_string() && trials[2]["key"].is_null(), "{before}");
    let waiting = jobs.iter().find(|job| job["stage"] == "main" && job["method"] == "focal");
    let waiting = waiting.unwrap();
    assert_eq!(waiting["reason"], "waits for its search: 0 of 12 trials have ended");
    assert!(waiting["key"].is_null());
    let shown = text(&workspace.expect(0, &["plan", "grid.yaml", "--engine", "mock"]).stdout);
    assert!(shown.contains("0/2, trials 0/12"), "{shown}");

    let run = workspace.expect(0, &RUN);
    assert!(text(&run.stdout).starts_with("16 jobs: 16 done, 0 failed"), "{}", text(&run.stdout));
    assert!(text(&run.stderr).contains("tuned: 16 jobs to run"), "{}", text(&run.stderr));
    let search = &tuning(&workspace)["searches"][0];
    let chosen = search["chosen"].as_u64().unwrap() as usize;
    let history = search["history"].as_array().unwrap();
    let score = |trial: &Value| trial["score"].as_f64().unwrap();
    assert_eq!(history.len(), 12);
    assert!(history.iter().all(|trial| score(trial) <= score(&history[chosen - 1])));
    let gamma = history[chosen - 1]["values"][0].as_f64().unwrap();
    assert!((0.3..2.7).contains(&gamma), "the mock likes 1.5 best, found {gamma}");

    let after = plan(&workspace, &[]);
    assert_eq!(after["totals"]["done"], 16);
    let by_hand = GRID
        .replace("focal]", &format!("{{name: focal, loss: focal, gamma: {gamma}}}]"))
        .lines()
        .filter(|line| !line.starts_with("tune"))
        .map(|line| format!("{line}\n"))
        .collect::<String>();
    workspace.write("by-hand.yaml", &by_hand);
    let by_hand = workspace.json(&["plan", "by-hand.yaml", "--engine", "mock"]);
    assert_eq!(by_hand["totals"]["done"], 4, "the same values by hand are the same jobs");
    let again = workspace.expect(0, &RUN);
    assert!(text(&again.stdout).starts_with("nothing to do"), "{}", text(&again.stdout));
}

#[test]
fn frames_status_explain_and_report_show_the_search() {
    let workspace = workspace(GRID);
    workspace.expect(0, &RUN);
    let (_, _, results) = results(&workspace);
    let trials: Vec<_> = results.runs.iter().filter(|run| run.trial.is_some()).collect();
    assert_eq!((trials.len(), results.runs.len()), (12, 16));
    let trial_keys: Vec<_> = trials.iter().map(|run| &run.job).collect();
    let of_trials = results.metrics.iter().filter(|row| trial_keys.contains(&&row.job));
    assert!(
        of_trials.clone().count() > 0 && of_trials.clone().all(|row| row.split.name() == "dev")
    );
    for key in trial_keys {
        let folder = workspace.path(&format!("results/tuned/jobs/{key}"));
        assert!(!folder.join("predictions.tsv").exists());
        let record = std::fs::read_to_string(folder.join("record.json")).unwrap();
        assert!(
            record.contains("\"stage\": \"trial\"") && !record.contains("\"test\""),
            "{record}"
        );
    }
    let status = text(&workspace.expect(0, &["status", "grid.yaml", "--engine", "mock"]).stdout);
    assert!(status.contains("mine/full/shallow/focal: gamma = "), "{status}");
    let job = "mine/full/shallow/focal/2";
    let explain = ["explain", job, "--grid", "grid.yaml", "--engine", "mock"];
    let explain = text(&workspace.expect(0, &explain).stdout);
    assert!(explain.contains("by search\n  method.loss.gamma = "), "{explain}");
    workspace.expect(0, &["report", "grid.yaml", "--engine", "mock"]);
    let table = text(&workspace.read("reports/tuned/tables/searches.md"));
    assert!(table.contains("gamma = "), "{table}");
    workspace.read("reports/tuned/figures/tuning-mine-full-shallow-focal.svg");
    let page = text(&workspace.read("reports/tuned/index.html"));
    assert!(page.contains("Search for gamma of focal"));
    let scores = text(&workspace.read("reports/tuned/tables/macro-f1-mine-full.csv"));
    assert!(scores.contains("focal,macro_f1,scored,2,2,"), "two seeds and no trial:\n{scores}");
}

#[test]
fn a_search_killed_half_way_ends_with_the_same_choice() {
    let grid = GRID.replace("focal", "mom").replace("gamma: [0, 5]", "lambda: [0, 1]");
    let reference = workspace(&grid);
    reference.expect(0, &RUN);
    for least in [1, 5, 9] {
        let broken = workspace(&grid);
        let mut command: Command = broken.tailgrid(&RUN);
        command.env("TAILGRID_MOCK", "*:slow=15").stdout(Stdio::null()).stderr(Stdio::null());
        let mut run = command.spawn().unwrap();
        let start = Instant::now();
        while records(&broken) < least {
            assert!(start.elapsed() < Duration::from_secs(120), "waited in vain");
            std::thread::sleep(Duration::from_millis(3));
        }
        run.kill().unwrap();
        run.wait().unwrap();
        let done = records(&broken);
        assert!(done < 16, "killed too late to test anything");
        let rest = broken.expect(0, &RUN);
        assert!(text(&rest.stdout).starts_with("16 jobs: 16 done"), "{}", text(&rest.stdout));
        assert!(results(&broken) == results(&reference), "killed after {done} jobs");
    }
}

#[test]
fn the_number_of_slots_and_the_order_of_ending_change_nothing() {
    let [one, many] = [workspace(GRID), workspace(GRID)];
    one.expect(0, &["run", "grid.yaml", "--engine", "mock", "--jobs", "1"]);
    many.expect(0, &["run", "grid.yaml", "--engine", "mock", "--jobs", "6"]);
    assert!(results(&one) == results(&many));
}

/// Another test set, with types that the first has not: the trials are done, and the choice stands.
#[test]
fn another_test_set_changes_no_trial_and_no_choice() {
    let workspace = workspace(GRID);
    workspace.expect(0, &RUN);
    let before = tuning(&workspace);
    workspace.write("test.txt", "Tokyo\tB-CITY\nand\tO\nKyoto\tB-CITY\n\nx\tB-OTHER\n\n");
    let state = plan(&workspace, &[]);
    assert_eq!((&state["totals"]["done"], &state["totals"]["todo"]), (&12.into(), &4.into()));
    // The four main jobs, and no trial.
    let run = workspace.expect(0, &RUN);
    assert!(text(&run.stderr).contains("4 jobs to run"), "{}", text(&run.stderr));
    assert_eq!(tuning(&workspace), before);
}

#[test]
fn the_engine_scores_trials_on_dev_alone() {
    let grid =
        GRID.replace("trials: 12, batch: 2", "trials: 3, batch: 2").replace("seeds: 2", "seeds: 1");
    let run = ["run", "grid.yaml", "--backend", "flex", "--jobs", "2", "--quiet"];
    let [one, other] = [workspace(&grid), workspace(&grid)];
    other.write("test.txt", "Tokyo\tB-CITY\n\n");
    for workspace in [&one, &other] {
        workspace.expect(0, &run);
    }
    assert_eq!(tuning(&one), tuning(&other));
    let keys = tuning(&one)["searches"][0]["history"].clone();
    for trial in keys.as_array().unwrap() {
        let path = format!("results/tuned/jobs/{}/record.json", trial["job"].as_str().unwrap());
        let [first, second]: [Value; 2] =
            [&one, &other].map(|place| serde_json::from_slice(&place.read(&path)).unwrap());
        assert_eq!(first["outcome"]["dev"], second["outcome"]["dev"]);
        assert_eq!(first["outcome"]["epochs"][1]["loss"], second["outcome"]["epochs"][1]["loss"]);
        assert!(
            first["outcome"]["test"].is_null()
                && first["settings"]["corpus"]["digests"]["test"].is_null()
        );
    }
}

#[test]
fn when_every_trial_fails_the_jobs_keep_waiting_and_retrying_mends_it() {
    let workspace = workspace(GRID);
    let mut command = workspace.tailgrid(&RUN);
    let output = command.env("TAILGRID_MOCK", "method=focal:exit").output().unwrap();
    assert_eq!(output.status.code(), Some(5), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("every trial of its search failed"));
    let state = plan(&workspace, &["--only", "method=focal"]);
    assert_eq!((&state["totals"]["failed"], &state["totals"]["todo"]), (&12.into(), &2.into()));
    let waiting = state["jobs"].as_array().unwrap().iter().find(|job| job["stage"] == "main");
    assert_eq!(waiting.unwrap()["reason"], "every trial of its search failed");
    workspace.expect(0, &[&RUN[..], &["--retry-failed"]].concat());
    let reference = self::workspace(GRID);
    reference.expect(0, &RUN);
    assert!(results(&workspace) == results(&reference));
}

#[test]
fn several_searches_advance_together_and_can_be_chosen_from() {
    let grid = GRID
        .replace(
            "models: [{name: shallow, encoder: shallow, head: softmax, dimension: 8}]",
            "models:\n  - {name: one, encoder: shallow, head: softmax, dimension: 8}\n  \
             - {name: two, encoder: shallow, head: softmax, dimension: 9}",
        )
        .replace(
            "tune: {method: focal, parameters: {gamma: [0, 5]}, trials: 12, batch: 2}",
            "tune:\n  - {method: focal, parameters: {gamma: [0, 5]}, trials: 4, batch: 2}\n  \
             - {method: original, parameters: {training.learning_rate: {range: [1e-5, 0.1], scale: log}}, trials: 5}",
        );
    let workspace = workspace(&grid);
    let only = [&RUN[..], &["--only", "model=one method=focal seed=2"]].concat();
    let run = workspace.expect(0, &only);
    assert!(text(&run.stdout).starts_with("5 jobs: 5 done"), "{}", text(&run.stdout));
    let run = workspace.expect(0, &RUN);
    assert!(text(&run.stdout).starts_with("26 jobs: 26 done"), "{}", text(&run.stdout));
    assert_eq!(tuning(&workspace)["searches"].as_array().unwrap().len(), 4);
    let sharded = self::workspace(&grid);
    let mut done = 0;
    for part in ["1/2", "2/2"] {
        let output = sharded.tailgrid(&[&RUN[..], &["--shard", part]].concat()).output().unwrap();
        let code = output.status.code();
        assert!(code == Some(0) || code == Some(4), "{}", text(&output.stderr));
        let counted = text(&output.stdout);
        done += counted.split(' ').next().and_then(|n| n.parse::<usize>().ok()).unwrap_or(0);
    }
    assert_eq!(done, 26);
    assert!(results(&sharded) == results(&workspace));
}
