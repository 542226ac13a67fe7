//! The outputs of `compare` in every form, and what its arguments mean.

use super::*;
use analysis::synthetic;
use domain::{Spending, Stopping};
use serde_json::Value;
use store::Results;

fn answered(view: &GridView, results: &Results, question: &Question) -> [String; 4] {
    let board = Scoreboard::new(view, &results.into(), view.metric);
    let answer = Answer::new(view, &board, question);
    [
        text(&answer, false, None),
        answer.json().expect("JSON"),
        answer.tables(Form::Markdown),
        answer.tables(Form::Latex),
    ]
}

fn json(view: &GridView, results: &Results, question: &Question) -> Value {
    serde_json::from_str(&answered(view, results, question)[1]).expect("JSON")
}

fn against(pairing: Pairing) -> Question {
    Question { pairing, ..Question::default() }
}

/// Pairs as `--pair` takes them.
fn pairs(view: &GridView, names: &[&str]) -> Result<Pairing, CliError> {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    named_pairs(&names, view).map(Pairing::Named)
}

/// The grid over three corpora: the second and third have other scores.
fn three_corpora() -> (GridView, Results) {
    let (one, results) = synthetic::grid();
    let (mut view, mut all) = (one.clone(), results.clone());
    for (shift, corpus) in [(0.02, "second"), (-0.03, "third")] {
        view.corpora.push(corpus.to_owned());
        for job in &one.jobs {
            let mut job = job.clone();
            job.key.0 += corpus;
            job.point.corpus = corpus.to_owned();
            view.jobs.push(job);
        }
        for mut run in results.runs.iter().cloned() {
            run.job.0 += corpus;
            run.point.corpus = corpus.to_owned();
            all.runs.push(run);
        }
        for mut row in results.metrics.iter().cloned() {
            row.job.0 += corpus;
            row.point.corpus = corpus.to_owned();
            row.f1 += shift * (row.point.method.len() as f64 - 3.0);
            all.metrics.push(row);
        }
    }
    (view, all)
}

#[test]
fn the_text_names_test_correction_and_what_is_missing() {
    let (view, mut results) = synthetic::grid();
    results.runs.remove(7);
    let [text, ..] = answered(&view, &results, &Question::default());
    insta::assert_snapshot!("compare_text", text);
}

#[test]
fn more_is_shown_when_asked() {
    let (view, results) = synthetic::grid();
    let board = Scoreboard::new(&view, &(&results).into(), view.metric);
    let question = Question::default();
    let text = text(&Answer::new(&view, &board, &question), true, None);
    insta::assert_snapshot!("compare_verbose", text);
}

#[test]
fn the_json_has_the_fields_that_programs_read() {
    let (view, results) = synthetic::grid();
    let value = json(&view, &results, &Question::default());
    let contract = [
        "corpus",
        "scenario",
        "model",
        "method",
        "n",
        "mean",
        "baseline_mean",
        "difference",
        "ci_low",
        "ci_high",
        "t",
        "df",
        "p",
        "p_holm",
        "wilcoxon_p",
        "effect_size",
        "missing_pairs",
    ];
    let first = value["comparisons"][0].as_object().expect("an object");
    for name in
        contract.iter().chain(&["against", "p_corrected", "permutation_p", "hedges_g", "remark"])
    {
        assert!(first.contains_key(*name), "{name}");
    }
    for name in ["metric", "baseline", "family", "comparisons"] {
        assert!(value.get(name).is_some(), "{name}");
    }
    assert_eq!((&value["baseline"], &value["correction"]), (&"original".into(), &"holm".into()));
    assert_eq!((&first["df"], &first["missing_pairs"]), (&4.into(), &0.into()));
    assert!(first["remark"].is_null() && first["bca_low"].is_null());
    assert!(first["mean"].as_f64().is_some_and(|mean| mean < 1.0));
    assert_eq!(first["permutation_p"], 0.0625);
    assert!(first.get("sequential").is_none());
}

#[test]
fn the_json_says_why_there_is_no_test() {
    let (view, _) = synthetic::grid();
    let value = json(&view, &Results::default(), &Question::default());
    let remark = value["comparisons"][0]["remark"].as_str();
    assert_eq!(remark, Some("no seed has a score for both methods"));
    let missing = &value["comparisons"][0]["missing"];
    assert_eq!(missing[4]["seed"], 5);
    assert_eq!(missing[4]["reason"], "sc has not run, original has not run");
}

#[test]
fn a_choice_after_seeing_is_marked_in_every_form() {
    let (view, results) = synthetic::grid();
    let forms = answered(&view, &results, &against(Pairing::NextBest));
    for form in &forms {
        let words = form.replace('_', " ").to_lowercase();
        assert!(words.contains("chosen after seeing"), "{form}");
    }
    insta::assert_snapshot!("compare_next_best", forms[0]);
    let value: Value = serde_json::from_str(&forms[1]).expect("JSON");
    assert_eq!(value["comparisons"].as_array().map(Vec::len), Some(2), "one for each model");
    assert!(value["baseline"].is_null() && value["chosen_after_seeing"] == true);
    let first = &value["comparisons"][0];
    assert_eq!((&first["method"], &first["against"]), (&"scr".into(), &"scrd".into()));
    assert!(first["mean"].as_f64() > first["baseline_mean"].as_f64());
    assert!(forms[0].contains("could have come out as best"));
}

#[test]
fn a_named_pair_is_one_test_and_not_corrected() {
    let (view, results) = synthetic::grid();
    let pair = pairs(&view, &["focal", "sc"]).expect("both are known");
    let value = json(&view, &results, &against(pair));
    let comparisons = value["comparisons"].as_array().expect("a list");
    assert_eq!(comparisons.len(), 2);
    for c in comparisons {
        assert_eq!((&c["method"], &c["against"]), (&"focal".into(), &"sc".into()));
        assert_eq!(c["p"], c["p_corrected"]);
        assert!(c["difference"].as_f64().is_some_and(|d| d < 0.0));
    }
}

#[test]
fn pairs_across_models_are_one_family_in_every_form() {
    let (view, mut results) = synthetic::grid();
    results.runs.retain(|run| run.job.0 != "010203");
    let named = ["bilstm-softmax/scr", "shallow-softmax/focal", "bilstm-softmax/sc", "original"];
    let asked = against(pairs(&view, &named).expect("all are known"));
    let forms = answered(&view, &results, &asked);
    insta::assert_snapshot!("compare_models", forms[0]);
    insta::assert_snapshot!("compare_models_markdown", forms[2]);
    assert!(forms[3].contains("Against model") && forms[3].contains("shallow-softmax"));
    let value: Value = serde_json::from_str(&forms[1]).expect("JSON");
    let sides = |c: &Value| {
        ["model", "method", "against_model", "against"]
            .map(|key| c[key].as_str().unwrap().to_owned())
    };
    let comparisons = value["comparisons"].as_array().expect("a list");
    let found: Vec<[String; 4]> = comparisons.iter().map(sides).collect();
    assert_eq!(
        found,
        [
            ["bilstm-softmax", "scr", "shallow-softmax", "focal"],
            ["bilstm-softmax", "sc", "shallow-softmax", "original"],
            ["bilstm-softmax", "sc", "bilstm-softmax", "original"],
        ]
    );
    assert!(comparisons.iter().all(|c| c["family_size"] == 3));
    assert_eq!((&comparisons[0]["n"], &comparisons[0]["missing_pairs"]), (&4.into(), &1.into()));
    let reason = comparisons[0]["missing"][0]["reason"].as_str();
    assert_eq!(reason, Some("bilstm-softmax/scr has not run"));
    assert!(value["family"].as_str().is_some_and(|family| family.contains("all models together")));
}

#[test]
fn a_model_that_is_named_on_both_sides_gives_the_numbers_of_the_bare_pair() {
    let (view, results) = synthetic::grid();
    let of = |named: &[&str]| {
        let asked = against(pairs(&view, named).expect("all are known"));
        json(&view, &results, &asked)["comparisons"].as_array().expect("a list").clone()
    };
    let bare = of(&["focal", "sc"]);
    let named = of(&["bilstm-softmax/focal", "bilstm-softmax/sc"]);
    assert_eq!((bare.len(), named.len()), (2, 1));
    assert_eq!(named[0], bare[1]);
}

#[test]
fn scores_across_models_are_paired_by_seed() {
    let (view, mut results) = synthetic::grid();
    // tests/vectors/stats.json, first paired case: scipy's ttest_rel.
    let a = [80.0, 80.9, 79.18, 77.33, 78.64];
    let b = [81.19, 80.83, 77.57, 77.92, 79.38];
    for row in &mut results.metrics {
        let scores = if row.point.model == "bilstm-softmax" { a } else { b };
        row.f1 = scores[row.point.seed as usize - 1];
    }
    let named = pairs(&view, &["bilstm-softmax/sc", "shallow-softmax/focal"]);
    let value = json(&view, &results, &against(named.expect("both are known")));
    let number = |name: &str| value["comparisons"][0][name].as_f64().expect("a number");
    assert!((number("t") + 0.34408895342090184).abs() < 1e-8);
    assert!((number("p") - 0.7481070270260469).abs() < 1e-8);
    assert_eq!(number("p"), number("p_holm"));
}

#[test]
fn the_correction_that_is_asked_for_decides() {
    let (view, results) = synthetic::grid();
    let p = |correction| {
        let value = json(&view, &results, &Question { correction, ..Question::default() });
        assert_eq!(value["correction"], correction.name());
        let first = &value["comparisons"][0];
        let number = |name: &str| first[name].as_f64().expect("a number");
        (number("p"), number("p_holm"), number("p_corrected"))
    };
    let (raw, holm, corrected) = p(Correction::Bonferroni);
    assert!((corrected - 5.0 * raw).abs() < 1e-15 && holm < corrected);
    assert_eq!(p(Correction::Holm).1, p(Correction::Holm).2);
    assert!(p(Correction::BenjaminiHochberg).2 <= holm);
}

#[test]
fn corpora_are_ranked_across_in_every_form() {
    let (view, results) = three_corpora();
    let forms = answered(&view, &results, &Question::default());
    insta::assert_snapshot!("compare_across", forms[0].split("Across").nth(1).expect("ranked"));
    let value: Value = serde_json::from_str(&forms[1]).expect("JSON");
    let ranking = &value["across_corpora"][0];
    assert_eq!(ranking["corpora"].as_array().map(Vec::len), Some(3));
    assert_eq!(ranking["methods"].as_array().map(Vec::len), Some(6));
    assert!(
        forms[2].contains("ranked across corpora") && forms[3].contains("\\label{tab:ranks-2}")
    );
    let (view, results) = synthetic::grid();
    assert_eq!(json(&view, &results, &Question::default())["across_corpora"], Value::Array(vec![]));
}

#[test]
fn planned_looks_have_their_own_verdict() {
    let (mut view, mut results) = synthetic::grid();
    view.stopping = Some(Stopping { looks: vec![3, 5], spending: Spending::Pocock });
    results.runs.retain(|run| run.point.method != "focal" || run.point.seed != 4);
    let forms = answered(&view, &results, &Question::default());
    let section = forms[0].split("Planned looks").nth(1).and_then(|s| s.split("\n\n").next());
    insta::assert_snapshot!("compare_looks", section.expect("a section"));
    let table = forms[0].split("Planned looks").next().expect("a table");
    assert!(table.lines().any(|line| line.ends_with("open, see planned looks")), "{table}");
    assert!(forms[2].contains("Planned looks") && forms[3].contains("Planned looks"));
    let value: Value = serde_json::from_str(&forms[1]).expect("JSON");
    let found = &value["comparisons"][0]["sequential"];
    assert_eq!(found["alpha"], 0.01, "0.05 over a family of five");
    assert_eq!(
        json(&view, &results, &against(Pairing::NextBest))["comparisons"][0].get("sequential"),
        None
    );
}

#[test]
fn another_baseline_and_metric_can_be_asked_for() {
    let (view, _) = synthetic::grid();
    let question = Question::default();
    let [baseline, metric] = ["scr", "micro_f1"].map(|name| Some(name.to_owned()));
    let asked = as_asked(&baseline, &metric, &question, view).expect("both are known");
    assert_eq!(asked.baseline.as_deref(), Some("scr"));
    assert_eq!(asked.metric, Metric::MicroF1);
}

#[test]
fn unknown_names_get_a_hint() {
    let (view, _) = synthetic::grid();
    let refused = |baseline: Option<&str>, metric: Option<&str>, pairing, view: &GridView| {
        let [baseline, metric] = [baseline, metric].map(|name| name.map(str::to_owned));
        as_asked(&baseline, &metric, &against(pairing), view.clone()).expect_err("refused")
    };
    let error = refused(Some("scrr"), None, Pairing::Baseline, &view);
    assert_eq!(error.exit, Exit::Usage);
    assert!(error.message.contains("did you mean scr"), "{}", error.message);
    let error = refused(None, Some("f2"), Pairing::Baseline, &view);
    assert!(error.message.contains("macro_fixed_f1"), "{}", error.message);
    for (named, hint) in [
        (["scr", "focl"], "there is no method focl; did you mean focal"),
        (["scr", "scr"], "with itself"),
        (["shallow-softmax/scr", "shallow-softmax/scr"], "with itself"),
        (["scr", "shalow-softmax/scr"], "there is no model shalow-softmax; did you mean shallow-"),
        (["scr", "bilstm-softmax/focl"], "there is no method focl; did you mean focal"),
        (["bilstm-softmax", "scr"], "is a model: write bilstm-softmax/METHOD"),
    ] {
        let error = pairs(&view, &named).expect_err("refused");
        assert_eq!(error.exit, Exit::Usage);
        assert!(error.message.contains(hint), "{}", error.message);
    }
    let none = GridView { baseline: None, ..view };
    assert!(refused(None, None, Pairing::Baseline, &none).message.contains("--baseline"));
    assert!(as_asked(&None, &None, &against(Pairing::NextBest), none).is_ok());
}

/// What a command line asks of a grid.
fn asked(arguments: &[&str], view: &GridView) -> Result<Pairing, CliError> {
    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }
    let line = ["compare", "grid.yaml"].iter().chain(arguments);
    let line = <Line as clap::Parser>::try_parse_from(line).expect("a command line");
    question(&line.args, view).map(|question| question.pairing)
}

#[test]
fn pairs_of_the_grid_are_asked_for_without_naming_them_again() {
    let (mut view, _) = synthetic::grid();
    let error = asked(&["--against", "pairs"], &view).expect_err("refused");
    assert!(error.exit == Exit::Usage && error.message.contains("report: {pairs"));
    let named = pairs(&view, &["scr", "focal"]).unwrap();
    let Pairing::Named(own) = &named else { unreachable!("named") };
    view.asked.pairs = own.clone();
    assert_eq!(asked(&["--against", "pairs"], &view).unwrap(), named);
    assert_eq!(asked(&[], &view).unwrap(), Pairing::Baseline);
    let error = asked(&["--against", "pairs", "--baseline", "sc"], &view).expect_err("refused");
    assert!(error.exit == Exit::Usage && error.message.contains("leave one"), "{}", error.message);
    let other = pairs(&view, &["sc", "scr"]).unwrap();
    assert_eq!(asked(&["--pair", "sc", "scr"], &view).unwrap(), other);
}

#[test]
fn invented_numbers_are_called_so_in_every_form() {
    let (view, results) = synthetic::grid();
    let board = Scoreboard::new(&view, &(&results).into(), view.metric);
    let question = Question::default();
    let answer = Answer { invented: true, ..Answer::new(&view, &board, &question) };
    assert!(text(&answer, false, None).contains(report::INVENTED));
    assert!(answer.tables(Form::Markdown).contains(report::INVENTED));
    let json: Value = serde_json::from_str(&answer.json().expect("JSON")).expect("JSON");
    assert_eq!(json["invented"], true);
}

#[test]
fn every_form_cautions_before_models_that_never_learned_and_gives_no_verdict_on_them() {
    let (view, results) = synthetic::badly_trained();
    let forms = answered(&view, &results, &Question::default());
    let words = "the baseline of bilstm-softmax never learned: dev micro-F1 0.00 after 384 updates; raise \
                 training.updates";
    let place =
        |form: &str, words: &str| form.find(words).unwrap_or_else(|| panic!("{words}: {form}"));
    for form in [&forms[0], &forms[2], &forms[3]] {
        assert!(place(form, words) < form.rfind("nscrd").expect("a row"), "before the rows");
        place(form, "was still improving at the end of its budget");
        assert!(form.contains("the method with 2.6 "), "{form}");
    }
    let section = forms[0].split("\n\n").nth(1).expect("the second model");
    assert!(
        section.starts_with("synthetic, full, bilstm-softmax\n  caution: the baseline"),
        "{section}"
    );
    let rows: Vec<&str> = section.lines().skip(4).collect();
    assert_eq!(rows.len(), 5, "{section}");
    assert!(
        rows.iter().all(|row| row.ends_with("no verdict: the baseline never learned")),
        "{section}"
    );
    insta::assert_snapshot!("compare_cautions", forms[0]);
    insta::assert_snapshot!("compare_cautions_markdown", forms[2]);
    let value: Value = serde_json::from_str(&forms[1]).expect("JSON");
    let of = |model: &str, method: &str| {
        let all = value["comparisons"].as_array().expect("a list").iter();
        all.clone()
            .find(|c| c["model"] == model && c["method"] == method)
            .expect("compared")
            .clone()
    };
    let scr = of("bilstm-softmax", "scr");
    let cautions = serde_json::json!([
        {"kind": "never-learned", "side": "baseline", "text": words},
        {"kind": "still-improving", "side": "method", "text": "`scr` of bilstm-softmax was still improving at \
            the end of its budget; raise training.epochs or training.updates"},
    ]);
    assert_eq!(scr["cautions"], cautions);
    assert_eq!((&scr["budget"], &scr["baseline_budget"]), (&384.into(), &384.into()));
    assert_eq!(scr["baseline_verdict"]["never-learned"], 5);
    assert_eq!(scr["verdict"]["still-improving"], 5);
    let focal = of("shallow-softmax", "focal");
    assert_eq!((&focal["budget"], &focal["baseline_budget"]), (&998.into(), &384.into()));
    assert_eq!(focal["cautions"][0]["kind"], "unequal-updates");
    assert_eq!(of("shallow-softmax", "sc")["cautions"], serde_json::json!([]));
}

#[test]
fn cautions_on_named_pairs_name_both_sides() {
    let (view, results) = synthetic::badly_trained();
    let named = [
        "bilstm-softmax/sc",
        "bilstm-softmax/original",
        "shallow-softmax/focal",
        "bilstm-softmax/sc",
    ];
    let asked = against(pairs(&view, &named).expect("all are known"));
    let [text, ..] = answered(&view, &results, &asked);
    assert!(text.contains("caution: `original` of bilstm-softmax never learned"), "{text}");
    assert!(text.contains("no verdict: original never learned"), "{text}");
    let mixed = "the comparison of `focal` of shallow-softmax with `sc` of bilstm-softmax mixes the model with 2.6 ×";
    assert!(text.contains(mixed), "{text}");
}

#[test]
fn a_ranking_cautions_on_methods_that_never_learned() {
    let (view, mut results) = three_corpora();
    let lost = (domain::TrainingVerdict::NeverLearned, 36);
    synthetic::train(&mut results, lost, |point| {
        point.corpus == "third" && point.model == "bilstm-softmax" && point.method == "focal"
    });
    let forms = answered(&view, &results, &Question::default());
    let words =
        "focal of bilstm-softmax never learned on third: dev micro-F1 0.00 after 36 updates";
    for form in &forms {
        assert!(form.contains(words), "{form}");
    }
}
