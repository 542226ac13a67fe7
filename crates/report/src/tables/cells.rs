//! Cells that several kinds of tables have: a mean with its spread, and the best of some of them.

use super::{Cell, Rank, ScoreCell, Significance, TableRow, field};
use analysis::cautions::Trained;
use analysis::comparison::{Comparison, Verdict};
use analysis::measure;
use analysis::number;
use analysis::{self, Score, SeedsScored};
use domain::{Metric, Spread};

/// The seed of every bootstrap: the same scores give the same numbers.
const SEED: u64 = 1;

/// Precision, recall or F1 of a score.
pub type Part = fn(&Score) -> f64;

/// Precision, recall and F1.
pub const PARTS: [(&str, Part); 3] =
    [("P", |score| score.precision), ("R", |score| score.recall), ("F1", |score| score.f1)];

/// The mean over the seeds of a cell, or why there is none.
pub fn mean(cell: &analysis::SeedCell, part: Part, spread: Spread, mark: Significance) -> Cell {
    if let Some(reason) = &cell.not_applicable {
        return Cell::NotApplicable(reason.clone());
    }
    if cell.seeds.is_empty() {
        return Cell::NotApplicable("not in the grid".to_owned());
    }
    let values: Vec<f64> = cell.scores().map(|(_, score)| part(&score)).collect();
    match score(&values, cell.seeds.len(), spread, mark) {
        Some(score) => Cell::Score(score),
        None => Cell::Gap { failed: cell.failed(), missing: cell.missing() },
    }
}

/// The mean of values of which so many are planned; `None` of none.
pub fn score(
    values: &[f64],
    planned: usize,
    spread: Spread,
    mark: Significance,
) -> Option<ScoreCell> {
    let error = || stats::bootstrap_standard_error(values, stats::ERROR_RESAMPLES, SEED);
    Some(ScoreCell {
        mean: stats::mean(values)?,
        sd: stats::sd(values),
        se: if spread == Spread::Se { error() } else { None },
        n: values.len(),
        planned,
        rank: Rank::Other,
        mark,
    })
}

/// The mark of a comparison.
pub fn mark(comparison: Option<&Comparison>) -> Significance {
    let Some(comparison) = comparison else { return Significance::None };
    let strongly = comparison.is_strong();
    match comparison.verdict() {
        Verdict::Better => Significance::Better { strongly },
        Verdict::Worse => Significance::Worse { strongly },
        Verdict::Open | Verdict::Untested | Verdict::Untrained => Significance::None,
    }
}

/// Heads of what a model was trained with.
pub const EFFORT_HEADS: [&str; 3] = ["Updates", "Tokens seen", "Passes"];

/// The same as the columns of other programs.
pub const EFFORT_NAMES: [&str; 3] = ["updates", "tokens_seen", "passes"];

/// What captions say about them.
pub const EFFORT_IN_WORDS: &str = " Updates: optimiser steps; tokens seen: words of all training batches; passes: over the \
     method's own training data. All three are means; full-batch training takes no such steps.";

/// The mean updates, tokens seen and passes of trainings; `None` where none of them took optimiser
/// steps.
pub fn mean_effort<'t>(trained: impl Iterator<Item = &'t Trained>) -> Option<[f64; 3]> {
    let effort = |one: &Trained| Some((one.updates? as f64, one.tokens_seen? as f64, one.passes?));
    let all: Vec<(f64, f64, f64)> = trained.filter_map(effort).collect();
    let mean = |part: fn(&(f64, f64, f64)) -> f64| {
        stats::mean(&all.iter().map(part).collect::<Vec<f64>>())
    };
    Some([mean(|all| all.0)?, mean(|all| all.1)?, mean(|all| all.2)?])
}

/// The same as cells.
pub fn effort<'t>(trained: impl Iterator<Item = &'t Trained>) -> [Cell; 3] {
    match mean_effort(trained) {
        Some([updates, tokens, passes]) => {
            let whole = |mean: f64| number::grouped(mean.round() as u64);
            [whole(updates), whole(tokens), format!("{passes:.1}")].map(Cell::Text)
        }
        None => std::array::from_fn(|_| Cell::NotApplicable("no optimiser steps".to_owned())),
    }
}

/// The same as fields of a file.
pub fn effort_fields<'t>(trained: impl Iterator<Item = &'t Trained>) -> [String; 3] {
    let means = mean_effort(trained);
    std::array::from_fn(|k| field(means.map(|means| means[k])))
}

/// Ranks scores by what is printed, so that scores that look equal are treated as equal. One score
/// alone is not called the best, nor is a score of 0.
pub fn rank<'a>(cells: impl Iterator<Item = &'a mut Cell>) {
    let is_score = |cell: &'a mut Cell| match cell {
        Cell::Score(score) => Some(score),
        _ => None,
    };
    let mut scores: Vec<&mut ScoreCell> = cells.filter_map(is_score).collect();
    if scores.len() < 2 {
        return;
    }
    let printed = |score: &ScoreCell| number::percent(score.mean);
    let nothing = number::percent(0.0);
    let mut order: Vec<(f64, String)> = scores.iter().map(|s| (s.mean, printed(s))).collect();
    order.retain(|(_, printed)| *printed != nothing);
    order.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    order.dedup_by(|(_, a), (_, b)| a == b);
    for score in &mut scores {
        let own = printed(score);
        score.rank = match order.iter().position(|(_, printed)| *printed == own) {
            Some(0) => Rank::Best,
            Some(1) => Rank::Second,
            _ => Rank::Other,
        };
    }
}

/// Over how many seeds the means of some rows are.
pub fn seeds(rows: &[TableRow]) -> SeedsScored {
    let cells = rows.iter().flat_map(|row| &row.cells);
    let counts = cells.filter_map(|cell| match cell {
        Cell::Score(score) => Some(score.n),
        _ => None,
    });
    SeedsScored::of(counts)
}

/// `mean ± standard deviation over 5 seeds`, or what there is.
pub fn spread_in_words(spread: Spread, seeds: SeedsScored) -> String {
    match (seeds.most, spread) {
        (0 | 1, _) => format!("of {seeds}"),
        (_, Spread::Sd) => format!("mean ± standard deviation over {seeds}"),
        (_, Spread::Se) => format!(
            "mean over {seeds} ± its standard error (bootstrap over seeds, {} resamples)",
            number::grouped(stats::ERROR_RESAMPLES as u64)
        ),
    }
}

/// `Test macro precision (P), macro recall (R) and macro-F1 (F1) in %`, and how they are made.
pub fn parts_in_words(metric: Metric) -> [String; 2] {
    let word = measure::averaging(metric);
    let own = match measure::is_harmonic(metric) {
        true => "",
        false => " F1 is averaged as precision and recall are, so it is not the F1 of the two.",
    };
    [
        format!("Test {word} precision (P), {word} recall (R) and {} (F1) in %", metric.title()),
        format!("{}{own}", measure::definition(metric)),
    ]
}

/// Precision, recall, F1 as the columns of other programs.
pub const PART_NAMES: [&str; 3] = ["precision", "recall", "f1"];

/// The state of a cell without a score and the reason, for other programs.
pub fn absence(cell: &Cell) -> [String; 2] {
    match cell {
        Cell::Gap { failed, missing } => ["gap".to_owned(), super::gap(*failed, *missing)],
        Cell::NotApplicable(reason) => ["n/a".to_owned(), reason.clone()],
        _ => [String::new(), String::new()],
    }
}

/// The columns of a cell for other programs: state, n, planned, mean, sd, se, rank, significance,
/// reason.
pub const TIDY: [&str; 9] =
    ["state", "n", "planned", "mean", "sd", "se", "rank", "significance", "reason"];

/// The same of one cell.
pub fn tidy(cell: &Cell) -> [String; 9] {
    let absent = |planned: usize| {
        let mut fields: [String; 9] = std::array::from_fn(|_| String::new());
        [fields[0], fields[8]] = absence(cell);
        [fields[1], fields[2]] = [0, planned].map(|seeds| seeds.to_string());
        fields
    };
    match cell {
        Cell::Score(score) => [
            "scored".to_owned(),
            score.n.to_string(),
            score.planned.to_string(),
            score.mean.to_string(),
            field(score.sd),
            field(score.se),
            score.rank.word().to_owned(),
            score.mark.word().to_owned(),
            String::new(),
        ],
        Cell::Gap { failed, missing } => absent(failed + missing),
        Cell::NotApplicable(_) => absent(0),
        _ => std::array::from_fn(|_| String::new()),
    }
}
