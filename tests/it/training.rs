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
  - {name: bilstm-crf, encoder: bilstm, head: crf, embeddings: random, dimension: 16, hidden: 12, characters: 4}
  - {name: bert-crf, encoder: bert, head: crf, width: 16, inner: 16}
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

/// Heads over spans with every way to choose negatives.
const SPANS: &str = "\
version: 1
name: small
corpora:
  - {name: tiny, format: synthetic, sentences: 150, dev_sentences: 60, test_sentences: 80}
scenarios: [{name: masked-50, mask_entities: 0.5}]
models:
  - {name: span, encoder: bilstm, head: span, dimension: 16, hidden: 12, span_width: 16}
  - {name: biaffine, encoder: bilstm, head: biaffine, dimension: 16, hidden: 12, span_width: 16}
methods: [original, negative-sampling, weighted-negative-sampling, middle-k]
seeds: 1
baseline: original
training: {epochs: 4, batch: 16, learning_rate: 0.02}
";

#[test]
fn what_is_drawn_from_spans_is_the_same_bits_too() {
    for backend in backends() {
        let [one, two] = [Workspace::new(), Workspace::new()];
        for (workspace, jobs) in [(&one, "1"), (&two, "2")] {
            workspace.write("grid.yaml", SPANS);
            workspace
                .expect(0, &["run", "grid.yaml", "--backend", backend, "--jobs", jobs, "--quiet"]);
        }
        assert_eq!(metrics(&one), metrics(&two), "{backend}");
        let courses = |workspace: &Workspace| -> Vec<Value> {
            let set = format!("training.backend={backend}");
            let plan = workspace.json(&["plan", "grid.yaml", "--set", &set]);
            let keys = plan["jobs"].as_array().unwrap().iter().map(|job| job["key"].as_str());
            let course = |key: &str| {
                let path = format!("results/small/jobs/{key}/record.json");
                let mut record: Value = serde_json::from_slice(&workspace.read(&path)).unwrap();
                let epochs = record["outcome"]["epochs"].as_array_mut().unwrap();
                epochs.iter_mut().for_each(|epoch| epoch["seconds"] = Value::Null);
                record["outcome"]["epochs"].clone()
            };
            keys.map(|key| course(key.unwrap())).collect()
        };
        let found = courses(&one);
        assert_eq!(found, courses(&two), "{backend}");
        let told = |course: &&Value| course[0]["added"]["missampling_rate"].as_f64().is_some();
        assert_eq!(found.iter().filter(told).count(), 6, "all but `original`");
    }
}

/// Two steps a batch, thresholds that are moved, an optimiser that draws.
const TWO_TASKS: &str = "\
version: 1
name: small
corpora:
  - {name: tiny, format: synthetic, sentences: 150, dev_sentences: 60, test_sentences: 80}
models:
  - {name: two-task, encoder: bilstm, head: two-task, embeddings: random, dimension: 16, hidden: 12}
  - {name: tuned, encoder: bilstm, head: two-task, tune_threshold: true, embeddings: random, dimension: 16, hidden: 12}
  - {name: pesg, encoder: bilstm, head: two-task, dimension: 16, hidden: 12, training: {optimiser: pesg}}
methods: [original, auc-2t, comauc-2t]
seeds: 2
training: {epochs: 3, batch: 16, learning_rate: 0.01}
";

#[test]
fn two_tasks_give_the_same_bits_again() {
    for backend in backends() {
        let [one, two] = [Workspace::new(), Workspace::new()];
        for (workspace, jobs) in [(&one, "1"), (&two, "2")] {
            workspace.write("grid.yaml", TWO_TASKS);
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
        assert_eq!(done.len(), 10, "{plan}");
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

/// A few sentences that a model can learn by heart, as a corpus of columns.
fn sentences() -> String {
    let sentences = ["Ada/B-PER met/O Bob/B-PER", "Rome/B-LOC is/O old/O", "in/O 1999/O Ada/B-PER"];
    let lines = |sentence: &&str| sentence.replace(' ', "\n").replace('/', "\t") + "\n\n";
    sentences.iter().map(lines).collect::<String>().repeat(4)
}

const WITH_VECTORS: &str = "\
version: 1
name: vectors
corpora: [{name: mine, format: columns, train: data.txt, dev: data.txt, test: data.txt}]
models:
  - {name: shallow-softmax, encoder: shallow, head: softmax, embeddings: vectors.txt}
  - {name: shallow-crf, encoder: shallow, head: crf, embeddings: vectors.txt}
  - {name: bilstm-crf, encoder: bilstm, head: crf, embeddings: vectors.txt, hidden: 8, frozen: false}
methods: [original, scr, {name: dice, loss: dice}]
seeds: 1
training: {epochs: 3, learning_rate: 0.05, keep_model: true}
";

#[test]
fn models_train_on_vectors_of_a_file_and_tag_text_afterwards() {
    for backend in backends() {
        let workspace = Workspace::new();
        workspace.write("data.txt", &sentences());
        let vectors = "ada 9 0 0\nbob 9 1 0\nrome 0 9 0\nmet 0 0 -4\nis 0 0 -5\nold 0 0 -4\n";
        workspace.write("vectors.txt", vectors);
        workspace.write("grid.yaml", WITH_VECTORS);
        workspace.expect(0, &["run", "grid.yaml", "--backend", backend, "--quiet"]);
        let plan = workspace.json(&["plan", "grid.yaml", "--backend", backend]);
        // Dice is a loss on tokens, which a random field has none of.
        assert_eq!(
            (&plan["totals"]["done"], &plan["totals"]["n/a"]),
            (&7.into(), &2.into()),
            "{plan}"
        );
        let jobs = plan["jobs"].as_array().unwrap();
        let job = jobs.iter().find(|job| job["model"] == "shallow-softmax").unwrap();
        let key = job["key"].as_str().unwrap();
        let record = workspace.read(&format!("results/vectors/jobs/{key}/record.json"));
        let record: Value = serde_json::from_slice(&record).unwrap();
        // `in` is in no vector; 1999 is a number.
        assert_eq!(record["outcome"]["observed"]["oov_share"], 1.0 / 9.0, "{record}");
        workspace.write("text.txt", "Bob is old\n\nRome\n");
        let tagged = workspace.expect(0, &["predict", key, "text.txt", "--backend", backend]);
        assert_eq!(text(&tagged.stdout), "Bob\tB-PER\nis\tO\nold\tO\n\nRome\tB-LOC\n");
    }
}

#[test]
fn predicting_without_a_model_says_what_to_do() {
    let workspace = Workspace::new();
    workspace.write("grid.yaml", GRID);
    let only = "seed=1 model=shallow method=original";
    workspace.expect(0, &["run", "grid.yaml", "--backend", "flex", "--quiet", "--only", only]);
    let done = workspace.expect(4, &["predict", "zz"]);
    assert!(text(&done.stderr).contains("results"), "{}", text(&done.stderr));
}
