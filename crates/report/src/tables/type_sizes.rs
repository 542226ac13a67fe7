//! The table of single types by training size (Table 3 of nguyen2023): a block a type, a group of
//! columns a size.

use super::conditions::{self, Competitor, Family, families, panel, several_models};
use super::pivot::{self, Pivot, Ranked};
use super::registry::{Appears, Kind, Make, Sheet};
use super::sizes::SIZE;
use super::{Table, TableRow, cells};
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
            let field = TypesBySize::new(&family, corpus);
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
struct TypesBySize<'v> {
    types: Vec<&'v str>,
    sizes: Vec<u64>,
    panels: Vec<(&'v str, u64, Panel)>,
}

impl<'v> TypesBySize<'v> {
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
    field: &TypesBySize<'_>,
    who: &[Competitor<'_>],
    (corpus, name): (&str, String),
) -> Table {
    let several = several_models(who);
    let heads = cells::PARTS.map(|(head, _)| head.to_owned()).to_vec();
    let group = |size: &u64| (number::counted(*size as usize, "sentence"), heads.clone());
    let block = |kept: &&str| {
        pivot::block(sheet, kept, (who, several), |who| {
            let of_size = |size: &u64| {
                let place = [corpus, *kept, &*size.to_string()];
                pivot::parts(sheet, field.panel(kept, *size), who, &place)
            };
            field.sizes.iter().flat_map(of_size).collect()
        })
    };
    let pivot = Pivot {
        names: conditions::names("Type", several),
        groups: field.sizes.iter().map(group).collect(),
        blocks: field.types.iter().map(block).collect(),
        ranked: Ranked::ColumnOfBlock,
        place: vec!["corpus", "type", SIZE, "model", "method", "metric", "part"],
        further: vec![],
    };
    let (table, metric) = (pivot.table(), sheet.headline().metric);
    Table {
        name,
        title: format!(
            "{} of types one by one on {corpus}{}",
            measure::title(metric),
            family.in_words()
        ),
        cautions: conditions::cautions(sheet, field.panels.iter().map(|(.., panel)| panel), who),
        caption: caption(sheet, &table.rows),
        ..table
    }
}

fn caption(sheet: &Sheet<'_>, rows: &[TableRow]) -> String {
    let [what, how] = cells::parts_in_words(sheet.headline().metric);
    let spread = cells::spread_in_words(sheet.view.asked.spread, cells::seeds(rows));
    format!(
        "{what} where one type alone is learnt and scored, by number of training sentences, {spread}. {how} Best \
         of a type and size in bold, second underlined.{} After Table 3 of Nguyen et al. (2023).",
        conditions::marks_in_words(sheet)
    )
}
