//! What jobs got wrong on test, by entity type, with examples.
//!
//! Predictions are read of few jobs only ([`jobs_to_read`]) and few examples are kept of each, all
//! of bounded length, so that neither a large grid nor a hostile corpus makes a report large. The
//! choice depends on the predictions alone: the same file gives the same examples.

mod kinds;
mod read;

pub use kinds::ErrorKind;
pub use read::errors_of;

use super::leaders::leaders;
use analysis::{GridView, Panel, ResultFrames, Scoreboard, SeedStanding};
use domain::{JobKey, Point};
use std::collections::HashMap;

/// Predictions of so many jobs are looked into.
const MOST_JOBS: usize = 60;

/// What one job got wrong.
#[derive(Clone, PartialEq, Debug)]
pub struct JobErrors {
    pub job: JobKey,
    /// Sentences that were read.
    pub sentences: usize,
    /// Whether there were more than were read.
    pub is_partial: bool,
    /// The types of gold or prediction, the rarest in gold first.
    pub types: Vec<TypeErrors>,
}

/// What a job got wrong of one type.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TypeErrors {
    pub name: String,
    /// Entities in gold.
    pub gold: u64,
    pub correct: u64,
    /// By [`ErrorKind::ALL`].
    pub counts: [u64; 4],
    /// A few of each kind, in the order of the kinds.
    pub examples: Vec<Example>,
}

/// One error with the words around it.
#[derive(Clone, PartialEq, Debug)]
pub struct Example {
    pub kind: ErrorKind,
    pub before: String,
    /// The entity: of gold, or the predicted one where gold has none.
    pub entity: String,
    pub after: String,
    /// Type and words of what was predicted instead, where that was something.
    pub instead: Option<(String, String)>,
}

/// The jobs whose predictions a report shows errors of: for each model on each panel the first seed
/// of the baseline and of the method with the highest mean.
pub fn jobs_to_read(view: &GridView, results: &ResultFrames) -> Vec<JobKey> {
    let board = Scoreboard::new(view, results, view.metric);
    let keys: HashMap<&Point, &JobKey> =
        view.jobs.iter().map(|job| (&job.point, &job.key)).collect();
    let panels = view.panels();
    let mut chosen = Vec::new();
    // Model after model, so that no panel goes without where there are too many.
    for model in &view.models {
        for panel in &panels {
            for method in worth_reading(view, &board, panel, model) {
                let point = first_done(&board, panel, model, method);
                let key = point.and_then(|point| keys.get(&point).copied());
                chosen.extend(key.filter(|key| !chosen.contains(*key)).cloned());
            }
        }
    }
    chosen.truncate(MOST_JOBS);
    chosen
}

/// The baseline, and the method that leads; of several the first of the grid, and where none leads
/// the first that has a score.
fn worth_reading<'v>(
    view: &'v GridView,
    board: &Scoreboard,
    panel: &Panel,
    model: &str,
) -> Vec<&'v str> {
    let is_scored = |method: &&String| !board.cell(panel, model, method).f1().is_empty();
    let scored = || view.methods.iter().find(is_scored).map(String::as_str);
    let best = leaders(view, board, panel, model).first().map(|leader| leader.method);
    let best = best.or_else(scored);
    let mut methods: Vec<&str> = view.baseline.as_deref().into_iter().chain(best).collect();
    methods.dedup();
    methods
}

fn first_done(board: &Scoreboard, panel: &Panel, model: &str, method: &str) -> Option<Point> {
    let seeds = &board.cell(panel, model, method).seeds;
    let (seed, _) = seeds.iter().find(|(_, standing)| matches!(standing, SeedStanding::Done(_)))?;
    Some(Point {
        corpus: panel.corpus.clone(),
        scenario: panel.scenario.clone(),
        model: model.to_owned(),
        method: method.to_owned(),
        seed: *seed,
    })
}

#[cfg(test)]
mod tests;
