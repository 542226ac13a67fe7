//! A grid with made-up scores for the tests of this module: 2 models × 6 methods × 5 seeds, the
//! same numbers every time.

use super::view::{GridView, PlannedJob};
use domain::{
    Contender, JobKey, Metric, ParameterValue, Parameters, Point, Precision, Spending, Split,
    Stopping, TrainingVerdict,
};
use std::collections::BTreeMap;
use store::testing::search;
use store::{EpochRow, Level, MetricRow, Results, RunRow, Scope, SearchRecord, Status};

/// What each method adds to precision and recall.
const SHIFTS: [(&str, f64, f64); 6] = [
    ("original", 0.0, 0.0),
    ("sc", -0.035, 0.055),
    ("scr", -0.018, 0.062),
    ("scrd", -0.006, 0.045),
    ("nscrd", 0.004, 0.031),
    ("focal", 0.028, -0.052),
];

/// Precision and recall of each model without a method.
const MODELS: [(&str, f64, f64); 2] =
    [("shallow-softmax", 0.46, 0.31), ("bilstm-softmax", 0.63, 0.47)];

/// The grid and its results.
pub fn grid() -> (GridView, Results) {
    named(&SHIFTS.map(|(name, ..)| name.to_owned()), &MODELS.map(|(name, ..)| name.to_owned()))
}

/// The grid over two corpora with the same scores.
pub fn two_corpora() -> (GridView, Results) {
    let (mut view, mut results) = grid();
    view.corpora.push("other".to_owned());
    for mut job in view.jobs.clone() {
        (job.key.0, job.point.corpus) = (format!("{}+", job.key.0), "other".to_owned());
        view.jobs.push(job);
    }
    for mut run in results.runs.clone() {
        (run.job.0, run.point.corpus) = (format!("{}+", run.job.0), "other".to_owned());
        results.runs.push(run);
    }
    for mut row in results.metrics.clone() {
        (row.job.0, row.point.corpus) = (format!("{}+", row.job.0), "other".to_owned());
        results.metrics.push(row);
    }
    (view, results)
}

/// A grid of one model over four corpora with the same scores.
pub fn four_corpora(methods: &[&str]) -> (GridView, Results) {
    let names: Vec<String> = methods.iter().map(|name| (*name).to_owned()).collect();
    let (one, of_one) = named(&names, &["m".to_owned()]);
    let (mut view, mut results) = (GridView { jobs: vec![], ..one.clone() }, Results::default());
    view.corpora = ["a", "b", "c", "d"].map(String::from).to_vec();
    for corpus in &view.corpora {
        let key = |key: &JobKey| JobKey(format!("{}{corpus}", key.0));
        let point = |point: &Point| Point { corpus: corpus.clone(), ..point.clone() };
        let job = |job: &PlannedJob| PlannedJob {
            key: key(&job.key),
            point: point(&job.point),
            ..job.clone()
        };
        view.jobs.extend(one.jobs.iter().map(job));
        let run =
            |run: &RunRow| RunRow { job: key(&run.job), point: point(&run.point), ..run.clone() };
        results.runs.extend(of_one.runs.iter().map(run));
        let row = |row: &MetricRow| MetricRow {
            job: key(&row.job),
            point: point(&row.point),
            ..row.clone()
        };
        results.metrics.extend(of_one.metrics.iter().map(row));
    }
    (view, results)
}

/// The same of which only some jobs are to be shown.
pub fn showing(mut view: GridView, keep: impl Fn(&Point) -> bool) -> GridView {
    view.jobs.iter_mut().for_each(|job| job.shown = keep(&job.point));
    view
}

/// Trains the jobs that are chosen so that they come to this verdict, with this budget.
pub fn train(
    results: &mut Results,
    (verdict, budget): (TrainingVerdict, u64),
    chosen: impl Fn(&Point) -> bool,
) {
    for run in results.runs.iter_mut().filter(|run| chosen(&run.point)) {
        (run.verdict, run.budget, run.updates) = (Some(verdict), Some(budget), Some(budget));
        let dev_micro_f1 = if verdict == TrainingVerdict::NeverLearned { 0.0 } else { 0.5 };
        results.epochs.retain(|row| row.job != run.job);
        let row = EpochRow { dev_micro_f1, ..missampled(&run.job, 1) };
        results.epochs.push(EpochRow { updates: budget, added: BTreeMap::new(), ..row });
    }
}

/// The baseline of the model `bilstm-softmax` never learned; `scr` of it was still improving;
/// `focal` of the other model had another budget.
pub fn badly_trained() -> (GridView, Results) {
    let (view, mut results) = grid();
    let of = |model: &'static str, method: &'static str| {
        move |point: &Point| point.model == model && point.method == method
    };
    let never = (TrainingVerdict::NeverLearned, 384);
    train(&mut results, never, of("bilstm-softmax", "original"));
    let improving = (TrainingVerdict::StillImproving, 384);
    train(&mut results, improving, of("bilstm-softmax", "scr"));
    let longer = (TrainingVerdict::Converged, 998);
    train(&mut results, longer, of("shallow-softmax", "focal"));
    (view, results)
}

/// The same with other names of methods and models, as many as wanted.
pub fn named(methods: &[String], models: &[String]) -> (GridView, Results) {
    let mut view = GridView {
        is_mock: false,
        searches: vec![],
        disputed: BTreeMap::new(),
        method_settings: BTreeMap::new(),
        name: "quickstart".to_owned(),
        corpora: vec!["synthetic".to_owned()],
        scenarios: vec!["full".to_owned()],
        models: models.to_vec(),
        methods: methods.to_vec(),
        seeds: (1..=5).collect(),
        baseline: methods.first().cloned(),
        metric: Metric::MacroF1,
        stopping: None,
        conditions: Default::default(),
        asked: Default::default(),
        jobs: Vec::new(),
    };
    let mut results = Results::default();
    for (m, model) in models.iter().enumerate() {
        for (k, method) in methods.iter().enumerate() {
            for seed in 1..=5 {
                let point = Point {
                    corpus: "synthetic".to_owned(),
                    scenario: "full".to_owned(),
                    model: model.clone(),
                    method: method.clone(),
                    seed,
                };
                let key = JobKey(format!("{m:02}{k:02}{seed:02}"));
                results.runs.push(run(&key, &point));
                results.metrics.extend(metrics(&key, &point, m, k));
                view.jobs.push(PlannedJob {
                    key,
                    point,
                    not_applicable: None,
                    shown: true,
                    decided: false,
                });
            }
        }
    }
    (view, results)
}

/// A grid of corpora and scenarios with their settings, every one a little better than the one
/// before.
pub fn conditioned(
    corpora: &[&str],
    scenarios: &[(&str, &[(&str, ParameterValue)])],
    methods: &[&str],
    models: &[&str],
) -> (GridView, Results) {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let (one, rows) = named(&owned(methods), &owned(models));
    let mut view = GridView {
        corpora: owned(corpora),
        scenarios: scenarios.iter().map(|(name, _)| (*name).to_owned()).collect(),
        jobs: vec![],
        ..one.clone()
    };
    let mut results = Results::default();
    for (c, corpus) in corpora.iter().enumerate() {
        for (s, (scenario, settings)) in scenarios.iter().enumerate() {
            let settings = settings.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
            view.conditions.insert((*scenario).to_owned(), Parameters(settings.collect()));
            let place = |key: &JobKey, point: &Point| {
                let point = Point {
                    corpus: (*corpus).to_owned(),
                    scenario: (*scenario).to_owned(),
                    ..point.clone()
                };
                (JobKey(format!("{c}{s:02}{key}")), point)
            };
            let up = (c + s) as f64 / 64.0;
            view.jobs.extend(one.jobs.iter().map(|job| {
                let (key, point) = place(&job.key, &job.point);
                PlannedJob { key, point, ..job.clone() }
            }));
            results.runs.extend(rows.runs.iter().map(|run| {
                let (job, point) = place(&run.job, &run.point);
                RunRow { job, point, ..run.clone() }
            }));
            results.metrics.extend(rows.metrics.iter().map(|row| {
                let (job, point) = place(&row.job, &row.point);
                MetricRow { job, point, f1: (row.f1 + up).min(1.0), ..row.clone() }
            }));
        }
    }
    (view, results)
}

/// A grid with all that a grid can plan: searches, looks, pairs across models, and negatives of
/// which `sc` tells how often they were entities. Two corpora, three methods, two models, scores by
/// type, under the scenarios that are given.
pub fn planned(scenarios: &[(&str, &[(&str, ParameterValue)])]) -> (GridView, Results) {
    let (methods, models) = (["original", "sc", "scr"], ["shallow", "bilstm"]);
    let (mut view, mut results) = conditioned(&["a", "b"], scenarios, &methods, &models);
    view.stopping = Some(Stopping { looks: vec![3, 5], spending: Spending::Pocock });
    let contender = |model: &str, method: &str| Contender {
        model: Some(model.to_owned()),
        method: method.to_owned(),
    };
    view.asked.pairs = vec![
        [contender("bilstm", "scr"), contender("shallow", "original")],
        [contender("bilstm", "scr"), contender("bilstm", "sc")],
    ];
    view.searches = [("a", 12), ("b", 7)].map(|(corpus, n)| searched(corpus, n)).to_vec();
    let types = [("rare", 9), ("common", 70)];
    let of_types = view.jobs.iter().flat_map(|job| type_rows(&view, job, &types));
    let of_types: Vec<MetricRow> = of_types.filter(|row| row.scope != Scope::Macro).collect();
    results.metrics.extend(of_types);
    let tells = view.jobs.iter().filter(|job| job.point.method == "sc");
    results.epochs =
        tells.flat_map(|job| [1, 2].map(|epoch| missampled(&job.key, epoch))).collect();
    for run in results.runs.iter_mut().filter(|run| run.point.method == "sc") {
        (run.sentence_factor, run.token_factor) = (Some(2.0), Some(2.5));
    }
    (view, results)
}

/// A search of the method `scr` on a corpus, of twelve trials.
fn searched(corpus: &str, ended: usize) -> SearchRecord {
    let [scenario, model, method] = ["full", "bilstm", "scr"].map(str::to_owned);
    let mut search =
        SearchRecord { corpus: corpus.to_owned(), scenario, model, method, ..search(ended) };
    if ended < 12 {
        search.chosen = None;
    }
    SearchRecord { trials: 12, ..search }
}

fn missampled(job: &JobKey, epoch: u64) -> EpochRow {
    let rates = [("missampling_rate", 0.01), ("missampled_entities", 0.25)];
    EpochRow {
        job: job.clone(),
        epoch,
        updates: 32 * epoch,
        loss: 1.0,
        dev_micro_f1: 0.5,
        dev_macro_f1: 0.5,
        added: rates.map(|(name, rate)| (name.to_owned(), rate * epoch as f64)).into(),
        seconds: 1.0,
    }
}

fn run(key: &JobKey, point: &Point) -> RunRow {
    RunRow {
        stage: domain::Stage::Main,
        trial: None,
        current: true,
        job: key.clone(),
        grid: "quickstart".to_owned(),
        point: point.clone(),
        status: Status::Done,
        failure: None,
        epochs: Some(12),
        train_sentences: Some(1000),
        train_tokens: Some(17_400),
        sentence_factor: Some(1.0),
        token_factor: Some(1.0),
        parameters: Some(120_000),
        type_shares: Default::default(),
        backend: "libtorch".to_owned(),
        threads: 1,
        version: "0.1.0".to_owned(),
        budget: Some(384),
        updates: Some(384),
        tokens_seen: Some(208_800),
        passes: Some(12.0),
        verdict: Some(TrainingVerdict::Converged),
        precision: Precision::F32,
        seconds: 2.5,
        train_seconds: Some(2.1),
        peak_rss_mb: Some(210.0),
        host: "3f2a".to_owned(),
        started_at: "2026-01-01T00:00:00Z".to_owned(),
    }
}

fn metrics(key: &JobKey, point: &Point, model: usize, method: usize) -> Vec<MetricRow> {
    let (_, p0, r0) = MODELS[model % MODELS.len()];
    let (_, dp, dr) = SHIFTS[method % SHIFTS.len()];
    let lap = 1.0 + (method / SHIFTS.len()) as f64 * 0.17;
    let seed = point.seed;
    let shared = noise(seed * 31 + model as u64 * 7) * 0.012;
    let own = |k: u64| noise(seed * 101 + method as u64 * 1009 + model as u64 * 37 + k) * 0.01;
    let precision = (p0 + dp * lap + shared + own(1)).clamp(0.01, 0.99);
    let recall = (r0 + dr * lap + shared + own(2)).clamp(0.01, 0.99);
    let rows = [
        (Split::Test, Level::Span, Scope::Macro, 0.0),
        (Split::Test, Level::Span, Scope::Micro, 0.08),
        (Split::Test, Level::Token, Scope::Macro, 0.1),
        (Split::Dev, Level::Span, Scope::Macro, 0.03),
    ];
    let row = |(split, level, scope, up): (Split, Level, Scope, f64)| {
        let (precision, recall) = ((precision + up).min(1.0), (recall + up).min(1.0));
        MetricRow {
            job: key.clone(),
            point: point.clone(),
            split,
            level,
            scope,
            entity_type: None,
            precision,
            recall,
            f1: 2.0 * precision * recall / (precision + recall),
            support: 400,
            predicted: 300,
            correct: 180,
        }
    };
    rows.into_iter().map(row).collect()
}

/// A number in -1..1 that depends on `n` alone (SplitMix64).
fn noise(n: u64) -> f64 {
    let mut z = n.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// What a method of [`typed`] adds to precision and recall of every type: the second gains and
/// loses, the third changes nothing.
const TYPE_SHIFTS: [[f64; 2]; 4] = [[0.0, 0.0], [0.0625, -0.03125], [0.0, 0.0], [-0.125, 0.125]];

/// A grid with scores by type: names with their entities in gold. A type without any is predicted
/// by the second method alone. Every token job has O.
pub fn typed(methods: &[&str], models: &[&str], types: &[(&str, u64)]) -> (GridView, Results) {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let (view, mut results) = named(&owned(methods), &owned(models));
    results.metrics = view.jobs.iter().flat_map(|job| type_rows(&view, job, types)).collect();
    (view, results)
}

fn type_rows(view: &GridView, job: &PlannedJob, types: &[(&str, u64)]) -> Vec<MetricRow> {
    let method = view.methods.iter().position(|m| *m == job.point.method).unwrap_or(0);
    let [dp, dr] = TYPE_SHIFTS[method % TYPE_SHIFTS.len()];
    let mut rows = Vec::new();
    for (level, size) in [(Level::Span, 1), (Level::Token, 2)] {
        let used = types.iter().enumerate().filter(|(_, (_, support))| *support > 0 || method == 1);
        let of_type = |(index, (name, support)): (usize, &(&str, u64))| {
            let shared = job.point.seed as f64 / 64.0 + (index % 8) as f64 / 32.0;
            let [precision, recall] = match support {
                0 => [0.0, 0.0],
                _ => [0.375 + shared + dp, 0.25 + shared + dr],
            };
            let f1 = 2.0 * precision * recall / (precision + recall).max(1e-9);
            let support = support * size;
            MetricRow {
                job: job.key.clone(),
                point: job.point.clone(),
                split: Split::Test,
                level,
                scope: Scope::Type,
                entity_type: Some((*name).to_owned()),
                precision,
                recall,
                f1,
                support,
                predicted: support + 1,
                correct: support / 2,
            }
        };
        let of_types: Vec<MetricRow> = used.map(of_type).collect();
        rows.push(macro_row(&of_types));
        rows.extend(of_types);
    }
    let outside = MetricRow {
        scope: Scope::Outside,
        entity_type: None,
        precision: 0.96875,
        recall: 0.984375 + dr / 16.0,
        f1: 0.9765 + dr / 32.0,
        support: 23_000,
        ..rows[rows.len() - 1].clone()
    };
    rows.push(outside);
    rows
}

/// The unweighted mean of rows.
fn macro_row(rows: &[MetricRow]) -> MetricRow {
    let of = |part: fn(&MetricRow) -> f64| rows.iter().map(part).sum::<f64>() / rows.len() as f64;
    MetricRow {
        scope: Scope::Macro,
        entity_type: None,
        precision: of(|row| row.precision),
        recall: of(|row| row.recall),
        f1: of(|row| row.f1),
        support: rows.iter().map(|row| row.support).sum(),
        ..rows[0].clone()
    }
}
