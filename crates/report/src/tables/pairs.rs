//! The table of the pairs that a grid names under `report`: who is compared with whom beside the
//! baseline.

use super::Table;
use super::comparisons::comparisons;
use super::registry::{Appears, Kind, Make, Sheet};
use crate::artefact::FileNames;
use analysis::comparison::{Detail, Pairing, Question};
use analysis::{GridView, Panel};

/// The registry's entry.
pub const KIND: Kind = Kind {
    name: "pairs",
    help: "the pairs that `report` names, across models too: difference, interval and p-values of the headline",
    appears: Appears::ByItself,
    make: Make::Panel(make),
};

fn make(sheet: &Sheet<'_>, panel: &Panel, names: &mut FileNames) -> Vec<Table> {
    let Some(question) = question(sheet.view, Detail::Tables) else { return Vec::new() };
    let (view, board) = (sheet.view, sheet.headline());
    let found = question.answers_on(panel, view, board);
    let name = names.name(&["pairs", &panel.corpus, &panel.scenario]);
    comparisons(view, board.metric, &question, &found, panel, name).into_iter().collect()
}

/// What the grid asks; `None` where it names no pair.
pub fn question(view: &GridView, detail: Detail) -> Option<Question> {
    let pairs = Some(view.asked.pairs.clone()).filter(|pairs| !pairs.is_empty())?;
    Some(Question { pairing: Pairing::Named(pairs), detail, ..Question::default() })
}
