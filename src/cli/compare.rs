//! `tailgrid compare GRID`: paired tests of every method against the baseline.

use super::grid::{self, GridArgs};
use super::output::{Side, aligned_to, print, printable};
use super::{CliError, Common, Exit};
use crate::domain::Metric;
use crate::report::comparison::{self, Comparison, FAMILY, Verdict};
use crate::report::tables::number;
use crate::report::{GridView, Scoreboard};
use crate::spec::did_you_mean;
use serde::Serialize;

/// Paired tests of every method against the baseline
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    #[command(flatten)]
    pub grid: GridArgs,
    /// Compare with this method instead of the grid's baseline
    #[arg(long, value_name = "METHOD")]
    pub baseline: Option<String>,
    /// Compare by this metric instead of the grid's: macro_f1, micro_f1, macro_fixed_f1, …
    #[arg(long, value_name = "METRIC")]
    pub metric: Option<String>,
}

/// What `--json` prints (CONTRACT 2).
#[derive(Serialize)]
struct Output<'a> {
    metric: &'a str,
    baseline: &'a str,
    family: &'a str,
    comparisons: &'a [Comparison],
}

/// Compares and prints.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let grid = args.grid.load(common)?;
    let (view, results) = grid::view(&grid, common)?;
    let view = as_asked(args.baseline.as_deref(), args.metric.as_deref(), view)?;
    let board = Scoreboard::new(&view, &results, view.metric);
    let comparisons = comparison::compare(&view, &board);
    if comparisons.is_empty() {
        let message = "there is nothing to compare: no other method than the baseline is selected";
        return Err(CliError::new(Exit::NothingSelected, message));
    }
    match common.json {
        true => print(&json(&view, &comparisons)?)?,
        false => print(&text(&view, &comparisons))?,
    }
    Ok(Exit::Done)
}

/// The grid with the baseline and the metric that the arguments name.
fn as_asked(
    baseline: Option<&str>,
    metric: Option<&str>,
    mut view: GridView,
) -> Result<GridView, CliError> {
    if let Some(name) = metric {
        let names = Metric::ALL.map(Metric::name);
        view.metric = name.parse().map_err(|_| unknown("metric", name, &names))?;
    }
    if let Some(name) = baseline {
        view.baseline = Some(name.to_owned());
    }
    let Some(baseline) = &view.baseline else {
        let message =
            "the grid names no baseline: add `baseline: METHOD` to it, or pass --baseline METHOD";
        return Err(CliError::new(Exit::Usage, message));
    };
    let methods: Vec<&str> = view.methods.iter().map(String::as_str).collect();
    match methods.contains(&baseline.as_str()) {
        true => Ok(view),
        false => Err(unknown("method", baseline, &methods)),
    }
}

fn unknown(what: &str, name: &str, known: &[&str]) -> CliError {
    let hint = match did_you_mean(name, known.iter().copied()) {
        Some(candidate) => format!("did you mean {candidate}?"),
        None => format!("known: {}", known.join(", ")),
    };
    CliError::new(Exit::Usage, printable(&format!("there is no {what} {name}; {hint}")))
}

fn json(view: &GridView, comparisons: &[Comparison]) -> Result<String, CliError> {
    let output = Output {
        metric: view.metric.name(),
        baseline: view.baseline.as_deref().unwrap_or_default(),
        family: FAMILY,
        comparisons,
    };
    serde_json::to_string_pretty(&output).map_err(|e| CliError::new(Exit::Internal, e))
}

const COLUMNS: [(&str, Side); 12] = [
    ("corpus", Side::Left),
    ("scenario", Side::Left),
    ("model", Side::Left),
    ("method", Side::Left),
    ("pairs", Side::Right),
    ("mean", Side::Right),
    ("baseline", Side::Right),
    ("diff", Side::Right),
    ("95 % interval", Side::Right),
    ("p", Side::Right),
    ("Holm p", Side::Right),
    ("verdict", Side::Left),
];

/// An aligned table and what its tests are.
fn text(view: &GridView, comparisons: &[Comparison]) -> String {
    let heads = COLUMNS.map(|(head, _)| head.to_owned()).to_vec();
    let rows: Vec<_> = std::iter::once(heads).chain(comparisons.iter().map(row)).collect();
    aligned_to(&rows, &COLUMNS.map(|(_, side)| side), "") + &footer(view, comparisons)
}

fn row(c: &Comparison) -> Vec<String> {
    let shown =
        |value: Option<f64>, form: fn(f64) -> String| value.map_or_else(|| "–".to_owned(), form);
    let interval = match (c.ci_low, c.ci_high) {
        (Some(low), Some(high)) => {
            format!("[{}, {}]", number::signed_percent(low), number::signed_percent(high))
        }
        _ => "–".to_owned(),
    };
    let pairs = match c.missing_pairs {
        0 => c.n.to_string(),
        missing => format!("{} ({missing} missing)", c.n),
    };
    vec![
        printable(&c.corpus),
        printable(&c.scenario),
        printable(&c.model),
        printable(&c.method),
        pairs,
        shown(c.mean, number::percent),
        shown(c.baseline_mean, number::percent),
        shown(c.difference, number::signed_percent),
        interval,
        shown(c.p, number::p_value),
        shown(c.p_holm, number::p_value),
        printable(&verdict(c)),
    ]
}

fn verdict(c: &Comparison) -> String {
    match c.verdict() {
        Verdict::Better => "above".to_owned(),
        Verdict::Worse => "below".to_owned(),
        Verdict::Open => "no difference shown".to_owned(),
        Verdict::Untested => {
            let reason = c.remark.as_deref().unwrap_or("no reason is known");
            format!("not tested: {reason}")
        }
    }
}

fn footer(view: &GridView, comparisons: &[Comparison]) -> String {
    let missing: usize = comparisons.iter().map(|c| c.missing_pairs).sum();
    let baseline = printable(view.baseline.as_deref().unwrap_or_default());
    let mut footer = format!(
        "\nTest {} in %, each method against {baseline}, paired by seed. Interval and p: two-sided paired \
         t-test.\nHolm p: corrected over the {FAMILY}{}. Verdict at Holm p < {}.\n",
        view.metric.name(),
        if view.is_selection() { ", also those not shown" } else { "" },
        comparison::ALPHA
    );
    if missing > 0 {
        footer.push_str(&format!(
            "{} missing: a job of one of the two has failed or has not run.\n",
            match missing {
                1 => "1 pair is".to_owned(),
                n => format!("{n} pairs are"),
            }
        ));
    }
    footer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::synthetic;
    use crate::store::Results;

    fn compared(view: &GridView, results: &Results) -> Vec<Comparison> {
        comparison::compare(view, &Scoreboard::new(view, results, view.metric))
    }

    #[test]
    fn the_text_names_test_and_correction() {
        let (view, mut results) = synthetic::grid();
        results.runs.remove(7);
        insta::assert_snapshot!("compare_text", text(&view, &compared(&view, &results)));
    }

    #[test]
    fn the_json_has_the_fields_that_programs_read() {
        let (view, results) = synthetic::grid();
        let json = json(&view, &compared(&view, &results)).expect("JSON");
        let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let names = |value: &serde_json::Value| {
            value.as_object().expect("an object").keys().cloned().collect::<Vec<_>>()
        };
        assert_eq!(names(&value), ["baseline", "comparisons", "family", "metric"]);
        assert_eq!(
            names(&value["comparisons"][0]),
            [
                "baseline_mean",
                "ci_high",
                "ci_low",
                "corpus",
                "df",
                "difference",
                "effect_size",
                "mean",
                "method",
                "missing_pairs",
                "model",
                "n",
                "p",
                "p_holm",
                "remark",
                "scenario",
                "t",
                "wilcoxon_p",
            ]
        );
        assert_eq!(value["comparisons"][0]["df"], 4);
        assert!(value["comparisons"][0]["remark"].is_null());
        assert!(value["comparisons"][0]["mean"].as_f64().is_some_and(|mean| mean < 1.0));
    }

    #[test]
    fn the_json_says_why_there_is_no_test() {
        let (view, _) = synthetic::grid();
        let json = json(&view, &compared(&view, &Results::default())).expect("JSON");
        let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let remark = value["comparisons"][0]["remark"].as_str();
        assert_eq!(remark, Some("no seed has a score for both methods"));
    }

    #[test]
    fn another_baseline_and_metric_can_be_asked_for() {
        let (view, _) = synthetic::grid();
        let asked = as_asked(Some("scr"), Some("micro_f1"), view).expect("both are known");
        assert_eq!(asked.baseline.as_deref(), Some("scr"));
        assert_eq!(asked.metric, Metric::MicroF1);
    }

    #[test]
    fn unknown_names_get_a_hint() {
        let (view, _) = synthetic::grid();
        let error = as_asked(Some("scrr"), None, view.clone()).expect_err("unknown");
        assert_eq!(error.exit, Exit::Usage);
        assert!(error.message.contains("did you mean scr"), "{}", error.message);
        let error = as_asked(None, Some("f2"), view.clone()).expect_err("unknown");
        assert!(error.message.contains("macro_fixed_f1"), "{}", error.message);
        let error = as_asked(None, None, GridView { baseline: None, ..view });
        assert!(error.expect_err("no baseline").message.contains("--baseline"));
    }
}
