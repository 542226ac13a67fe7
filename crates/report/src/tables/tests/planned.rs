//! The tables of what a grid plans beyond jobs: looks, searches, pairs across models, ranks across
//! corpora, and negatives, as a report has them.

use crate::{Report, render as report};
use analysis::synthetic;

fn made() -> Report {
    let (view, results) = synthetic::planned(&[("full", &[])]);
    report(&view, &(&results).into()).expect("rendered")
}

fn text<'a>(report: &'a Report, path: &str) -> &'a str {
    let file = report.files.iter().find(|file| file.path == path);
    let file = file.unwrap_or_else(|| panic!("no {path}"));
    std::str::from_utf8(&file.bytes).expect("text")
}

#[test]
fn what_is_planned_in_markdown_and_latex() {
    let report = made();
    for name in ["planned-looks", "searches", "pairs-a-full", "ranks-full-bilstm", "missampling-a"]
    {
        for (ending, form) in [("md", "markdown"), ("tex", "latex")] {
            let snapshot = format!("{}_{form}", name.replace('-', "_"));
            insta::assert_snapshot!(snapshot, text(&report, &format!("tables/{name}.{ending}")));
        }
    }
}
