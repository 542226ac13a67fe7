//! The table of differences (Tables 1 and 3 of nemoto2024): precision, recall and F1 of every method, and
//! what F1 gains on the baseline, a group of columns a corpus.

use super::conditions::{self, Competitor, panel};
use super::registry::{Appears, Kind, Make, Sheet};
use super::{Align, Cell, Column, Group, Row, Table, Tidy, cells};
use crate::artefact::FileNames;
use analysis::Panel;
use analysis::comparison::Comparison;
use analysis::number;

/// The registry's entry.
pub const KIND: Kind = Kind {
    name: "deltas",
    help: "precision, recall, F1 and its difference to the baseline, corpora side by side (Tables 1 and 3 of nemoto2024)",
    appears: Appears::Asked,
    make: Make::Grid(make),
};

/// Columns of a corpus.
const WIDTH: usize = 4;

/// A table for each scenario and model.
fn make(sheet: &Sheet<'_>, names: &mut FileNames) -> Vec<Table> {
    let view = sheet.view;
    let mut tables = Vec::new();
    for scenario in &view.scenarios {
        for model in &view.models {
            let shown = |corpus: &&String| {
                sheet.headline().models(view, &panel(corpus, scenario)).contains(&model.as_str())
            };
            let panels: Vec<Panel> =
                view.corpora.iter().filter(shown).map(|corpus| panel(corpus, scenario)).collect();
            let mut who = conditions::competitors(sheet, &panels);
            who.retain(|who| who.model == model);
            if !who.is_empty() {
                let name = names.name(&["deltas", scenario, model]);
                tables.push(table(sheet, &panels, &who, name));
            }
        }
    }
    tables
}

fn table(sheet: &Sheet<'_>, panels: &[Panel], who: &[Competitor<'_>], name: String) -> Table {
    let rows = rows(sheet, panels, who);
    let heads = Group { head: String::new(), columns: 1 };
    let of_panel = panels.iter().map(|panel| Group { head: panel.corpus.clone(), columns: WIDTH });
    let parts = cells::PARTS.map(|(head, _)| head).into_iter().chain(["Δ F1"]);
    let parts = panels.iter().flat_map(|_| parts.clone().map(|head| (head, Align::Right)));
    let columns = std::iter::once(("Method", Align::Left)).chain(parts);
    let under = match panels[0].scenario.as_str() {
        "full" => String::new(),
        scenario => format!(", {scenario}"),
    };
    Table {
        name,
        title: format!("Precision, recall and F1 with {}{under}", who[0].model),
        cautions: conditions::cautions(sheet, panels, who),
        caption: caption(sheet, &rows),
        groups: std::iter::once(heads).chain(of_panel).collect(),
        columns: columns.map(|(head, align)| Column { head: head.to_owned(), align }).collect(),
        tidy: tidy(sheet, panels, who, &rows),
        rows,
    }
}

fn rows(sheet: &Sheet<'_>, panels: &[Panel], who: &[Competitor<'_>]) -> Vec<Row> {
    let row = |who: &Competitor<'_>| {
        let mut cells = conditions::heads(sheet.view, who, true, false);
        for panel in panels {
            cells.extend(conditions::parts(sheet, panel, who));
            cells.push(delta(sheet, panel, who));
        }
        Row { cells, ruled: false }
    };
    let mut rows: Vec<Row> = who.iter().map(row).collect();
    super::scores::rule_off_baseline(&mut rows);
    for panel in 0..panels.len() {
        for part in 0..3 {
            let column = 1 + WIDTH * panel + part;
            cells::rank(rows.iter_mut().map(|row| &mut row.cells[column]));
        }
    }
    rows
}

/// What F1 gains on the baseline over the seeds that both have.
fn delta(sheet: &Sheet<'_>, panel: &Panel, who: &Competitor<'_>) -> Cell {
    if sheet.view.is_baseline(who.method) {
        return Cell::Text(String::new());
    }
    let test = sheet.test(panel, who.model, who.method);
    match test.and_then(|test| test.difference) {
        Some(difference) => Cell::Text(number::signed_percent(difference)),
        None => {
            let remark = test.and_then(|test: &Comparison| test.remark.clone());
            Cell::NotApplicable(remark.unwrap_or_else(|| "nothing to compare with".to_owned()))
        }
    }
}

fn caption(sheet: &Sheet<'_>, rows: &[Row]) -> String {
    let [what, how] = cells::parts_in_words(sheet.headline().metric);
    let delta = match &sheet.view.baseline {
        Some(baseline) => format!(
            " Δ F1: the mean difference to {baseline} in percentage points, over the seeds that both have."
        ),
        None => String::new(),
    };
    format!(
        "{what}, {}. {how}{delta} Best of a column in bold, second underlined.{} After Tables 1 and 3 of Nemoto \
         et al. (2024).",
        cells::spread_in_words(sheet.view.asked.spread, cells::seeds(rows)),
        conditions::marks_in_words(sheet)
    )
}

fn tidy(sheet: &Sheet<'_>, panels: &[Panel], who: &[Competitor<'_>], rows: &[Row]) -> Tidy {
    let place = ["corpus", "scenario", "model", "method", "metric", "part"];
    let header = place.into_iter().chain(cells::TIDY).chain(["difference"]).collect();
    let metric = sheet.headline().metric.name();
    let mut lines = Vec::new();
    for (row, who) in rows.iter().zip(who) {
        for (group, panel) in row.cells[1..].chunks(WIDTH).zip(panels) {
            let test = sheet.test(panel, who.model, who.method);
            for (cell, part) in group.iter().zip(cells::PART_NAMES) {
                let difference = test.filter(|_| part == "f1").and_then(|test| test.difference);
                let place = [&panel.corpus, &panel.scenario, who.model, who.method, metric, part];
                let mut line: Vec<String> = place.map(str::to_owned).into();
                line.extend(cells::tidy(cell));
                line.push(difference.map_or_else(String::new, |d| d.to_string()));
                lines.push(line);
            }
        }
    }
    Tidy { header, rows: lines }
}
