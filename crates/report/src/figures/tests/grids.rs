//! Grids that between them show every figure, from the made-up scores of `synthetic`.

use analysis::synthetic;
use analysis::{GridView, Settings};
use domain::{JobKey, ParameterValue, Parameters, Point};
use store::testing::search as search_record;
use store::{EpochRow, Level, MetricRow, Results, Scope};

type Grid = (GridView, Results);

/// Everything, and what is ordinary, small, large or foreign.
pub fn all() -> Vec<Grid> {
    let names = |count: usize| (0..count).map(|k| format!("method-{k}")).collect::<Vec<_>>();
    let mut one_seed = everything();
    one_seed.0.jobs.retain(|job| job.point.seed == 1);
    let mut half = everything();
    half.1.metrics.retain(|row| row.point.seed < 3 || row.point.method != "scr");
    vec![
        everything(),
        synthetic::grid(),
        lambdas(),
        everything_named(&names(1), &names(1)),
        everything_named(&names(2), &names(2)),
        synthetic::named(&names(13), &names(7)),
        synthetic::named(&names(40), &names(3)),
        japanese(),
        one_seed,
        half,
        heads(),
        wang2022(),
        typed(synthetic::named(&names(20), &names(1))),
        negatives(),
    ]
}

/// Two corpora under scenarios of size and of share, with epochs, types and times.
pub fn everything() -> Grid {
    let (view, _) = synthetic::grid();
    everything_named(&view.methods, &view.models)
}

/// The same with other names.
pub fn everything_named(methods: &[String], models: &[String]) -> Grid {
    let grid = typed(synthetic::named(methods, models));
    let sizes = [50, 200, 1000].map(|n| {
        let share = 0.55 + 0.12 * (f64::from(n) / 50.0).ln();
        (format!("low-{n}"), [("train_sentences", f64::from(n))].to_vec(), share)
    });
    let shares = [0.02, 0.2].map(|share: f64| {
        let settings = [("train_sentences", 100.0), ("entity_tokens", share)].to_vec();
        (format!("rare-{}", share * 100.0), settings, 1.0 + 0.1 * (share / 0.2).ln())
    });
    let scenarios: Vec<_> = sizes.into_iter().chain(shares).collect();
    let grid = timed(under_scenarios(grid, &scenarios));
    let grid = other_corpora(grid, &["news"]);
    with_epochs(grid)
}

/// The treatments of wang2022 with its models.
pub fn wang2022() -> Grid {
    let methods = ["original", "bus", "da", "focal", "dice", "sc", "scr", "scrd", "nscrd"];
    let models = ["shallow", "bilstm", "bert"]
        .iter()
        .flat_map(|encoder| ["softmax", "crf"].map(|head| format!("{encoder}-{head}")));
    let (view, mut results) =
        synthetic::named(&methods.map(str::to_owned), &models.collect::<Vec<_>>());
    for row in &mut results.metrics {
        let up = view.models.iter().position(|model| *model == row.point.model).unwrap_or(0);
        for part in [&mut row.precision, &mut row.recall, &mut row.f1] {
            *part += 0.03 * up as f64;
        }
    }
    (view, results)
}

/// What nguyen2023 compares: one method with three heads, two more with the last of them.
pub fn heads() -> Grid {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let methods = names(&["original", "auc-2t", "comauc-2t"]);
    let models = names(&["bert-softmax", "bert-crf", "bert-two-task"]);
    let (mut view, mut results) = everything_named(&methods, &models);
    let is_there = |point: &Point| point.method == "original" || point.model == "bert-two-task";
    view.jobs.retain(|job| is_there(&job.point));
    for row in &mut results.metrics {
        let by = match row.point.model.as_str() {
            "bert-softmax" => 0.12,
            "bert-crf" => 0.02,
            _ => 0.06,
        };
        for part in [&mut row.precision, &mut row.recall, &mut row.f1] {
            *part = (*part + by).min(1.0);
        }
    }
    (view, results)
}

/// Methods that differ in one parameter over six powers of ten, and a search.
pub fn lambdas() -> Grid {
    let values = [1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4];
    let name = |value: &f64| format!("mom-{value}");
    let methods: Vec<String> =
        ["original".to_owned()].into_iter().chain(values.iter().map(name)).collect();
    let models = ["bilstm-softmax".to_owned(), "bert-softmax".to_owned()];
    let (mut view, mut results) = synthetic::named(&methods, &models);
    for value in &values {
        let words = [("loss".to_owned(), "mom".to_owned())].into();
        let numbers = [("loss.lambda".to_owned(), *value), ("loss.other".to_owned(), 1.0)].into();
        view.method_settings.insert(name(value), Settings { numbers, words });
    }
    let words = [("loss".to_owned(), "cross-entropy".to_owned())].into();
    let plain = Settings { words, ..Settings::default() };
    view.method_settings.insert("original".to_owned(), plain);
    view.searches = vec![search_record(12)];
    for row in &mut results.metrics {
        let value = values.iter().find(|value| name(value) == row.point.method);
        row.f1 -= value.map_or(0.05, |value| 0.004 * (value.log10() - 1.0).powi(2));
    }
    (view, results)
}

/// Negatives of two kinds with the same numbers, zero among them.
pub fn negatives() -> Grid {
    let values = [0.0, 0.1, 1.0, 10.0];
    let kinds = ["uniform", "weighted"];
    let name = |kind: &str, value: f64| format!("{}-{value}", &kind[..1]);
    let all = || kinds.into_iter().flat_map(|kind| values.map(|value| (kind, value)));
    let methods = all().map(|(kind, value)| name(kind, value));
    let methods: Vec<String> = ["original".to_owned()].into_iter().chain(methods).collect();
    let (mut view, mut results) = synthetic::named(&methods, &["span".to_owned()]);
    for (kind, value) in all() {
        let words = [("loss", "cross-entropy"), ("negatives", kind)];
        let words = words.map(|(slot, kind)| (slot.to_owned(), kind.to_owned())).into();
        let numbers = [("negatives.lambda".to_owned(), value)].into();
        view.method_settings.insert(name(kind, value), Settings { numbers, words });
    }
    for row in &mut results.metrics {
        row.f1 -= if row.point.method.ends_with("-0") { 0.06 } else { 0.0 };
    }
    (view, results)
}

/// What is hard to draw: long names, scores that seeds scatter widely, one job, none.
pub fn odd() -> Vec<Grid> {
    let long = |kind: &str, k: usize| {
        format!("{kind}-with-a-name-that-does-not-end-{k}-{}", "x".repeat(9 * k))
    };
    let names = |kind: &str, count: usize| (0..count).map(|k| long(kind, k)).collect::<Vec<_>>();
    let mut one = everything_named(&names("method", 1), &names("model", 1));
    let point = one.0.jobs[0].point.clone();
    one.0.jobs.retain(|job| job.point == point);
    let mut none = everything();
    none.1 = Results::default();
    vec![everything_named(&names("method", 5), &names("model", 2)), wide(), one, none]
}

/// Scores that differ more by seed than by anything else.
pub fn wide() -> Grid {
    let (view, mut results) = everything();
    let shift = |key: &JobKey, seed: u64| {
        let method = key.0.bytes().map(u64::from).sum::<u64>();
        0.4 * ((seed * 7919 + method * 31) % 101) as f64 / 101.0 - 0.2
    };
    for row in &mut results.metrics {
        let by = shift(&row.job, row.point.seed);
        for part in [&mut row.precision, &mut row.recall, &mut row.f1] {
            *part = (*part + by).clamp(0.0, 1.0);
        }
    }
    for row in &mut results.epochs {
        let by = shift(&row.job, row.epoch);
        (row.dev_macro_f1, row.loss) =
            ((row.dev_macro_f1 + by).clamp(0.0, 1.0), row.loss * (1.0 + 4.0 * by.abs()));
    }
    (view, results)
}

/// Names that the bundled font has no character of.
pub fn japanese() -> Grid {
    let methods = ["基準", "焦点損失", "文単位の再標本化", "単語の置き換え"].map(str::to_owned);
    let (mut view, mut results) = everything_named(&methods, &["日本語モデル".to_owned()]);
    let corpus = "毎日新聞コーパス";
    let renamed = |name: &mut String| {
        if name == "synthetic" {
            corpus.clone_into(name);
        }
    };
    view.corpora.iter_mut().for_each(renamed);
    view.jobs.iter_mut().for_each(|job| renamed(&mut job.point.corpus));
    results.runs.iter_mut().for_each(|run| renamed(&mut run.point.corpus));
    results.metrics.iter_mut().for_each(|row| renamed(&mut row.point.corpus));
    (view, results)
}

/// Types of every rareness, with shares in the runs.
fn typed((view, mut results): Grid) -> Grid {
    let types = [
        ("brand", 0.0004),
        ("work", 0.0021),
        ("group", 0.0068),
        ("place", 0.019),
        ("person", 0.044),
    ];
    let of_type = |row: &MetricRow, k: usize| {
        let (name, share): (&str, f64) = types[k];
        let rare = -(share.log10() + 1.0);
        let method = view.methods.iter().position(|m| *m == row.point.method).unwrap_or(0);
        let gain = if method == 0 { 0.0 } else { 0.03 * rare - 0.012 * (method % 5) as f64 };
        let f1 = (row.f1 + gain - 0.06 * rare).clamp(0.0, 1.0);
        let entity_type = Some(name.to_owned());
        let support = (4000.0 * share).ceil() as u64;
        MetricRow {
            scope: Scope::Type,
            entity_type,
            f1,
            precision: f1,
            recall: f1,
            support,
            ..row.clone()
        }
    };
    let test = results.metrics.iter().filter(|row| {
        row.split == domain::Split::Test && row.level == Level::Span && row.scope == Scope::Macro
    });
    let rows: Vec<MetricRow> = test
        .flat_map(|row| (0..types.len()).map(|k| of_type(row, k)).collect::<Vec<_>>())
        .collect();
    results.metrics.extend(rows);
    for run in &mut results.runs {
        run.type_shares = types.iter().map(|(name, share)| ((*name).to_owned(), *share)).collect();
    }
    (view, results)
}

/// A copy of every job for each name, changed.
fn copied(grid: &mut Grid, names: &[String], change: impl Fn(&mut Point, &str)) {
    let (view, results) = grid;
    let (jobs, runs, metrics) = (view.jobs.clone(), results.runs.clone(), results.metrics.clone());
    for name in names {
        let key = |key: &JobKey| JobKey(format!("{}-{name}", key.0));
        for mut job in jobs.clone() {
            job.key = key(&job.key);
            change(&mut job.point, name);
            view.jobs.push(job);
        }
        for mut run in runs.clone() {
            run.job = key(&run.job);
            change(&mut run.point, name);
            results.runs.push(run);
        }
        for mut row in metrics.clone() {
            row.job = key(&row.job);
            change(&mut row.point, name);
            results.metrics.push(row);
        }
    }
}

/// A scenario's name, its settings, and what share of the scores is left under it.
type Scenario<'a> = (String, Vec<(&'a str, f64)>, f64);

fn under_scenarios(mut grid: Grid, scenarios: &[Scenario<'_>]) -> Grid {
    let names: Vec<String> = scenarios.iter().map(|(name, ..)| name.clone()).collect();
    copied(&mut grid, &names, |point, name| point.scenario = name.to_owned());
    let (mut view, mut results) = grid;
    for (name, settings, _) in scenarios {
        let settings =
            settings.iter().map(|(name, value)| ((*name).to_owned(), ParameterValue::Real(*value)));
        view.conditions.insert(name.clone(), Parameters(settings.collect()));
        view.scenarios.push(name.clone());
    }
    for row in &mut results.metrics {
        let scenario = scenarios.iter().find(|(name, ..)| *name == row.point.scenario);
        let share = scenario.map_or(1.0, |(_, _, share)| share.clamp(0.2, 1.1));
        for part in [&mut row.precision, &mut row.recall, &mut row.f1] {
            *part = (*part * share).min(1.0);
        }
    }
    (view, results)
}

fn other_corpora(mut grid: Grid, names: &[&str]) -> Grid {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    copied(&mut grid, &names, |point, name| point.corpus = name.to_owned());
    grid.0.corpora.extend(names);
    grid
}

fn timed((view, mut results): Grid) -> Grid {
    for run in &mut results.runs {
        let place = |names: &[String], name: &String| {
            names.iter().position(|known| known == name).unwrap_or(0) as f64
        };
        let method = place(&view.methods, &run.point.method);
        let model = place(&view.models, &run.point.model);
        run.train_seconds =
            Some(2.0 * 9f64.powf(model) * (1.0 + 0.4 * method) + run.point.seed as f64);
    }
    (view, results)
}

/// Twelve epochs of every job of the first corpora.
fn with_epochs((view, mut results): Grid) -> Grid {
    for job in view.jobs.iter().filter(|job| job.point.scenario == "full") {
        let method = view.methods.iter().position(|m| *m == job.point.method).unwrap_or(0) as f64;
        let last = 12 - job.point.seed % 3;
        for epoch in 1..=last {
            let x = epoch as f64 + 0.15 * job.point.seed as f64;
            let score = 0.6 * (1.0 - (-x / (2.5 + 0.3 * method)).exp());
            results.epochs.push(EpochRow {
                job: job.key.clone(),
                epoch,
                updates: 32 * epoch,
                loss: 2.0 * (-x / (3.0 + 0.2 * method)).exp(),
                dev_micro_f1: score + 0.1,
                dev_macro_f1: score,
                added: Default::default(),
                seconds: 1.0,
            });
        }
    }
    (view, results)
}
