//! That every caption says what its numbers are: the metric, what matches, what a ratio of nothing
//! counts, over how many seeds, and by which test.

use super::super::registry::{KINDS, Kind, Make, Sheet};
use super::*;
use crate::artefact::FileNames;
use analysis::by_type::TypeBoard;
use analysis::measure;
use analysis::{ResultFrames, published, synthetic};
use domain::{ParameterValue, TrainingVerdict};
use store::Level;

/// Kinds without a score.
const NO_SCORES: [&str; 3] = ["size-factors", "imbalance", "labels"];

/// Kinds whose tables show neither marks nor p-values.
const NO_TESTS: [&str; 4] = ["types", "token-classes", "published", "searches"];

/// A grid that has something of every kind.
fn everything() -> (GridView, Results) {
    let size = |n| ("train_sentences", ParameterValue::Integer(n));
    let only = |name: &str| ("keep_types", ParameterValue::Names(vec![name.to_owned()]));
    let share = |setting, share| (setting, ParameterValue::Real(share));
    let (mut view, results) = synthetic::planned(&[
        ("full", &[]),
        ("masked", &[share("mask_entities", 0.5)]),
        ("low-50", &[size(50)]),
        ("low-200", &[size(200)]),
        ("rare-50", &[size(50), only("rare")]),
        ("common-50", &[size(50), only("common")]),
        ("share-2", &[share("entity_tokens", 0.02)]),
        ("share-10", &[share("entity_tokens", 0.1)]),
    ]);
    view.asked.tables = ["deltas", "imbalance", "labels"].map(str::to_owned).to_vec();
    view.asked.corpora = corpora();
    let rows = "# title: T\ncorpus,model,method,metric,value\na,bilstm,sc,macro_f1,40\n";
    view.asked.published = vec![published::read("t.csv", "t", rows).expect("no mistake")];
    (view, results)
}

/// The tables of a kind.
fn made(sheet: &Sheet<'_>, kind: &Kind) -> Vec<Table> {
    let (mut names, panels) = (FileNames::default(), sheet.view.panels());
    match kind.make {
        Make::Grid(make) => make(sheet, &mut names),
        Make::Panel(make) => panels.iter().flat_map(|p| make(sheet, p, &mut names)).collect(),
        Make::Model(make) => {
            let models = || sheet.view.models.iter();
            let places = panels.iter().flat_map(|panel| models().map(move |model| (panel, model)));
            places.filter_map(|(panel, model)| make(sheet, panel, model, &mut names)).collect()
        }
    }
}

fn says(caption: &str, one_of: &[&str]) -> bool {
    one_of.iter().any(|words| caption.contains(words))
}

/// The tables of every kind.
fn all_kinds(view: &GridView, results: &Results) -> Vec<(&'static Kind, Vec<Table>)> {
    let results = &ResultFrames::from(results);
    let boards: Vec<Scoreboard> = measure::tabled(view.metric)
        .into_iter()
        .map(|metric| Scoreboard::new(view, results, metric))
        .collect();
    let compared: Vec<Vec<Comparison>> = boards.iter().map(|board| compare(view, board)).collect();
    let by_type = Level::ALL.map(|level| TypeBoard::new(view, results, level));
    let sheet = Sheet::new(view, results, &boards, &compared, &by_type);
    KINDS.iter().map(|kind| (kind, made(&sheet, kind))).collect()
}

/// Kinds whose tables show no comparison with a baseline.
const NO_COMPARISONS: [&str; 5] =
    ["missampling", "searches", "size-factors", "imbalance", "labels"];

/// Whether a table marks a score as significant.
fn marks(table: &Table) -> bool {
    let mut cells = table.rows.iter().flat_map(|row| &row.cells);
    cells.any(|cell| matches!(cell, Cell::Score(score) if score.mark != Significance::None))
}

#[test]
fn every_table_of_comparisons_cautions_first_and_marks_nothing_that_never_learned() {
    let (mut view, mut results) = everything();
    view.stopping = None;
    let tables = all_kinds(&view, &results);
    assert!(tables.iter().flat_map(|(_, tables)| tables).any(marks), "what is trained has marks");
    assert!(tables.iter().flat_map(|(_, tables)| tables).all(|table| table.cautions.is_empty()));
    (view, results) = everything();
    let lost = (TrainingVerdict::NeverLearned, 36);
    synthetic::train(&mut results, lost, |point| point.method == "original");
    let words = "never learned: dev micro-F1 0.00 after 36 updates; raise training.updates.";
    for (kind, tables) in all_kinds(&view, &results) {
        for table in tables.iter().filter(|_| !NO_COMPARISONS.contains(&kind.name)) {
            let Table { name, cautions, .. } = table;
            assert!(!marks(table), "{name} marks what never learned");
            let told = cautions.iter().any(|caution| caution.contains(words));
            let ranked = cautions.iter().any(|caution| caution.contains("never learned on"));
            assert!(told || kind.name == "ranks" && ranked, "{name}: {cautions:?}");
            let markdown = render(table, Form::Markdown);
            let at = |text: &str, words: &str| text.find(words).unwrap_or_else(|| panic!("{text}"));
            assert!(at(&markdown, "Caution: ") < at(&markdown, "| "), "{markdown}");
            let latex = render(table, Form::Latex);
            assert!(at(&latex, "Caution: ") < at(&latex, "\\begin{tabular}"), "{latex}");
            let html = html::render(table);
            assert!(at(&html, "class=\"caution\"") < at(&html, "<thead>"), "{html}");
        }
    }
}

#[test]
fn files_for_other_programs_have_the_cautions_of_every_line() {
    let (view, results) = synthetic::badly_trained();
    let report = crate::render(&view, &(&results).into()).expect("rendered");
    let file = |path: &str| {
        let found = report.files.iter().find(|file| file.path == path);
        let file = found.unwrap_or_else(|| panic!("no {path}"));
        String::from_utf8(file.bytes.clone()).expect("text")
    };
    let lines = |text: &str, model: &str, method: &str| -> String {
        let place = format!("synthetic,full,{model},{method},");
        text.lines().filter(|line| line.starts_with(&place)).collect()
    };
    for path in ["tables/macro-f1-synthetic-full.csv", "tables/comparisons-synthetic-full.csv"] {
        let text = file(path);
        assert!(text.lines().next().is_some_and(|head| head.ends_with(",cautions")), "{text}");
        let never = "the baseline of bilstm-softmax never learned";
        assert!(lines(&text, "bilstm-softmax", "sc").contains(never), "{text}");
        assert!(lines(&text, "shallow-softmax", "sc").ends_with(','), "{text}");
        assert!(lines(&text, "shallow-softmax", "focal").contains("2.6 × the updates"), "{text}");
    }
    let scores = file("tables/macro-f1-synthetic-full.csv");
    let baseline = lines(&scores, "bilstm-softmax", "original");
    assert!(baseline.contains("never learned") && !baseline.contains("still"), "{baseline}");
}

#[test]
fn every_caption_of_scores_says_what_they_are() {
    let (view, results) = everything();
    for (kind, tables) in all_kinds(&view, &results) {
        assert!(!tables.is_empty(), "no table of {}", kind.name);
        for Table { name, caption, .. } in tables.iter().filter(|_| !NO_SCORES.contains(&kind.name))
        {
            assert!(says(caption, &["F1"]), "{name} names no metric: {caption}");
            let matching = ["conlleval rules", "B and I merged"];
            assert!(says(caption, &matching), "{name} does not say what matches: {caption}");
            let nothing = ["a ratio with nothing below it counts as 0"];
            assert!(says(caption, &nothing), "{name} does not say what nothing counts: {caption}");
            assert!(says(caption, &[" seeds", "n = "]), "{name} has no n: {caption}");
            let tests = ["t-test", "Friedman's test"];
            let needs = !NO_TESTS.contains(&kind.name);
            assert!(!needs || says(caption, &tests), "{name} names no test: {caption}");
        }
    }
}
