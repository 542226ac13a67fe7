//! What a user is told of models that never learned, from the run to the report: real processes and
//! the mock engine.

use crate::program::{Workspace, text};
use serde_json::{Value, json};

const NEVER: &str = "the baseline of bilstm never learned: dev micro-F1 0.00 after 6 updates; raise training.updates";

/// A grid whose baseline never learns with the second model, and what is trained otherwise there.
const MOCK: &str = "method=original:never-learn;method=sc:still-improve;method=focal:budget=2.6;\
                    method=scr:shift=0.3";

/// Runs it, and what the run printed.
fn swept() -> (Workspace, String) {
    let place = Workspace::new();
    place.write(
        "grid.yaml",
        "version: 1\nname: taught\ncorpora: [synthetic]\n\
         models: [{name: bilstm, encoder: bilstm, head: softmax, embeddings: random}]\n\
         methods: [original, sc, scr, focal]\nseeds: 5\nbaseline: original\n",
    );
    let mut run = place.tailgrid(&["run", "grid.yaml", "--engine", "mock"]);
    let output = run.env("TAILGRID_MOCK", MOCK).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    (place, text(&output.stderr))
}

fn printed(place: &Workspace, arguments: &[&str]) -> String {
    let mock = ["--engine", "mock"];
    text(&place.expect(0, &[arguments, &mock].concat()).stdout)
}

fn json_of(place: &Workspace, command: &str) -> Value {
    place.json(&[command, "grid.yaml", "--engine", "mock"])
}

#[test]
fn what_never_learned_is_told_by_every_command() {
    let (place, log) = swept();
    let line = log.lines().find(|line| line.contains("bilstm/original/1")).expect("a line");
    assert!(line.contains("; never learned: dev micro-F1 0.00 after 6 updates"), "{line}");
    assert!(log.contains("; still improving after 6 updates"), "{log}");
    let summary = "training: 10 converged, 5 still improving, 5 never learned\nnever learned: synthetic/full/bilstm/original/";
    assert!(log.contains(summary), "{log}");

    let status = printed(&place, &["status", "grid.yaml"]);
    assert!(
        status.contains("  training: 10 converged, 5 still improving, 5 never learned"),
        "{status}"
    );
    assert!(status.contains("  synthetic/full/bilstm/original/3  "), "{status}");
    let status = json_of(&place, "status");
    assert_eq!(status["training"]["never-learned"], 5);
    assert_eq!(status["never_learned"].as_array().map(Vec::len), Some(5));
    let lost = &status["never_learned"][0];
    assert_eq!((&lost["method"], &lost["updates"]), (&json!("original"), &json!(6)));

    let explained =
        printed(&place, &["explain", "synthetic/full/bilstm/original/1", "--grid", "grid.yaml"]);
    assert!(explained.contains("training\n  verdict            never learned\n"), "{explained}");
    assert!(explained.contains("  updates            6 of 6\n"), "{explained}");

    let compared = printed(&place, &["compare", "grid.yaml"]);
    assert!(
        compared.contains(&format!("synthetic, full, bilstm\n  caution: {NEVER}\n")),
        "{compared}"
    );
    assert!(compared.contains("mixes the method with 2.7 × the updates"), "{compared}");
    assert_eq!(compared.matches("no verdict: the baseline never learned").count(), 3, "{compared}");
    for form in ["markdown", "latex"] {
        let table = printed(&place, &["compare", "grid.yaml", "--format", form]);
        assert!(table.contains(NEVER), "{table}");
    }
    let compared = json_of(&place, "compare");
    for comparison in compared["comparisons"].as_array().expect("a list") {
        let first = &comparison["cautions"][0];
        assert_eq!(*first, json!({"kind": "never-learned", "side": "baseline", "text": NEVER}));
        assert_eq!(comparison["baseline_verdict"]["never-learned"], 5);
    }
    let power = printed(&place, &["power", "grid.yaml"]);
    assert!(power.contains(&format!("  caution: {NEVER}\n")), "{power}");
    assert!(power.contains("no verdict: the baseline never learned"), "{power}");
    assert_eq!(json_of(&place, "power")["comparisons"][0]["seeds"], Value::Null);
}

#[test]
fn what_never_learned_is_in_every_file_of_the_report() {
    let (place, _) = swept();
    place.expect(0, &["report", "grid.yaml", "--engine", "mock"]);
    let read = |path: &str| text(&place.read(&format!("reports/taught/{path}")));
    let page = read("index.html");
    assert!(page.contains(&format!("<p class=\"caution\">Caution: {NEVER}.</p>")), "{page}");
    assert!(page.contains("3 comparisons are without a verdict"), "the headline");
    for claim in ["significantly above", "significantly below"] {
        assert!(!page.contains(claim), "nothing beats a model that never learned");
    }
    for file in ["macro-f1-synthetic-full", "micro-f1-synthetic-full", "comparisons-synthetic-full"]
    {
        for (ending, mark) in [("md", "\\*"), ("tex", "$^{*"), ("csv", ",better,")] {
            let table = read(&format!("tables/{file}.{ending}"));
            assert!(table.contains("never learned: dev micro-F1 0.00 after 6 updates"), "{table}");
            let rows = table.lines().filter(|line| line.starts_with("| ") || line.contains(" & "));
            assert!(!rows.collect::<String>().contains(mark), "{table}");
        }
    }
}
