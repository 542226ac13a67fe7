//! Every job as a line of CSV, for those who want more than means: the numbers behind the page's
//! cells.

use crate::Artefact;
use crate::tables::{self, Form, Table, Tidy};
use analysis::{GridView, Panel, ResultFrames, Scoreboard, SeedStanding};
use std::collections::HashMap;
use store::RunRow;

/// `tables/jobs.csv`: the jobs that are shown, in the order of the grid. `board` is of the
/// headline.
pub fn jobs(view: &GridView, results: &ResultFrames, board: &Scoreboard) -> Artefact {
    let runs: HashMap<_, &RunRow> = results.runs().iter().map(|run| (&run.job, run)).collect();
    let mut rows = Vec::new();
    for job in view.shown_jobs() {
        let at = &job.point;
        let panel = Panel { corpus: at.corpus.clone(), scenario: at.scenario.clone() };
        let cell = board.cell(&panel, &at.model, &at.method);
        let standing = match &job.not_applicable {
            Some(reason) => ["n/a", "", "", "", reason].map(str::to_owned),
            None => standing(cell.seeds.get(&at.seed)),
        };
        let run = runs.get(&job.key);
        let measured = [
            run.map(|run| run.seconds.to_string()),
            run.and_then(|run| Some(run.updates?.to_string())),
            run.and_then(|run| Some(run.verdict?.name().to_owned())),
        ];
        let seed = at.seed.to_string();
        let place = [&at.corpus, &at.scenario, &at.model, &at.method, &seed, &job.key.0];
        rows.push(
            place
                .into_iter()
                .cloned()
                .chain(standing)
                .chain(measured.map(Option::unwrap_or_default))
                .collect(),
        );
    }
    let header = vec![
        "corpus",
        "scenario",
        "model",
        "method",
        "seed",
        "job",
        "state",
        "precision",
        "recall",
        "f1",
        "reason",
        "seconds",
        "updates",
        "training_verdict",
    ];
    let table = Table {
        name: "jobs".to_owned(),
        title: String::new(),
        cautions: vec![],
        caption: String::new(),
        groups: vec![],
        columns: vec![],
        rows: vec![],
        tidy: Tidy { header, rows },
    };
    Artefact::new("tables/jobs.csv", tables::render(&table, Form::Csv).into_bytes())
}

/// State, precision, recall, F1 and reason.
fn standing(standing: Option<&SeedStanding>) -> [String; 5] {
    let none = String::new;
    match standing {
        Some(SeedStanding::Done(score)) => {
            let [p, r, f] = [score.precision, score.recall, score.f1].map(|x| x.to_string());
            ["done".to_owned(), p, r, f, none()]
        }
        Some(SeedStanding::Failed(reason)) => {
            ["failed".to_owned(), none(), none(), none(), reason.clone()]
        }
        Some(SeedStanding::Decided) => ["decided".to_owned(), none(), none(), none(), none()],
        Some(SeedStanding::Missing) | None => ["todo".to_owned(), none(), none(), none(), none()],
    }
}
