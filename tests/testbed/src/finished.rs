//! Large grids whose jobs have all ended.
//!
//! The records are made here, not by jobs: one job of the mock engine is run for each model, and
//! every other record is its copy under its own key and seed, summed as the store does it.

use crate::{Cost, Workspace, resealed};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// The methods of [`grid`].
const METHODS: usize = 10;
/// Its jobs for each seed.
pub const JOBS_PER_SEED: usize = 2 * METHODS;

/// Two models and ten methods on the synthetic corpus.
pub fn grid(seeds: usize) -> String {
    let gammas = (1..METHODS).map(|n| format!("{{name: focal-{n}, loss: focal, gamma: {n}}}"));
    let methods: Vec<String> = std::iter::once("original".to_owned()).chain(gammas).collect();
    format!(
        "version: 1\nname: large\ncorpora: [synthetic]\nmodels:\n\
         - {{name: shallow, encoder: shallow, head: softmax}}\n\
         - {{name: bilstm, encoder: bilstm, head: softmax}}\n\
         methods: [{}]\nseeds: {seeds}\nbaseline: original\n",
        methods.join(", ")
    )
}

/// Runs a command on the grid with the mock engine.
pub fn run(place: &Workspace, arguments: &[&str]) -> (String, Cost) {
    place.cost(&[arguments, &["grid.yaml", "--engine", "mock"]].concat())
}

/// Gives every job of the grid `grid.yaml`, which is called `large`, a record; how many there are.
pub fn finish_all(place: &Workspace) -> usize {
    run(place, &["run", "--quiet", "--only", "seed=1 method=original scenario=full"]);
    let jobs = place.path("results/large/jobs");
    let folders = fs::read_dir(&jobs).expect("jobs");
    let records = folders.map(|job| job.expect("a job").path().join("record.json"));
    let models: Vec<Value> = records.map(|record| read(&record)).collect();
    let (plan, _) = run(place, &["plan", "--json"]);
    let plan: Value = serde_json::from_str(&plan).expect("a plan");
    let planned = plan["jobs"].as_array().expect("jobs of the plan");
    for job in planned {
        let model = models.iter().find(|record| record["point"]["model"] == job["model"]);
        let record = copy_of(model.expect("a record of the model"), job);
        let folder = jobs.join(job["key"].as_str().expect("a key"));
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("record.json"), resealed(&record)).expect("a record written");
    }
    planned.len()
}

fn read(record: &Path) -> Value {
    serde_json::from_slice(&fs::read(record).expect("a record")).expect("JSON")
}

/// A record as that of another job.
fn copy_of(record: &Value, job: &Value) -> Value {
    let mut record = record.clone();
    record["job"] = job["key"].clone();
    for part in ["corpus", "scenario", "model", "method", "seed"] {
        record["point"][part] = job[part].clone();
    }
    record["settings"]["seed"] = job["seed"].clone();
    // Scores as they come: no two alike.
    let digits = &job["key"].as_str().expect("a key")[..8];
    let digits = u64::from_str_radix(digits, 16).expect("a hexadecimal key");
    shift_scores(&mut record["outcome"], 0.2 * ((digits as f64 * 0.618_034).fract() - 0.5));
    record
}

/// Adds to every F1, precision and recall.
fn shift_scores(value: &mut Value, by: f64) {
    for (name, part) in value.as_object_mut().into_iter().flatten() {
        match (name.as_str(), part.as_f64()) {
            ("f1" | "precision" | "recall", Some(score)) => {
                *part = json!((score + by).clamp(0.0, 1.0))
            }
            _ => shift_scores(part, by),
        }
    }
}

/// Plans, counts and resumes a grid of so many seeds, and makes its frames; what each cost.
pub fn costs(seeds: usize) -> Vec<(&'static str, Cost)> {
    let place = Workspace::new();
    place.write("grid.yaml", &grid(seeds));
    let jobs = JOBS_PER_SEED * seeds;
    let mut costs = Vec::new();
    let mut note = |what, (_, cost): (String, Cost)| costs.push((what, cost));
    note("plan of a new grid", run(&place, &["plan"]));
    note("plan --json of a new grid", run(&place, &["plan", "--json"]));
    assert_eq!(finish_all(&place), jobs);
    let all = format!("{jobs} jobs: {jobs} done, 0 failed, 0 n/a");
    let (first, cost) = run(&place, &["run"]);
    assert!(first.starts_with(&format!("nothing to do: {all}")), "{first}");
    note("index and frames from records alone", (first, cost));
    let frames =
        || ["runs", "metrics", "epochs"].map(|f| place.read(&format!("results/large/{f}.parquet")));
    let before = frames();
    note("run with nothing to do", run(&place, &["run"]));
    let (status, cost) = run(&place, &["status"]);
    assert!(status.contains(&format!("  done    {jobs:>6}")), "{status}");
    note("status", (status, cost));
    note("plan of a finished grid", run(&place, &["plan"]));
    fs::remove_file(place.path("results/large/metrics.parquet")).expect("a frame removed");
    note("frames", run(&place, &["run"]));
    assert!(frames() == before, "the same records give the same frames");
    costs
}
