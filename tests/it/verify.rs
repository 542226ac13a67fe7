//! `tailgrid verify` with the mock engine, and once with a real training.

use crate::program::{Workspace, resealed, text, without_sum};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

const GRID: &str = "\
version: 1
name: kept
corpora: [synthetic]
models: [{name: shallow, encoder: shallow, head: softmax}]
methods: [original, sc, scr, focal]
seeds: 3
baseline: original
";

const VERIFY: [&str; 4] = ["verify", "grid.yaml", "--engine", "mock"];

fn finished() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("grid.yaml", GRID);
    workspace.expect(0, &["run", "grid.yaml", "--engine", "mock", "--quiet"]);
    workspace
}

fn jobs(workspace: &Workspace) -> Vec<PathBuf> {
    let jobs = fs::read_dir(workspace.path("results/kept/jobs")).unwrap();
    let mut jobs: Vec<_> = jobs.map(|job| job.unwrap().path()).collect();
    jobs.sort();
    jobs
}

/// Every file of the results, with what is in it.
fn contents(workspace: &Workspace) -> Vec<(PathBuf, Vec<u8>)> {
    let mut open = vec![workspace.path("results")];
    let mut files = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false => files.push((path.clone(), fs::read(path).unwrap())),
            }
        }
    }
    files.sort();
    files
}

fn edit(path: &PathBuf, from: &str, to: &str) {
    let old = fs::read_to_string(path).unwrap();
    let new = old.replacen(from, to, 1);
    assert_ne!(new, old, "{}", path.display());
    fs::write(path, without_sum(&new)).unwrap();
}

#[test]
fn what_was_run_comes_out_the_same_and_is_left_alone() {
    let workspace = finished();
    let before = contents(&workspace);
    let output = workspace.expect(0, &VERIFY);
    let told = text(&output.stdout);
    assert!(told.starts_with("kept: 5 of 12 finished jobs were run again\n"), "{told}");
    assert_eq!(told.matches("  same  synthetic/full/shallow/").count(), 5, "{told}");
    assert!(told.ends_with("every one is the same, bit for bit\n"), "{told}");
    let all = workspace.json(&[&VERIFY[..], &["--sample", "0"]].concat());
    assert_eq!((&all["same"], &all["differ"], &all["failed"]), (&12.into(), &0.into(), &0.into()));
    assert!(contents(&workspace) == before, "the results were touched");
}

#[test]
fn the_sample_is_the_same_until_another_is_asked_for() {
    let workspace = finished();
    let drawn = |more: &[&str]| -> Vec<Value> {
        let verified = workspace.json(&[&VERIFY[..], more].concat());
        verified["jobs"].as_array().unwrap().iter().map(|job| job["job"].clone()).collect()
    };
    assert_eq!(drawn(&[]), drawn(&[]));
    assert_ne!(drawn(&[]), drawn(&["--seed", "2"]));
    assert_eq!(drawn(&["--sample", "100"]).len(), 12);
    assert_eq!(drawn(&["--only", "method=sc"]).len(), 3);
    assert_eq!(drawn(&["--not", "seed=1,2", "--sample", "0"]).len(), 4);
}

#[test]
fn whatever_is_tampered_with_is_found_and_named() {
    for (file, from, to, what) in [
        ("predictions.tsv", "\tO\n", "\tB-work\n", "predictions, line "),
        ("record.json", "\"weights\": \"", "\"weights\": \"0", "weights: "),
        ("record.json", "\"loss\": 0.5", "\"loss\": 0.5000000000000001", "epochs.2.loss: "),
        (
            "record.json",
            "\"sentence_factor\": 1.0",
            "\"sentence_factor\": 1.5",
            "sentence_factor: ",
        ),
    ] {
        let workspace = finished();
        let job = jobs(&workspace)[3].clone();
        edit(&job.join(file), from, to);
        let all = [&VERIFY[..], &["--sample", "0"]].concat();
        if file == "predictions.tsv" {
            // A record that knows their sum shows by itself that they were changed; an older one
            // does not.
            let told = text(&workspace.expect(7, &all).stderr);
            assert!(told.contains("predictions.tsv is damaged: "), "{told}");
            forget_files(&job.join("record.json"));
        }
        let output = workspace.expect(9, &all);
        let told = text(&output.stdout);
        let record: Value =
            serde_json::from_slice(&fs::read(job.join("record.json")).unwrap()).unwrap();
        let point = &record["point"];
        let name = format!("shallow/{}/{}", point["method"].as_str().unwrap(), point["seed"]);
        let line = told.lines().find(|line| line.contains("differs ")).unwrap_or_default();
        assert!(line.contains(&name) && line.contains(what), "{file}: {told}");
        assert!(told.contains("11 the same, 1 differ, 0 could not"), "{told}");
        let verified = workspace.tailgrid(&[&all[..], &["--json"]].concat()).output().unwrap();
        let verified: Value = serde_json::from_slice(&verified.stdout).unwrap();
        assert_eq!(verified["differ"], 1);
    }
}

/// Makes a record one of a time when records had no sums of the files beside them.
fn forget_files(record: &Path) {
    let mut value: Value = serde_json::from_slice(&fs::read(record).unwrap()).unwrap();
    value.as_object_mut().unwrap().remove("files");
    value["version"] = 2.into();
    fs::write(record, resealed(&value)).unwrap();
}

#[test]
fn a_job_that_fails_now_is_not_called_different() {
    let workspace = finished();
    let all = [&VERIFY[..], &["--only", "method=scr"]].concat();
    let output = workspace.tailgrid(&all).env("TAILGRID_MOCK", "seed=2:abort").output().unwrap();
    let told = text(&output.stdout);
    assert_eq!(output.status.code(), Some(5), "{told}");
    assert!(
        told.contains("failed  synthetic/full/shallow/scr/2  the worker was ended by signal 6"),
        "{told}"
    );
    assert!(told.contains("2 the same, 0 differ, 1 could not be run again"), "{told}");
}

#[test]
fn nothing_finished_is_nothing_to_verify() {
    let workspace = Workspace::new();
    workspace.write("grid.yaml", GRID);
    let output = workspace.expect(4, &VERIFY);
    assert!(text(&output.stderr).contains("there is nothing to verify"), "{output:?}");
    workspace.expect(4, &[&VERIFY[..], &["--only", "method=nothing"]].concat());
}

#[test]
fn jobs_whose_corpus_changed_are_named_with_what_changed() {
    let workspace = Workspace::new();
    let grid = GRID.replace(
        "corpora: [synthetic]",
        "corpora: [{name: mine, format: columns, train: data.txt, test: data.txt}]",
    );
    workspace.write("grid.yaml", &grid);
    workspace.write("data.txt", "Ada B-PER\nsat O\n\nBob B-PER\n\n".repeat(9).as_str());
    workspace.expect(0, &["run", "grid.yaml", "--engine", "mock", "--quiet"]);
    workspace.expect(0, &VERIFY);
    workspace.write("data.txt", "Ada B-PER\nran O\n\nBob B-PER\n\n".repeat(9).as_str());
    let output = workspace.expect(4, &VERIFY);
    let told = text(&output.stderr);
    assert!(
        told.contains("mine/full/shallow/focal/1: corpus.digests.test, corpus.digests.train"),
        "{told}"
    );
    assert!(told.contains("and 7 more"), "{told}");
}

#[test]
fn real_trainings_come_out_the_same() {
    let workspace = Workspace::new();
    let grid = "\
version: 1
name: kept
corpora:
  - {name: tiny, format: synthetic, sentences: 150, dev_sentences: 60, test_sentences: 80}
models:
  - {name: bilstm, encoder: bilstm, head: crf, embeddings: random, dimension: 16, hidden: 12}
methods: [original, scr]
seeds: 1
training: {epochs: 2, batch: 16}
";
    workspace.write("grid.yaml", grid);
    let backend = if cfg!(feature = "libtorch") { "libtorch" } else { "flex" };
    workspace.expect(0, &["run", "grid.yaml", "--backend", backend, "--quiet"]);
    workspace.expect(0, &["verify", "grid.yaml", "--backend", backend, "--quiet"]);
    let job = jobs(&workspace)[0].clone();
    edit(&job.join("record.json"), "\"weights\": \"", "\"weights\": \"0");
    workspace.expect(9, &["verify", "grid.yaml", "--backend", backend, "--quiet"]);
}
