//! Small real trainings, on every backend that this build has.

use crate::program::{Workspace, text};
use serde_json::Value;

const GRID: &str = "\
version: 1
name: small
corpora:
  - {name: tiny, format: synthetic, sentences: 150, dev_sentences: 60, test_sentences: 80}
models:
  - {name: shallow, encoder: shallow, head: softmax, embeddings: random, dimension: 16}
  - {name: bilstm, encoder: bilstm, head: softmax, embeddings: random, dimension: 16, hidden: 12}
methods: [original, scr, focal]
seeds: 2
baseline: original
training: {epochs: 3, batch: 16, learning_rate: 0.01}
";

fn backends() -> &'static [&'static str] {
    if cfg!(feature = "libtorch") { &["libtorch", "flex"] } else { &["flex"] }
}

fn metrics(workspace: &Workspace) -> Vec<u8> {
    workspace.read("results/small/metrics.parquet")
}

#[test]
fn the_same_grid_gives_the_same_bits_whatever_runs_beside_it() {
    for backend in backends() {
        let [one, two] = [Workspace::new(), Workspace::new()];
        for (workspace, jobs) in [(&one, "1"), (&two, "2")] {
            workspace.write("grid.yaml", GRID);
            workspace
                .expect(0, &["run", "grid.yaml", "--backend", backend, "--jobs", jobs, "--quiet"]);
        }
        assert_eq!(metrics(&one), metrics(&two), "{backend}");
    }
}

#[test]
fn rescoring_stored_predictions_gives_the_recorded_metrics() {
    for backend in backends() {
        let workspace = Workspace::new();
        workspace.write("grid.yaml", GRID);
        workspace
            .expect(0, &["run", "grid.yaml", "--backend", backend, "--quiet", "--only", "seed=1"]);
        let plan =
            workspace.json(&["plan", "grid.yaml", "--set", &format!("training.backend={backend}")]);
        let done: Vec<&Value> =
            plan["jobs"].as_array().unwrap().iter().filter(|job| job["state"] == "done").collect();
        assert_eq!(done.len(), 6, "{plan}");
        for job in done {
            let folder = format!("results/small/jobs/{}", job["key"].as_str().unwrap());
            let record: Value =
                serde_json::from_slice(&workspace.read(&format!("{folder}/record.json"))).unwrap();
            let rescored = workspace.json(&["score", &format!("{folder}/predictions.tsv")]);
            let recorded = &record["outcome"]["test"]["span"];
            for scope in ["micro", "macro", "macro_fixed", "weighted", "types"] {
                assert_eq!(rescored[scope], recorded[scope], "{scope} of {folder}");
            }
        }
    }
}

#[test]
fn a_second_run_does_nothing_and_says_so() {
    let workspace = Workspace::new();
    workspace.write("grid.yaml", GRID);
    let run = ["run", "grid.yaml", "--backend", "flex", "--only", "model=shallow seed=1"];
    workspace.expect(0, &run);
    let before = metrics(&workspace);
    let output = workspace.expect(0, &run);
    assert!(text(&output.stdout).starts_with("nothing to do"), "{}", text(&output.stdout));
    assert_eq!(metrics(&workspace), before);
}

#[test]
fn a_killed_run_goes_on_to_the_frames_of_an_undisturbed_one() {
    let backend = backends()[0];
    let grid = GRID.replace("methods: [original, scr, focal]", "methods: [original, sc]");
    let run = ["run", "grid.yaml", "--backend", backend, "--jobs", "2", "--quiet"];
    let undisturbed = Workspace::new();
    undisturbed.write("grid.yaml", &grid);
    undisturbed.expect(0, &run);
    for milliseconds in [400, 900, 1400] {
        let workspace = Workspace::new();
        workspace.write("grid.yaml", &grid);
        let mut killed = workspace.tailgrid(&run).spawn().expect("tailgrid starts");
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        killed.kill().expect("SIGKILL");
        killed.wait().expect("it ends");
        workspace.expect(0, &run);
        assert_eq!(metrics(&workspace), metrics(&undisturbed), "killed after {milliseconds} ms");
    }
}
