//! The table of missampling (Table 1 of li2022): how often negatives were entities whose annotation
//! is missing, beside F1.

use super::conditions::{self, Competitor, competitors, panel, several_models};
use super::pivot::{self, Entry, Pivot, Ranked};
use super::registry::{Appears, Kind, Make, Sheet};
use super::{Cell, ScoreCell, Significance, Table, TableRow, cells};
use crate::artefact::FileNames;
use analysis::measure;
use analysis::{Panel, PlannedJob};
use std::collections::HashMap;

/// The registry's entry.
pub const KIND: Kind = Kind {
    name: "missampling",
    help: "how often negatives were entities without their annotation, beside F1 (Table 1 of li2022)",
    appears: Appears::ByItself,
    make: Make::Grid(make),
};

/// What is told beside F1: the series of epochs, its head, its name for other programs.
const RATES: [(&str, &str); 2] =
    [("missampling_rate", "Missampling %"), ("missampled_entities", "Entities hit %")];

/// The mean over epochs of a series, of each job that has it.
type Rates<'a> = HashMap<&'a str, f64>;

/// A table for each corpus where something was missampled.
fn make(sheet: &Sheet<'_>, names: &mut FileNames) -> Vec<Table> {
    let rates = RATES.map(|(series, _)| rates(sheet, series));
    if rates[0].values().all(|rate| *rate == 0.0) {
        return vec![];
    }
    let mut tables = Vec::new();
    for corpus in &sheet.view.corpora {
        let blocks: Vec<(Panel, Vec<Competitor<'_>>)> = sheet
            .view
            .scenarios
            .iter()
            .map(|scenario| panel(corpus, scenario))
            .map(|panel| (panel.clone(), who_missampled(sheet, &panel, &rates[0])))
            .filter(|(_, who)| !who.is_empty())
            .collect();
        if !blocks.is_empty() {
            tables.push(table(
                sheet,
                corpus,
                &blocks,
                &rates,
                names.name(&["missampling", corpus]),
            ));
        }
    }
    tables
}

/// The mean over the epochs of every job.
fn rates<'a>(sheet: &Sheet<'a>, series: &str) -> Rates<'a> {
    let mut values: HashMap<&str, Vec<f64>> = HashMap::new();
    for (job, _, value) in sheet.results.values(series) {
        values.entry(job).or_default().push(value);
    }
    values.into_iter().filter_map(|(job, values)| Some((job, stats::mean(&values)?))).collect()
}

/// The jobs of a cell.
fn jobs<'s>(
    sheet: &'s Sheet<'_>,
    panel: &'s Panel,
    who: &'s Competitor<'_>,
) -> impl Iterator<Item = &'s PlannedJob> {
    sheet.view.jobs.iter().filter(move |job| {
        let point = &job.point;
        point.corpus == panel.corpus
            && point.scenario == panel.scenario
            && point.model == who.model
            && point.method == who.method
    })
}

fn who_missampled<'v>(sheet: &Sheet<'v>, panel: &Panel, rates: &Rates<'_>) -> Vec<Competitor<'v>> {
    let all = competitors(sheet, std::slice::from_ref(panel));
    let told = |who: &Competitor<'v>| {
        jobs(sheet, panel, who).any(|job| rates.contains_key(job.key.0.as_str()))
    };
    all.into_iter().filter(told).collect()
}

/// The mean over seeds of a rate; `None` where no job told it.
fn mean_rate(
    sheet: &Sheet<'_>,
    panel: &Panel,
    who: &Competitor<'_>,
    rates: &Rates<'_>,
) -> Option<ScoreCell> {
    let planned = jobs(sheet, panel, who).count();
    let values: Vec<f64> =
        jobs(sheet, panel, who).filter_map(|job| rates.get(job.key.0.as_str()).copied()).collect();
    cells::score(&values, planned, sheet.view.asked.spread, Significance::None)
}

/// The mean over seeds of the rate of missampling of one method, for published numbers.
pub fn missampling_rate(
    sheet: &Sheet<'_>,
    panel: &Panel,
    model: &str,
    method: &str,
) -> Option<ScoreCell> {
    let who = Competitor { model, method };
    mean_rate(sheet, panel, &who, &rates(sheet, RATES[0].0))
}

fn table(
    sheet: &Sheet<'_>,
    corpus: &str,
    blocks: &[(Panel, Vec<Competitor<'_>>)],
    rates: &[Rates<'_>; 2],
    name: String,
) -> Table {
    let several = blocks.iter().any(|(_, who)| several_models(who));
    let block = |(panel, who): &(Panel, Vec<Competitor<'_>>)| {
        pivot::block(sheet, &panel.scenario, (who, several), |who| {
            entries(sheet, panel, who, rates)
        })
    };
    let heads = RATES.map(|(_, head)| head).into_iter().chain(["F1"]);
    let pivot = Pivot {
        names: conditions::names("Scenario", several),
        groups: vec![(String::new(), heads.map(str::to_owned).collect())],
        blocks: blocks.iter().map(block).collect(),
        ranked: Ranked::Nothing,
        place: vec!["corpus", "scenario", "model", "method", "measure"],
        further: vec![],
    };
    let table = pivot.table();
    let title = format!("Missampling on {corpus}");
    Table { name, title, caption: caption(sheet, &table.rows), ..table }
}

/// The rates, then F1.
fn entries(
    sheet: &Sheet<'_>,
    panel: &Panel,
    who: &Competitor<'_>,
    rates: &[Rates<'_>; 2],
) -> Vec<Entry> {
    let none = || Cell::NotApplicable("no job told it".to_owned());
    let rate = |rates| mean_rate(sheet, panel, who, rates).map_or_else(none, Cell::Score);
    let [.., f1] = conditions::parts(sheet, panel, who);
    let measures = RATES.map(|(series, _)| series).into_iter();
    let measures = measures.chain([sheet.headline().metric.name()]);
    let entry = |(cell, measure): (Cell, &str)| {
        Entry::new(cell, &[&panel.corpus, &panel.scenario, who.model, who.method, measure])
    };
    rates.iter().map(rate).chain([f1]).zip(measures).map(entry).collect()
}

fn caption(sheet: &Sheet<'_>, rows: &[TableRow]) -> String {
    let metric = sheet.headline().metric;
    format!(
        "Of the spans drawn as negatives the share that is an entity whose annotation was taken off (mean over \
         sentences and epochs), of those entities the share that was drawn in an epoch, and test {} in %; {}. Negatives by uncertainty leave \
         such entities out, so theirs is 0 by construction. {}{} \
         After Table 1 of Li et al. (2022).",
        metric.title(),
        cells::spread_in_words(sheet.view.asked.spread, cells::seeds(rows)),
        measure::definition(metric),
        conditions::marks_in_words(sheet)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{Form, render};
    use analysis::by_type::TypeBoard;
    use analysis::comparison::compare;
    use analysis::synthetic;
    use analysis::{ResultFrames, Scoreboard};
    use store::{EpochRow, Level};

    fn tables(told: impl Fn(&str, u64) -> Option<f64>) -> Vec<Table> {
        let (view, mut results) = synthetic::grid();
        for job in &view.jobs {
            for epoch in 1..=2 {
                let rate = told(&job.point.method, epoch);
                let added = rate.into_iter().flat_map(|rate| {
                    [("missampling_rate".to_owned(), rate), ("missampled_entities".to_owned(), 0.5)]
                });
                results.epochs.push(EpochRow {
                    job: job.key.clone(),
                    epoch,
                    updates: 32 * epoch,
                    loss: 1.0,
                    dev_micro_f1: 0.5,
                    dev_macro_f1: 0.5,
                    added: added.collect(),
                    seconds: 1.0,
                });
            }
        }
        let results = ResultFrames::from(&results);
        let boards = [Scoreboard::new(&view, &results, view.metric)];
        let compared = [compare(&view, &boards[0])];
        let by_type =
            [Level::Span, Level::Token].map(|level| TypeBoard::new(&view, &results, level));
        let sheet = Sheet::new(&view, &results, &boards, &compared, &by_type);
        make(&sheet, &mut FileNames::default())
    }

    #[test]
    fn rates_are_means_over_epochs_of_those_who_tell_them() {
        let told = |method: &str, epoch: u64| match method {
            "sc" => Some(0.01 * epoch as f64),
            "scr" => Some(0.04),
            _ => None,
        };
        let tables = tables(told);
        assert_eq!(tables.len(), 1);
        insta::assert_snapshot!(render(&tables[0], Form::Markdown));
    }

    #[test]
    fn where_nothing_is_hidden_there_is_no_table() {
        assert!(tables(|_, _| None).is_empty());
        assert!(tables(|_, _| Some(0.0)).is_empty());
    }
}
