//! Every table in every form, with everything that a cell can hold, and with names that mean
//! something to a format.

mod captions;
mod planned;

use super::*;
use analysis::CorpusNumbers;
use analysis::comparison::{Comparison, Question, compare};
use analysis::synthetic;
use analysis::{GridView, Scoreboard};
use domain::{Metric, Statistics, TypeStatistics};
use store::{Results, Status};

/// A grid with a failed seed, a failed cell, a cell that has not run and one that makes no sense.
fn mixed() -> (GridView, Results) {
    let (mut view, mut results) = synthetic::grid();
    for run in &mut results.runs {
        let point = &run.point;
        let one = point.method == "sc" && point.model == "shallow-softmax" && point.seed == 2;
        let all = point.method == "scr" && point.model == "shallow-softmax";
        if one || all {
            run.status = Status::Failed;
            run.failure =
                Some("the loss became NaN in epoch 3: try a lower learning rate".to_owned());
        }
    }
    let not_run = |method: &str, model: &str| method == "nscrd" && model == "bilstm-softmax";
    results.runs.retain(|run| !not_run(&run.point.method, &run.point.model));
    for job in &mut view.jobs {
        if job.point.method == "focal" && job.point.model == "bilstm-softmax" {
            job.not_applicable = Some("focal loss needs a token head".to_owned());
        }
    }
    (view, results)
}

fn tests(view: &GridView, results: &Results) -> (Scoreboard, Vec<Comparison>) {
    let board = Scoreboard::new(view, &results.into(), Metric::MacroF1);
    let tests = compare(view, &board);
    (board, tests)
}

fn score_table(view: &GridView, results: &Results) -> Table {
    let (board, tests) = tests(view, results);
    scores::scores(view, &board, &tests, &view.panels()[0], "macro-f1-synthetic-full".to_owned())
}

fn comparison_table(view: &GridView, results: &Results) -> Table {
    let (board, tests) = tests(view, results);
    let name = "comparisons-synthetic-full".to_owned();
    let question = Question::default();
    comparisons(view, board.metric, &question, &tests, &view.panels()[0], name).expect("compared")
}

#[test]
fn scores_in_every_form() {
    let (view, results) = mixed();
    let table = score_table(&view, &results);
    insta::assert_snapshot!("scores_markdown", markdown::render(&table));
    insta::assert_snapshot!("scores_latex", latex::render(&table));
    insta::assert_snapshot!("scores_csv", csv::render(&table));
    insta::assert_snapshot!("scores_html", html::render(&table));
}

#[test]
fn comparisons_in_every_form() {
    let (view, results) = mixed();
    let table = comparison_table(&view, &results);
    insta::assert_snapshot!("comparisons_markdown", markdown::render(&table));
    insta::assert_snapshot!("comparisons_latex", latex::render(&table));
    insta::assert_snapshot!("comparisons_csv", csv::render(&table));
    insta::assert_snapshot!("comparisons_html", html::render(&table));
}

#[test]
fn every_row_of_comparisons_has_its_model() {
    let (view, results) = mixed();
    let table = comparison_table(&view, &results);
    let model = |row: &TableRow| match &row.cells[0] {
        Cell::Head(name) | Cell::Again(name) => name.clone(),
        other => panic!("{other:?}"),
    };
    let models: Vec<String> = table.rows.iter().map(model).collect();
    let [first, second] = [&view.models[0], &view.models[1]];
    assert!(models[..5].iter().all(|model| model == first), "{models:?}");
    assert!(models.len() == 9 && models[5..].iter().all(|model| model == second), "{models:?}");
    let page = html::render(&table);
    let again = format!("<span class=\"unseen\">{first}</span>");
    assert_eq!(page.matches(&again).count(), 4, "seen where the table is sorted or filtered");
}

#[test]
fn ranks_and_marks_are_words_for_who_cannot_see_them() {
    let (view, results) = mixed();
    let page = html::render(&score_table(&view, &results));
    for (tag, word) in [("</strong>", "best"), ("</u>", "second")] {
        let said = format!("{tag}<span class=\"unseen\"> {word}</span>");
        assert_eq!(page.matches(&said).count(), page.matches(tag).count(), "{word}");
        assert!(page.contains(&said), "{word}");
    }
    let above = "**</sup><span class=\"unseen\"> significantly above the baseline at 0.01</span>";
    let below = "††</sup><span class=\"unseen\"> significantly below the baseline at 0.01</span>";
    assert!(page.contains(above) && page.contains(below), "{page}");
    assert_eq!(
        page.matches("<sup class=\"mark ").count(),
        page.matches("aria-hidden=\"true\" title").count()
    );
}

#[test]
fn hostile_names_in_every_form() {
    let methods = [
        "<script>&amp;</script>",
        "a|b",
        "under_score 100%",
        "back\\slash{}$^~#",
        "日本語 λ",
        "=1+2,\"x\"",
    ];
    let methods = methods.map(String::from);
    let (view, results) = synthetic::named(&methods, &["m|o_del & <b>".to_owned()]);
    let table = score_table(&view, &results);
    insta::assert_snapshot!("hostile_markdown", markdown::render(&table));
    insta::assert_snapshot!("hostile_latex", latex::render(&table));
    insta::assert_snapshot!("hostile_csv", csv::render(&table));
    insta::assert_snapshot!("hostile_html", html::render(&table));
}

#[test]
fn a_name_cannot_leave_its_markdown_cell() {
    let methods = ["original", "a|b\\|c\nd"].map(String::from);
    let (view, results) = synthetic::named(&methods, &["m".to_owned()]);
    let table = markdown::render(&score_table(&view, &results));
    let row = table.lines().find(|line| line.contains('b') && line.starts_with("| a"));
    let row = row.expect("the row is one line");
    let bars = row.replace("\\\\", "").replace("\\|", "").matches('|').count();
    assert_eq!(bars, 3, "{row}");
}

#[test]
fn scores_that_print_alike_rank_alike() {
    let (view, mut results) = synthetic::grid();
    for row in &mut results.metrics {
        row.f1 = match row.point.method.as_str() {
            "sc" => 0.600_001,
            "scr" => 0.600_002,
            "focal" => 0.55,
            _ => 0.4,
        };
    }
    let table = score_table(&view, &results);
    let rank = |row: usize| match &table.rows[row].cells[1] {
        Cell::Score(score) => score.rank,
        other => panic!("{other:?}"),
    };
    assert_eq!([0, 1, 2, 5].map(rank), [Rank::Other, Rank::Best, Rank::Best, Rank::Second]);
}

#[test]
fn ranks_round_as_the_printed_scores_do() {
    let (view, mut results) = synthetic::grid();
    for row in &mut results.metrics {
        // Half a printed digit apart; both print as 30.00.
        row.f1 = match row.point.method.as_str() {
            "sc" => 0.3,
            "scr" => 0.30005,
            _ => 0.2,
        };
    }
    let table = score_table(&view, &results);
    let best = |row: &TableRow| match &row.cells[1] {
        Cell::Score(score) => (number::percent(score.mean), score.rank == Rank::Best),
        other => panic!("{other:?}"),
    };
    let expected = ("30.00".to_owned(), true);
    assert_eq!([best(&table.rows[1]), best(&table.rows[2])], [expected.clone(), expected]);
}

#[test]
fn csv_keeps_every_digit() {
    let (view, results) = synthetic::grid();
    let (board, _) = tests(&view, &results);
    let table = csv::render(&score_table(&view, &results));
    let line = table.lines().nth(1).expect("a first row");
    let mean: f64 = line.split(',').nth(8).expect("a mean").parse().expect("a number");
    let cell = board.cell(&view.panels()[0], &view.models[0], &view.methods[0]);
    assert_eq!(Some(mean), stats::mean(&cell.f1()));
}

/// Numbers of a split that print as themselves.
fn split(name: &str, sentences: u64, tokens: u64, shares: [f64; 2]) -> (String, Statistics) {
    let [begin_share, inside_share] = shares;
    let types = ["<x>", "y_z"].map(|name| (name.to_owned(), TypeStatistics::default()));
    let numbers = Statistics {
        sentences,
        tokens,
        entities: 1,
        types: types.into(),
        entity_token_share: begin_share + inside_share,
        sentences_with_entities_share: 0.5,
        rarest_type_share: begin_share / 10.0,
        commonest_type_share: begin_share,
        begin_share,
        inside_share,
        outside_share: 1.0 - begin_share - inside_share,
        ..Statistics::default()
    };
    (name.to_owned(), numbers)
}

/// One corpus with all splits, one without dev and with a hostile name, one in one file, one empty.
fn corpora() -> Vec<CorpusNumbers> {
    let corpus = |name: &str, splits: Vec<(String, Statistics)>| CorpusNumbers {
        name: name.to_owned(),
        splits,
        ..CorpusNumbers::default()
    };
    let train = || split("train", 3_394, 62_730, [0.0315, 0.0189]);
    let test = || split("test", 1_287, 23_394, [0.0461, 0.0283]);
    vec![
        corpus("wnut17", vec![train(), split("dev", 1_009, 15_733, [0.0531, 0.0257]), test()]),
        corpus("a_b & <c>", vec![train(), test()]),
        corpus("gmb", vec![split("all", 2_999, 66_161, [0.12, 0.03])]),
        corpus("nothing", vec![]),
    ]
}

#[test]
fn corpora_in_every_form() {
    for (name, table) in [("imbalance", imbalance(&corpora())), ("labels", labels(&corpora()))] {
        insta::assert_snapshot!(format!("{name}_markdown"), markdown::render(&table));
        insta::assert_snapshot!(format!("{name}_latex"), latex::render(&table));
        insta::assert_snapshot!(format!("{name}_csv"), csv::render(&table));
        insta::assert_snapshot!(format!("{name}_html"), html::render(&table));
    }
}

#[test]
fn groups_cover_all_columns() {
    for table in [imbalance(&corpora()), labels(&corpora())] {
        let covered: usize = table.groups.iter().map(|group| group.columns).sum();
        assert_eq!(covered, table.columns.len());
        assert!(table.rows.iter().all(|row| row.cells.len() == covered));
    }
}
