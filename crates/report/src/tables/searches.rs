//! The table of searches: what each chose, with which score, in how many trials.

use super::registry::{Appears, Kind, Make};
use super::{Align, Cell, Table, TableColumn, TableRow, Tidy, TidyColumn, field};
use analysis::measure;
use analysis::number;
use domain::{Maximised, Metric};
use store::{SearchRecord, TrialRecord, TrialState};

/// The registry's entry.
pub const KIND: Kind = Kind {
    name: "searches",
    help: "what each search for parameters chose, where the grid has `tune`",
    appears: Appears::ByItself,
    make: Make::Grid(|sheet, names| {
        searches(&sheet.view.searches, names.name(&["searches"])).into_iter().collect()
    }),
};

const HEADS: [(&str, Align); 7] = [
    ("Corpus", Align::Left),
    ("Scenario", Align::Left),
    ("Model", Align::Left),
    ("Method", Align::Left),
    ("Chosen", Align::Left),
    ("Dev F1 (%)", Align::Right),
    ("Trials", Align::Right),
];

/// A row a search; `None` if there is none.
pub fn searches(searches: &[SearchRecord], name: String) -> Option<Table> {
    if searches.is_empty() {
        return None;
    }
    Some(Table {
        name,
        title: "Searches".to_owned(),
        caption: caption(searches),
        columns: HEADS.map(|(head, align)| TableColumn::new(head, align)).to_vec(),
        rows: searches.iter().map(row).collect(),
        tidy: tidy(searches),
        ..Table::default()
    })
}

fn caption(searches: &[SearchRecord]) -> String {
    let is_sought = |sought: &Maximised| searches.iter().any(|search| search.maximise == *sought);
    let sought: Vec<Maximised> = Maximised::ALL.into_iter().filter(is_sought).collect();
    let titles: Vec<&str> = sought.iter().map(|sought| sought.title()).collect();
    let definitions: Vec<&str> = sought.iter().map(|sought| definition(*sought)).collect();
    let mut seeds: Vec<u64> = searches.iter().map(|search| search.job_seed).collect();
    seeds.sort_unstable();
    seeds.dedup();
    let seeds: Vec<String> = seeds.iter().map(ToString::to_string).collect();
    format!(
        "Parameters chosen by a tree-structured Parzen estimator for the highest {}; the test set is never \
         seen. A score is that of one job (n = 1, seed {}), in %; that it is the highest of several is no test. \
         {} Jobs of a tuned method have the values of its search.",
        titles.join(" or "),
        seeds.join(" or "),
        definitions.join(" ")
    )
}

/// How the score that is sought is made.
fn definition(sought: Maximised) -> &'static str {
    measure::definition(match sought {
        Maximised::MicroF1 => Metric::MicroF1,
        Maximised::MacroF1 => Metric::MacroF1,
    })
}

fn row(search: &SearchRecord) -> TableRow {
    let SearchRecord { corpus, scenario, model, method, trials, .. } = search;
    let best = search.best();
    let failed = search.history.iter().filter(|trial| trial.state == TrialState::Failed).count();
    let failed = if failed > 0 { format!(" ({failed} failed)") } else { String::new() };
    let ended = match search.ended() {
        ended if ended == *trials => format!("{trials}{failed}"),
        ended => format!("{ended} of {trials}{failed}"),
    };
    let chosen = match best {
        Some(best) => search.shown(best),
        None if search.ended() == *trials => "nothing: every trial failed".to_owned(),
        None => "not yet".to_owned(),
    };
    let score = best.and_then(|best| best.score);
    let score = score.map_or_else(|| "–".to_owned(), number::percent);
    let names = [corpus, scenario, model, method].map(String::clone);
    let cells = names.into_iter().chain([chosen, score, ended]).map(Cell::Text).collect();
    TableRow::new(cells)
}

/// A row a trial and parameter.
fn tidy(searches: &[SearchRecord]) -> Tidy {
    type Value<'s> = (&'s SearchRecord, &'s TrialRecord, (&'s str, String));
    let columns: [TidyColumn<Value<'_>>; 11] = [
        ("corpus", |(search, ..)| search.corpus.clone()),
        ("scenario", |(search, ..)| search.scenario.clone()),
        ("model", |(search, ..)| search.model.clone()),
        ("method", |(search, ..)| search.method.clone()),
        ("trial", |(_, trial, _)| trial.trial.to_string()),
        ("job", |(_, trial, _)| trial.job.to_string()),
        ("state", |(_, trial, _)| {
            let state = match trial.state {
                TrialState::Todo => "todo",
                TrialState::Done => "done",
                TrialState::Failed => "failed",
            };
            state.to_owned()
        }),
        ("chosen", |(search, trial, _)| (search.chosen == Some(trial.trial)).to_string()),
        ("score", |(_, trial, _)| field(trial.score)),
        ("parameter", |(_, _, (path, _))| (*path).to_owned()),
        ("value", |(_, _, (_, value))| value.clone()),
    ];
    let trials = searches.iter().flat_map(|search| search.history.iter().map(move |t| (search, t)));
    let values = trials.flat_map(|(search, trial)| {
        let values = search.parameters.iter().zip(&trial.values);
        values.map(move |(parameter, value)| (search, trial, (&*parameter.path, value.to_string())))
    });
    Tidy::of(&columns, values)
}
