//! The table of planned looks: what each look at a comparison may spend and what it found.

use super::registry::{Appears, Kind, Make, Sheet};
use super::{Cell, Table, TableColumn, TableRow, Tidy, TidyColumn, field, pairs};
use crate::artefact::FileNames;
use analysis::SeedsScored;
use analysis::cautions;
use analysis::comparison::{ALPHA, Comparison, Detail, Sequential, SequentialLook};
use analysis::measure;
use domain::{Metric, Stopping};

/// The registry's entry.
pub const KIND: Kind = Kind {
    name: "planned-looks",
    help: "what each planned look at a comparison may spend and what it found, where the grid has `stopping`",
    appears: Appears::ByItself,
    make: Make::Grid(make),
};

fn make(sheet: &Sheet<'_>, names: &mut FileNames) -> Vec<Table> {
    let Some(stopping) = &sheet.view.stopping else { return Vec::new() };
    let mut comparisons = sheet.all_tests().to_vec();
    if let Some(question) = pairs::question(sheet.view, Detail::Verdict) {
        comparisons.extend(question.answers(sheet.view, sheet.headline()));
    }
    let name = names.name(&["planned", "looks"]);
    planned_looks(stopping, sheet.headline().metric, &comparisons, name).into_iter().collect()
}

/// The table of every comparison that has looks; `None` where none has.
pub fn planned_looks(
    stopping: &Stopping,
    metric: Metric,
    comparisons: &[Comparison],
    name: String,
) -> Option<Table> {
    let with_looks = || comparisons.iter().filter_map(|c| Some((c, c.sequential.as_ref()?)));
    let looks: Vec<LookAt<'_>> = with_looks().flat_map(|(c, planned)| looks(c, planned)).collect();
    if looks.is_empty() {
        return None;
    }
    let names = ["Corpus", "Scenario", "Model", "Method", "Against"].map(TableColumn::left);
    let numbers = ["Look", "Pairs", "p", "Level"].map(TableColumn::right);
    let columns = names.into_iter().chain(numbers).chain([TableColumn::left("Verdict")]);
    Some(Table {
        name,
        title: "Planned looks".to_owned(),
        cautions: cautions::sentences(with_looks().map(|(c, _)| c)),
        caption: caption(stopping, metric, with_looks().map(|(_, planned)| planned)),
        columns: columns.collect(),
        rows: looks.iter().map(row).collect(),
        tidy: tidy(looks),
        ..Table::default()
    })
}

/// What captions of other tables say where verdicts are those of looks.
pub fn marks_follow_looks(stopping: &Stopping) -> String {
    format!(
        "as the planned looks at {} seeds found (spending {}; two-sided paired t-test by seed, the level \
         {ALPHA} shared by the methods and looks of a model): a mark follows the look that decided, not the \
         p-values over all seeds",
        planned(stopping),
        stopping.spending
    )
}

/// The numbers of seeds that are looked at.
pub fn planned(stopping: &Stopping) -> String {
    let looks: Vec<String> = stopping.looks.iter().map(ToString::to_string).collect();
    looks.join(", ")
}

fn caption<'a>(
    stopping: &Stopping,
    metric: Metric,
    found: impl Iterator<Item = &'a Sequential>,
) -> String {
    let pairs = found.flat_map(|found| &found.looks).map(|look| look.n);
    format!(
        "Looks at {} seeds at differences in test {}, spending {}: two-sided paired t-tests over the seeds \
         that both have ({}). {} A p below the nominal level of its look decides; the levels of a family's \
         comparisons and looks together keep {ALPHA}. A look that adds no pair is skipped. Seeds after the \
         look that decided are not run.",
        planned(stopping),
        metric.title(),
        stopping.spending,
        SeedsScored::of(pairs),
        measure::definition(metric)
    )
}

/// A look at a comparison, or that none has been taken.
struct LookAt<'c> {
    comparison: &'c Comparison,
    planned: &'c Sequential,
    look: Option<&'c SequentialLook>,
    is_last: bool,
}

fn looks<'c>(comparison: &'c Comparison, planned: &'c Sequential) -> Vec<LookAt<'c>> {
    let at = |look, is_last| LookAt { comparison, planned, look, is_last };
    match planned.looks.len().checked_sub(1) {
        None => vec![at(None, true)],
        Some(last) => {
            planned.looks.iter().enumerate().map(|(k, l)| at(Some(l), k == last)).collect()
        }
    }
}

fn row(LookAt { comparison: c, planned, look, is_last }: &LookAt<'_>) -> TableRow {
    let names = [&c.corpus, &c.scenario, &c.model, &c.method, &c.against_in_words()];
    let numbers = look.map_or_else(
        || [(); 4].map(|()| "–".to_owned()),
        |look| {
            let [p, level] = look.p_and_level();
            [look.seeds.to_string(), look.n.to_string(), p, level]
        },
    );
    let verdict = if *is_last { planned.in_words() } else { String::new() };
    let cells = names.map(String::clone).into_iter().chain(numbers).chain([verdict]);
    TableRow::new(cells.map(Cell::Text).collect())
}

fn tidy(looks: Vec<LookAt<'_>>) -> Tidy {
    let columns: [TidyColumn<LookAt<'_>>; 13] = [
        ("corpus", |at| at.comparison.corpus.clone()),
        ("scenario", |at| at.comparison.scenario.clone()),
        ("model", |at| at.comparison.model.clone()),
        ("method", |at| at.comparison.method.clone()),
        ("against", |at| at.comparison.against_in_words()),
        ("alpha", |at| at.planned.alpha.to_string()),
        ("verdict", |at| at.planned.verdict.to_string()),
        ("next_look", |at| field(at.planned.next_look)),
        ("look", |at| field(at.look.map(|look| look.seeds))),
        ("n", |at| field(at.look.map(|look| look.n))),
        ("p", |at| field(at.look.and_then(|look| look.p))),
        ("level", |at| field(at.look.and_then(|look| look.level))),
        ("skipped", |at| field(at.look.and_then(|look| look.skipped))),
    ];
    Tidy::of(&columns, looks)
}
