//! The table of training sizes (Table 2 of nguyen2023): a block a size, with precision, recall and F1 of
//! every model and method.

use super::conditions::{Competitor, Family, families, heads, panel, several_models};
use super::registry::{Appears, Kind, Make, Sheet};
use super::{Align, Cell, Column, Row, Table, Tidy, cells, conditions, number};
use crate::report::artefact::FileNames;
use crate::report::measure;
use crate::report::view::Panel;

/// The registry's entry.
pub const KIND: Kind = Kind {
    name: "sizes",
    help: "precision, recall and F1 by number of training sentences (Table 2 of nguyen2023)",
    appears: Appears::ByItself,
    make: Make::Grid(make),
};

/// The setting of scenarios that is varied.
pub(super) const SIZE: &str = "train_sentences";

/// A table for each corpus and each family of scenarios with two sizes or more.
fn make(sheet: &Sheet<'_>, names: &mut FileNames) -> Vec<Table> {
    let mut tables = Vec::new();
    for family in families(sheet.view, &[SIZE], false) {
        // Types one by one have a table of their own, which has these sizes in it.
        if family.scenarios.len() < 2 || super::type_sizes::covers(sheet.view, &family) {
            continue;
        }
        for corpus in &sheet.view.corpora {
            let blocks = blocks(&family, corpus);
            let panels: Vec<Panel> = blocks.iter().map(|(_, panel)| panel.clone()).collect();
            let who = conditions::competitors(sheet, &panels);
            if !who.is_empty() {
                let name = names.name(&["sizes", corpus, &family.tag()]);
                tables.push(table(sheet, (corpus, &family), &blocks, &who, name));
            }
        }
    }
    tables
}

/// The sizes with their panels, the smallest first.
fn blocks(family: &Family<'_>, corpus: &str) -> Vec<(u64, Panel)> {
    let block = |(scenario, settings): &(&str, &crate::domain::Parameters)| {
        (settings.integer(SIZE).unsigned_abs(), panel(corpus, scenario))
    };
    let mut blocks: Vec<(u64, Panel)> = family.scenarios.iter().map(block).collect();
    blocks.sort_by_key(|(size, _)| *size);
    blocks
}

fn table(
    sheet: &Sheet<'_>,
    (corpus, family): (&str, &Family<'_>),
    blocks: &[(u64, Panel)],
    who: &[Competitor<'_>],
    name: String,
) -> Table {
    let several = several_models(who);
    let rows: Vec<Row> = blocks.iter().flat_map(|block| block_rows(sheet, block, who)).collect();
    let metric = sheet.headline().metric;
    let left = ["Sentences"].into_iter().chain(several.then_some("Model")).chain(["Method"]);
    let left = left.map(|head| (head, Align::Left));
    let right = cells::PARTS.map(|(head, _)| (head, Align::Right));
    let columns = left.chain(right).map(|(head, align)| Column { head: head.to_owned(), align });
    Table {
        name,
        title: format!(
            "{} by training size on {corpus}{}",
            measure::title(metric),
            family.in_words()
        ),
        caption: caption(sheet, several, &rows),
        groups: vec![],
        columns: columns.collect(),
        tidy: tidy(sheet, blocks, who, &rows),
        rows,
    }
}

fn block_rows(sheet: &Sheet<'_>, (size, panel): &(u64, Panel), who: &[Competitor<'_>]) -> Vec<Row> {
    let several = several_models(who);
    let mut rows: Vec<Row> = Vec::new();
    for (index, competitor) in who.iter().enumerate() {
        let first = index == 0 || who[index - 1].model != competitor.model;
        let size = number::grouped(*size);
        let mut cells = vec![if index == 0 { Cell::Head(size) } else { Cell::Again(size) }];
        cells.extend(heads(sheet.view, competitor, first, several));
        cells.extend(conditions::parts(sheet, panel, competitor));
        rows.push(Row { cells, ruled: index == 0 });
    }
    let columns = rows.first().map_or(0, |row| row.cells.len());
    for column in columns.saturating_sub(3)..columns {
        cells::rank(rows.iter_mut().map(|row| &mut row.cells[column]));
    }
    rows
}

fn caption(sheet: &Sheet<'_>, several: bool, rows: &[Row]) -> String {
    let [what, how] = cells::parts_in_words(sheet.headline().metric);
    let spread = cells::spread_in_words(sheet.view.asked.spread, cells::seeds(rows));
    let who = if several { "models and methods" } else { "methods" };
    format!(
        "{what} after training on so many sentences, {spread}; a seed draws the same sentences for all {who}. \
         {how} Best of a size in bold, second underlined.{} After Table 2 of Nguyen et al. (2023).",
        conditions::marks_in_words(sheet)
    )
}

fn tidy(sheet: &Sheet<'_>, blocks: &[(u64, Panel)], who: &[Competitor<'_>], rows: &[Row]) -> Tidy {
    let place = ["corpus", "scenario", SIZE, "model", "method", "metric", "part"];
    let header = place.into_iter().chain(cells::TIDY).collect();
    let metric = sheet.headline().metric.name();
    let places = blocks.iter().flat_map(|block| who.iter().map(move |who| (block, who)));
    let mut lines = Vec::new();
    for (row, ((size, panel), who)) in rows.iter().zip(places) {
        let numbers = &row.cells[row.cells.len() - 3..];
        for (cell, part) in numbers.iter().zip(cells::PART_NAMES) {
            let size = size.to_string();
            let place =
                [&panel.corpus, &panel.scenario, &*size, who.model, who.method, metric, part];
            let place = place.map(str::to_owned).into_iter();
            lines.push(place.chain(cells::tidy(cell)).collect());
        }
    }
    Tidy { header, rows: lines }
}
