//! How methods stand to the baseline over all corpora and scenarios, counted by verdicts: "scr
//! beats original on 3 of 4 corpora".

use super::ComparisonCounts;
use crate::tables::planned;
use analysis::comparison::{ALPHA, Comparison, FEW, Verdict};
use analysis::number;
use analysis::{GridView, Panel};

/// Methods that are told of one model; the others are counted.
const MOST_METHODS: usize = 5;

/// The verdicts of one method with one model.
struct Tally<'a> {
    method: &'a str,
    counts: ComparisonCounts,
    /// The fewest pairs of a test that came to a verdict.
    least: usize,
}

/// What is found with each model on more than one panel; nothing where there is one panel.
pub fn over_panels(view: &GridView, tests: &[Comparison]) -> Vec<String> {
    let of_model = |model: &String| {
        let tests: Vec<&Comparison> = tests.iter().filter(|c| c.model == *model).collect();
        lines(view, model, &tests)
    };
    view.models.iter().flat_map(of_model).collect()
}

fn lines(view: &GridView, model: &str, tests: &[&Comparison]) -> Vec<String> {
    let Some(baseline) = view.baseline.as_deref() else { return vec![] };
    let tallies: Vec<Tally<'_>> =
        view.methods.iter().filter_map(|method| tally(method, tests)).collect();
    if tallies.iter().map(|t| t.counts.all()).max().unwrap_or(0) < 2 {
        return vec![];
    }
    let mut told: Vec<&Tally<'_>> =
        tallies.iter().filter(|t| t.counts.better + t.counts.worse > 0).collect();
    // The clearest first; equal ones in the order of the grid.
    told.sort_by_key(|t| (std::cmp::Reverse(t.counts.better), t.counts.worse));
    if told.is_empty() {
        let tested = tallies.iter().any(|t| t.counts.open > 0);
        let nothing =
            format!("With {model} no method could be shown to differ from {baseline} anywhere.");
        return tested.then_some(nothing).into_iter().collect();
    }
    let mut lines: Vec<String> =
        told.iter().take(MOST_METHODS).map(|tally| line(view, baseline, model, tally)).collect();
    if let Some(more) = told.len().checked_sub(MOST_METHODS).filter(|more| *more > 0) {
        let methods = number::counted(more, "more method");
        let differ = if more == 1 { "differs" } else { "differ" };
        lines.push(format!("With {model} {methods} {differ} from {baseline} somewhere."));
    }
    lines
}

/// The verdicts of a method that was compared.
fn tally<'a>(method: &'a str, tests: &[&Comparison]) -> Option<Tally<'a>> {
    let own: Vec<&&Comparison> = tests.iter().filter(|c| c.method == method).collect();
    let decided =
        own.iter().filter(|c| matches!(c.verdict(), Verdict::Better | Verdict::Worse)).map(|c| c.n);
    (!own.is_empty()).then(|| Tally {
        method,
        counts: ComparisonCounts::of(own.iter().copied().copied()),
        least: decided.min().unwrap_or(0),
    })
}

/// `scr beats original on 3 of 4 corpora with bilstm-crf, Holm p < 0.05 on each; …`
fn line(view: &GridView, baseline: &str, model: &str, tally: &Tally<'_>) -> String {
    let Tally { method, counts, least } = *tally;
    let ComparisonCounts { better, worse, open, untested, untrained } = counts;
    let (verb, count) = if better > 0 { ("beats", better) } else { ("is below", worse) };
    let (panels, units) = (counts.all(), units(view));
    let mut line = format!(
        "{method} {verb} {baseline} on {count} of {panels} {units} with {model}, {}",
        by(view, count)
    );
    if better > 0 && worse > 0 {
        line.push_str(&format!("; it is below on {worse}"));
    }
    if open > 0 {
        line.push_str(&format!("; on {open} no difference could be shown"));
    }
    if untested > 0 {
        line.push_str(&format!("; {untested} could not be tested"));
    }
    if untrained > 0 {
        line.push_str(&format!("; on {untrained} one of the two never learned"));
    }
    if least < FEW {
        let seeds = number::counted(least, "seed");
        line.push_str(&format!("; with only {seeds} this is a hint, no more"));
    }
    line + "."
}

/// What panels are called.
fn units(view: &GridView) -> &'static str {
    let panels = view.panels();
    let one = |same: fn(&Panel, &Panel) -> bool| panels.iter().all(|p| same(p, &panels[0]));
    if one(|a, b| a.scenario == b.scenario) {
        "corpora"
    } else if one(|a, b| a.corpus == b.corpus) {
        "scenarios"
    } else {
        "pairs of corpus and scenario"
    }
}

/// By which test.
fn by(view: &GridView, count: usize) -> String {
    let each = if count > 1 { " on each" } else { "" };
    match &view.stopping {
        Some(stopping) => format!("by the planned looks at {} seeds{each}", planned(stopping)),
        None => format!("Holm p < {ALPHA}{each}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::Scoreboard;
    use analysis::comparison::compare;
    use analysis::synthetic;
    use domain::{Metric, Spending, Stopping};

    /// Scores of `scr` and `focal` by corpus, over the baseline's.
    fn told(shifts: [[f64; 2]; 4], seeds: u64, stopping: Option<Stopping>) -> Vec<String> {
        let (mut view, mut results) = synthetic::four_corpora(&["original", "scr", "focal"]);
        view.stopping = stopping;
        view.jobs.retain(|job| job.point.seed <= seeds);
        for row in &mut results.metrics {
            let corpus = view.corpora.iter().position(|c| *c == row.point.corpus).unwrap();
            let [scr, focal] = shifts[corpus];
            let own = match row.point.method.as_str() {
                "scr" => scr + (row.point.seed % 2) as f64 / 1000.0,
                "focal" => focal + (row.point.seed % 3) as f64 / 1000.0,
                _ => 0.0,
            };
            row.f1 = 0.5 + row.point.seed as f64 / 100.0 + own;
        }
        let board = Scoreboard::new(&view, &(&results).into(), Metric::MacroF1);
        over_panels(&view, &compare(&view, &board))
    }

    /// So small against its spread that no test of five seeds shows it.
    const NOISE: f64 = -0.0005;

    #[test]
    fn verdicts_are_counted_over_corpora() {
        let lines = told([[0.1, NOISE], [0.1, NOISE], [0.1, NOISE], [NOISE, -0.2]], 5, None);
        assert_eq!(
            lines,
            [
                "scr beats original on 3 of 4 corpora with m, Holm p < 0.05 on each; on 1 no difference \
                 could be shown.",
                "focal is below original on 1 of 4 corpora with m, Holm p < 0.05; on 3 no difference could \
                 be shown."
            ]
        );
    }

    #[test]
    fn a_method_that_wins_and_loses_is_said_to_do_both() {
        let lines = told([[0.1, NOISE], [-0.1, NOISE], [-0.1, NOISE], [0.1, NOISE]], 5, None);
        assert_eq!(
            lines,
            [
                "scr beats original on 2 of 4 corpora with m, Holm p < 0.05 on each; it is below on 2."
            ]
        );
    }

    #[test]
    fn few_seeds_are_a_hint_and_one_seed_is_nothing() {
        let lines = told([[0.1, NOISE]; 4], 3, None);
        assert_eq!(
            lines,
            [
                "scr beats original on 4 of 4 corpora with m, Holm p < 0.05 on each; with only 3 seeds this is a \
              hint, no more."
            ]
        );
        assert!(told([[0.1, 0.1]; 4], 1, None).is_empty());
    }

    #[test]
    fn where_nothing_is_shown_nothing_is_claimed() {
        let lines = told([[NOISE, NOISE]; 4], 5, None);
        assert_eq!(lines, ["With m no method could be shown to differ from original anywhere."]);
    }

    #[test]
    fn planned_looks_are_named_in_place_of_holm() {
        let stopping = Stopping { looks: vec![3, 5], spending: Spending::Pocock };
        let lines = told([[0.1, NOISE]; 4], 5, Some(stopping));
        assert!(lines[0].contains("by the planned looks at 3, 5 seeds on each"), "{lines:?}");
        assert!(!lines[0].contains("Holm"));
    }

    #[test]
    fn one_panel_has_no_pattern_and_no_baseline_none() {
        let (mut view, results) = synthetic::grid();
        let board = Scoreboard::new(&view, &(&results).into(), Metric::MacroF1);
        let tests = compare(&view, &board);
        assert!(over_panels(&view, &tests).is_empty());
        view.baseline = None;
        assert!(over_panels(&view, &tests).is_empty());
    }

    #[test]
    fn many_methods_are_counted() {
        let methods: Vec<String> = (0..12).map(|n| format!("m{n}")).collect();
        let names: Vec<&str> = methods.iter().map(String::as_str).collect();
        let (view, mut results) = synthetic::four_corpora(&names);
        for row in &mut results.metrics {
            let number: u64 = row.point.method[1..].parse().unwrap();
            let up = if number == 0 { 0.0 } else { 0.2 };
            row.f1 = 0.5 + up + (row.point.seed * (number + 3) % 13) as f64 / 500.0;
        }
        let board = Scoreboard::new(&view, &(&results).into(), Metric::MacroF1);
        let lines = over_panels(&view, &compare(&view, &board));
        assert_eq!(lines.len(), 6);
        assert_eq!(lines[5], "With m 6 more methods differ from m0 somewhere.");
    }
}
