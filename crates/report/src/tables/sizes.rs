//! The table of training sizes (Table 2 of nguyen2023): a block a size, with precision, recall and
//! F1 of every model and method.

use super::conditions::{self, Competitor, Family, families, panel, several_models};
use super::pivot::{self, Entry, Pivot, Ranked};
use super::registry::{Appears, Kind, Make, Sheet};
use super::{Table, TableRow, cells};
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
    let heads = cells::PARTS.map(|(head, _)| head).into_iter();
    let heads = heads.chain(effort.then_some(cells::EFFORT_HEADS).into_iter().flatten());
    let block = |(size, panel): &(u64, Panel)| {
        pivot::block(sheet, &number::grouped(*size), (who, several), |who| {
            entries(sheet, (*size, panel), who, effort)
        })
    };
    let pivot = Pivot {
        names: conditions::names("Sentences", several),
        groups: vec![(String::new(), heads.map(str::to_owned).collect())],
        blocks: blocks.iter().map(block).collect(),
        ranked: Ranked::ColumnOfBlock,
        place: vec!["corpus", "scenario", SIZE, "model", "method", "metric", "part"],
        further: cells::EFFORT_NAMES.to_vec(),
    };
    let (table, metric) = (pivot.table(), sheet.headline().metric);
    Table {
        name,
        title: format!(
            "{} by training size on {corpus}{}",
            measure::title(metric),
            family.in_words()
        ),
        cautions: conditions::cautions(sheet, blocks.iter().map(|(_, panel)| panel), who),
        caption: caption(sheet, several, effort, &table.rows),
        ..table
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

fn entries(
    sheet: &Sheet<'_>,
    (size, panel): (u64, &Panel),
    who: &Competitor<'_>,
    effort: bool,
) -> Vec<Entry> {
    let trained = || sheet.headline().cell(panel, who.model, who.method).trained.values();
    let fields = cells::effort_fields(trained());
    let place = [&panel.corpus, &panel.scenario, &*size.to_string()];
    let parts = pivot::parts(sheet, Some(panel), who, &place);
    let parts = parts.into_iter().map(|part| part.with(fields.clone()));
    let effort = effort.then(|| cells::effort(trained()).map(Entry::shown));
    parts.chain(effort.into_iter().flatten()).collect()
}

fn caption(sheet: &Sheet<'_>, several: bool, effort: bool, rows: &[TableRow]) -> String {
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
