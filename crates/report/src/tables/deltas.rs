//! The table of differences (Tables 1 and 3 of nemoto2024): precision, recall and F1 of every
//! method, and what F1 gains on the baseline, a group of columns a corpus.

use super::conditions::{self, Competitor, panel};
use super::pivot::{self, Entry, Pivot, PivotRow, Ranked};
use super::registry::{Appears, Kind, Make, Sheet};
use super::{Cell, Table, TableRow, cells, field};
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
    let heads = cells::PARTS.map(|(head, _)| head.to_owned()).into_iter();
    let heads: Vec<String> = heads.chain(["Δ F1".to_owned()]).collect();
    let pivot = Pivot {
        names: vec!["Method"],
        groups: panels.iter().map(|panel| (panel.corpus.clone(), heads.clone())).collect(),
        blocks: vec![who.iter().map(|who| row(sheet, panels, who)).collect()],
        ranked: Ranked::ColumnOfBlock,
        place: vec!["corpus", "scenario", "model", "method", "metric", "part"],
        further: vec!["difference"],
    };
    let mut table = pivot.table();
    super::scores::rule_off_baseline(&mut table.rows);
    let under = match panels[0].scenario.as_str() {
        "full" => String::new(),
        scenario => format!(", {scenario}"),
    };
    Table {
        name,
        title: format!("Precision, recall and F1 with {}{under}", who[0].model),
        cautions: conditions::cautions(sheet, panels, who),
        caption: caption(sheet, &table.rows),
        ..table
    }
}

fn row(sheet: &Sheet<'_>, panels: &[Panel], who: &Competitor<'_>) -> PivotRow {
    let of_panel = |panel: &Panel| {
        let test = sheet.test(panel, who.model, who.method);
        let difference = field(test.and_then(|test| test.difference));
        let [p, r, f1] = pivot::parts(sheet, Some(panel), who, &[&panel.corpus, &panel.scenario]);
        let [p, r] = [p, r].map(|part| part.with([String::new()]));
        [p, r, f1.with([difference]), Entry::shown(delta(sheet, panel, who))]
    };
    PivotRow {
        names: conditions::heads(sheet.view, who, true, false),
        entries: panels.iter().flat_map(of_panel).collect(),
        ruled: false,
    }
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

fn caption(sheet: &Sheet<'_>, rows: &[TableRow]) -> String {
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
