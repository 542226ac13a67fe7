//! What the page's script shows when a cell is opened: every job with its seed, scores, key and, where
//! it failed, the reason. Inert JSON, as short as it can be: numbers of names in place of names, scores
//! in millionths.
//!
//! What is set beside the baseline is over the seeds that both have, as in the tables. Whatever its size,
//! the data has the same fields; where it would be too long, its lists are empty.

use crate::Section;
use crate::tables::{self, Table, html};
use analysis::by_type::{Class, Sample, TypeBoard, types_of};
use analysis::cautions;
use analysis::comparison::Comparison;
use analysis::number;
use analysis::{self, GridView, Panel, ResultFrames, Scoreboard, SeedStanding};
use domain::{JobKey, Point, TrainingVerdict};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};
use store::RunRow;

/// Beyond this cells cannot be opened: the tables beside the page have all of it.
const MOST_BYTES: usize = 1_500_000;

/// Characters of a reason.
const LONGEST_REASON: usize = 400;

/// What the data is made of.
pub struct PageSource<'a> {
    pub view: &'a GridView,
    pub results: &'a ResultFrames,
    /// The headline first.
    pub boards: &'a [Scoreboard],
    /// With the baseline, of the headline.
    pub tests: &'a [Comparison],
    pub by_type: &'a TypeBoard<'a>,
    pub sections: &'a [Section],
    pub axes: &'a Axes<'a>,
    /// The version of a served page.
    pub live: Option<&'a str>,
}

/// The names that are shown anywhere, in grid order: cells are found by their places here.
pub struct Axes<'a> {
    pub models: Vec<&'a str>,
    pub methods: Vec<&'a str>,
}

impl<'a> Axes<'a> {
    /// What is shown.
    pub fn new(view: &'a GridView, board: &Scoreboard) -> Self {
        let panels = view.panels();
        let shown = |all: &'a [String], here: &dyn Fn(&Panel) -> Vec<&'a str>| {
            let some: HashSet<&str> = panels.iter().flat_map(here).collect();
            all.iter().map(String::as_str).filter(|name| some.contains(name)).collect()
        };
        Self {
            models: shown(&view.models, &|panel| board.models(view, panel)),
            methods: shown(&view.methods, &|panel| board.methods(view, panel)),
        }
    }
}

/// The block, with nothing in it that could end it.
pub fn render(source: &PageSource<'_>) -> String {
    let data = within(source, MOST_BYTES);
    format!("<script type=\"application/json\" id=\"data\">{data}</script>\n")
}

/// All of it, or nothing where it would be longer.
fn within(source: &PageSource<'_>, most: usize) -> String {
    let whole = inert(&all(source).to_string());
    if whole.len() <= most { whole } else { inert(&nothing(source.live).to_string()) }
}

/// The data of a page on which no cell can be opened.
fn nothing(live: Option<&str>) -> Value {
    json!({
        "v": 1,
        "live": live,
        "metrics": [],
        "models": [],
        "methods": [],
        "baseline": null,
        "panels": [],
        "tables": {},
        "reasons": [],
    })
}

/// JSON has these characters in texts only, where they can be written so.
fn inert(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

fn all(source: &PageSource<'_>) -> Value {
    let PageSource { view, boards, sections, axes, live, .. } = *source;
    let mut jobs = Jobs::new(source);
    let panels: Vec<Value> =
        sections.iter().map(|section| panel(source, &section.panel, &mut jobs)).collect();
    let names = |names: &[&str]| names.iter().map(|name| plain(name)).collect::<Vec<_>>();
    let baseline = axes.methods.iter().position(|method| view.is_baseline(method));
    json!({
        "v": 1,
        "live": live,
        "metrics": boards.iter().map(|board| board.metric.title()).collect::<Vec<_>>(),
        "models": names(&axes.models),
        "methods": names(&axes.methods),
        "baseline": baseline,
        "panels": panels,
        "tables": of_tables(axes, sections),
        "reasons": jobs.reasons.texts,
    })
}

/// What no element and no attribute can misread: no control character, no turn of the direction.
fn plain(text: &str) -> String {
    text.chars().map(html::plain).collect()
}

/// Where the rows and columns of every table of scores are in the data.
fn of_tables(axes: &Axes<'_>, sections: &[Section]) -> Map<String, Value> {
    let mut places = Map::new();
    for (panel, section) in sections.iter().enumerate() {
        for table in &section.scores {
            places.insert(table.name.clone(), place_of(axes, panel, table));
        }
    }
    places
}

fn place_of(axes: &Axes<'_>, panel: usize, table: &Table) -> Value {
    let method = |row: &tables::Row| match row.cells.first() {
        Some(tables::Cell::Method { name, .. }) => axes.methods.iter().position(|m| m == name),
        _ => None,
    };
    let model = |column: &tables::Column| axes.models.iter().position(|m| *m == column.head);
    let rows: Vec<Option<usize>> = table.rows.iter().map(method).collect();
    let columns: Vec<Option<usize>> = table.columns.iter().map(model).collect();
    json!({"panel": panel, "rows": rows, "columns": columns})
}

fn panel(source: &PageSource<'_>, panel: &Panel, jobs: &mut Jobs<'_>) -> Value {
    let axes = source.axes;
    let types = source.types(panel);
    let [mut cells, mut by_type, mut against, mut cautions, mut verdicts] =
        [(); 5].map(|()| Vec::new());
    for model in &axes.models {
        let cell = |method: &&str| jobs.cell(source, panel, model, method);
        cells.push(axes.methods.iter().map(cell).collect::<Vec<_>>());
        let scores = |method: &&str| source.type_scores(panel, model, method, &types);
        by_type.push(axes.methods.iter().map(scores).collect::<Vec<_>>());
        let difference = |method: &&str| jobs.difference(panel, model, method);
        against.push(axes.methods.iter().map(difference).collect::<Vec<_>>());
        let told = |method: &&str| jobs.cautions(panel, model, method);
        cautions.push(axes.methods.iter().map(told).collect::<Vec<_>>());
        let trained = |method: &&str| source.verdicts(panel, model, method);
        verdicts.push(axes.methods.iter().map(trained).collect::<Vec<_>>());
    }
    let names: Vec<String> = types.iter().map(|class| plain(class.title())).collect();
    json!({
        "title": plain(&panel.title()),
        "cells": cells,
        "against": against,
        "cautions": cautions,
        "verdicts": verdicts,
        "types": names,
        "byType": by_type,
    })
}

impl PageSource<'_> {
    /// The types of a panel, the rarest first.
    fn types(&self, panel: &Panel) -> Vec<Class> {
        let Axes { models, methods } = self.axes;
        let pairs = models.iter().flat_map(|model| methods.iter().map(move |m| (model, m)));
        let samples: Vec<Sample<'_>> =
            pairs.map(|(model, method)| self.by_type.sample(panel, model, method)).collect();
        types_of(&samples)
    }

    /// By seed what a reader must know of its training; nothing where every seed was trained to its
    /// end.
    fn verdicts(&self, panel: &Panel, model: &str, method: &str) -> Value {
        let cell = self.boards[0].cell(panel, model, method);
        let is_odd = |verdict: &TrainingVerdict| {
            matches!(verdict, TrainingVerdict::NeverLearned | TrainingVerdict::StillImproving)
        };
        let odd = cell.trained.iter().filter_map(|(seed, trained)| {
            let verdict = trained.verdict.filter(is_odd)?;
            Some((seed.to_string(), json!(verdict.to_string())))
        });
        let odd: Map<String, Value> = odd.collect();
        if odd.is_empty() { Value::Null } else { Value::Object(odd) }
    }

    /// The mean F1 of every type; with the baseline's and the number of seeds that both have, where they
    /// have some.
    fn type_scores(&self, panel: &Panel, model: &str, method: &str, types: &[Class]) -> Value {
        let own = self.by_type.sample(panel, model, method);
        if own.is_empty() || types.is_empty() {
            return Value::Null;
        }
        let means = |sample: &Sample<'_>| -> Vec<Option<i64>> {
            let mean = |class: &Class| sample.mean(class).map(|score| millionths(score.f1));
            types.iter().map(mean).collect()
        };
        let baseline = self.view.baseline.as_deref().filter(|baseline| *baseline != method);
        let base = baseline.map(|baseline| self.by_type.sample(panel, model, baseline));
        match base.map(|base| [own.paired_with(&base), base.paired_with(&own)]) {
            Some([own, base]) if !own.is_empty() => json!([means(&own), means(&base), own.len()]),
            _ => json!([means(&own)]),
        }
    }
}

/// Jobs as the script reads them.
struct Jobs<'a> {
    keys: HashMap<&'a Point, &'a JobKey>,
    runs: HashMap<&'a JobKey, &'a RunRow>,
    /// By corpus, scenario, model and method.
    tests: HashMap<[&'a str; 4], &'a Comparison>,
    reasons: Reasons,
}

/// Reasons of failures, each once: many jobs fail for the same one.
#[derive(Default)]
struct Reasons {
    texts: Vec<String>,
    places: HashMap<String, usize>,
}

impl Reasons {
    fn place(&mut self, reason: &str) -> usize {
        let next = self.texts.len();
        *self.places.entry(reason.to_owned()).or_insert_with(|| {
            self.texts.push(plain(reason).chars().take(LONGEST_REASON).collect());
            next
        })
    }
}

impl<'a> Jobs<'a> {
    fn new(source: &PageSource<'a>) -> Self {
        let (view, results) = (source.view, source.results);
        let place = |c: &'a Comparison| [&*c.corpus, &*c.scenario, &*c.model, &*c.method];
        Self {
            keys: view.jobs.iter().map(|job| (&job.point, &job.key)).collect(),
            runs: results.runs().iter().map(|run| (&run.job, run)).collect(),
            tests: source.tests.iter().map(|test| (place(test), test)).collect(),
            reasons: Reasons::default(),
        }
    }

    /// The difference to the baseline as the table of comparisons prints it, and over how many seeds.
    fn difference(&self, panel: &Panel, model: &str, method: &str) -> Value {
        let test = self.tests.get(&[&*panel.corpus, &*panel.scenario, model, method]);
        let shown =
            |test: &&Comparison| Some(json!([number::signed_percent(test.difference?), test.n]));
        test.and_then(shown).unwrap_or(Value::Null)
    }

    /// The cautions on the comparison with the baseline; nothing where there are none.
    fn cautions(&self, panel: &Panel, model: &str, method: &str) -> Value {
        let test = self.tests.get(&[&*panel.corpus, &*panel.scenario, model, method]);
        let told = test.map_or_else(Vec::new, |test| cautions::sentences([*test]));
        match told.is_empty() {
            true => Value::Null,
            false => told.iter().map(|text| plain(text)).collect(),
        }
    }

    /// A list of jobs; the number of a reason where the combination makes no sense; nothing where the
    /// grid has none.
    fn cell(&mut self, source: &PageSource<'_>, panel: &Panel, model: &str, method: &str) -> Value {
        let cells = source.boards.iter().map(|board| board.cell(panel, model, method));
        let cells: Vec<&analysis::SeedCell> = cells.collect();
        match (cells[0].shown, &cells[0].not_applicable) {
            (false, _) => Value::Null,
            (true, Some(reason)) => json!(self.reasons.place(reason)),
            (true, None) => {
                let point = |seed: u64| Point {
                    corpus: panel.corpus.clone(),
                    scenario: panel.scenario.clone(),
                    model: model.to_owned(),
                    method: method.to_owned(),
                    seed,
                };
                let seeds = cells[0].seeds.keys();
                seeds.map(|seed| self.job(&point(*seed), &cells)).collect()
            }
        }
    }

    /// Seed and key; of one that a look made superfluous nothing more in a third place; of a job that
    /// ended its seconds, then the reason's number, or F1, precision and recall of the headline and F1 of
    /// the other metrics.
    fn job(&mut self, point: &Point, cells: &[&analysis::SeedCell]) -> Value {
        let key = self.keys.get(point).map_or("", |key| key.0.as_str());
        let mut job = vec![json!(point.seed), json!(key)];
        let standing = cells[0].seeds.get(&point.seed);
        if standing == Some(&SeedStanding::Decided) {
            job.push(Value::Null);
        }
        let Some(standing @ (SeedStanding::Done(_) | SeedStanding::Failed(_))) = standing else {
            return Value::Array(job);
        };
        let seconds = self.keys.get(point).and_then(|key| self.runs.get(*key));
        job.push(json!(seconds.map(|run| (run.seconds * 10.0).round() / 10.0)));
        match standing {
            SeedStanding::Done(score) => {
                job.extend([score.f1, score.precision, score.recall].map(|x| json!(millionths(x))));
                let others = cells[1..].iter().map(|cell| match cell.seeds.get(&point.seed) {
                    Some(SeedStanding::Done(score)) => json!(millionths(score.f1)),
                    _ => Value::Null,
                });
                job.extend(others);
            }
            SeedStanding::Failed(reason) => job.push(json!(self.reasons.place(reason))),
            SeedStanding::Missing | SeedStanding::Decided => {}
        }
        Value::Array(job)
    }
}

/// A fraction in millionths.
fn millionths(fraction: f64) -> i64 {
    (fraction * 1e6).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::comparison::compare;
    use analysis::synthetic;
    use store::Level;

    /// The data of a grid of two methods, of which each has a seed that the other has not.
    fn unpaired(most: usize) -> Value {
        let types = [("rare", 9), ("common", 70)];
        let (view, mut results) = synthetic::typed(&["original", "sc"], &["m"], &types);
        let is_lost = |run: &RunRow| match run.point.method.as_str() {
            "original" => run.point.seed == 1,
            _ => run.point.seed == 5,
        };
        results.runs.retain(|run| !is_lost(run));
        let results = ResultFrames::from(&results);
        let boards = [Scoreboard::new(&view, &results, view.metric)];
        let tests = compare(&view, &boards[0]);
        let data = within(
            &PageSource {
                view: &view,
                results: &results,
                boards: &boards,
                tests: &tests,
                by_type: &TypeBoard::new(&view, &results, Level::Span),
                sections: &view
                    .panels()
                    .into_iter()
                    .map(|panel| Section {
                        panel,
                        scores: vec![],
                        comparisons: vec![],
                        figure: None,
                        figures: vec![],
                        by_type: vec![],
                    })
                    .collect::<Vec<_>>(),
                axes: &Axes::new(&view, &boards[0]),
                live: Some("7"),
            },
            most,
        );
        serde_json::from_str(&data).expect("JSON")
    }

    #[test]
    fn what_is_beside_the_baseline_is_over_the_seeds_that_both_have() {
        let data = unpaired(usize::MAX);
        let panel = &data["panels"][0];
        // Seed s adds s/64 to both, so means over all their seeds would lie 1/64 further apart.
        let [own, base] = [0, 1].map(|side| &panel["byType"][0][1][side]);
        assert_eq!(panel["byType"][0][1][2], 3);
        let f1 = |p: f64, r: f64| 2.0 * p * r / (p + r);
        let mean = |shift: [f64; 2]| {
            let of_seed =
                |seed: f64| f1(0.375 + seed / 64.0 + shift[0], 0.25 + seed / 64.0 + shift[1]);
            [2.0, 3.0, 4.0].map(of_seed).iter().sum::<f64>() / 3.0
        };
        assert_eq!(own[0], millionths(mean([0.0625, -0.03125])));
        assert_eq!(base[0], millionths(mean([0.0, 0.0])));
        assert_eq!(panel["byType"][0][0].as_array().map(Vec::len), Some(1), "the baseline alone");
        let [difference, n] = [0, 1].map(|at| &panel["against"][0][1][at]);
        let sum = |side: &Value| -> i64 {
            side.as_array().expect("types").iter().filter_map(Value::as_i64).sum()
        };
        let gain = sum(own) - sum(base);
        assert_eq!(n, 3);
        assert_eq!(*difference, number::signed_percent(gain as f64 / 2e6), "macro over two types");
        assert_eq!(panel["against"][0][0], Value::Null);
    }

    #[test]
    fn data_that_is_too_long_keeps_its_fields() {
        let [whole, nothing] = [usize::MAX, 0].map(unpaired);
        let fields = |data: &Value| -> Vec<String> {
            data.as_object().expect("an object").keys().cloned().collect()
        };
        assert_eq!(fields(&nothing), fields(&whole));
        assert_eq!((&nothing["live"], &nothing["panels"]), (&whole["live"], &json!([])));
    }

    #[test]
    fn a_block_cannot_be_left() {
        let json = json!({"</script><!--": "<script>&amp;"}).to_string();
        let inert = inert(&json);
        assert!(!inert.contains(['<', '>', '&']));
        assert_eq!(
            serde_json::from_str::<Value>(&inert).unwrap(),
            serde_json::from_str::<Value>(&json).unwrap()
        );
        assert_eq!(plain("a\u{1b}\u{202e}b"), "a \u{fffd}b");
    }
}
