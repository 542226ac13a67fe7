//! What the page's script shows when a cell is opened: every job with its seed, scores, key and,
//! where it failed, the reason. Inert JSON, as short as it can be: numbers of names in place of
//! names, scores in millionths.
//!
//! What is set beside the baseline is over the seeds that both have, as in the tables. Whatever its
//! size, the data has the same fields; where it would be too long, its lists are empty.

mod cells;

use super::Contents;
use crate::Section;
use crate::tables::{self, Table, html};
use analysis::by_type::{Class, Sample, types_of};
use analysis::{GridView, Panel, Scoreboard};
use cells::CellJobs;
use domain::TrainingVerdict;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// Beyond this cells cannot be opened: the tables beside the page have all of it.
const MOST_BYTES: usize = 1_500_000;

/// The names that are shown anywhere, in grid order: cells are found by their places here.
pub struct ShownNames<'a> {
    pub models: Vec<&'a str>,
    pub methods: Vec<&'a str>,
}

impl<'a> ShownNames<'a> {
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
pub fn render(contents: &Contents<'_>, names: &ShownNames<'_>) -> String {
    let data = within(contents, names, MOST_BYTES);
    format!("<script type=\"application/json\" id=\"data\">{data}</script>\n")
}

/// All of it, or nothing where it would be longer.
fn within(contents: &Contents<'_>, names: &ShownNames<'_>, most: usize) -> String {
    let whole = inert(&all(contents, names).to_string());
    if whole.len() <= most { whole } else { inert(&nothing(contents.live).to_string()) }
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

fn all(contents: &Contents<'_>, names: &ShownNames<'_>) -> Value {
    let Contents { view, boards, sections, live, .. } = *contents;
    let mut jobs = CellJobs::new(contents);
    let panel = |section: &Section| panel(contents, names, &section.panel, &mut jobs);
    let panels: Vec<Value> = sections.iter().map(panel).collect();
    let written = |names: &[&str]| names.iter().map(|name| plain(name)).collect::<Vec<_>>();
    let baseline = names.methods.iter().position(|method| view.is_baseline(method));
    json!({
        "v": 1,
        "live": live,
        "metrics": boards.iter().map(|board| board.metric.title()).collect::<Vec<_>>(),
        "models": written(&names.models),
        "methods": written(&names.methods),
        "baseline": baseline,
        "panels": panels,
        "tables": of_tables(names, sections),
        "reasons": jobs.into_reasons(),
    })
}

/// What no element and no attribute can misread: no control character, no turn of the direction.
fn plain(text: &str) -> String {
    text.chars().map(html::plain).collect()
}

/// Where the rows and columns of every table of scores are in the data.
fn of_tables(names: &ShownNames<'_>, sections: &[Section]) -> Map<String, Value> {
    let mut places = Map::new();
    for (panel, section) in sections.iter().enumerate() {
        for table in &section.scores {
            places.insert(table.name.clone(), place_of(names, panel, table));
        }
    }
    places
}

fn place_of(names: &ShownNames<'_>, panel: usize, table: &Table) -> Value {
    let method = |row: &tables::TableRow| match row.cells.first() {
        Some(tables::Cell::Method { name, .. }) => names.methods.iter().position(|m| m == name),
        _ => None,
    };
    let model = |column: &tables::TableColumn| names.models.iter().position(|m| *m == column.head);
    let rows: Vec<Option<usize>> = table.rows.iter().map(method).collect();
    let columns: Vec<Option<usize>> = table.columns.iter().map(model).collect();
    json!({"panel": panel, "rows": rows, "columns": columns})
}

fn panel(
    contents: &Contents<'_>,
    names: &ShownNames<'_>,
    panel: &Panel,
    jobs: &mut CellJobs<'_>,
) -> Value {
    let types = contents.types(names, panel);
    let by_model = |of: &mut dyn FnMut(&str, &str) -> Value| -> Value {
        let mut row = |model: &str| -> Value {
            names.methods.iter().map(|&method| of(model, method)).collect()
        };
        names.models.iter().map(|&model| row(model)).collect()
    };
    json!({
        "title": plain(&panel.title()),
        "cells": by_model(&mut |model, method| jobs.cell(contents, panel, model, method)),
        "against": by_model(&mut |model, method| jobs.difference(panel, model, method)),
        "cautions": by_model(&mut |model, method| jobs.cautions(panel, model, method)),
        "verdicts": by_model(&mut |model, method| contents.verdicts(panel, model, method)),
        "types": types.iter().map(|class| plain(class.title())).collect::<Vec<_>>(),
        "byType": by_model(&mut |model, method| contents.type_scores(panel, model, method, &types)),
    })
}

impl Contents<'_> {
    /// The types of a panel, the rarest first.
    fn types(&self, names: &ShownNames<'_>, panel: &Panel) -> Vec<Class> {
        let ShownNames { models, methods } = names;
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

    /// The mean F1 of every type; with the baseline's and the number of seeds that both have, where
    /// they have some.
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

/// A fraction in millionths.
fn millionths(fraction: f64) -> i64 {
    (fraction * 1e6).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::by_type::TypeBoard;
    use analysis::comparison::compare;
    use analysis::{ResultFrames, number, synthetic};
    use store::{Level, RunRow};

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
            &Contents {
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
                overall: &[],
                figures: &[],
                errors: &[],
                live: Some("7"),
            },
            &ShownNames::new(&view, &boards[0]),
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
