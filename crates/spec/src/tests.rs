//! The grid file from end to end: what is refused and how that looks, what is built, which keys stay.

mod corpora;
mod missing_annotations;
mod models;
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
fn set_changes_the_grid_and_is_checked_like_it() {
    let folder = Folder::new();
    let sets = [
        "training.epochs=5",
        "models.1.hidden=60",
        "models.bilstm.dropout=0.25",
        "methods.scr.variant=code",
        "seeds=[7, 8]",
    ];
    let grid = folder.load(GRID, &sets).unwrap();
    assert_eq!(grid.seeds, [7, 8]);
    assert!(grid.jobs.iter().all(|job| job.settings.training.epochs == 5));
    let scr = grid.jobs.iter().find(|job| job.point.method == "scr").unwrap();
    assert_eq!(
        scr.settings
            .method
            .resample
            .as_ref()
            .unwrap()
            .parameters
            .value::<String>("variant")
            .unwrap(),
        "code"
    );
    assert_eq!(
        grid.jobs.last().unwrap().settings.model.encoder.parameters.value::<i64>("hidden").unwrap(),
        60
    );
    insta::assert_snapshot!(folder.shown(
        GRID,
        &[
            "training.epoch=5",
            "models.2.hidden=5",
            "training.batch=[",
            "epochs",
            "trainig.epochs=3",
            "name.x=3",
            "seeds.0=1",
            "training..x=1",
            "models.bilstn.hidden=5",
            "=3",
            "training.patience=",
            "baseline=scrr"
        ],
    ));
}

#[test]
fn extends_takes_everything_but_the_name_from_another_grid() {
    let folder = Folder::new();
    folder.write("base.yaml", GRID);
    let grid = folder
        .load("extends: base.yaml\nname: more\nseeds: [3]\ntraining: {epochs: 2}\n", &[])
        .unwrap();
    assert_eq!((grid.name.as_str(), grid.jobs.len()), ("more", 6));
    assert_eq!(keys(&folder.load(&grid.as_run, &[]).unwrap()), keys(&grid));
    folder.write("a.yaml", "extends: grid.yaml\n");
    let cases = [
        "extends: a.yaml\nname: x\n",
        "extends: none.yaml\nname: x\n",
        "extends: [a]\nname: x\n",
        "extends: base.yaml\n",
    ];
    let all: Vec<String> = cases.iter().map(|text| folder.shown(text, &[])).collect();
    insta::assert_snapshot!(all.join("\n===\n"));
}

#[test]
fn what_is_kept_beside_the_results_is_the_file_with_its_other_layers_in_comments() {
    let folder = Folder::new();
    let text = with("corpora:", "corpora:\n  - synthetic");
    let sets = ["corpora.synthetic.seed=2", "training.epochs=\n  3\r"];
    let grid = folder.load(&text, &sets).unwrap();
    let header = "\
# run with --set corpora.synthetic.seed=2
# run with --set training.epochs=\\n  3\\r
";
    assert_eq!(grid.as_run, format!("{header}{text}"));
    assert_eq!(keys(&folder.load(&grid.as_run, &sets).unwrap()), keys(&grid));
    folder.write("base.yaml", &text);
    folder.write("between.yaml", "extends: base.yaml\r\nname: between\r\nseeds: 2\r\n");
    let text = "extends: between.yaml\nname: more\n";
    let grid = folder.load(text, &sets[..1]).unwrap();
    let between =
        "# extends between.yaml:\n# | extends: base.yaml\n# | name: between\n# | seeds: 2\n";
    let start = format!(
        "# run with --set corpora.synthetic.seed=2\n{text}{between}# extends base.yaml:\n# | "
    );
    assert!(grid.as_run.starts_with(&start), "{}", grid.as_run);
    for name in ["base.yaml", "between.yaml"] {
        folder.write(name, "version: 1\nname: another\n");
    }
    let again = folder.load(&grid.as_run, &sets[..1]).unwrap();
    assert_eq!(keys(&again), keys(&grid));
    let (of_again, of_grid) = (again.as_run.lines(), grid.as_run.lines());
    assert_eq!(of_again.skip(1).collect::<Vec<_>>(), of_grid.collect::<Vec<_>>());
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
fn overrides_are_shown_as_they_would_be_written() {
    let shown = |value: &str| {
        let set = format!("{{corpus.x: {value}}}");
        let mut sources = source::SourceTexts::default();
        let name = "g".to_owned();
        let (base, is_option) = (PathBuf::new(), false);
        let number = sources.add(source::SourceText { name, text: set.clone(), base, is_option });
        let node = yaml::read(&set, &sources, (number, 0), &mut Diagnostics::default()).unwrap();
        yaml::flow(node.get("corpus.x").unwrap())
    };
    for value in ["7", "0.001", "true", "null", "iob1", "[1, 2.5, a]", "{kind: focal, gamma: 2}"] {
        assert_eq!(shown(value), value);
    }
    let quoted = ["\"7\"", "\"true\"", "\"a b\"", "\"\"", "\"a, b\"", "\"a\\nb\"", "\"-\""];
    for value in quoted {
        assert_eq!(shown(value), value);
    }
}

#[test]
fn overrides_apply_in_order_to_the_points_that_fit() {
    let text = format!(
        "{GRID}training: {{epochs: 3}}
overrides:
  - {{when: {{model: 'bi*', method: [scr, focal*]}}, set: {{training.epochs: 7, model.hidden: 10}}}}
  - {{when: {{method: scr}}, set: {{training.epochs: 9, method.resample.variant: code}}}}
  - {{when: {{corpus: mine}}, set: {{corpus.scheme: iob1, scenario.train_sentences: 4}}}}
"
    );
    let grid = Folder::new().load(&text, &[]).unwrap();
    let job = |model: &str, method: &str| {
        grid.jobs.iter().find(|job| job.point.model == model && job.point.method == method).unwrap()
    };
    let epochs = |model, method| job(model, method).settings.training.epochs;
    assert_eq!((epochs("shallow", "original"), epochs("shallow", "scr")), (3, 9));
    assert_eq!((epochs("bilstm", "scr"), epochs("bilstm", "focal-3")), (9, 7));
    let hidden = |method| {
        job("bilstm", method).settings.model.encoder.parameters.value::<i64>("hidden").unwrap()
    };
    assert_eq!((hidden("original"), hidden("scr")), (50, 10));
    let scr = &job("bilstm", "scr");
    assert_eq!(
        scr.settings
            .method
            .resample
            .as_ref()
            .unwrap()
            .parameters
            .value::<String>("variant")
            .unwrap(),
        "code"
    );
    assert_eq!(scr.settings.corpus.format.parameters.value::<String>("scheme").unwrap(), "iob1");
    assert_eq!(scr.settings.scenario.value::<i64>("train_sentences").unwrap(), 4);
    assert_eq!(scr.overrides.len(), 6);
    assert!(scr.overrides[0].starts_with("training.epochs = 7 ("));
}

#[test]
fn wrong_overrides_are_told_once_and_idle_ones_warn() {
    let wrong = format!(
        "{GRID}overrides:\n  - {{when: {{model: '*'}}, set: {{method.gamma: 2, training.epochs: none}}}}\n"
    );
    let idle = format!(
        "{GRID}overrides:\n  - {{when: {{model: bert}}, set: {{training.epochs: 2}}}}\nexclude: [{{method: focl}}]\n"
    );
    insta::assert_snapshot!(format!("{}\n===\n{}", shown(&wrong), shown(&idle)));
}

#[test]
fn exclude_leaves_points_out() {
    let text = format!("{GRID}exclude: [{{model: shallow, method: '*c*'}}]\n");
    let grid = Folder::new().load(&text, &[]).unwrap();
    let left: Vec<&str> = grid
        .jobs
        .iter()
        .filter(|j| j.point.model == "shallow")
        .map(|j| j.point.method.as_str())
        .collect();
    assert_eq!(left, ["original", "original"]);
    assert!(shown(&format!("{GRID}exclude: [{{model: '*'}}]\n")).contains("leaves no job"));
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

mod properties {
    use super::*;
    use proptest::prelude::*;

    /// An entry with every parameter written out at its default, the last one first.
    fn written_out(slot: &slots::Slot, kind: &str) -> String {
        let parameters = slot.find(kind).unwrap().parameters;
        format!("{{{}kind: {kind}}}", defaults(parameters))
    }

    fn defaults(parameters: &[parts::Parameter]) -> String {
        let written = |value: ParameterValue| match value {
            ParameterValue::Text(text) => format!("'{text}'"),
            value => value.to_string(),
        };
        let parameters = parameters.iter().rev();
        parameters.map(|p| format!("{}: {}, ", p.name, written(p.default_value()))).collect()
    }

    /// Ways to write the same grid.
    fn rewritten(order: bool, comments: bool, written: bool, rename: bool) -> String {
        let [embeddings, encoder, head] = slots::MODEL else { panic!("three parts") };
        let [_, resample, .., loss] = slots::METHOD else { panic!("these parts") };
        let mut lines = vec!["version: 1".to_owned(), "seeds: 3".to_owned()];
        if written {
            lines.push(format!(
                "models: [{{head: {}, encoder: {}, training: {{}}, embeddings: {}, name: bilstm}}]",
                written_out(head, "softmax"),
                written_out(encoder, "bilstm"),
                written_out(embeddings, "random"),
            ));
            lines.push(format!(
                "methods: [{{name: scr, loss: {}, resample: {}}}, {{name: focal, loss: {}}}]",
                written_out(loss, "cross-entropy"),
                written_out(resample, "scr"),
                written_out(loss, "focal"),
            ));
            let usual = parts::encoders::training("bilstm");
            let general: Vec<_> = training::PARAMETERS
                .iter()
                .filter(|p| !usual.iter().any(|(name, _)| *name == p.name))
                .copied()
                .collect();
            let usual: String =
                usual.iter().map(|(name, value)| format!("{name}: {value}, ")).collect();
            lines.push(format!("training: {{{}{usual}}}", defaults(&general)));
            lines.push(format!("scenarios: [{{{}name: full}}]", defaults(slots::SCENARIO)));
            lines.push(format!(
                "corpora: [{{{}test: test.txt, train: ./train.txt, format: columns, name: mine}}]",
                defaults(slots::CORPUS[0].find("columns").unwrap().parameters),
            ));
        } else {
            lines.push("models: [{name: bilstm, encoder: bilstm, head: softmax}]".to_owned());
            lines.push("methods: [scr, focal]".to_owned());
            lines.push(
                "corpora: [{name: mine, format: columns, train: train.txt, test: test.txt}]"
                    .to_owned(),
            );
        }
        match rename {
            true => lines.push(
                "name: other\nmetric: micro_f1\nbaseline: scr\nlimits: {time: 1h}\nstopping: {looks: [5], spending: pocock}".to_owned(),
            ),
            false => lines.push("name: small".to_owned()),
        }
        if order {
            lines.reverse();
        }
        let end = if comments { "   # a comment\n\n" } else { "\n" };
        lines.iter().map(|line| line.replace('\n', end) + end).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn writing_does_not_change_keys(order: bool, comments: bool, written: bool, rename: bool) {
            let folder = Folder::new();
            let plain = keys(&folder.load(&rewritten(false, false, false, false), &[]).unwrap());
            let other = keys(&folder.load(&rewritten(order, comments, written, rename), &[]).unwrap());
            prop_assert_eq!(plain, other);
        }

        #[test]
        fn growing_an_axis_does_not_change_the_keys_of_the_rest(
            seeds in proptest::collection::btree_set(0u64..1000, 1..6),
            focal in 0.0f64..10.0,
            hidden in 1u32..500,
        ) {
            let folder = Folder::new();
            let before = keys(&folder.load(GRID, &[]).unwrap());
            let seeds: Vec<String> = [1, 2].into_iter().chain(seeds).map(|s| s.to_string()).collect();
            let mut unique = Vec::new();
            seeds.into_iter().for_each(|s| if !unique.contains(&s) { unique.push(s) });
            let text = GRID
                .replace("seeds: 2", &format!("seeds: [{}]", unique.join(", ")))
                .replace("methods: [", &format!("methods: [{{name: new, loss: focal, gamma: {focal:?}}}, "))
                .replace("models:", &format!("models:\n  - {{name: new, encoder: bilstm, head: softmax, hidden: {hidden}}}"))
                .replace("corpora:", "corpora:\n  - synthetic");
            let after = keys(&folder.load(&text, &[]).unwrap());
            prop_assert!(after.len() > before.len());
            for (point, key) in before {
                prop_assert_eq!(&after[&point], &key);
            }
        }

        #[test]
        fn paths_do_not_change_keys_and_bytes_do(name in "[a-z]{1,8}", extra in "[a-z]{1,8}") {
            let folder = Folder::new();
            let before = keys(&folder.load(GRID, &[]).unwrap());
            folder.write(&format!("{name}.conll"), "Oslo\tB-LOC\n\n");
            let moved = with("train: train.txt", &format!("train: ./{name}.conll"));
            prop_assert_eq!(&keys(&folder.load(&moved, &[]).unwrap()), &before);
            folder.write("train.txt", &format!("Oslo\tB-LOC\n\n{extra}\tO\n\n"));
            let changed = keys(&folder.load(GRID, &[]).unwrap());
            prop_assert!(before.iter().all(|(point, key)| changed[point] != *key));
        }

        #[test]
        fn no_text_makes_it_panic(text in "[a-c:\\[\\]{},&*!|>#%@'\"? \n\t\u{e9}\u{feff}-]{0,60}") {
            let folder = Folder::new();
            let _ = folder.load(&text, &[]);
            let _ = folder.load(GRID, &[&text]);
            let _ = folder.shown(GRID, &[&format!("training.epochs={text}")]);
        }

        #[test]
        fn no_damage_to_a_grid_makes_it_panic(at in 0usize..400, cut in 0usize..30, put in "\\PC{0,6}") {
            let mut bytes: Vec<char> = GRID.chars().collect();
            let start = at.min(bytes.len());
            let end = (start + cut).min(bytes.len());
            bytes.splice(start..end, put.chars());
            let text: String = bytes.into_iter().collect();
            let _ = Folder::new().shown(&text, &[]);
        }
    }
}
