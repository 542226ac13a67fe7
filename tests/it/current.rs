//! Frames hold every record of a folder and say which of them are of the grid that `grid.yaml`
//! names.

use crate::program::mock_grid::GRID;
use crate::program::{Workspace, text};
use store::{Folder, Results, read_frames};

const RUN: [&str; 3] = ["run", "grid.yaml", "--quiet"];
const MOCK: [&str; 2] = ["--engine", "mock"];
const OTHER: [&str; 4] = ["--set", "training.epochs=3", "--only", "method=scr seed=1"];

fn workspace() -> Workspace {
    let place = Workspace::new();
    place.write("grid.yaml", GRID);
    place
}

fn run(place: &Workspace, more: &[&str]) {
    place.expect(0, &[&RUN[..], &MOCK, more].concat());
}

fn frames(place: &Workspace) -> Results {
    read_frames(&Folder::new(&place.path("results"), "grid").unwrap()).unwrap()
}

/// How many rows are current, and how many are not.
fn rows(place: &Workspace) -> [usize; 2] {
    let runs = frames(place).runs;
    [true, false].map(|current| runs.iter().filter(|run| run.current == current).count())
}

#[test]
fn a_run_of_a_part_with_other_settings_keeps_every_row_and_the_grid() {
    let place = workspace();
    run(&place, &[]);
    let grid = place.read("results/grid/grid.yaml");
    run(&place, &OTHER);
    assert_eq!(rows(&place), [4, 1]);
    let other = frames(&place).runs.into_iter().find(|run| !run.current).unwrap();
    assert_eq!((other.point.method.as_str(), other.point.seed), ("scr", 1));
    assert!(frames(&place).metrics.iter().any(|row| row.job == other.job));
    assert_eq!(text(&place.read("results/grid/grid.yaml")), text(&grid));
    // However the folder came to hold them, the same records give the same frames.
    let [runs, metrics] = ["runs", "metrics"].map(|name| format!("results/grid/{name}.parquet"));
    let before = [place.read(&runs), place.read(&metrics)];
    run(&place, &["--shard", "1/2"]);
    run(&place, &["--only", "seed=2"]);
    run(&place, &OTHER);
    run(&place, &[]);
    assert!([place.read(&runs), place.read(&metrics)] == before, "the frames differ");
    let reversed = workspace();
    run(&reversed, &OTHER);
    assert_eq!(rows(&reversed), [1, 0], "the first run's settings are the grid's");
    run(&reversed, &[]);
    assert_eq!(rows(&reversed), [4, 1]);
    assert!(reversed.read(&metrics) == before[1], "the metrics differ");
    assert_eq!(text(&reversed.read("results/grid/grid.yaml")), text(&grid));
    // Only the jobs of the settings that are asked for are counted.
    let status = |more: &[&str]| place.json(&[&["status", "grid.yaml"], &MOCK[..], more].concat());
    assert_eq!((&status(&[])["done"], &status(&[])["to_do"]), (&4.into(), &0.into()));
    assert_eq!(status(&OTHER)["done"], 1);
}

#[test]
fn options_of_the_first_run_are_part_of_the_grid_until_a_run_without_them() {
    let place = workspace();
    let set = ["--set", "training.epochs=3"];
    run(&place, &set);
    let kept = text(&place.read("results/grid/grid.yaml"));
    assert!(kept.starts_with("# run with --engine mock\n# run with --set training.epochs=3\n"));
    assert_eq!(rows(&place), [4, 0]);
    // The same options follow the file; others do not.
    place.write("grid.yaml", &GRID.replace("seeds: 2", "seeds: 3"));
    run(&place, &["--set", "training.epochs=4"]);
    assert_eq!((rows(&place), text(&place.read("results/grid/grid.yaml"))), ([4, 6], kept));
    run(&place, &set);
    assert_eq!(rows(&place), [6, 6]);
    run(&place, &[]);
    assert_eq!(rows(&place), [6, 12]);
    let kept = text(&place.read("results/grid/grid.yaml"));
    assert!(!kept.contains("--set"), "{kept}");
}

#[test]
fn a_method_that_was_taken_out_stays_in_the_frames_until_gc_removes_it() {
    let place = workspace();
    run(&place, &[]);
    place.write("grid.yaml", &GRID.replace("[original, scr]", "[original]"));
    run(&place, &[]);
    assert_eq!(rows(&place), [2, 2]);
    let csv = ["export", "grid.yaml", "--csv", "--out", "csv", "--engine", "mock"];
    place.expect(0, &csv);
    let runs = text(&place.read("csv/runs.csv"));
    let column = runs.lines().next().unwrap().split(',').position(|name| name == "current");
    let current = |line: &str| line.split(',').nth(column.unwrap()).unwrap().to_owned();
    let values: Vec<String> = runs.lines().skip(1).map(current).collect();
    assert_eq!(values.iter().filter(|value| *value == "true").count(), 2, "{runs}");
    assert_eq!(values.iter().filter(|value| *value == "false").count(), 2, "{runs}");
    place.expect(0, &[&csv[..], &["--only", "method=original"]].concat());
    assert_eq!(text(&place.read("csv/runs.csv")).lines().count(), 1 + 2);
    place.expect(0, &["gc", "grid.yaml", "--engine", "mock", "--orphans", "--yes"]);
    assert_eq!(rows(&place), [2, 0]);
}

#[test]
fn merging_keeps_what_is_current_of_each_folder() {
    let place = workspace();
    run(&place, &["--only", "seed=1", "--results", "one"]);
    run(&place, &["--set", "training.epochs=3", "--results", "one"]);
    run(&place, &["--only", "seed=2", "--results", "two"]);
    place.expect(0, &["merge", "one/grid", "two/grid"]);
    assert_eq!(rows(&place), [4, 4]);
    let merged = place.read("results/grid/runs.parquet");
    run(&place, &[]);
    assert!(place.read("results/grid/runs.parquet") == merged, "a run finds the same jobs current");
}

#[test]
fn a_grid_that_can_no_longer_be_loaded_is_reported() {
    let place = workspace();
    let corpus = "[{name: mine, format: columns, train: old.txt, test: old.txt}]";
    let sentences = "Ada B-PER\nsat O\n\nBob B-PER\n\n".repeat(9);
    place.write("old.txt", &sentences);
    place.write("new.txt", &sentences.replace("sat", "ran"));
    place.write("grid.yaml", &GRID.replace("[synthetic]", corpus));
    place.expect(0, &["run", "grid.yaml", "--engine", "mock"]);
    std::fs::remove_file(place.path("old.txt")).unwrap();
    place.write("grid.yaml", &GRID.replace("[synthetic]", &corpus.replace("old", "new")));
    let other = ["run", "grid.yaml", "--engine", "mock", "--set", "training.epochs=3"];
    let told = text(&place.expect(0, &other).stderr);
    assert!(told.contains("results/grid/grid.yaml cannot be loaded"), "{told}");
    assert_eq!(rows(&place), [0, 8]);
}
