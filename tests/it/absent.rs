//! Results are read where the corpora are absent, and from the results folder alone.

use crate::program::{Workspace, text};
use serde_json::Value;

const GRID: &str = "\
version: 1
name: grid
corpora:
  - {name: one, format: columns, train: one/train.txt, test: one/test.txt}
  - {name: two, format: columns, train: two/train.txt, test: two/test.txt}
scenarios: [full, {name: few, train_sentences: 20}]
models:
  - {name: small, encoder: shallow, head: softmax, embeddings: vectors.txt}
  - {name: plain, encoder: shallow, head: softmax}
methods: [original, scr, focal]
overrides: [{when: {corpus: two, model: plain}, set: {training.epochs: 3}}]
tune: {method: focal, parameters: {gamma: [0.0, 4.0]}, trials: 3, batch: 3}
seeds: 3
baseline: original
training: {epochs: 2}
";

const MOCK: [&str; 2] = ["--engine", "mock"];

/// A grid that has run, with the files of its corpora and its embeddings.
fn ran() -> Workspace {
    let place = Workspace::new();
    for (corpus, name) in [("one", "Paris"), ("two", "Rome")] {
        let sentences = |n: usize| format!("in O\n{name} B-LOC\n\n").repeat(n);
        place.write(&format!("{corpus}/train.txt"), &sentences(60));
        place.write(&format!("{corpus}/test.txt"), &sentences(10));
    }
    place.write("vectors.txt", "in 0.1 0.2\nParis 0.3 0.4\nRome 0.5 0.6\n");
    place.write("base.yaml", GRID);
    place.write("grid.yaml", "extends: base.yaml\nname: grid\n");
    place.expect(0, &["run", "grid.yaml", "--quiet", "--engine", "mock"]);
    place
}

/// Takes away what only a run needs.
fn without_files(place: &Workspace) {
    for folder in ["one", "two", ".cache"] {
        let _ = std::fs::remove_dir_all(place.path(folder));
    }
    std::fs::remove_file(place.path("vectors.txt")).unwrap();
}

/// What every reading command says of a grid.
fn read(place: &Workspace, grid: &[&str]) -> [Value; 3] {
    let mut status = place.json(&[&["status"], grid].concat());
    let of_status = status.as_object_mut().unwrap();
    of_status.remove("invented");
    let compare = place.json(&[&["compare"], grid].concat());
    [status, compare, place.json(&[&["power"], grid].concat())]
}

/// The tables of a report of a grid.
fn tables(place: &Workspace, grid: &[&str], reports: &str) -> Vec<(String, String)> {
    place.expect(0, &[&["report"], grid, &["--quiet", "--reports", reports]].concat());
    let folder = place.path(&format!("{reports}/grid/tables"));
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap());
    let mut tables: Vec<(String, String)> = files
        .map(|file| {
            let name = file.file_name().into_string().unwrap();
            (name, std::fs::read_to_string(file.path()).unwrap())
        })
        .collect();
    tables.sort();
    tables
}

#[test]
fn results_are_read_without_corpora_and_embeddings_as_with_them() {
    let place = ran();
    let grid = [&["grid.yaml"][..], &MOCK].concat();
    let (with, of_report) = (read(&place, &grid), tables(&place, &grid, "reports"));
    assert_eq!((&with[0]["failed"], &with[0]["to_do"]), (&0.into(), &0.into()));
    assert!(with[0]["done"].as_u64() > Some(36), "{}", with[0]);
    without_files(&place);
    assert_eq!(read(&place, &grid), with);
    assert_eq!(tables(&place, &grid, "again"), of_report);
    let said = text(&place.expect(0, &[&["status"], &grid[..]].concat()).stderr);
    assert!(said.contains("results are read without them"), "{said}");
    // A run needs the files, and says so.
    let said = place.expect(3, &[&["run"], &grid[..]].concat());
    assert!(text(&said.stderr).contains("one"), "{}", text(&said.stderr));
    place.write("elsewhere/grid.yaml", GRID);
    let other = ["status", "elsewhere/grid.yaml", "--results", "none"];
    assert!(text(&place.expect(3, &other).stderr).contains("train"), "no results, no leniency");
}

#[test]
fn results_are_read_from_their_folder_alone() {
    let place = ran();
    let grid = [&["grid.yaml"][..], &MOCK].concat();
    let (with, of_report) = (read(&place, &grid), tables(&place, &grid, "reports"));
    without_files(&place);
    for file in ["grid.yaml", "base.yaml"] {
        std::fs::remove_file(place.path(file)).unwrap();
    }
    assert_eq!(read(&place, &["results/grid"]), with);
    assert_eq!(tables(&place, &["results/grid"], "again"), of_report);
    let csv = place.json(&["export", "results/grid/", "--csv", "--out", "csv"]);
    assert_eq!(csv["jobs"], with[0]["done"]);
    assert_eq!(csv["not_current"], 0);
    // The records are enough.
    for file in ["runs.parquet", "metrics.parquet", "epochs.parquet", "frames.json", "index"] {
        std::fs::remove_file(place.path(&format!("results/grid/{file}"))).unwrap();
    }
    assert_eq!(read(&place, &["results/grid"]), with);
    let only = place.json(&["status", "results/grid", "--only", "corpus=two method=scr"]);
    assert_eq!((&only["done"], &only["to_do"]), (&12.into(), &0.into()));
    let said = text(&place.expect(3, &["status", "results"]).stderr);
    assert!(said.contains("without a grid.yaml"), "{said}");
}

#[test]
fn options_of_the_run_that_a_folder_is_of_need_not_be_given_again() {
    let place = ran();
    std::fs::remove_dir_all(place.path("results")).unwrap();
    let set = ["--set", "training.epochs=4", "--threads", "2"];
    place.expect(0, &[&["run", "grid.yaml", "--quiet"][..], &MOCK, &set].concat());
    without_files(&place);
    let status = place.json(&["status", "results/grid"]);
    assert_eq!((&status["to_do"], &status["invented"]), (&0.into(), &true.into()));
    // Of other settings only those jobs have run whose epochs the grid overrides.
    let status = place.json(&["status", "results/grid", "--set", "training.epochs=5"]);
    assert_eq!((&status["done"], &status["failed"]), (&24.into(), &0.into()));
}
