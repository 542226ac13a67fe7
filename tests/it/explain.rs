//! `explain` says why a job runs again: which part of its key changed, and nothing else.

use crate::program::Workspace;
use serde_json::{Value, json};

const GRID: &str = "\
version: 1
name: grid
corpora: [{name: mine, format: columns, train: train.txt, dev: dev.txt, test: test.txt}]
models: [{name: small, encoder: shallow, head: softmax}]
methods: [original, {name: focal, loss: focal, gamma: 2}]
seeds: 2
baseline: original
";

const JOB: &str = "mine/full/small/focal/1";

fn sentences(n: usize) -> String {
    "Ada\tB-PER\nsleeps\tO\n\n".repeat(n)
}

/// A grid on a corpus of files, run by the mock engine.
fn finished() -> Workspace {
    let place = Workspace::new();
    place.write("grid.yaml", GRID);
    for (split, n) in [("train", 20), ("dev", 10), ("test", 10)] {
        place.write(&format!("{split}.txt"), &sentences(n));
    }
    place.expect(0, &["run", "grid.yaml", "--engine", "mock", "--quiet"]);
    place
}

fn explain(place: &Workspace, more: &[&str]) -> Value {
    let arguments = ["explain", JOB, "--grid", "grid.yaml"];
    place.json(&[&arguments, more].concat())
}

/// The paths of what changed, with the old and the new values.
fn changes(explanation: &Value) -> Vec<(String, Value, Value)> {
    assert_eq!(explanation["state"], "todo", "{explanation}");
    let changes = explanation["before"]["changes"].as_array().expect("changes");
    let change =
        |c: &Value| (c["path"].as_str().unwrap().to_owned(), c["old"].clone(), c["new"].clone());
    changes.iter().map(change).collect()
}

const MOCK: [&str; 2] = ["--engine", "mock"];

#[test]
fn a_job_that_is_done_does_not_run_again_and_says_so() {
    let place = finished();
    let explanation = explain(&place, &MOCK);
    assert_eq!(explanation["state"], "done");
    assert!(explanation["before"].is_null(), "{explanation}");
    assert!(explanation["reason"].as_str().unwrap().contains("it will not run again"));
}

#[test]
fn changed_bytes_of_a_corpus_are_named_by_their_file() {
    let place = finished();
    place.write("dev.txt", &sentences(11));
    let changed = changes(&explain(&place, &MOCK));
    let [(path, old, new)] = &changed[..] else { panic!("{changed:?}") };
    assert_eq!(path, "corpus.digests.dev");
    assert!(old != new && old.as_str().unwrap().len() == 64, "{changed:?}");
    // A job of another method is of the same corpus.
    let plan = place.json(&["plan", "grid.yaml", "--engine", "mock"]);
    assert_eq!((&plan["totals"]["done"], &plan["totals"]["todo"]), (&json!(0), &json!(4)));
}

#[test]
fn a_changed_parameter_is_named_with_both_values_and_leaves_other_methods_alone() {
    let place = finished();
    place.write("grid.yaml", &GRID.replace("gamma: 2", "gamma: 3"));
    let expected = ("method.loss.gamma".to_owned(), json!(2.0), json!(3.0));
    assert_eq!(changes(&explain(&place, &MOCK)), [expected]);
    let plan = place.json(&["plan", "grid.yaml", "--engine", "mock"]);
    assert_eq!((&plan["totals"]["done"], &plan["totals"]["todo"]), (&json!(2), &json!(2)));
}

#[test]
fn another_engine_threads_and_backend_are_named() {
    let place = finished();
    let changed = changes(&explain(&place, &[]));
    let [(path, old, _)] = &changed[..] else { panic!("{changed:?}") };
    assert_eq!(path, "engine");
    assert!(old.as_str().unwrap().starts_with("mock"), "{changed:?}");
    let threads = changes(&explain(&place, &["--engine", "mock", "--threads", "2"]));
    assert_eq!(threads, [("training.threads".to_owned(), json!(1), json!(2))]);
    let backend = place.json(&["plan", "grid.yaml", "--engine", "mock", "--backend", "flex"]);
    if backend["totals"]["todo"] == 4 {
        let backend = changes(&explain(&place, &["--engine", "mock", "--backend", "flex"]));
        assert_eq!(backend, [("training.backend".to_owned(), json!("libtorch"), json!("flex"))]);
    }
}

#[test]
fn names_comments_order_and_what_is_no_part_of_a_key_change_nothing() {
    let place = finished();
    let turned = GRID
        .replace(
            "methods: [original, {name: focal, loss: focal, gamma: 2}]",
            "methods: [{gamma: 2.0, loss: focal, name: focal}, original] # turned",
        )
        .replace("seeds: 2", "seeds: [2, 1, 3]\nmetric: micro_f1\nlimits: {time: 1h}");
    place.write("grid.yaml", &turned);
    assert_eq!(explain(&place, &MOCK)["state"], "done");
    let plan = place.json(&["plan", "grid.yaml", "--engine", "mock"]);
    assert_eq!((&plan["totals"]["done"], &plan["totals"]["todo"]), (&json!(4), &json!(2)));
}

#[test]
fn status_counts_what_the_expressions_select() {
    let place = finished();
    place.write("grid.yaml", &GRID.replace("gamma: 2", "gamma: 3"));
    let status = |more: &[&str]| {
        let arguments = [&["status", "grid.yaml", "--engine", "mock"], more].concat();
        let status = place.json(&arguments);
        ["jobs", "done", "to_do"].map(|name| status[name].as_u64().unwrap())
    };
    assert_eq!(status(&[]), [4, 2, 2]);
    assert_eq!(status(&["--only", "status=done"]), [2, 2, 0]);
    assert_eq!(status(&["--only", "status=todo seed=1"]), [1, 0, 1]);
    assert_eq!(status(&["--not", "method=focal"]), [2, 2, 0]);
    assert_eq!(status(&["--only", "method=f*,original", "--not", "seed=2"]), [2, 1, 1]);
    place.expect(4, &["status", "grid.yaml", "--engine", "mock", "--only", "status=failed"]);
    // The same expressions choose what runs.
    place.expect(
        0,
        &["run", "grid.yaml", "--engine", "mock", "--quiet", "--only", "status=todo seed=2"],
    );
    assert_eq!(status(&[]), [4, 3, 1]);
}
