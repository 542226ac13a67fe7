//! Ours beside published numbers: what is matched, what is said of the rest, and every form.

use super::super::conditions::tests::made;
use super::super::{Cell, Form, Table, html, render};
use analysis::GridView;
use analysis::published::{Published, read};
use analysis::synthetic;
use domain::OtherNames;
use std::collections::BTreeMap;
use store::{EpochRow, Results, Status};

fn published(name: &str, rows: &str) -> Published {
    let text = format!(
        "# title: Table 3 of Somebody (2022)\n# caveat: a single run\n\
         corpus,scenario,model,method,type,metric,value,error,note\n{rows}"
    );
    read("t.csv", name, &text).expect("no mistake")
}

fn beside(view: &mut GridView, results: &Results, rows: &str) -> Table {
    view.asked.published = vec![published("somebody-3", rows)];
    let mut tables = made(view, results, "published");
    assert_eq!(tables.len(), 1);
    tables.remove(0)
}

const ROWS: &str = "\
synthetic,full,shallow-softmax,original,,macro_f1,40.00,,
synthetic,full,shallow-softmax,sCR,,macro_f1,45.06,1.20,misprint: should be 45.60
synthetic,full,bilstm-softmax,original,,macro_f1,60.00,,
synthetic,full,bert-crf,original,,macro_f1,70.00,,
gmb,full,bilstm-softmax,original,,macro_f1,50.00,,
gmb,full,bert-crf,sCR,,macro_f1,50.00,,
";

fn mapped() -> (GridView, Results) {
    let (mut view, mut results) = synthetic::grid();
    let methods = BTreeMap::from([("sCR".to_owned(), "scr".to_owned())]);
    view.asked.names = OtherNames(BTreeMap::from([("method", methods)]));
    for run in &mut results.runs {
        if run.point.method == "original" && run.point.model == "bilstm-softmax" {
            run.status = Status::Failed;
        }
    }
    (view, results)
}

#[test]
fn published_numbers_in_every_form() {
    let (mut view, results) = mapped();
    let table = beside(&mut view, &results, ROWS);
    insta::assert_snapshot!("published_markdown", render(&table, Form::Markdown));
    insta::assert_snapshot!("published_latex", render(&table, Form::Latex));
    insta::assert_snapshot!("published_csv", render(&table, Form::Csv));
    insta::assert_snapshot!("published_html", html::render(&table));
}

#[test]
fn what_does_not_match_is_said() {
    let (mut view, results) = mapped();
    let caption = beside(&mut view, &results, ROWS).caption;
    assert!(
        caption.contains(
            "Published but not in this grid: model bert-crf (1 number), corpus gmb (2 numbers)."
        ),
        "{caption}"
    );
    assert!(caption.contains("In this grid but not published there: method sc, method scrd"));
    view.asked.names = OtherNames::default();
    let unmapped = beside(&mut view, &results, ROWS).caption;
    assert!(unmapped.contains("method sCR (1 number)"), "{unmapped}");
    view.asked.published = vec![published("nothing", "x,full,y,z,,micro_f1,1,,\n")];
    assert!(made(&view, &results, "published").is_empty());
}

#[test]
fn sides_of_the_baseline_are_counted() {
    let (mut view, results) = synthetic::grid();
    let rows = "\
synthetic,full,shallow-softmax,original,,macro_f1,10,,
synthetic,full,shallow-softmax,scr,,macro_f1,20,,
synthetic,full,shallow-softmax,sc,,macro_f1,5,,
";
    let caption = beside(&mut view, &results, rows).caption;
    assert!(caption.contains("On the same side of original in both: 1 of 2 numbers"), "{caption}");
}

#[test]
fn scores_are_told_apart_by_measure_and_shares_are_no_scores() {
    let types = [("LOC", 40), ("PER", 60)];
    let (mut view, mut results) = synthetic::typed(&["original", "scr"], &["bert"], &types);
    for run in &mut results.runs {
        run.type_shares = [("LOC".to_owned(), 0.02)].into();
    }
    let rows = "\
synthetic,full,bert,original,LOC,type_f1,40,,
synthetic,full,bert,scr,LOC,type_f1,30,,
synthetic,full,bert,original,LOC,type_recall,30,,
synthetic,full,bert,original,LOC,token_share,90,,
synthetic,full,bert,scr,LOC,token_share,90,,
";
    let table = beside(&mut view, &results, rows);
    let (_, told) = table.caption.split_once(" On average ours are away by ").expect("told");
    let (told, _) = told.split_once(". ").expect("a sentence");
    let [f1, recall] = told.split("; ").collect::<Vec<_>>()[..] else { panic!("{told}") };
    assert!(f1.contains("in F1 (by type)") && f1.ends_with("(2 numbers)"), "{told}");
    assert!(recall.contains("in recall (by type)") && recall.ends_with("(1 number)"), "{told}");
    assert!(table.caption.contains("same side of original in both: 1 of 1 number"), "{told}");
}

#[test]
fn types_and_classes_of_tokens_are_found() {
    let types = [("LOC", 40), ("PER", 60)];
    let (mut view, results) = synthetic::typed(&["original", "scr"], &["bert"], &types);
    for run in results.runs.iter().take(1) {
        assert_eq!(run.point.scenario, "full");
    }
    let rows = "\
synthetic,full,bert,original,LOC,type_f1,40,,
synthetic,full,bert,original,LOC,type_recall,30,,
synthetic,full,bert,scr,PER,type_f1,50,,
synthetic,full,bert,scr,GPE,type_f1,50,,
synthetic,full,bert,original,PER,token_type_precision,50,,
synthetic,full,bert,original,,token_outside_f1,99.5,,
synthetic,full,bert,original,,missampling_rate,1.5,,
";
    let table = beside(&mut view, &results, rows);
    assert_eq!(table.rows.len(), 5, "{}", render(&table, Form::Markdown));
    let is_score = |row: &super::TableRow| matches!(row.cells[row.cells.len() - 3], Cell::Score(_));
    assert!(table.rows.iter().all(is_score), "{}", render(&table, Form::Markdown));
    assert!(table.caption.contains("type GPE (1 number), measure missampling_rate (1 number)"));
}

#[test]
fn the_rate_of_missampling_is_the_mean_over_epochs_and_seeds() {
    let (mut view, mut results) = synthetic::typed(&["original", "scr"], &["bert"], &[("LOC", 40)]);
    results.epochs.clear();
    let jobs: Vec<_> = results.runs.iter().filter(|run| run.point.method == "scr").collect();
    for (seed, run) in jobs.iter().enumerate() {
        for (epoch, rate) in [0.01, 0.03 + 0.01 * seed as f64].into_iter().enumerate() {
            results.epochs.push(EpochRow {
                job: run.job.clone(),
                epoch: epoch as u64 + 1,
                updates: 32 * (epoch as u64 + 1),
                loss: 1.0,
                dev_micro_f1: 0.5,
                dev_macro_f1: 0.5,
                added: [("missampling_rate".to_owned(), rate)].into(),
                seconds: 1.0,
            });
        }
    }
    let seeds = jobs.len() as f64;
    let expected = 0.02 + 0.005 * (seeds - 1.0) / 2.0;
    let rows = "synthetic,full,bert,scr,,missampling_rate,1.5,,\n";
    let table = beside(&mut view, &results, rows);
    let text = render(&table, Form::Markdown);
    assert!(text.contains(&format!("{:.2}", 100.0 * expected)), "{expected}: {text}");
}

#[test]
fn size_factors_are_means_over_the_corpora() {
    let (mut view, mut results) = synthetic::two_corpora();
    for run in &mut results.runs {
        let second = run.point.corpus == view.corpora[1];
        if run.point.method == "scr" {
            run.sentence_factor = Some(if second { 4.0 } else { 2.0 });
            run.token_factor = Some(5.0);
        }
    }
    let table = beside(
        &mut view,
        &results,
        ",,,scr,,sentence_factor,4.60,,\n,,,scr,,token_factor,4.60,,\n",
    );
    let shown = render(&table, Form::Markdown);
    assert!(shown.contains("| 3.00 | 4.60 | −1.60 |"), "{shown}");
    assert!(shown.contains("| 5.00 | 4.60 | +0.40 |"), "{shown}");
}
