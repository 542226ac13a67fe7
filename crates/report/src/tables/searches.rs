//! The table of searches: what each chose, with which score, in how many trials.

use super::registry::{Appears, Kind, Make};
use super::{Align, Cell, Column, Row, Table, Tidy};
use analysis::measure;
use analysis::number;
use domain::{Maximised, Metric};
use store::{SearchRecord, TrialState};

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
    let column = |(head, align): (&str, Align)| Column { head: head.to_owned(), align };
    Some(Table {
        name,
        title: "Searches".to_owned(),
        cautions: vec![],
        caption: caption(searches),
        groups: vec![],
        columns: HEADS.map(column).to_vec(),
        rows: searches.iter().map(row).collect(),
        tidy: Tidy { header: TIDY.to_vec(), rows: searches.iter().flat_map(tidy_rows).collect() },
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

fn row(search: &SearchRecord) -> Row {
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
    Row { cells, ruled: false }
}

const TIDY: [&str; 11] = [
    "corpus",
    "scenario",
    "model",
    "method",
    "trial",
    "job",
    "state",
    "chosen",
    "score",
    "parameter",
    "value",
];

/// A row a trial and parameter.
fn tidy_rows(search: &SearchRecord) -> Vec<Vec<String>> {
    let names = [&search.corpus, &search.scenario, &search.model, &search.method];
    let mut rows = Vec::new();
    for trial in &search.history {
        let state = match trial.state {
            TrialState::Todo => "todo",
            TrialState::Done => "done",
            TrialState::Failed => "failed",
        };
        let score = trial.score.map_or_else(String::new, |score| score.to_string());
        let is_chosen = search.chosen == Some(trial.trial);
        let of_trial = [
            trial.trial.to_string(),
            trial.job.to_string(),
            state.into(),
            is_chosen.to_string(),
            score,
        ];
        for (parameter, value) in search.parameters.iter().zip(&trial.values) {
            let row = names.map(String::clone).into_iter().chain(of_trial.clone());
            rows.push(row.chain([parameter.path.clone(), value.to_string()]).collect());
        }
    }
    rows
}
