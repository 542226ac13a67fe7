//! The table of training sizes (Table 2 of nguyen2023): a block a size, with precision, recall and F1 of
//! every model and method.

use super::conditions::{Competitor, Family, families, heads, panel, several_models};
use super::registry::{Appears, Kind, Make, Sheet};
use super::{Align, Cell, Column, Row, Table, Tidy, cells, conditions};
use crate::artefact::FileNames;
use analysis::Panel;
use analysis::measure;
use analysis::number;

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
    let block = |(scenario, settings): &(&str, &domain::Parameters)| {
        (settings.value(SIZE).unwrap_or(0), panel(corpus, scenario))
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
    let effort = has_effort(sheet, blocks, who);
    let rows: Vec<Row> =
        blocks.iter().flat_map(|block| block_rows(sheet, block, who, effort)).collect();
    let metric = sheet.headline().metric;
    let left = ["Sentences"].into_iter().chain(several.then_some("Model")).chain(["Method"]);
    let left = left.map(|head| (head, Align::Left));
    let right = cells::PARTS.map(|(head, _)| head).into_iter();
    let right = right.chain(effort.then_some(cells::EFFORT_HEADS).into_iter().flatten());
    let right = right.map(|head| (head, Align::Right));
    let columns = left.chain(right).map(|(head, align)| Column { head: head.to_owned(), align });
    Table {
        name,
        title: format!(
            "{} by training size on {corpus}{}",
            measure::title(metric),
            family.in_words()
        ),
        cautions: conditions::cautions(sheet, blocks.iter().map(|(_, panel)| panel), who),
        caption: caption(sheet, several, effort, &rows),
        groups: vec![],
        columns: columns.collect(),
        tidy: tidy(sheet, blocks, who, &rows),
        rows,
    }
}

/// Whether some of it was trained in optimiser steps.
fn has_effort(sheet: &Sheet<'_>, blocks: &[(u64, Panel)], who: &[Competitor<'_>]) -> bool {
    let board = sheet.headline();
    let is_stepped = |panel: &Panel, who: &Competitor<'_>| {
        let cell = board.cell(panel, who.model, who.method);
        cell.trained.values().any(|trained| trained.updates.is_some())
    };
    blocks.iter().any(|(_, panel)| who.iter().any(|who| is_stepped(panel, who)))
}

fn block_rows(
    sheet: &Sheet<'_>,
    (size, panel): &(u64, Panel),
    who: &[Competitor<'_>],
    effort: bool,
) -> Vec<Row> {
    let several = several_models(who);
    let mut rows: Vec<Row> = Vec::new();
    for (index, competitor) in who.iter().enumerate() {
        let first = index == 0 || who[index - 1].model != competitor.model;
        let size = number::grouped(*size);
        let mut cells = vec![if index == 0 { Cell::Head(size) } else { Cell::Again(size) }];
        cells.extend(heads(sheet.view, competitor, first, several));
        cells.extend(conditions::parts(sheet, panel, competitor));
        if effort {
            let cell = sheet.headline().cell(panel, competitor.model, competitor.method);
            cells.extend(cells::effort(cell.trained.values()));
        }
        rows.push(Row { cells, ruled: index == 0 });
    }
    let first = scores_from(several);
    for column in first..first + cells::PARTS.len() {
        cells::rank(rows.iter_mut().map(|row| &mut row.cells[column]));
    }
    rows
}

/// The column of the first score.
fn scores_from(several: bool) -> usize {
    if several { 3 } else { 2 }
}

fn caption(sheet: &Sheet<'_>, several: bool, effort: bool, rows: &[Row]) -> String {
    let [what, how] = cells::parts_in_words(sheet.headline().metric);
    let spread = cells::spread_in_words(sheet.view.asked.spread, cells::seeds(rows));
    let who = if several { "models and methods" } else { "methods" };
    format!(
        "{what} after training on so many sentences, {spread}; a seed draws the same sentences for all {who}. \
         {how} Best of a size in bold, second underlined.{}{} After Table 2 of Nguyen et al. (2023).",
        conditions::marks_in_words(sheet),
        if effort { cells::EFFORT_IN_WORDS } else { "" }
    )
}

fn tidy(sheet: &Sheet<'_>, blocks: &[(u64, Panel)], who: &[Competitor<'_>], rows: &[Row]) -> Tidy {
    let place = ["corpus", "scenario", SIZE, "model", "method", "metric", "part"];
    let header = place.into_iter().chain(cells::TIDY).chain(cells::EFFORT_NAMES).collect();
    let first = scores_from(several_models(who));
    let metric = sheet.headline().metric.name();
    let places = blocks.iter().flat_map(|block| who.iter().map(move |who| (block, who)));
    let mut lines = Vec::new();
    for (row, ((size, panel), who)) in rows.iter().zip(places) {
        let numbers = &row.cells[first..];
        let cell = sheet.headline().cell(panel, who.model, who.method);
        let effort = cells::effort_fields(cell.trained.values());
        for (cell, part) in numbers.iter().zip(cells::PART_NAMES) {
            let size = size.to_string();
            let place =
                [&panel.corpus, &panel.scenario, &*size, who.model, who.method, metric, part];
            let place = place.map(str::to_owned).into_iter();
            lines.push(place.chain(cells::tidy(cell)).chain(effort.clone()).collect());
        }
    }
    Tidy { header, rows: lines }
}
