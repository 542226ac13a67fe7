//! The jobs behind the cells of the page, each a short list, and the texts that they name by
//! number.

use super::{millionths, plain};
use crate::page::Contents;
use analysis::cautions;
use analysis::comparison::Comparison;
use analysis::number;
use analysis::{Panel, SeedCell, SeedStanding};
use domain::{JobKey, Point};
use serde_json::{Value, json};
use std::collections::HashMap;
use store::RunRow;

/// Characters of a reason.
const LONGEST_REASON: usize = 400;

/// Jobs as the script reads them.
pub struct CellJobs<'a> {
    keys: HashMap<&'a Point, &'a JobKey>,
    runs: HashMap<&'a JobKey, &'a RunRow>,
    /// By corpus, scenario, model and method.
    tests: HashMap<[&'a str; 4], &'a Comparison>,
    reasons: FailureReasons,
}

/// Reasons of failures, each once: many jobs fail for the same one.
#[derive(Default)]
struct FailureReasons {
    texts: Vec<String>,
    places: HashMap<String, usize>,
}

impl FailureReasons {
    fn place(&mut self, reason: &str) -> usize {
        let next = self.texts.len();
        *self.places.entry(reason.to_owned()).or_insert_with(|| {
            self.texts.push(plain(reason).chars().take(LONGEST_REASON).collect());
            next
        })
    }
}

impl<'a> CellJobs<'a> {
    /// Those of a page.
    pub fn new(contents: &Contents<'a>) -> Self {
        let (view, results) = (contents.view, contents.results);
        let place = |c: &'a Comparison| [&*c.corpus, &*c.scenario, &*c.model, &*c.method];
        Self {
            keys: view.jobs.iter().map(|job| (&job.point, &job.key)).collect(),
            runs: results.runs().iter().map(|run| (&run.job, run)).collect(),
            tests: contents.tests.iter().map(|test| (place(test), test)).collect(),
            reasons: FailureReasons::default(),
        }
    }

    /// Every reason that a job or a combination names by its number.
    pub fn into_reasons(self) -> Vec<String> {
        self.reasons.texts
    }

    /// The difference to the baseline as the table of comparisons prints it, and over how many
    /// seeds.
    pub fn difference(&self, panel: &Panel, model: &str, method: &str) -> Value {
        let test = self.tests.get(&[&*panel.corpus, &*panel.scenario, model, method]);
        let shown =
            |test: &&Comparison| Some(json!([number::signed_percent(test.difference?), test.n]));
        test.and_then(shown).unwrap_or(Value::Null)
    }

    /// The cautions on the comparison with the baseline; nothing where there are none.
    pub fn cautions(&self, panel: &Panel, model: &str, method: &str) -> Value {
        let test = self.tests.get(&[&*panel.corpus, &*panel.scenario, model, method]);
        let told = test.map_or_else(Vec::new, |test| cautions::sentences([*test]));
        match told.is_empty() {
            true => Value::Null,
            false => told.iter().map(|text| plain(text)).collect(),
        }
    }

    /// A list of jobs; the number of a reason where the combination makes no sense; nothing where
    /// the grid has none.
    pub fn cell(
        &mut self,
        contents: &Contents<'_>,
        panel: &Panel,
        model: &str,
        method: &str,
    ) -> Value {
        let cells = contents.boards.iter().map(|board| board.cell(panel, model, method));
        let cells: Vec<&SeedCell> = cells.collect();
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

    /// Seed and key; of one that a look made superfluous nothing more in a third place; of a job
    /// that ended its seconds, then the reason's number, or F1, precision and recall of the
    /// headline and F1 of the other metrics.
    fn job(&mut self, point: &Point, cells: &[&SeedCell]) -> Value {
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
