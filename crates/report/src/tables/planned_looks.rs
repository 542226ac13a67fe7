//! The table of planned looks: what each look at a comparison may spend and what it found.

use super::registry::{Appears, Kind, Make, Sheet};
use super::{Align, Cell, Column, Row, Table, Tidy, pairs};
use crate::artefact::FileNames;
use analysis::SeedsScored;
use analysis::cautions;
use analysis::comparison::{ALPHA, Comparison, Detail, Sequential};
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
    let rows: Vec<Row> = with_looks().flat_map(|(c, found)| rows(c, found)).collect();
    if rows.is_empty() {
        return None;
    }
    let left = ["Corpus", "Scenario", "Model", "Method", "Against"].map(|head| (head, Align::Left));
    let right = ["Look", "Pairs", "p", "Level"].map(|head| (head, Align::Right));
    let heads = left.into_iter().chain(right).chain([("Verdict", Align::Left)]);
    let columns = heads.map(|(head, align)| Column { head: head.to_owned(), align }).collect();
    Some(Table {
        name,
        title: "Planned looks".to_owned(),
        cautions: cautions::sentences(with_looks().map(|(c, _)| c)),
        caption: caption(stopping, metric, with_looks().map(|(_, found)| found)),
        groups: vec![],
        columns,
        rows,
        tidy: Tidy {
            header: TIDY.to_vec(),
            rows: with_looks().flat_map(|(c, found)| tidy_rows(c, found)).collect(),
        },
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

/// Corpus, scenario, model and both methods.
fn names(c: &Comparison) -> [String; 5] {
    [&c.corpus, &c.scenario, &c.model, &c.method, &c.against_in_words()].map(String::clone)
}

fn rows(c: &Comparison, found: &Sequential) -> Vec<Row> {
    let row = |look: [String; 4], verdict: String| Row {
        cells: names(c).into_iter().chain(look).chain([verdict]).map(Cell::Text).collect(),
        ruled: false,
    };
    let last = found.looks.len().saturating_sub(1);
    let taken = found.looks.iter().enumerate().map(|(k, look)| {
        let [p, level] = look.p_and_level();
        let verdict = if k == last { found.in_words() } else { String::new() };
        row([look.seeds.to_string(), look.n.to_string(), p, level], verdict)
    });
    let none = || row([(); 4].map(|()| "–".to_owned()), found.in_words());
    match found.looks.is_empty() {
        true => vec![none()],
        false => taken.collect(),
    }
}

const TIDY: [&str; 13] = [
    "corpus",
    "scenario",
    "model",
    "method",
    "against",
    "alpha",
    "verdict",
    "next_look",
    "look",
    "n",
    "p",
    "level",
    "skipped",
];

/// A row a look, and one without a look where none has been taken.
fn tidy_rows(c: &Comparison, found: &Sequential) -> Vec<Vec<String>> {
    let written = |x: Option<f64>| x.map_or_else(String::new, |x| x.to_string());
    let next = found.next_look.map_or_else(String::new, |look| look.to_string());
    let row = |look: [String; 5]| -> Vec<String> {
        let standing = [found.alpha.to_string(), found.verdict.to_string(), next.clone()];
        names(c).into_iter().chain(standing).chain(look).collect()
    };
    let taken = found.looks.iter().map(|look| {
        let skipped = look.skipped.map_or_else(String::new, |reason| reason.to_string());
        let [p, level] = [look.p, look.level].map(written);
        row([look.seeds.to_string(), look.n.to_string(), p, level, skipped])
    });
    match found.looks.is_empty() {
        true => vec![row([(); 5].map(|()| String::new()))],
        false => taken.collect(),
    }
}
