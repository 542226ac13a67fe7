//! Tables over scenarios: who is in them, what is the best, and every form.

use super::super::registry::{self, Kind, Make, Sheet};
use super::super::{Cell, Form, Rank, Table, html, render};
use crate::artefact::FileNames;
use analysis::by_type::TypeBoard;
use analysis::comparison::compare;
use analysis::synthetic;
use analysis::{GridView, ResultFrames, Scoreboard};
use domain::{Metric, ParameterValue, Spread};
use store::{Level, Results, Status};

/// The tables of one kind.
pub(in crate::tables) fn made(view: &GridView, results: &Results, kind: &str) -> Vec<Table> {
    let results = &ResultFrames::from(results);
    let boards = [Scoreboard::new(view, results, Metric::MacroF1)];
    let compared = [compare(view, &boards[0])];
    let by_type = Level::ALL.map(|level| TypeBoard::new(view, results, level));
    let sheet = Sheet::new(view, results, &boards, &compared, &by_type);
    let Kind { make: Make::Grid(make), .. } = registry::find(kind).expect("a kind") else {
        panic!("{kind} is not over the whole grid")
    };
    make(&sheet, &mut FileNames::default())
}

fn in_every_form(name: &str, table: &Table) {
    insta::assert_snapshot!(format!("{name}_markdown"), render(table, Form::Markdown));
    insta::assert_snapshot!(format!("{name}_latex"), render(table, Form::Latex));
    insta::assert_snapshot!(format!("{name}_csv"), render(table, Form::Csv));
    insta::assert_snapshot!(format!("{name}_html"), html::render(table));
}

fn size(n: i64) -> (&'static str, ParameterValue) {
    ("train_sentences", ParameterValue::Integer(n))
}

fn only(name: &str) -> (&'static str, ParameterValue) {
    ("keep_types", ParameterValue::Names(vec![name.to_owned()]))
}

fn share(name: &'static str, value: f64) -> (&'static str, ParameterValue) {
    (name, ParameterValue::Real(value))
}

/// Two models, of which one has two methods, at two sizes, the larger written first.
fn sizes() -> (GridView, Results) {
    let untyped = ("merge_types", ParameterValue::Bool(true));
    let scenarios: [(&str, &[_]); 3] = [
        ("low-200", &[size(200), untyped.clone()]),
        ("low-50", &[size(50), untyped, ("dev_sentences", ParameterValue::Integer(20))]),
        ("full", &[]),
    ];
    let (mut view, mut results) =
        synthetic::conditioned(&["conll"], &scenarios, &["original", "sc"], &["softmax", "crf"]);
    for job in &mut view.jobs {
        if job.point.model == "crf" && job.point.method == "sc" {
            job.not_applicable = Some("needs a token head".to_owned());
        }
    }
    let failed = |run: &&mut store::RunRow| {
        run.point.scenario == "low-50" && run.point.model == "crf" && run.point.seed == 1
    };
    for run in results.runs.iter_mut().filter(failed) {
        run.status = Status::Failed;
    }
    (view, results)
}

#[test]
fn sizes_in_every_form() {
    let (mut view, results) = sizes();
    view.asked.spread = Spread::Se;
    let tables = made(&view, &results, "sizes");
    assert_eq!(tables.len(), 1);
    in_every_form("sizes", &tables[0]);
}

#[test]
fn sizes_are_in_order_and_what_does_not_apply_is_left_out() {
    let (view, results) = sizes();
    let table = &made(&view, &results, "sizes")[0];
    let heads: Vec<&Cell> = table.rows.iter().map(|row| &row.cells[0]).collect();
    let expected = [50, 50, 50, 200, 200, 200].map(|n: i32| n.to_string());
    let shown = heads.iter().map(|cell| match cell {
        Cell::Head(text) | Cell::Again(text) => text.clone(),
        other => panic!("{other:?}"),
    });
    assert_eq!(shown.collect::<Vec<_>>(), expected);
    assert!(matches!(heads[0], Cell::Head(_)) && matches!(heads[3], Cell::Head(_)));
    let best = |rows: std::ops::Range<usize>| {
        let is_best = |row: &&super::super::TableRow| matches!(&row.cells[5], Cell::Score(score) if score.rank == Rank::Best);
        table.rows[rows].iter().filter(is_best).count()
    };
    assert_eq!((best(0..3), best(3..6)), (1, 1), "one best a size");
    assert!(table.title.contains("merge_types: true"), "{}", table.title);
}

#[test]
fn one_size_alone_has_no_table() {
    let scenarios: [(&str, &[_]); 2] = [("full", &[]), ("low-50", &[size(50)])];
    let (view, results) = synthetic::conditioned(&["a"], &scenarios, &["original"], &["m"]);
    for kind in ["sizes", "type-sizes", "masking", "entity-shares"] {
        assert_eq!(made(&view, &results, kind), [], "{kind}");
    }
}

#[test]
fn types_by_size_in_every_form() {
    let scenarios: [(&str, &[_]); 4] = [
        ("per-50", &[size(50), only("PER")]),
        ("per-100", &[size(100), only("PER")]),
        ("loc-50", &[size(50), only("LOC")]),
        ("loc-100", &[size(100), only("LOC")]),
    ];
    let methods = ["original", "sc"];
    let (view, results) = synthetic::conditioned(&["conll"], &scenarios, &methods, &["bert"]);
    let tables = made(&view, &results, "type-sizes");
    assert_eq!(tables.len(), 1);
    in_every_form("type_sizes", &tables[0]);
    assert_eq!(made(&view, &results, "sizes"), [], "the same numbers are not shown twice");
}

#[test]
fn masks_in_every_form() {
    let scenarios: [(&str, &[_]); 3] = [
        ("full", &[]),
        ("masked-90", &[share("mask_entities", 0.9)]),
        ("masked-50", &[share("mask_entities", 0.5)]),
    ];
    let methods = ["original", "sc"];
    let (view, results) = synthetic::conditioned(&["a", "b"], &scenarios, &methods, &["span"]);
    let tables = made(&view, &results, "masking");
    assert_eq!(tables.len(), 1);
    in_every_form("masking", &tables[0]);
}

#[test]
fn entity_shares_are_swept_at_one_size() {
    let scenarios: [(&str, &[_]); 3] = [
        ("rare-2", &[share("entity_tokens", 0.02), size(100)]),
        ("rare-10", &[share("entity_tokens", 0.1), size(100)]),
        ("full", &[]),
    ];
    let (view, results) =
        synthetic::conditioned(&["a"], &scenarios, &["original", "sc"], &["m", "n"]);
    let tables = made(&view, &results, "entity-shares");
    assert_eq!(tables.len(), 1);
    insta::assert_snapshot!("entity_shares_markdown", render(&tables[0], Form::Markdown));
    insta::assert_snapshot!("entity_shares_latex", render(&tables[0], Form::Latex));
}

#[test]
fn deltas_in_every_form() {
    let (mut view, results) = synthetic::conditioned(
        &["conll", "wiki"],
        &[("full", &[])],
        &["original", "sc", "scr"],
        &["bert"],
    );
    for job in &mut view.jobs {
        if job.point.corpus == "wiki" && job.point.method == "scr" {
            job.not_applicable = Some("needs a token head".to_owned());
        }
    }
    let tables = made(&view, &results, "deltas");
    assert_eq!(tables.len(), 1);
    in_every_form("deltas", &tables[0]);
    let groups: usize = tables[0].groups.iter().map(|group| group.columns).sum();
    assert_eq!(groups, tables[0].columns.len());
}

#[test]
fn what_is_not_selected_is_not_shown() {
    let (view, results) = sizes();
    let view = synthetic::showing(view, |point| point.model == "softmax");
    let table = &made(&view, &results, "sizes")[0];
    assert_eq!(table.rows.len(), 4);
    assert!(!table.columns.iter().any(|column| column.head == "Model"));
}
