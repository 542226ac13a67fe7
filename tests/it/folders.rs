//! What else can be done with a folder of results: frames as CSV, and what it can do without.

use crate::program::mock_grid::{GRID, MOCK, finished};
use crate::program::{Workspace, text};
use serde_json::json;
use std::fs;

#[test]
fn frames_are_exported_with_their_columns_beside_them_or_elsewhere() {
    let place = finished();
    let printed = place.expect(0, &[&["export", "--csv"], &MOCK[..]].concat());
    let paths = "results/grid/runs.csv\nresults/grid/metrics.csv\nresults/grid/epochs.csv\n";
    assert_eq!(text(&printed.stdout), paths);
    let runs = text(&place.read("results/grid/runs.csv"));
    assert_eq!(runs.lines().count(), 1 + 4);
    assert!(runs.starts_with("job,grid,stage,trial,corpus,scenario,model,method,seed,status,"));
    let out = ["export", "--csv", "--out", "elsewhere/csv", "--only", "method=scr seed=1"];
    place.expect(0, &[&out[..], &MOCK].concat());
    assert_eq!(text(&place.read("elsewhere/csv/runs.csv")).lines().count(), 1 + 1);
    place.expect(2, &[&["export"], &MOCK[..]].concat());
    place.expect(4, &[&["export", "--csv", "--only", "seed=7"], &MOCK[..]].concat());
}

#[test]
fn a_journal_restores_all_finished_records() {
    let place = finished();
    let frame = place.read("results/grid/metrics.parquet");
    place.expect(0, &[&["export", "--journal", "kept.journal"], &MOCK[..]].concat());
    fs::remove_dir_all(place.path("results")).unwrap();
    let printed = place.expect(0, &["merge", "kept.journal"]);
    assert_eq!(text(&printed.stdout), "4 jobs merged, 0 were there already; results/grid\n");
    assert_eq!(place.json(&[&["plan"], &MOCK[..]].concat())["totals"]["done"], 4);
    assert_eq!(place.read("results/grid/metrics.parquet"), frame);
    let again = place.expect(0, &["merge", "kept.journal"]);
    assert_eq!(text(&again.stdout), "0 jobs merged, 4 were there already; results/grid\n");
    place.write("kept.journal", "not a journal");
    let refused = place.expect(7, &["merge", "kept.journal"]);
    assert!(text(&refused.stderr).contains("kept.journal is damaged: line 1: "));
}

#[test]
fn orphans_are_removed_only_if_told_so_and_kept_models_only_by_their_own_option() {
    let place = finished();
    let jobs = || {
        let names = fs::read_dir(place.path("results/grid/jobs")).unwrap();
        let mut names: Vec<_> =
            names.map(|job| job.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let gc = |more: &[&str]| place.json(&[&["gc"], &MOCK[..], more].concat());
    let all = jobs();
    assert_eq!((&gc(&[])["orphans"], &gc(&[])["models"]), (&json!([]), &json!([])));
    let plan = place.json(&[&["plan"], &MOCK[..]].concat());
    let original = plan["jobs"][0]["key"].as_str().unwrap();
    let model = format!("results/grid/jobs/{original}/model.safetensors");
    place.write(&model, "weights");
    place.write("grid.yaml", &GRID.replace("methods: [original, scr]", "methods: [original]"));

    let listed = gc(&[]);
    assert_eq!(
        (listed["orphans"].as_array().unwrap().len(), &listed["removed"]),
        (2, &json!(false))
    );
    assert_eq!(listed["orphans"][0]["point"]["method"], "scr");
    assert_eq!(listed["models"], json!([]), "the models of the grid's jobs stay");
    let models = gc(&["--models"]);
    assert_eq!(
        (&models["models"][0]["job"], &models["models"][0]["bytes"]),
        (&json!(original), &json!(7))
    );
    assert_eq!(jobs(), all, "looking removes nothing");
    assert!(place.path(&model).exists());
    let told = place.expect(0, &[&["gc"], &MOCK[..]].concat());
    assert!(text(&told.stdout).contains("nothing was removed: `--yes`"), "{told:?}");
    assert!(text(&told.stdout).contains("/scr/1\n"), "{told:?}");

    assert_eq!(gc(&["--models", "--yes", "--not", "seed=1"])["models"], json!([]));
    assert!(place.path(&model).exists());
    assert_eq!(gc(&["--orphans", "--yes"])["removed"], true);
    assert_eq!(jobs().len(), 2);
    assert!(place.path(&model).exists());
    gc(&["--yes"]);
    assert!(place.path(&model).exists());
    gc(&["--models", "--yes"]);
    assert!(!place.path(&model).exists());

    // What the grid has stays done; what was removed runs again when it is asked for.
    let status = |place: &Workspace| place.json(&[&["status"], &MOCK[..]].concat());
    assert_eq!((&status(&place)["done"], &status(&place)["to_do"]), (&json!(2), &json!(0)));
    place.write("grid.yaml", GRID);
    assert_eq!((&status(&place)["done"], &status(&place)["to_do"]), (&json!(2), &json!(2)));
}

#[test]
fn results_of_the_mock_engine_are_hinted_at_and_called_what_they_are() {
    let place = finished();
    let hint = "4 jobs have run: see `--engine mock`";
    let status = place.expect(0, &["status", "grid.yaml"]);
    assert!(text(&status.stdout).contains(hint), "{status:?}");
    let compare = place.expect(0, &["compare", "grid.yaml"]);
    assert!(text(&compare.stderr).contains(hint), "{compare:?}");
    let report = place.expect(0, &["report", "grid.yaml"]);
    assert!(text(&report.stderr).contains(hint), "{report:?}");
    let status = text(&place.expect(0, &[&["status"], &MOCK[..]].concat()).stdout);
    assert!(status.starts_with("grid: 4 jobs of the mock engine, which invents"), "{status}");
    assert!(!status.contains("--engine mock"), "{status}");
    assert_eq!(place.json(&[&["status"], &MOCK[..]].concat())["invented"], true);
}

#[test]
fn a_log_goes_by_the_names_of_its_job() {
    let place = finished();
    let plan = place.json(&[&["plan"], &MOCK[..]].concat());
    let job = &plan["jobs"][0];
    let names = ["corpus", "scenario", "model", "method"].map(|part| job[part].as_str().unwrap());
    let log = format!("results/grid/jobs/{}/log.txt", job["key"].as_str().unwrap());
    place.write(&log, "what it said\n");
    let printed = place.expect(0, &["logs", &format!("{}/1", names.join("/"))]);
    assert_eq!(text(&printed.stdout), "what it said\n");
    place.expect(4, &["logs", &format!("{}/99", names.join("/"))]);
}

#[test]
fn nothing_is_removed_while_a_run_holds_the_folder() {
    let place = finished();
    let lock = fs::File::open(place.path("results/grid/lock")).unwrap();
    lock.lock().unwrap();
    let refused = place.expect(8, &[&["gc", "--yes"], &MOCK[..]].concat());
    assert!(text(&refused.stderr).contains("in use by another run"), "{refused:?}");
    place.expect(0, &[&["gc"], &MOCK[..]].concat());
}
