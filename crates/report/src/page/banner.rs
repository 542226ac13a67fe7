//! The head of the page: what the grid is, the one sentence that matters most, and a few numbers.

use super::{problems, provenance, summary};
use crate::tables::html::escape;
use analysis::comparison::Comparison;
use analysis::number;
use analysis::{GridView, ResultFrames, Scoreboard, SeedsScored};
use std::collections::BTreeSet;

/// The banner.
pub fn render(
    view: &GridView,
    results: &ResultFrames,
    headline: &Scoreboard,
    tests: &[Comparison],
) -> String {
    let tiles: String = tiles(view, results, headline, tests)
        .into_iter()
        .map(|(value, words)| {
            format!("<div><dt>{}</dt><dd>{}</dd></div>", escape(&words), escape(&value))
        })
        .collect();
    format!(
        "<header>\n<p class=\"eyebrow\">tailgrid report</p>\n<h1>{}</h1>\n<p class=\"lead\">{}</p>\n\
         <dl class=\"tiles\">{tiles}</dl>\n</header>\n",
        escape(&view.name),
        escape(&summary::headline(view, headline, tests))
    )
}

fn tiles(
    view: &GridView,
    results: &ResultFrames,
    headline: &Scoreboard,
    tests: &[Comparison],
) -> Vec<(String, String)> {
    let counts = problems::JobCounts::of(view, headline);
    let verdicts = summary::ComparisonCounts::of(tests);
    let axes = shown_axes(view);
    vec![
        (format!("{} / {}", counts.done, counts.planned()), "jobs with a score".to_owned()),
        (axes, "models × methods".to_owned()),
        seeds_tile(headline),
        (
            format!("{} ↑ {} ↓", verdicts.better, verdicts.worse),
            format!("significant of {}", number::counted(verdicts.tested(), "tested comparison")),
        ),
        (provenance::total_time(view, results), "computing time".to_owned()),
    ]
}

/// How many models and methods are shown.
fn shown_axes(view: &GridView) -> String {
    // With the baseline, as in every other count of the page.
    let shown = || view.shown_jobs().map(|job| &job.point);
    let models: BTreeSet<&str> = shown().map(|point| point.model.as_str()).collect();
    let methods: BTreeSet<&str> = shown().map(|point| point.method.as_str()).collect();
    format!("{} × {}", models.len(), methods.len())
}

fn seeds_tile(headline: &Scoreboard) -> (String, String) {
    let SeedsScored { least, most } = headline.seeds_scored(None);
    let count = if least == most { most.to_string() } else { format!("{least}–{most}") };
    (count, "seeds per cell".to_owned())
}
