//! The table of methods by models: mean ± standard deviation over seeds, the best in bold, the
//! second underlined, significance against the baseline.

use super::planned_looks::marks_follow_looks;
use super::registry::{Appears, Kind, Make, Sheet};
use super::{Cell, Table, TableColumn, TableRow, Tidy, cells};
use crate::artefact::FileNames;
use analysis::cautions;
use analysis::comparison::{ALPHA, Comparison, FEW, STRONG};
use analysis::measure;
use analysis::{GridView, Panel, Scoreboard};

/// The registry's entry.
pub const KIND: Kind = Kind {
    name: "scores",
    help: "methods by models: the headline, macro- and micro-F1 with spread, ranks and significance",
    appears: Appears::ByItself,
    make: Make::Panel(make),
};

fn make(sheet: &Sheet<'_>, panel: &Panel, names: &mut FileNames) -> Vec<Table> {
    let boards = sheet.boards.iter().zip(sheet.compared);
    let table = |(board, tests): (&Scoreboard, &Vec<Comparison>)| {
        let name = names.name(&[board.metric.name(), &panel.corpus, &panel.scenario]);
        scores(sheet.view, board, tests, panel, name)
    };
    boards.map(table).collect()
}

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
    let comparisons: Vec<&Comparison> = comparisons.iter().filter(|c| c.is_on(panel)).collect();
    let comparisons = &comparisons[..];
    let mut rows: Vec<TableRow> = methods
        .iter()
        .map(|method| row(view, board, comparisons, panel, &models, method))
        .collect();
    rule_off_baseline(&mut rows);
    for column in 1..=models.len() {
        cells::rank(rows.iter_mut().map(|row| &mut row.cells[column]));
    }
    let title = format!("{} on {}", measure::title(board.metric), panel.title());
    let tidy = tidy(board, comparisons, panel, &methods, &models, &rows);
    let caption = caption(view, board, panel, comparisons);
    let (groups, columns) = (vec![], columns(&models));
    let cautions = cautions::sentences(comparisons.iter().copied());
    Table { name, title, cautions, caption, groups, columns, rows, tidy }
}

fn columns(models: &[&str]) -> Vec<TableColumn> {
    let scores = models.iter().copied().map(TableColumn::right);
    std::iter::once(TableColumn::left("Method")).chain(scores).collect()
}

fn row(
    view: &GridView,
    board: &Scoreboard,
    comparisons: &[&Comparison],
    panel: &Panel,
    models: &[&str],
    method: &str,
) -> TableRow {
    let baseline = view.is_baseline(method);
    let look = view.look(method);
    let mut cells = vec![Cell::Method { name: method.to_owned(), look, baseline }];
    cells.extend(models.iter().map(|model| {
        let comparison = comparisons.iter().find(|c| c.is_of(panel, model, method));
        let mark = cells::mark(comparison.copied());
        cells::mean(board.cell(panel, model, method), |s| s.f1, view.asked.spread, mark)
    }));
    TableRow::new(cells)
}

/// A baseline in the first row is set apart from what it is compared with.
pub(super) fn rule_off_baseline(rows: &mut [TableRow]) {
    if let [first, second, ..] = rows
        && matches!(first.cells.first(), Some(Cell::Method { baseline: true, .. }))
    {
        second.ruled = true;
    }
}

fn caption(
    view: &GridView,
    board: &Scoreboard,
    panel: &Panel,
    comparisons: &[&Comparison],
) -> String {
    let seeds = cells::spread_in_words(view.asked.spread, board.seeds_scored(Some(panel)));
    let mut caption = format!(
        "Test {} in %, {seeds}. {} Best of a column in bold, second underlined.",
        board.metric.title(),
        measure::definition(board.metric),
    );
    if let Some(baseline) = view.baseline.as_ref().filter(|_| !comparisons.is_empty()) {
        caption.push_str(&marks(view, baseline, "a column"));
    }
    caption
}

/// What the marks of a table mean, whose tests are corrected over the methods of something.
pub(super) fn marks(view: &GridView, baseline: &str, family: &str) -> String {
    if let Some(stopping) = &view.stopping {
        let follow = marks_follow_looks(stopping);
        return format!(" Against {baseline}: * above, † below, {follow}.");
    }
    format!(
        " Against {baseline}: * above, † below at p < {ALPHA}, doubled at p < {STRONG} (two-sided paired \
         t-test by seed, Holm-corrected over the methods of {family}{}).{}",
        if view.is_selection() { ", also those not shown here" } else { "" },
        if view.seeds.len() < FEW {
            " With so few seeds they are hints rather than findings."
        } else {
            ""
        }
    )
}

fn tidy(
    board: &Scoreboard,
    comparisons: &[&Comparison],
    panel: &Panel,
    methods: &[&str],
    models: &[&str],
    rows: &[TableRow],
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
        "se",
    ];
    let mut lines = Vec::new();
    for (row, method) in rows.iter().zip(methods) {
        for (cell, model) in row.cells[1..].iter().zip(models) {
            let comparison = comparisons.iter().find(|c| c.is_of(panel, model, method));
            let p_holm = comparison.and_then(|c| c.p_holm).map(|p| p.to_string());
            let place =
                [panel.corpus.as_str(), &panel.scenario, model, method, board.metric.name()];
            let mut line: Vec<String> = place.into_iter().map(str::to_owned).collect();
            let [state, n, planned, mean, sd, se, rank, significance, reason] = cells::tidy(cell);
            // A cell without a score has no test either.
            let p_holm = p_holm.filter(|_| matches!(cell, Cell::Score(_))).unwrap_or_default();
            line.extend([state, n, planned, mean, sd, rank, p_holm, significance, reason, se]);
            lines.push(line);
        }
    }
    Tidy { header, rows: lines }
}
