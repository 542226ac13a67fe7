//! The table of single types by training size (Table 3 of nguyen2023): a block a type, a group of columns
//! a size.

use super::conditions::{Competitor, Family, families, heads, panel, several_models};
use super::registry::{Appears, Kind, Make, Sheet};
use super::sizes::SIZE;
use super::{Align, Cell, Column, Group, Row, Table, Tidy, cells, conditions};
use crate::artefact::FileNames;
use analysis::measure;
use analysis::number;
use analysis::{GridView, Panel};
use domain::{ParameterValue, Parameters};

/// The registry's entry.
pub const KIND: Kind = Kind {
    name: "type-sizes",
    help: "precision, recall and F1 of types learnt one by one, by training size (Table 3 of nguyen2023)",
    appears: Appears::ByItself,
    make: Make::Grid(make),
};

/// The setting of scenarios that is varied beside the size.
const TYPES: &str = "keep_types";

/// A table for each corpus and each family with two types or more.
fn make(sheet: &Sheet<'_>, names: &mut FileNames) -> Vec<Table> {
    let mut tables = Vec::new();
    for family in typed(sheet.view) {
        for corpus in &sheet.view.corpora {
            let field = Field::new(&family, corpus);
            let panels: Vec<Panel> =
                field.panels.iter().map(|(_, _, panel)| panel.clone()).collect();
            let who = conditions::competitors(sheet, &panels);
            if !who.is_empty() {
                let name = names.name(&["type-sizes", corpus, &family.tag()]);
                tables.push(table(sheet, &family, &field, &who, (corpus, name)));
            }
        }
    }
    tables
}

/// The families of scenarios that keep one type each, of two types or more.
fn typed(view: &GridView) -> Vec<Family<'_>> {
    let mut families = families(view, &[SIZE, TYPES], false);
    families.retain(|family| {
        let types: Vec<&[String]> = family.scenarios.iter().map(|(_, s)| kept_types(s)).collect();
        types.iter().all(|types| types.len() == 1) && types.iter().any(|t| *t != types[0])
    });
    families
}

/// The types that a scenario keeps; none if it keeps all.
fn kept_types(settings: &Parameters) -> &[String] {
    match settings.get(TYPES) {
        Some(ParameterValue::Names(types)) => types,
        _ => &[],
    }
}

/// Whether a family of sizes is part of a table of types.
pub(super) fn covers(view: &GridView, sizes: &Family<'_>) -> bool {
    let has = |family: &Family<'_>| {
        sizes.scenarios.iter().all(|one| family.scenarios.iter().any(|other| other.0 == one.0))
    };
    typed(view).iter().any(has)
}

/// The types in grid order, the sizes in order, and what stands where.
struct Field<'v> {
    types: Vec<&'v str>,
    sizes: Vec<u64>,
    panels: Vec<(&'v str, u64, Panel)>,
}

impl<'v> Field<'v> {
    fn new(family: &Family<'v>, corpus: &str) -> Self {
        let place = |(scenario, settings): &(&str, &'v Parameters)| {
            let kept = kept_types(settings).first().map_or("", String::as_str);
            (kept, settings.value(SIZE).unwrap_or(0), panel(corpus, scenario))
        };
        let panels: Vec<_> = family.scenarios.iter().map(place).collect();
        let mut types: Vec<&str> = Vec::new();
        panels.iter().for_each(|(kept, ..)| {
            if !types.contains(kept) {
                types.push(kept);
            }
        });
        let mut sizes: Vec<u64> = panels.iter().map(|(_, size, _)| *size).collect();
        sizes.sort_unstable();
        sizes.dedup();
        Self { types, sizes, panels }
    }

    fn panel(&self, kept: &str, size: u64) -> Option<&Panel> {
        let here = |(t, s, _): &&(&str, u64, Panel)| *t == kept && *s == size;
        self.panels.iter().find(here).map(|(_, _, panel)| panel)
    }
}

fn table(
    sheet: &Sheet<'_>,
    family: &Family<'_>,
    field: &Field<'_>,
    who: &[Competitor<'_>],
    (corpus, name): (&str, String),
) -> Table {
    let several = several_models(who);
    let rows: Vec<Row> =
        field.types.iter().flat_map(|kept| block(sheet, field, kept, who)).collect();
    let left = ["Type"].into_iter().chain(several.then_some("Model")).chain(["Method"]);
    let left: Vec<(&str, Align)> = left.map(|head| (head, Align::Left)).collect();
    let heads = Group { head: String::new(), columns: left.len() };
    let size = |size: &u64| Group { head: number::counted(*size as usize, "sentence"), columns: 3 };
    let groups = std::iter::once(heads).chain(field.sizes.iter().map(size)).collect();
    let parts = cells::PARTS.map(|(head, _)| (head, Align::Right));
    let parts = field.sizes.iter().flat_map(|_| parts);
    let columns = left.into_iter().chain(parts);
    let metric = sheet.headline().metric;
    Table {
        name,
        title: format!(
            "{} of types one by one on {corpus}{}",
            measure::title(metric),
            family.in_words()
        ),
        cautions: conditions::cautions(sheet, field.panels.iter().map(|(.., panel)| panel), who),
        caption: caption(sheet, &rows),
        groups,
        columns: columns.map(|(head, align)| Column { head: head.to_owned(), align }).collect(),
        tidy: tidy(sheet, (corpus, field), who, &rows),
        rows,
    }
}

/// The rows of one type.
fn block(sheet: &Sheet<'_>, field: &Field<'_>, kept: &str, who: &[Competitor<'_>]) -> Vec<Row> {
    let several = several_models(who);
    let mut rows: Vec<Row> = Vec::new();
    for (index, competitor) in who.iter().enumerate() {
        let first = index == 0 || who[index - 1].model != competitor.model;
        let head = if index == 0 { Cell::Head } else { Cell::Again };
        let mut cells = vec![head(kept.to_owned())];
        cells.extend(heads(sheet.view, competitor, first, several));
        for size in &field.sizes {
            let absent = || Cell::NotApplicable("not in the grid".to_owned());
            cells.extend(match field.panel(kept, *size) {
                Some(panel) => conditions::parts(sheet, panel, competitor),
                None => std::array::from_fn(|_| absent()),
            });
        }
        rows.push(Row { cells, ruled: index == 0 });
    }
    let columns = rows.first().map_or(0, |row| row.cells.len());
    for column in columns - 3 * field.sizes.len()..columns {
        cells::rank(rows.iter_mut().map(|row| &mut row.cells[column]));
    }
    rows
}

fn caption(sheet: &Sheet<'_>, rows: &[Row]) -> String {
    let [what, how] = cells::parts_in_words(sheet.headline().metric);
    let spread = cells::spread_in_words(sheet.view.asked.spread, cells::seeds(rows));
    format!(
        "{what} where one type alone is learnt and scored, by number of training sentences, {spread}. {how} Best \
         of a type and size in bold, second underlined.{} After Table 3 of Nguyen et al. (2023).",
        conditions::marks_in_words(sheet)
    )
}

fn tidy(
    sheet: &Sheet<'_>,
    (corpus, field): (&str, &Field<'_>),
    who: &[Competitor<'_>],
    rows: &[Row],
) -> Tidy {
    let place = ["corpus", "type", SIZE, "model", "method", "metric", "part"];
    let metric = sheet.headline().metric.name();
    let places = field.types.iter().flat_map(|kept| who.iter().map(move |who| (kept, who)));
    let mut lines = Vec::new();
    for (row, (kept, who)) in rows.iter().zip(places) {
        let numbers = &row.cells[row.cells.len() - 3 * field.sizes.len()..];
        for (group, size) in numbers.chunks(3).zip(&field.sizes) {
            for (cell, part) in group.iter().zip(cells::PART_NAMES) {
                let size = size.to_string();
                let place = [corpus, kept, &*size, who.model, who.method, metric, part];
                let place = place.map(str::to_owned).into_iter();
                lines.push(place.chain(cells::tidy(cell)).collect());
            }
        }
    }
    Tidy { header: place.into_iter().chain(cells::TIDY).collect(), rows: lines }
}
