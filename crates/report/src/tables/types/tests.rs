//! The tables by type, of token classes and of size factors in every form.

use super::super::size_factors::size_factors;
use super::super::token_classes::token_classes;
use super::super::{csv, html, latex, markdown};
use super::*;
use analysis::{ResultFrames, synthetic};
use domain::JobKey;
use store::{Level, Results, Scope, Status};

const HOSTILE: &str = "<script>alert(1)</script>";

/// Given in no order; one that is not in gold, two that are as rare.
const TYPES: [(&str, u64); 5] =
    [("person", 429), (HOSTILE, 66), ("a_b & c %", 66), ("group", 1_651), ("ghost", 0)];

/// A method with a failed seed, one that changes nothing, one that makes no sense, one that has not
/// run.
fn mixed() -> (GridView, Results) {
    let methods = ["original", "sc", "same", "focal", "late"];
    let (mut view, mut results) = synthetic::typed(&methods, &["bert-crf"], &TYPES);
    for run in results.runs.iter_mut().filter(|r| r.point.method == "sc" && r.point.seed == 2) {
        (run.status, run.failure) = (Status::Failed, Some("the loss became NaN".to_owned()));
    }
    for job in view.jobs.iter_mut().filter(|job| job.point.method == "focal") {
        job.not_applicable = Some("focal loss needs a token head".to_owned());
    }
    results.runs.retain(|run| run.point.method != "late");
    (view, results)
}

fn spans(view: &GridView, results: &Results) -> Option<Table> {
    let results = ResultFrames::from(results);
    let board = TypeBoard::new(view, &results, Level::Span);
    types(view, &board, &view.panels()[0], &view.models[0], "types-synthetic".to_owned())
}

fn tokens(view: &GridView, results: &Results) -> Option<Table> {
    let results = ResultFrames::from(results);
    let board = TypeBoard::new(view, &results, Level::Token);
    token_classes(view, &board, &view.panels()[0], &view.models[0], "classes-synthetic".to_owned())
}

/// The rows of a block with its types in order.
fn block<'t>(table: &'t Table, method: &str) -> Vec<(&'t str, &'t TableRow)> {
    let of_method = |row: &&TableRow| match &row.cells[0] {
        Cell::Method { name, .. } | Cell::Again(name) => name == method,
        other => panic!("{other:?}"),
    };
    let typed = |row: &'t TableRow| match &row.cells[1] {
        Cell::Head(name) => (name.as_str(), row),
        other => panic!("{other:?}"),
    };
    table.rows.iter().filter(of_method).map(typed).collect()
}

fn means(row: &TableRow) -> Vec<(f64, Change)> {
    let mean = |cell: &Cell| match cell {
        Cell::Mean(cell) => Some((cell.mean, cell.change)),
        _ => None,
    };
    row.cells.iter().filter_map(mean).collect()
}

macro_rules! in_every_form {
    ($name:literal, $table:expr) => {
        let table = $table;
        insta::assert_snapshot!(concat!($name, "_markdown"), markdown::render(&table));
        insta::assert_snapshot!(concat!($name, "_latex"), latex::render(&table));
        insta::assert_snapshot!(concat!($name, "_csv"), csv::render(&table));
        insta::assert_snapshot!(concat!($name, "_html"), html::render(&table));
    };
}

#[test]
fn types_in_every_form() {
    let (view, results) = mixed();
    in_every_form!("types", spans(&view, &results).expect("types have scores"));
}

#[test]
fn token_classes_in_every_form() {
    let (view, results) = mixed();
    in_every_form!("classes", tokens(&view, &results).expect("classes have scores"));
}

#[test]
fn size_factors_in_every_form() {
    let (mut view, mut results) = synthetic::two_corpora();
    for run in &mut results.runs {
        let method = view.methods.iter().position(|m| *m == run.point.method).unwrap_or(0) as f64;
        let corpus = if run.point.corpus == "other" { 0.5 } else { 0.0 };
        let seed = run.point.seed as f64 / 10.0;
        let grows = f64::from(u8::from(run.point.method.starts_with('s')));
        run.sentence_factor = Some(1.0 + grows * (method + corpus + seed));
        run.token_factor = Some(1.0 + grows * (2.0 * method + corpus + seed));
    }
    for job in view.jobs.iter_mut().filter(|job| job.point.method == "focal") {
        job.not_applicable = Some("focal loss needs a token head".to_owned());
    }
    results.runs.retain(|run| run.point.method != "nscrd" || run.point.corpus != "other");
    let table = size_factors(&view, &(&results).into(), "size-factors".to_owned());
    in_every_form!("size_factors", table.expect("methods change the size"));
}

#[test]
fn means_are_over_the_seeds_that_both_have_and_arrows_are_against_them() {
    let (view, results) = mixed();
    let table = spans(&view, &results).expect("types have scores");
    let rows = block(&table, "sc");
    let names: Vec<&str> = rows.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["ghost", HOSTILE, "a_b & c %", "person", "group", "Macro"]);
    // Seeds 1, 3, 4 and 5 of the first type: 13/4 of 1/64 above what they share.
    let shared = 13.0 / 4.0 / 64.0;
    let person = means(rows[3].1);
    assert_eq!(person[0], (0.375 + shared, Change::None));
    assert_eq!(person[3], (0.4375 + shared, Change::Up));
    assert_eq!(person[4], (0.21875 + shared, Change::Down));
    assert!(table.caption.contains("n = 4 of 5 (sc), n = 5 (same)"), "{}", table.caption);
}

#[test]
fn a_type_that_is_not_in_gold_is_shown_with_zeros_where_it_was_predicted() {
    let (view, results) = mixed();
    let table = spans(&view, &results).expect("types have scores");
    let ghost = block(&table, "sc")[0].1;
    assert_eq!(ghost.cells[3], Cell::Text("0".to_owned()));
    assert!(means(ghost).iter().all(|(mean, _)| *mean == 0.0));
    assert!(block(&table, "same").iter().all(|(name, _)| *name != "ghost"));
    // It is one of five types in the method's mean and none of the baseline's four.
    let row = block(&table, "sc").pop().expect("a block ends with its mean").1;
    let averages = means(row);
    assert!(averages[3].0 < averages[0].0, "{averages:?}");
}

#[test]
fn equal_means_have_no_arrow() {
    let (view, mut results) = mixed();
    let table = spans(&view, &results).expect("types have scores");
    let tie = |table: &Table| {
        let rows = block(table, "same");
        rows.iter().all(|(_, row)| means(row)[3..].iter().all(|(_, c)| *c == Change::Equal))
    };
    assert!(tie(&table));
    for row in results.metrics.iter_mut().filter(|row| row.point.method == "same") {
        row.precision += 1e-9;
    }
    assert!(tie(&spans(&view, &results).expect("types have scores")), "what prints alike is equal");
}

#[test]
fn one_seed_is_enough() {
    let (view, mut results) = mixed();
    results.runs.retain(|run| run.point.seed == 1);
    let table = spans(&view, &results).expect("types have scores");
    assert!(table.caption.contains("both have: n = 1 of 5."), "{}", table.caption);
}

#[test]
fn seeds_that_are_not_shared_are_told() {
    let (view, mut results) = mixed();
    results.runs.retain(|run| (run.point.method == "sc") != (run.point.seed > 2));
    let table = spans(&view, &results).expect("another method has scores");
    let [(name, row)] = block(&table, "sc")[..] else { panic!("one row") };
    assert_eq!(name, "all types");
    assert_eq!(row.cells[8], Cell::NotApplicable("no seed in common with original".to_owned()));
}

#[test]
fn without_types_or_a_baseline_there_is_no_table() {
    let (mut view, results) = mixed();
    assert_eq!(spans(&view, &Results::default()), None);
    assert_eq!(tokens(&view, &Results::default()), None);
    view.baseline = None;
    assert_eq!(spans(&view, &results), None);
    assert!(tokens(&view, &results).is_some());
    let (view, results) = synthetic::grid();
    assert_eq!((spans(&view, &results), tokens(&view, &results)), (None, None));
    assert_eq!(
        size_factors(&view, &(&results).into(), String::new()),
        None,
        "nothing changes the size"
    );
}

#[test]
fn numbers_that_are_none_are_no_score() {
    let (view, mut results) = mixed();
    for row in results.metrics.iter_mut().filter(|r| r.point.method == "same" && r.support == 66) {
        row.f1 = f64::NAN;
    }
    let table = spans(&view, &results).expect("another method has scores");
    let [(_, row)] = block(&table, "same")[..] else { panic!("one row") };
    assert_eq!(row.cells[8], Cell::Gap { failed: 5, missing: 0 });
}

#[test]
fn o_is_left_out_where_no_job_counted_it_and_dashed_where_some_did() {
    let (view, mut results) = mixed();
    let old = |row: &store::MetricRow| row.point.method == "same";
    results.metrics.retain(|row| row.scope != Scope::Outside || !old(row));
    let table = tokens(&view, &results).expect("classes have scores");
    let outside = |table: &Table| {
        let is_o = |row: &&TableRow| row.cells[0] == Cell::Head("O (outside)".to_owned());
        table.rows.iter().find(is_o).cloned()
    };
    let row = outside(&table).expect("some jobs counted it");
    let why = Cell::NotApplicable("the records of these jobs do not count O".to_owned());
    assert_eq!((&row.cells[8], matches!(row.cells[2], Cell::Mean(_))), (&why, true));
    results.metrics.retain(|row| row.scope != Scope::Outside);
    let table = tokens(&view, &results).expect("classes have scores");
    assert_eq!(outside(&table), None);
    assert!(table.caption.contains("O is left out"), "{}", table.caption);
    assert!(!table.rows.iter().any(|row| row.cells[0] == Cell::Head("Macro with O".to_owned())));
}

#[test]
fn the_macro_with_o_is_the_mean_over_types_and_o() {
    let (view, results) = mixed();
    let table = tokens(&view, &results).expect("classes have scores");
    let f1 = |row: &TableRow| means(row)[2].0;
    let [types @ .., outside, _, with_outside] = &table.rows[..] else { panic!("rows") };
    // The type that only another method predicted is no class of the baseline's.
    let classes: Vec<f64> = types[1..].iter().chain([outside]).map(f1).collect();
    let mean = classes.iter().sum::<f64>() / classes.len() as f64;
    assert!((f1(with_outside) - mean).abs() < 1e-12, "{} {mean}", f1(with_outside));
}

/// 18 types as OntoNotes has, 9 methods.
fn large() -> (GridView, Results) {
    let names: Vec<String> = (0..18).map(|n| format!("TYPE_{n:02}")).collect();
    let types: Vec<(&str, u64)> = names.iter().map(String::as_str).zip((1..).step_by(37)).collect();
    let methods = ["original", "bus", "da", "focal", "dice", "sc", "scr", "scrd", "nscrd"];
    synthetic::typed(&methods, &["bert-crf"], &types)
}

#[test]
fn a_large_table_is_in_parts_of_a_page_in_latex_and_whole_elsewhere() {
    let (view, results) = large();
    let [long, wide] = [spans(&view, &results), tokens(&view, &results)].map(Option::unwrap);
    assert_eq!((long.rows.len(), wide.columns.len()), (8 * 19, 2 + 9 * 3));
    for (table, parts) in [(&long, 4), (&wide, 3)] {
        let tex = latex::render(table);
        assert_eq!(tex.matches("\\begin{table}").count(), parts);
        assert_eq!(tex.matches("\\providecommand").count(), 1);
        assert!(tex.contains(&format!("(part {parts} of {parts}).")), "{tex}");
        let labels: Vec<&str> = tex.lines().filter(|line| line.contains("\\label")).collect();
        let different: std::collections::BTreeSet<&&str> = labels.iter().collect();
        assert_eq!((labels.len(), different.len()), (parts, parts));
        assert_eq!(html::render(table).matches("<table>").count(), 1);
    }
    insta::assert_snapshot!("large_markdown", markdown::render(&long));
}

#[test]
fn the_same_records_give_the_same_table_in_any_order() {
    let (view, mut results) = mixed();
    let first = [spans(&view, &results), tokens(&view, &results)];
    results.runs.reverse();
    results.metrics.reverse();
    assert!(first == [spans(&view, &results), tokens(&view, &results)]);
}

#[test]
fn a_score_under_another_key_is_not_taken() {
    let (mut view, results) = mixed();
    for job in view.jobs.iter_mut().filter(|job| job.point.method == "sc") {
        job.key = JobKey(format!("changed{}", job.point.seed));
    }
    let table = spans(&view, &results).expect("another method has scores");
    let [(_, row)] = block(&table, "sc")[..] else { panic!("one row") };
    assert_eq!(row.cells[8], Cell::Gap { failed: 0, missing: 5 });
}

#[test]
fn groups_cover_all_columns() {
    let (view, results) = mixed();
    for table in [spans(&view, &results), tokens(&view, &results)].map(Option::unwrap) {
        let covered: usize = table.groups.iter().map(|group| group.columns).sum();
        assert_eq!(covered, table.columns.len());
        assert!(table.rows.iter().all(|row| row.cells.len() == covered));
        assert!(table.tidy.rows.iter().all(|row| row.len() == table.tidy.header.len()));
    }
}

#[test]
fn arrows_are_words_for_who_cannot_see_them() {
    let (view, results) = mixed();
    let page = html::render(&spans(&view, &results).expect("types have scores"));
    let arrows = page.matches("aria-hidden=\"true\">↑").count();
    assert!(arrows > 0);
    assert_eq!(page.matches("<span class=\"unseen\"> up</span>").count(), arrows);
    assert!(page.contains("<th scope=\"row\"><span class=\"unseen\">sc</span></th>"));
}
