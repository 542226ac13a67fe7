//! The grid file from end to end: what is refused and how that looks, what is built, which keys
//! stay.

mod corpora;
mod layers;
mod missing_annotations;
mod models;
mod overrides;
mod properties;
mod report;
mod tuning;

use super::*;
use domain::{Backend, Metric, ParameterValue, Spending, Stopping};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;

/// Some kinds of tables.
pub const TABLES: &[TableKind] =
    &[TableKind { name: "deltas", help: "" }, TableKind { name: "sizes", help: "" }];

fn options() -> LoadOptions<'static> {
    let corpora = Path::new("corpora");
    LoadOptions {
        sets: &[],
        corpora,
        catalogue: None,
        tables: TABLES,
        pretrained: Path::new(""),
        engine: "1",
        default_backend: Backend::Libtorch,
    }
}

/// A folder with a grid and a corpus.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write("train.txt", "Oslo\tB-LOC\n\n");
        folder.write("test.txt", "Rome\tB-LOC\n\n");
        folder
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    fn load(&self, text: &str, sets: &[&str]) -> Result<Grid, Diagnostics> {
        let path = self.write("grid.yaml", text);
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        load(&path, &LoadOptions { sets: &sets, ..options() })
    }

    /// The diagnostics with the folder's own path left out.
    fn shown(&self, text: &str, sets: &[&str]) -> String {
        let shown = match self.load(text, sets) {
            Ok(grid) => grid.warnings.iter().map(|warning| format!("{warning}\n")).collect(),
            Err(diagnostics) => diagnostics.to_string(),
        };
        let folder = format!("{}/", self.0.path().display());
        let lines: Vec<&str> = shown.lines().map(str::trim_end).collect();
        lines.join("\n").replace(&folder, "")
    }
}

const GRID: &str = "\
version: 1
name: small
corpora:
  - {name: mine, format: columns, train: train.txt, test: test.txt}
models:
  - {name: shallow, encoder: shallow, head: softmax}
  - {name: bilstm, encoder: bilstm, head: softmax, embeddings: random, hidden: 50}
methods: [original, scr, {name: focal-3, loss: focal, gamma: 3}]
seeds: 2
baseline: original
";

fn shown(text: &str) -> String {
    Folder::new().shown(text, &[])
}

/// The grid with one piece of text in place of another.
fn with(from: &str, to: &str) -> String {
    assert!(GRID.contains(from), "{from}");
    GRID.replace(from, to)
}

fn keys(grid: &Grid) -> BTreeMap<String, String> {
    grid.jobs.iter().map(|job| (job.point.to_string(), job.key.to_string())).collect()
}

#[test]
fn a_grid_is_every_combination_in_the_order_of_the_file() {
    let grid = Folder::new().load(GRID, &[]).unwrap();
    assert_eq!(grid.jobs.len(), 2 * 3 * 2);
    let points: Vec<String> = grid.jobs.iter().map(|job| job.point.to_string()).collect();
    assert_eq!(
        points[..3],
        ["mine/full/shallow/original/1", "mine/full/shallow/original/2", "mine/full/shallow/scr/1"]
    );
    assert_eq!(points[11], "mine/full/bilstm/focal-3/2");
    assert_eq!((grid.scenarios, grid.seeds), (vec!["full".to_owned()], vec![1, 2]));
    assert_eq!((grid.metric, grid.baseline.as_deref()), (Metric::MacroF1, Some("original")));
    assert_eq!(grid.as_run, GRID);
    let job = &grid.jobs[11];
    assert_eq!(job.settings.method.loss.parameters.get("gamma"), Some(&ParameterValue::Real(3.0)));
    assert_eq!(
        job.settings.model.encoder.parameters.get("hidden"),
        Some(&ParameterValue::Integer(50))
    );
    assert_eq!(job.settings.corpus.digests.keys().collect::<Vec<_>>(), ["test", "train"]);
    assert!(job.files["train"].ends_with("train.txt"));
    assert!(grid.jobs.iter().all(|job| job.not_applicable.is_none()));
    assert_eq!(grid.warnings, []);
}

#[test]
fn every_error_of_a_file_is_reported_in_one_pass() {
    let text = "\
version: 2
name: My Grid
corpra: [synthetic]
corpora:
  - sinthetic
  - {name: mine, format: colums, train: train.txt}
  - {name: other, format: columns, train: missing.txt, columns: {token: first, tga: 1}}
scenarios: []
models:
  - bilstm
  - {name: a, encoder: bilstn, head: softmax}
  - {name: a, encoder: bilstm, head: softmax, hiden: 5}
  - {encoder: shallow}
  - {name: b, encoder: shallow, head: softmax, gamma: 2, hidden: 5, training: {epochs: 0}}
methods:
  - orginal
  - {name: f, loss: focal, gamma: 11}
  - {name: g, resample: {variant: code}}
  - {name: h, resample: {kind: scr, variant: papers}, loss: [focal]}
  - {name: i, gamma: 2}
seeds: [1, 1, -1, x]
baseline: original
metric: macro-f1
training: {epochs: many, batchsize: 3, learning_rate: .inf}
epochs: 4
overrides:
  - {when: {corpsu: x}, set: {model.name: y, traning.epochs: 3, model: 3}}
  - {when: {}}
exclude: [{}]
limits: {time: 2, memory: lots, retries: 99, disk: 1GB}
";
    insta::assert_snapshot!(shown(text));
}

#[test]
fn what_is_missing_is_named() {
    insta::assert_snapshot!(shown("training: {epochs: 3}\n"));
}

#[test]
fn text_that_is_no_grid_is_refused() {
    let cases = [
        ("empty", ""),
        ("comment only", "# nothing\n"),
        ("list", "- 1\n- 2\n"),
        ("scalar", "hello"),
        ("unclosed", "version: 1\nname: [a, b\nseeds: 3\n"),
        ("tab", "version: 1\ncorpora:\n\t- a\n"),
        ("bad indentation", "version: 1\n  name: x\n"),
        ("two documents", "version: 1\n---\nversion: 1\n"),
        ("alias", "a: &x [1]\nb: *x\n"),
        ("merge", "base: {a: 1}\nb:\n  <<: {c: 1}\n"),
        ("tag", "version: !int 1\n"),
        ("key is a list", "? [a]\n: 1\n"),
        ("alias as key", "a: &x b\n*x : 1\n"),
        ("control characters", "version: \u{1b}[31m1\n"),
    ];
    let mut all = String::new();
    for (name, text) in cases {
        let _ = writeln!(all, "=== {name}\n{}", shown(text));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn repeated_keys_and_keys_that_are_numbers_do_not_hide_other_errors() {
    let text = with("seeds: 2", "seeds: 2\nseeds: 3\n5: x\nmetric: f2");
    insta::assert_snapshot!(shown(&text));
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = Folder::new();
    let load_at = |path: &Path| load(path, &options()).unwrap_err().to_string();
    assert!(load_at(&folder.0.path().join("none.yaml")).contains("there is no file"));
    assert!(load_at(folder.0.path()).contains("cannot read"));
    std::fs::write(folder.0.path().join("binary.yaml"), [0xff, 0xfe, 0]).unwrap();
    assert!(load_at(&folder.0.path().join("binary.yaml")).contains("UTF-8"));
    let huge = folder.write("huge.yaml", &"a: 1\n".repeat(300_000));
    assert!(load_at(&huge).contains("more than 1048576 bytes"));
    let deep = folder.write("deep.yaml", &format!("{}{}", "[".repeat(50), "]".repeat(50)));
    assert!(load_at(&deep).contains("nested more than 32 deep"));
    let deeper = folder.write("deeper.yaml", &"[".repeat(100_000));
    assert!(load_at(&deeper).contains("not valid YAML"));
    let text = with("test: test.txt", "test: '.'").replace("corpora:", "corpora:\n  - wnut17");
    insta::assert_snapshot!(folder.shown(&text, &[]));
}

#[test]
fn an_ambiguous_short_form_shows_the_nested_one() {
    // No two parts of today's registries share a parameter, so it is shown on slots made for it.
    use slots::{Fallback, Slot};
    parts::part! {
        /// a part for this test
        struct One("one") {
            /// its parameter
            gamma: f64 = 1.0 in 0.0..=9.0,
        }
    }
    const ONE: &[parts::Entry] = &[One::ENTRY];
    const SLOTS: &[Slot] = &[
        Slot { name: "resample", help: "", entries: ONE, fallback: Fallback::Required },
        Slot { name: "loss", help: "", entries: ONE, fallback: Fallback::Required },
    ];
    let mut sources = source::SourceTexts::default();
    let text = "{name: x, resample: one, loss: one, gamma: 2}";
    let number = sources.add(source::SourceText {
        name: "grid.yaml".into(),
        text: text.into(),
        base: PathBuf::new(),
        is_option: false,
    });
    let node = yaml::read(text, &sources, (number, 0), &mut Diagnostics::default()).unwrap();
    let catalogue = Catalogue::shipped(Path::new(""));
    let mut checker = check::Checker::new(&sources, &catalogue, Diagnostics::default());
    let node::Value::Map(map) = &node.value else { panic!("a mapping") };
    assert!(checker.parts("method `x`", (map, node.at), SLOTS, &["name"]).is_none());
    insta::assert_snapshot!(checker.into_found().kept()[0].to_string());
}

#[test]
fn bf16_is_refused_where_nothing_computes_in_it() {
    let folder = Folder::new();
    let errors = |text: &str| {
        let path = folder.write("grid.yaml", text);
        load(&path, &options()).map(|_| ()).map_err(|found| found.to_string())
    };
    let flex =
        errors(&format!("{GRID}training: {{precision: bf16, backend: flex}}\n")).unwrap_err();
    assert!(flex.contains("needs the backend libtorch; flex computes in f32 alone"), "{flex}");
    let line = format!("grid.yaml:{}:", GRID.lines().count() + 1);
    assert!(flex.contains(&line), "{flex}");
    let common = errors(&format!("{GRID}training: {{precision: bf16}}\n")).unwrap_err();
    assert!(common.contains("needs a transformer") && common.contains(&line), "{common}");
    let rule = "{when: {model: bilstm}, set: {training.precision: bf16}}";
    let rule = errors(&format!("{GRID}overrides: [{rule}]\n")).unwrap_err();
    assert!(rule.contains("model `bilstm`") && rule.contains(&line), "{rule}");
    let bert = "{name: fresh, encoder: bert, head: softmax, training: {precision: bf16}}\n  - {name: bilstm,";
    assert_eq!(errors(&with("{name: bilstm,", bert)), Ok(()));
}

#[test]
fn the_default_backend_gives_way_to_one_that_is_named() {
    let folder = Folder::new();
    let backends = |text: &str, sets: &[String]| {
        let path = folder.write("grid.yaml", text);
        let options = LoadOptions { sets, default_backend: Backend::Flex, ..options() };
        let grid = load(&path, &options).unwrap();
        assert!(grid.as_run.ends_with(text));
        let jobs = grid.jobs.iter().filter(|job| job.point.seed == 1);
        let mut found: Vec<Backend> = jobs.map(|job| job.settings.training.backend).collect();
        found.dedup();
        found
    };
    use Backend::{Flex, Libtorch};
    let grid = format!("{GRID}training: {{backend: libtorch}}\n");
    let model = with("{name: bilstm,", "{name: bilstm, training: {backend: libtorch},");
    let rule = "{when: {model: bilstm}, set: {training.backend: libtorch}}";
    let set = ["training.backend=libtorch".to_owned()];
    assert_eq!(backends(GRID, &[]), [Flex]);
    assert_eq!(backends(GRID, &set), [Libtorch]);
    assert_eq!(backends(&grid, &[]), [Libtorch]);
    assert_eq!(backends(&model, &[]), [Flex, Libtorch]);
    assert_eq!(backends(&format!("{GRID}overrides: [{rule}]\n"), &[]), [Flex, Libtorch]);
}

#[test]
fn corpus_settings_that_cannot_go_together_are_told_where_they_stand() {
    let own = "format: columns, train: train.txt, test: test.txt";
    let text = with(
        "corpora:\n",
        &format!(
            "corpora:
  - {{name: dense, format: synthetic, entity_tokens: 0.3}}
  - {{name: same, {own}, token: 1, tag: 1}}
  - {{name: last, {own}, token: -1}}
  - {{name: overridden, {own}}}
  - {{name: nested, format: {{kind: columns, separator: ''}}, train: train.txt, test: test.txt}}
"
        ),
    );
    let text = format!(
        "{text}overrides: [{{when: {{corpus: overridden}}, set: {{corpus.entity_type: ''}}}}]\n"
    );
    insta::assert_snapshot!(Folder::new().shown(&text, &["corpora.mine.separator=''"]));
}

#[test]
fn limits_have_units() {
    let text = format!("{GRID}limits: {{time: 2h, memory: 6GiB, retries: 0}}\n");
    let limits = Folder::new().load(&text, &[]).unwrap().limits;
    let hours = Duration::from_secs(2 * 3600);
    assert_eq!(limits, Limits { time: Some(hours), memory: Some(6 << 30), retries: 0 });
}

#[test]
fn looks_are_planned_with_their_spending() {
    let stopping = |text: &str| {
        let grid = Folder::new().load(&format!("{GRID}stopping: {text}\n"), &[]).unwrap();
        grid.stopping.unwrap()
    };
    let found = stopping("{looks: [5, 10], spending: pocock}");
    assert_eq!(found, Stopping { looks: vec![5, 10], spending: Spending::Pocock });
    let found = stopping("{spending: obrien-fleming, looks: [4]}");
    assert_eq!(found, Stopping { looks: vec![4], spending: Spending::ObrienFleming });
    assert_eq!(Folder::new().load(GRID, &[]).unwrap().stopping, None);
}

#[test]
fn looks_that_make_no_plan_are_told_where_they_stand() {
    let wrong = [
        "{looks: [5, 5, 3, 1, x], spending: pocok, level: 0.05}",
        "{looks: []}",
        "{spending: pocock}",
        "[5, 10]",
        "{looks: 5, spending: 3}",
        "{looks: [2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22], spending: pocock}",
    ];
    let shown = wrong.map(|text| shown(&format!("{GRID}stopping: {text}\n")));
    insta::assert_snapshot!(shown.join("\n===\n"));
}

#[test]
fn two_names_for_one_meaning_share_keys_and_warn() {
    let text = with("[original,", "[original, {name: plain, loss: cross-entropy},");
    let folder = Folder::new();
    let grid = folder.load(&text, &[]).unwrap();
    let key = |method: &str| keys(&grid)[&format!("mine/full/shallow/{method}/1")].clone();
    assert_eq!(key("original"), key("plain"));
    insta::assert_snapshot!(folder.shown(&text, &[]));
}

#[test]
fn a_scenarios_dev_is_in_the_key_as_it_is_meant() {
    let key = |scenario: &str| {
        let scenarios = format!("baseline: original\nscenarios: [{{name: s, {scenario}}}]");
        let grid = Folder::new().load(&with("baseline: original", &scenarios), &[]).unwrap();
        let job = &grid.jobs[0];
        (job.key.to_string(), job.settings.scenario.get("dev_sentences").cloned())
    };
    let low = key("train_sentences: 20");
    assert_eq!(low.1, Some(ParameterValue::Text("auto".into())));
    assert_eq!(low, key("train_sentences: 20, dev_sentences: auto"));
    // Those of a time when all of dev was the default keep their keys.
    let all = key("train_sentences: 20, dev_sentences: all");
    assert_eq!((&all, &all.1), (&key("dev_sentences: 0, train_sentences: 20"), &None));
    assert_ne!(low.0, all.0);
    assert_ne!(low.0, key("train_sentences: 20, dev_sentences: 50").0);
    // Without a bound on train there is nothing to say.
    let masked = key("mask_entities: 0.5");
    for dev in ["auto", "all", "0"] {
        assert_eq!(masked, key(&format!("mask_entities: 0.5, dev_sentences: {dev}")), "{dev}");
    }
}

#[test]
fn the_quickstart_is_sixty_jobs_without_a_warning() {
    let text = include_str!("../../../experiments/quickstart.yaml");
    let grid = Folder::new().load(text, &[]).unwrap();
    assert_eq!((grid.jobs.len(), grid.name.as_str()), (60, "quickstart"));
    assert!(grid.warnings.is_empty());
    let distinct: std::collections::HashSet<_> = grid.jobs.iter().map(|job| &job.key).collect();
    assert_eq!(distinct.len(), 60);
}

/// A grid of `models × methods × seeds` jobs, with an override that splits the models.
fn large(models: usize, methods: usize, seeds: usize) -> String {
    let mut text = with("  - {name: shallow, encoder: shallow, head: softmax}\n", "");
    for index in 1..models {
        let model = format!(
            "models:\n  - {{name: m{index}, encoder: bilstm, head: softmax, hidden: {index}}}"
        );
        text = text.replace("models:", &model);
    }
    let methods = (0..methods).map(|i| format!("{{name: f{i}, loss: focal, gamma: 1.{i:04}}}"));
    let methods = methods.collect::<Vec<_>>().join(", ");
    text = text.replace("original, scr, {name: focal-3, loss: focal, gamma: 3}", &methods);
    text = text.replace("baseline: original", "").replace("seeds: 2", &format!("seeds: {seeds}"));
    text + "overrides: [{when: {model: 'm1*'}, set: {training.epochs: 3}}]\n"
}

/// How long this thread has been at work.
fn thread_time() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_THREAD).unwrap();
    let seconds = |time: TimeVal| Duration::from_micros(time.num_microseconds() as u64);
    seconds(usage.user_time()) + seconds(usage.system_time())
}

#[test]
fn ten_thousand_jobs_are_planned_within_a_second() {
    for (models, methods, seeds) in [(10, 20, 50), (100, 100, 1)] {
        let text = large(models, methods, seeds);
        let folder = Folder::new();
        // The thread's own time: what else a busy machine does is not planning.
        let before = thread_time();
        assert_eq!(folder.load(&text, &[]).unwrap().jobs.len(), 10_000);
        let taken = thread_time() - before;
        println!("{models} models, {methods} methods, {seeds} seeds: {taken:?}");
        assert!(taken < Duration::from_secs(1), "{taken:?}");
    }
}
