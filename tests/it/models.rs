//! Kept models: asked for after a job has finished, kept by `gc`, and what `predict` advises
//! without one.

use crate::program::mock_grid::{GRID, MOCK, finished};
use crate::program::{Workspace, text, without_sum};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// The files of this name in the folders of all jobs.
fn files(place: &Workspace, name: &str) -> Vec<PathBuf> {
    let jobs = fs::read_dir(place.path("results/grid/jobs")).unwrap().flatten();
    let mut files: Vec<_> = jobs.map(|job| job.path().join(name)).filter(|f| f.exists()).collect();
    files.sort();
    files
}

/// What the records have besides the sums of files.
fn results(place: &Workspace) -> Vec<Value> {
    let of = |file: &PathBuf| {
        let mut record: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        let record_map = record.as_object_mut().unwrap();
        record_map.retain(|name, _| !["files", "sum"].contains(&name.as_str()));
        record
    };
    files(place, "record.json").iter().map(of).collect()
}

fn run(place: &Workspace, code: i32, more: &[&str]) -> String {
    let output = place.expect(code, &[&["run"], &MOCK[..], more].concat());
    text(&output.stdout) + &text(&output.stderr)
}

#[test]
fn a_finished_job_is_trained_again_for_its_model_and_its_record_stays() {
    let place = finished();
    place.write("grid.yaml", &format!("{GRID}training: {{keep_model: true}}\n"));
    let hint = "4 finished jobs with `keep_model: true` but without a model";
    for command in ["plan", "status", "run"] {
        let output = place.expect(0, &[&[command], &MOCK[..]].concat());
        let told = text(&output.stdout) + &text(&output.stderr);
        assert!(told.contains(hint) && told.contains("run --keep-models"), "{command}: {told}");
    }
    assert_eq!(place.json(&[&["status"], &MOCK[..]].concat())["models_missing"], 4);
    let records = results(&place);
    let told = run(&place, 0, &["--keep-models", "--only", "method=scr"]);
    assert!(told.contains("2 models kept after training again"), "{told}");
    assert_eq!(files(&place, "model.safetensors").len(), 2);
    let told = run(&place, 0, &["--keep-models"]);
    assert!(told.contains("2 models kept after training again"), "{told}");
    assert_eq!(files(&place, "model.safetensors").len(), 4);
    assert_eq!(results(&place), records);
    place.expect(0, &["check", "results/grid"]);
    let told = run(&place, 0, &["--keep-models"]);
    assert!(told.contains("0 models kept") && !told.contains(hint), "{told}");
    let left = fs::read_dir(place.path("results/grid")).unwrap().flatten();
    assert!(!left.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with(".tmp")));
}

#[test]
fn the_option_needs_no_setting_of_the_grid_and_holds_for_jobs_to_do() {
    let place = Workspace::new();
    place.write("grid.yaml", GRID);
    run(&place, 0, &["--only", "seed=1"]);
    run(&place, 0, &["--keep-models"]);
    assert_eq!(files(&place, "model.safetensors").len(), 4);
}

#[test]
fn a_model_of_other_bits_than_the_record_is_not_kept() {
    let place = finished();
    let record = &files(&place, "record.json")[1];
    let edited =
        fs::read_to_string(record).unwrap().replacen("\"weights\": \"", "\"weights\": \"0", 1);
    fs::write(record, without_sum(&edited)).unwrap();
    let told = run(&place, 9, &["--keep-models"]);
    assert!(told.contains("is not kept: weights differs from the record"), "{told}");
    assert!(told.contains("3 models kept"), "{told}");
    assert!(!record.with_file_name("model.safetensors").exists());
    // A training that fails keeps nothing and changes nothing.
    fs::remove_file(&files(&place, "model.safetensors")[0]).unwrap();
    let mut again = place.tailgrid(&[&["run", "--keep-models"], &MOCK[..]].concat());
    let output = again.env("TAILGRID_MOCK", "*:abort").output().unwrap();
    assert!([5, 9].contains(&output.status.code().unwrap()), "{output:?}");
    assert_eq!(place.json(&[&["status"], &MOCK[..]].concat())["done"], 4);
}

#[test]
fn records_without_predictions_get_models_too() {
    let place = finished();
    files(&place, "predictions.tsv").iter().for_each(|file| fs::remove_file(file).unwrap());
    assert!(run(&place, 0, &["--keep-models"]).contains("4 models kept"));
}

#[test]
fn predict_without_a_model_advises_the_command_that_keeps_it() {
    let place = finished();
    let plan = place.json(&[&["plan"], &MOCK[..]].concat());
    let key = plan["jobs"][2]["key"].as_str().unwrap();
    let told = text(&place.expect(4, &["predict", key]).stderr);
    let advice = told.lines().last().unwrap().trim();
    assert!(advice.starts_with("tailgrid run grid.yaml --keep-models --only \"corpus="), "{told}");
    let only = advice.split('"').nth(1).unwrap();
    run(&place, 0, &["--keep-models", "--only", only]);
    let kept = files(&place, "model.safetensors");
    assert_eq!(kept.len(), 1);
    assert!(kept[0].parent().unwrap().ends_with(key), "{kept:?}");
    // `gc` leaves it where it is, and what it needs to be asked for.
    place.expect(0, &[&["gc", "--yes"], &MOCK[..]].concat());
    assert_eq!(files(&place, "model.safetensors").len(), 1);
}
