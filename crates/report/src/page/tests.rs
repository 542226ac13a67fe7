//! The page as a whole: that it stays small, is made quickly, and lets nothing through.

use crate::errors::errors_of;
use crate::{Extras, Report, render, render_with};
use analysis::{GridView, synthetic};
use domain::{JobKey, Point};
use nix::sys::resource::{UsageWho, getrusage};
use serde_json::Value;
use store::{MetricRow, Results, RunRow, Status};

fn page(report: &Report) -> &str {
    std::str::from_utf8(&report.files[0].bytes).expect("text")
}

/// The data of the script.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("id=\"data\">").expect("data");
    let (data, _) = rest.split_once("</script>").expect("its end");
    serde_json::from_str(data).expect("JSON")
}

#[test]
fn a_cell_can_be_opened_with_its_seeds_keys_and_failures() {
    let (view, mut results) = synthetic::grid();
    let failed = results.runs.iter_mut().find(|run| run.job.0 == "000102").expect("a job");
    (failed.status, failed.failure) = (Status::Failed, Some("out of memory".to_owned()));
    results.runs.retain(|run| run.job.0 != "000105");
    let report = render(&view, &(&results).into()).expect("rendered");
    let data = data(page(&report));
    assert_eq!(data["methods"][1], "sc");
    assert_eq!(data["metrics"].as_array().map(Vec::len), Some(2));
    let cell = &data["panels"][0]["cells"][0][1];
    assert_eq!(cell.as_array().map(Vec::len), Some(5));
    assert_eq!((&cell[0][0], &cell[0][1]), (&Value::from(1), &Value::from("000101")));
    let row = results.metrics.iter().find(|row| row.job.0 == "000101").expect("a score");
    assert_eq!(cell[0][3], (row.f1 * 1e6).round() as i64);
    assert_eq!(cell[0].as_array().map(Vec::len), Some(7));
    assert_eq!(data["reasons"][cell[1][3].as_u64().expect("a number") as usize], "out of memory");
    assert_eq!(cell[4].as_array().map(Vec::len), Some(2), "not run: seed and key alone");
    let table = &data["tables"]["macro-f1-synthetic-full"];
    assert_eq!(table["rows"], serde_json::json!([0, 1, 2, 3, 4, 5]));
    assert_eq!(table["columns"], serde_json::json!([null, 0, 1]));
    let csv = report.files.iter().find(|file| file.path == "tables/jobs.csv").expect("jobs");
    let csv = std::str::from_utf8(&csv.bytes).expect("text");
    assert_eq!(csv.lines().count(), 61);
    assert!(csv.contains("sc,2,000102,failed,,,,out of memory,2.5"), "{csv}");
    assert!(csv.contains("sc,5,000105,todo,"), "{csv}");
}

#[test]
fn what_never_learned_is_told_in_the_summary_the_tables_the_figures_and_the_cells() {
    let (view, results) = synthetic::badly_trained();
    let report = render(&view, &(&results).into()).expect("rendered");
    let page = page(&report);
    let words = "the baseline of bilstm-softmax never learned: dev micro-F1 0.00 after 384 updates; raise \
                 training.updates.";
    assert!(page.contains(&format!("<p class=\"caution\">Caution: {words}</p>")), "the summary");
    let part = |id: &str| {
        let (_, rest) =
            page.split_once(&format!("id=\"{id}\"")).unwrap_or_else(|| panic!("no {id}"));
        rest.split_once("</section>").expect("its end").0
    };
    for id in ["table-macro-f1-synthetic-full", "table-comparisons-synthetic-full"] {
        let caption = part(id).split_once("</caption>").expect("a caption").0;
        assert!(caption.contains(words), "{id}: {caption}");
    }
    for id in
        ["figure-displacement-synthetic-full", "figure-forest-synthetic-full", "figure-differences"]
    {
        assert!(part(id).contains(words), "{id}");
    }
    assert!(page.contains("significant of 5 tested comparisons"), "of 10");
    let data = data(page);
    let panel = &data["panels"][0];
    assert_eq!(panel["cautions"][1][1][0], format!("Caution: {words}"));
    assert_eq!(panel["cautions"][0][1], Value::Null, "the other model");
    assert_eq!(panel["verdicts"][1][0]["3"], "never learned");
    assert_eq!(panel["verdicts"][1][2]["1"], "still improving");
    assert_eq!(panel["verdicts"][0][0], Value::Null);
    assert!(report.warnings.iter().any(|warning| warning.starts_with("5 comparisons are without")));
    let csv = report.files.iter().find(|file| file.path == "tables/jobs.csv").expect("jobs");
    let csv = std::str::from_utf8(&csv.bytes).expect("text");
    assert!(
        csv.lines().any(|line| line.contains("bilstm-softmax,original,1,")
            && line.ends_with(",384,never-learned"))
    );
}

#[test]
fn what_could_not_be_tested_is_not_counted_among_the_tests() {
    let (view, mut results) = synthetic::grid();
    results.runs.retain(|run| run.point.method != "sc" || run.point.seed == 1);
    let report = render(&view, &(&results).into()).expect("rendered");
    let page = page(&report);
    assert!(page.contains("significant of 8 tested comparisons"), "of 10, with two models");
    assert!(page.contains("2 comparisons could not be tested"));
}

#[test]
fn types_of_a_cell_are_in_the_data_and_errors_under_their_model() {
    let types = [("rare", 9), ("common", 70)];
    let (view, results) = synthetic::typed(&["original", "sc"], &["m"], &types);
    let text = "a\tB-rare\tO\nb\tB-common\tB-common\n\n";
    let errors = ["000001", "000101"].map(|key| errors_of(&JobKey(key.into()), text, false));
    let extras = Extras { errors: errors.into_iter().flatten().collect(), live: None };
    let report = render_with(&view, &(&results).into(), &extras).expect("rendered");
    let page = page(&report);
    let panel = &data(page)["panels"][0];
    assert_eq!(panel["types"], serde_json::json!(["rare", "common"]));
    assert_eq!(panel["byType"][0][1][0].as_array().map(Vec::len), Some(2));
    let fold = page.split("<details id=\"types-0-0\">").nth(1).expect("a fold");
    assert!(fold.contains("Errors by type</h3>") && fold.contains("<mark>a</mark>"), "{fold}");
    assert!(
        fold.contains("<bdi>original</bdi> 0 of 1") && fold.contains("<bdi>sc</bdi> 0 of 1"),
        "{fold}"
    );
}

/// Texts that would leave an element, an attribute, a script or a line.
const HOSTILE: [&str; 4] = [
    "</script><img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>",
    "'-alert(1)-' <!-- ]]>",
    "\u{202e}\u{7}\u{0}turned\u{2028}",
];

#[test]
fn nothing_hostile_leaves_its_place() {
    let names = HOSTILE.map(String::from);
    let (view, mut results) = synthetic::named(&names, &names[..2]);
    for (run, reason) in results.runs.iter_mut().zip(HOSTILE.iter().cycle()).step_by(3) {
        (run.status, run.failure) = (Status::Failed, Some((*reason).to_owned()));
    }
    let text: String = HOSTILE.map(|text| format!("{text}\tB-{text}\tO\n")).concat();
    let errors = view.jobs.iter().take(8).filter_map(|job| errors_of(&job.key, &text, false));
    let extras = Extras { errors: errors.collect(), live: Some(HOSTILE[0].to_owned()) };
    let report = render_with(&view, &(&results).into(), &extras).expect("rendered");
    let page = page(&report);
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    for sign in ["<img", "<svg onload", "<!--", "onerror=\"", "\u{202e}", "\u{7}", "\u{0}"] {
        assert!(!page.contains(sign), "{sign:?}");
    }
    let told = data(page);
    assert_eq!(told["methods"][0], HOSTILE[0], "as it is, as a text");
    assert_eq!(told["methods"][3], "\u{fffd}  turned\u{2028}");
}

/// A grid of so many methods and of 10 panels, 5 models and 5 seeds.
fn large(methods: usize) -> (GridView, Results) {
    let methods: Vec<String> = (0..methods).map(|n| format!("method-{n:03}")).collect();
    let models: Vec<String> = (0..5).map(|n| format!("model-{n}")).collect();
    let types: Vec<String> = (0..8).map(|n| format!("type-{n}")).collect();
    let of_types: Vec<(&str, u64)> =
        types.iter().zip(5..).map(|(name, n)| (name.as_str(), n)).collect();
    let names = |names: &[String]| names.iter().map(String::as_str).collect::<Vec<_>>().join("\n");
    let (methods, models) = (names(&methods), names(&models));
    let (methods, models): (Vec<&str>, Vec<&str>) =
        (methods.lines().collect(), models.lines().collect());
    let (one, of_one) = synthetic::typed(&methods, &models, &of_types);
    let (mut view, mut results) = (GridView { jobs: vec![], ..one.clone() }, Results::default());
    view.corpora = (0..10).map(|n| format!("corpus-{n}")).collect();
    for (n, corpus) in view.corpora.iter().enumerate() {
        let key = |key: &JobKey| JobKey(format!("{:0<14}{}", n, key.0));
        let point = |point: &Point| Point { corpus: corpus.clone(), ..point.clone() };
        view.jobs.extend(one.jobs.iter().cloned().map(|mut job| {
            (job.key, job.point) = (key(&job.key), point(&job.point));
            job
        }));
        let run =
            |run: &RunRow| RunRow { job: key(&run.job), point: point(&run.point), ..run.clone() };
        results.runs.extend(of_one.runs.iter().map(run));
        let row = |row: &MetricRow| MetricRow {
            job: key(&row.job),
            point: point(&row.point),
            ..row.clone()
        };
        results.metrics.extend(of_one.metrics.iter().map(row));
    }
    (view, results)
}

/// What this thread has computed so far, whatever else the machine does.
fn seconds() -> f64 {
    let used = getrusage(UsageWho::RUSAGE_THREAD).expect("known").user_time();
    used.tv_sec() as f64 + used.tv_usec() as f64 / 1e6
}

#[test]
fn a_page_of_ten_thousand_jobs_is_small_and_keeps_what_matters() {
    let (view, results) = large(40);
    assert_eq!(view.jobs.len(), 10_000);
    let start = seconds();
    let report = render(&view, &(&results).into()).expect("rendered");
    let took = seconds() - start;
    assert!(took < 120.0, "{took} s of this thread, and that without optimisation");
    let page = page(&report);
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    for corpus in &view.corpora {
        let table =
            page.split(&format!("id=\"table-macro-f1-{corpus}-full\">")).nth(1).expect("there");
        assert!(table.split("</section>").next().is_some_and(|card| card.contains("<table>")));
    }
    assert!(page.contains("too long for this page"), "something had to go");
    assert_eq!(data(page)["panels"].as_array().map(Vec::len), Some(10), "cells can be opened");
}
