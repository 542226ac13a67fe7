//! Every kind of table: one file with its `KIND`, and one word in the list below.
//!
//! A kind makes its tables from what a [`Sheet`] holds, or none where the grid has not what it
//! needs. The order of the list is the order on the page.

use super::Table;
use crate::artefact::FileNames;
use crate::remarks::on_table as remarked;
use analysis::by_type::TypeBoard;
use analysis::cautions::{self, Caution, CautionedSide};
use analysis::comparison::Comparison;
use analysis::{GridView, Panel, ResultFrames, Scoreboard};
use domain::TableKind;
use std::collections::HashMap;

/// A kind of table.
#[derive(Copy, Clone, Debug)]
pub struct Kind {
    /// The name that grids use.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    pub appears: Appears,
    pub make: Make,
}

/// When tables of a kind are made.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Appears {
    /// Whenever the grid has what they need.
    ByItself,
    /// Where the grid's `report` names the kind.
    Asked,
}

/// What makes the tables of a kind, and what each is about.
#[derive(Copy, Clone, Debug)]
pub enum Make {
    /// One corpus under one scenario.
    Panel(fn(&Sheet<'_>, &Panel, &mut FileNames) -> Vec<Table>),
    /// One model there.
    Model(fn(&Sheet<'_>, &Panel, &str, &mut FileNames) -> Option<Table>),
    /// The whole grid.
    Grid(fn(&Sheet<'_>, &mut FileNames) -> Vec<Table>),
}

macro_rules! kinds {
    ($($kind:ident),+ $(,)?) => {
        /// All of them.
        pub const KINDS: &[Kind] = &[$(super::$kind::KIND),+];

        /// What grids can ask for.
        pub const NAMED: &[TableKind] =
            &[$(TableKind { name: super::$kind::KIND.name, help: super::$kind::KIND.help }),+];
    };
}

kinds![
    scores,
    comparisons,
    pairs,
    types,
    token_classes,
    published,
    planned_looks,
    deltas,
    sizes,
    type_sizes,
    entity_shares,
    masking,
    missampling,
    ranks,
    searches,
    size_factors,
    imbalance,
    labels,
];

/// A kind by name.
pub fn find(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name)
}

/// What tables are made from.
pub struct Sheet<'a> {
    pub view: &'a GridView,
    pub results: &'a ResultFrames,
    /// The headline's first.
    pub boards: &'a [Scoreboard],
    /// The comparisons of each.
    pub compared: &'a [Vec<Comparison>],
    /// Of spans and of tokens.
    pub by_type: &'a [TypeBoard<'a>; 2],
    /// The comparisons of the headline by corpus, scenario, model and method.
    tests: HashMap<[&'a str; 4], &'a Comparison>,
    /// One comparison of each baseline, by the baseline's place.
    references: HashMap<[&'a str; 4], &'a Comparison>,
}

impl<'a> Sheet<'a> {
    /// `boards` and `compared` go together, the headline's first.
    pub fn new(
        view: &'a GridView,
        results: &'a ResultFrames,
        boards: &'a [Scoreboard],
        compared: &'a [Vec<Comparison>],
        by_type: &'a [TypeBoard<'a>; 2],
    ) -> Self {
        let place = |c: &'a Comparison| [&*c.corpus, &*c.scenario, &*c.model, &*c.method];
        let tests = compared.first().into_iter().flatten().map(|c| (place(c), c)).collect();
        let reference = |c: &'a Comparison| [&*c.corpus, &*c.scenario, &*c.model, &*c.against];
        let references =
            compared.first().into_iter().flatten().map(|c| (reference(c), c)).collect();
        Self { view, results, boards, compared, by_type, tests, references }
    }

    /// The scores of the headline.
    pub fn headline(&self) -> &'a Scoreboard {
        &self.boards[0]
    }

    /// Every comparison of the headline.
    pub fn all_tests(&self) -> &'a [Comparison] {
        &self.compared[0]
    }

    /// The comparison of a cell with the baseline, of the headline.
    pub fn test(&self, panel: &Panel, model: &str, method: &str) -> Option<&'a Comparison> {
        self.tests.get(&[&*panel.corpus, &*panel.scenario, model, method]).copied()
    }

    /// The cautions on those comparisons of the headline that a table shows.
    pub fn cautions(&self, shown: impl Fn(&Comparison) -> bool) -> Vec<String> {
        cautions::sentences(self.all_tests().iter().filter(|c| shown(c)))
    }

    /// The cautions on the scores of corpus, scenario, model and method, in one field.
    fn cautions_on(&self, place: [&str; 4]) -> String {
        if let Some(test) = self.tests.get(&place) {
            return cautions::in_one_field(&test.cautions);
        }
        let of_baseline = |caution: &&Caution| caution.side == CautionedSide::Baseline;
        let cautions = self.references.get(&place).into_iter().flat_map(|test| &test.cautions);
        cautions::in_one_field(cautions.filter(of_baseline))
    }

    /// Whether tables of a kind are made.
    fn shows(&self, kind: &Kind) -> bool {
        let asked = || self.view.asked.tables.iter().any(|name| name == kind.name);
        kind.appears == Appears::ByItself || asked()
    }
}

/// The tables of one corpus under one scenario, each with the name of its kind.
pub fn of_panel(
    sheet: &Sheet<'_>,
    panel: &Panel,
    names: &mut FileNames,
) -> Vec<(&'static str, Table)> {
    let made = tables(sheet, |make| match make {
        Make::Panel(make) => make(sheet, panel, names),
        _ => vec![],
    });
    made.collect()
}

/// The tables of one model on one panel.
pub fn of_model(
    sheet: &Sheet<'_>,
    panel: &Panel,
    model: &str,
    names: &mut FileNames,
) -> Vec<Table> {
    let made = tables(sheet, |make| match make {
        Make::Model(make) => make(sheet, panel, model, names).into_iter().collect(),
        _ => vec![],
    });
    made.map(|(_, table)| table).collect()
}

/// The tables over all of the grid.
pub fn of_grid(sheet: &Sheet<'_>, names: &mut FileNames) -> Vec<Table> {
    let made = tables(sheet, |make| match make {
        Make::Grid(make) => make(sheet, names),
        _ => vec![],
    });
    made.map(|(_, table)| table).collect()
}

/// What is made of each kind that is shown, with its name.
fn tables(
    sheet: &Sheet<'_>,
    mut made: impl FnMut(Make) -> Vec<Table>,
) -> impl Iterator<Item = (&'static str, Table)> {
    KINDS.iter().filter(|kind| sheet.shows(kind)).flat_map(move |kind| {
        let tables = made(kind.make).into_iter();
        tables.map(|table| (kind.name, finished(sheet, table))).collect::<Vec<_>>()
    })
}

/// A table with what all kinds have: remarks on oracles, and the cautions on each line of its CSV
/// file.
fn finished(sheet: &Sheet<'_>, table: Table) -> Table {
    let mut table = remarked(sheet.view, table);
    let header = &table.tidy.header;
    let column = |name: &str| header.iter().position(|known| *known == name);
    let place = ["corpus", "scenario", "model", "method"].map(column);
    if let ([Some(corpus), Some(scenario), Some(model), Some(method)], None) =
        (place, column(CAUTIONS))
    {
        for line in &mut table.tidy.rows {
            let place = [&line[corpus], &line[scenario], &line[model], &line[method]];
            let cautions = sheet.cautions_on(place.map(String::as_str));
            line.push(cautions);
        }
        table.tidy.header.push(CAUTIONS);
    }
    table
}

/// The last column of CSV files of scores.
const CAUTIONS: &str = "cautions";

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_kind_has_a_name_of_its_own_and_a_line_of_help() {
        let mut names = BTreeSet::new();
        for kind in KINDS {
            assert!(names.insert(kind.name), "{} twice", kind.name);
            assert!(kind.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", kind.name);
            assert!(!kind.help.is_empty() && kind.help.lines().count() == 1, "{}", kind.name);
            assert!(!kind.help.ends_with('.'), "{}", kind.name);
            assert_eq!(find(kind.name).map(|found| found.help), Some(kind.help));
        }
    }

    #[test]
    fn every_kind_has_its_place_in_the_documentation() {
        let text = include_str!("../../../../docs/tables.md");
        for kind in KINDS {
            assert!(text.contains(&format!("`{}`", kind.name)), "docs/tables.md: {}", kind.name);
        }
    }
}
