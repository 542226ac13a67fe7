//! That every caption says what its numbers are: the metric, what matches, what a ratio of nothing counts,
//! over how many seeds, and by which test.

use super::super::registry::{KINDS, Kind, Make, Sheet};
use super::*;
use crate::domain::ParameterValue;
use crate::report::artefact::FileNames;
use crate::report::by_type::TypeBoard;
use crate::report::{measure, published, synthetic};
use crate::store::Level;

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

#[test]
fn every_caption_of_scores_says_what_they_are() {
    let (view, results) = everything();
    let boards: Vec<Scoreboard> = measure::tabled(view.metric)
        .into_iter()
        .map(|metric| Scoreboard::new(&view, &results, metric))
        .collect();
    let compared: Vec<Vec<Comparison>> = boards.iter().map(|board| compare(&view, board)).collect();
    let by_type = Level::ALL.map(|level| TypeBoard::new(&view, &results, level));
    let sheet = Sheet::new(&view, &results, &boards, &compared, &by_type);
    for kind in KINDS {
        let tables = made(&sheet, kind);
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
