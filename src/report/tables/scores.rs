//! The table of methods by models: mean ± standard deviation over seeds, the best in bold, the
//! second underlined, significance against the baseline.

use super::looks::marks_follow_looks;
use super::{Align, Cell, Column, Mark, Rank, Row, ScoreCell, Table, Tidy, number};
use crate::report::comparison::{ALPHA, Comparison, STRONG, Verdict};
use crate::report::measure;
use crate::report::view::{self, GridView, Panel, Scoreboard};
use crate::stats;

/// The table of one panel. `comparisons` are of the same metric.
pub fn scores(
    view: &GridView,
    board: &Scoreboard,
    comparisons: &[Comparison],
    panel: &Panel,
    name: String,
) -> Table {
    let models = board.models(view, panel);
    let methods = board.methods(view, panel);
    let mut rows: Vec<Row> = methods
        .iter()
        .map(|method| row(view, board, comparisons, panel, &models, method))
        .collect();
    rule_off_baseline(&mut rows);
    (1..=models.len()).for_each(|column| rank(&mut rows, column));
    let title = format!("{} on {}", measure::title(board.metric), panel.title());
    let tidy = tidy(board, comparisons, panel, &methods, &models, &rows);
    let caption = caption(view, board, panel, comparisons);
    let (groups, columns) = (vec![], columns(&models));
    Table { name, title, caption, groups, columns, rows, tidy }
}

fn columns(models: &[&str]) -> Vec<Column> {
    let head = Column { head: "Method".to_owned(), align: Align::Left };
    let scores = models.iter().map(|m| Column { head: (*m).to_owned(), align: Align::Right });
    std::iter::once(head).chain(scores).collect()
}

fn row(
    view: &GridView,
    board: &Scoreboard,
    comparisons: &[Comparison],
    panel: &Panel,
    models: &[&str],
    method: &str,
) -> Row {
    let baseline = view.is_baseline(method);
    let look = view.look(method);
    let mut cells = vec![Cell::Method { name: method.to_owned(), look, baseline }];
    cells.extend(models.iter().map(|model| {
        let comparison = comparisons.iter().find(|c| c.is_of(panel, model, method));
        cell(board.cell(panel, model, method), comparison)
    }));
    Row { cells, ruled: false }
}

/// A baseline in the first row is set apart from what it is compared with.
fn rule_off_baseline(rows: &mut [Row]) {
    if let [first, second, ..] = rows
        && matches!(first.cells.first(), Some(Cell::Method { baseline: true, .. }))
    {
        second.ruled = true;
    }
}

fn cell(cell: &view::Cell, comparison: Option<&Comparison>) -> Cell {
    if let Some(reason) = &cell.not_applicable {
        return Cell::NotApplicable(reason.clone());
    }
    if cell.seeds.is_empty() {
        return Cell::NotApplicable("not in the grid".to_owned());
    }
    let values = cell.f1();
    let Some(mean) = stats::mean(&values) else {
        return Cell::Gap { failed: cell.failed(), missing: cell.missing() };
    };
    Cell::Score(ScoreCell {
        mean,
        sd: stats::sd(&values),
        n: values.len(),
        planned: cell.seeds.len(),
        rank: Rank::Other,
        mark: comparison.map_or(Mark::None, mark),
    })
}

fn mark(comparison: &Comparison) -> Mark {
    let strongly = comparison.is_strong();
    match comparison.verdict() {
        Verdict::Better => Mark::Better { strongly },
        Verdict::Worse => Mark::Worse { strongly },
        Verdict::Open | Verdict::Untested => Mark::None,
    }
}

/// Ranks a column by what is printed, so that scores that look equal are treated as equal. One score
/// alone is not called the best.
fn rank(rows: &mut [Row], column: usize) {
    let score = |row: &Row| match &row.cells[column] {
        Cell::Score(score) => Some((score.mean, number::percent(score.mean))),
        _ => None,
    };
    let mut scores: Vec<(f64, String)> = rows.iter().filter_map(score).collect();
    if scores.len() < 2 {
        return;
    }
    scores.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    scores.dedup_by(|(_, a), (_, b)| a == b);
    for row in rows {
        let rank = match score(row) {
            Some((_, printed)) if printed == scores[0].1 => Rank::Best,
            Some((_, printed)) if scores.get(1).is_some_and(|s| s.1 == printed) => Rank::Second,
            _ => Rank::Other,
        };
        if let Cell::Score(score) = &mut row.cells[column] {
            score.rank = rank;
        }
    }
}

fn caption(
    view: &GridView,
    board: &Scoreboard,
    panel: &Panel,
    comparisons: &[Comparison],
) -> String {
    let scored = board.seeds_scored(Some(panel));
    let seeds = match scored.most {
        0 | 1 => format!("of {scored}"),
        _ => format!("mean ± standard deviation over {scored}"),
    };
    let mut caption = format!(
        "Test {} in %, {seeds}. {} Best of a column in bold, second underlined.",
        board.metric.title(),
        measure::definition(board.metric),
    );
    if let Some(baseline) = view.baseline.as_ref().filter(|_| !comparisons.is_empty()) {
        caption.push_str(&marks(view, baseline));
    }
    caption
}

/// What the marks of a table mean.
fn marks(view: &GridView, baseline: &str) -> String {
    if let Some(stopping) = &view.stopping {
        let follow = marks_follow_looks(stopping);
        return format!(" Against {baseline}: * above, † below, {follow}.");
    }
    format!(
        " Against {baseline}: * above, † below at p < {ALPHA}, doubled at p < {STRONG} (two-sided paired \
         t-test by seed, Holm-corrected over the methods of a column{}).",
        if view.is_selection() { ", also those not shown here" } else { "" }
    )
}

fn tidy(
    board: &Scoreboard,
    comparisons: &[Comparison],
    panel: &Panel,
    methods: &[&str],
    models: &[&str],
    rows: &[Row],
) -> Tidy {
    let header = vec![
        "corpus",
        "scenario",
        "model",
        "method",
        "metric",
        "state",
        "n",
        "planned",
        "mean",
        "sd",
        "rank",
        "p_holm",
        "significance",
        "reason",
    ];
    let mut lines = Vec::new();
    for (row, method) in rows.iter().zip(methods) {
        for (cell, model) in row.cells[1..].iter().zip(models) {
            let comparison = comparisons.iter().find(|c| c.is_of(panel, model, method));
            let p_holm = comparison.and_then(|c| c.p_holm);
            let metric = board.metric.name().to_owned();
            let place = [panel.corpus.as_str(), &panel.scenario, model, method];
            let mut line: Vec<String> = place.into_iter().map(str::to_owned).collect();
            line.push(metric);
            line.extend(tidy_cell(cell, p_holm));
            lines.push(line);
        }
    }
    Tidy { header, rows: lines }
}

fn tidy_cell(cell: &Cell, p_holm: Option<f64>) -> [String; 9] {
    let empty = String::new;
    match cell {
        Cell::Score(score) => [
            "scored".to_owned(),
            score.n.to_string(),
            score.planned.to_string(),
            score.mean.to_string(),
            score.sd.map_or_else(empty, |sd| sd.to_string()),
            match score.rank {
                Rank::Best => "best".to_owned(),
                Rank::Second => "second".to_owned(),
                Rank::Other => empty(),
            },
            p_holm.map_or_else(empty, |p| p.to_string()),
            match score.mark {
                Mark::None => empty(),
                Mark::Better { .. } => "better".to_owned(),
                Mark::Worse { .. } => "worse".to_owned(),
            },
            empty(),
        ],
        Cell::Gap { failed, missing } => {
            let planned = (failed + missing).to_string();
            let reason = super::gap(*failed, *missing);
            let [zero, gap] = ["0".to_owned(), "gap".to_owned()];
            [gap, zero, planned, empty(), empty(), empty(), empty(), empty(), reason]
        }
        Cell::NotApplicable(reason) => {
            let state = "n/a".to_owned();
            let zero = || "0".to_owned();
            [state, zero(), zero(), empty(), empty(), empty(), empty(), empty(), reason.clone()]
        }
        _ => std::array::from_fn(|_| empty()),
    }
}
