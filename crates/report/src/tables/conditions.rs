//! Families of scenarios, and who competes under them: what tables of training sizes, masks and
//! entity shares are made of.

pub use analysis::families::{Family, families};

use super::registry::Sheet;
use super::{Cell, cells};
use analysis::comparison::Comparison;
use analysis::{self, GridView, Panel};

/// A model with a method.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Competitor<'v> {
    pub model: &'v str,
    pub method: &'v str,
}

/// The panel of a corpus under a scenario.
pub fn panel(corpus: &str, scenario: &str) -> Panel {
    Panel { corpus: corpus.to_owned(), scenario: scenario.to_owned() }
}

/// Who has a job to show on one of the panels, in grid order.
pub fn competitors<'v>(sheet: &Sheet<'v>, panels: &[Panel]) -> Vec<Competitor<'v>> {
    let view = sheet.view;
    let all = view
        .models
        .iter()
        .flat_map(|model| view.methods.iter().map(move |method| Competitor { model, method }));
    let board = sheet.headline();
    let competes = |who: &Competitor<'_>| {
        let cell = |panel: &Panel| board.cell(panel, who.model, who.method);
        panels.iter().map(cell).any(|cell| cell.shown && !cell.seeds.is_empty())
    };
    all.filter(competes).collect()
}

/// Whether several models compete, so that rows must name theirs.
pub fn several_models(competitors: &[Competitor<'_>]) -> bool {
    competitors.iter().any(|who| who.model != competitors[0].model)
}

/// Heads of the columns that name the rows of competitors in blocks.
pub fn names(block: &'static str, several: bool) -> Vec<&'static str> {
    [block].into_iter().chain(several.then_some("Model")).chain(["Method"]).collect()
}

/// The heads of a competitor's row: the model where there are several, the method.
pub fn heads(view: &GridView, who: &Competitor<'_>, first: bool, several: bool) -> Vec<Cell> {
    let model = match first {
        true => Cell::Head(who.model.to_owned()),
        false => Cell::Again(who.model.to_owned()),
    };
    let method = Cell::Method {
        name: who.method.to_owned(),
        look: view.look(who.method),
        baseline: view.is_baseline(who.method),
    };
    several.then_some(model).into_iter().chain([method]).collect()
}

/// Precision, recall and F1 of a competitor on a panel; F1 has the mark of its test.
pub fn parts(sheet: &Sheet<'_>, panel: &Panel, who: &Competitor<'_>) -> [Cell; 3] {
    let cell: &analysis::SeedCell = sheet.headline().cell(panel, who.model, who.method);
    let mark = cells::mark(sheet.test(panel, who.model, who.method));
    let spread = sheet.view.asked.spread;
    let [(_, p), (_, r), (_, f1)] = cells::PARTS;
    [
        cells::mean(cell, p, spread, super::Significance::None),
        cells::mean(cell, r, spread, super::Significance::None),
        cells::mean(cell, f1, spread, mark),
    ]
}

/// The cautions on the comparisons of these competitors on these panels.
pub fn cautions<'p>(
    sheet: &Sheet<'_>,
    panels: impl IntoIterator<Item = &'p Panel>,
    who: &[Competitor<'_>],
) -> Vec<String> {
    let panels: Vec<&Panel> = panels.into_iter().collect();
    let competes =
        |c: &Comparison| who.iter().any(|who| who.model == c.model && who.method == c.method);
    sheet.cautions(|c| panels.iter().any(|panel| c.is_on(panel)) && competes(c))
}

/// What marks mean, where something is compared.
pub fn marks_in_words(sheet: &Sheet<'_>) -> String {
    let baseline = sheet.view.baseline.as_ref().filter(|_| !sheet.all_tests().is_empty());
    let family = "one corpus, scenario and model";
    let marks = |baseline: &String| super::scores::marks(sheet.view, baseline, family);
    baseline.map_or_else(String::new, marks)
}

#[cfg(test)]
pub(super) mod tests;
