//! `tailgrid compare GRID`: paired tests of every method against the baseline.

use super::grid::{self, GridArgs};
use super::output::print;
use super::{CliError, Common, Exit};
use crate::domain::Metric;
use crate::report::comparison::{self, Comparison, FAMILY, Verdict};
use crate::report::tables::number;
use crate::report::{GridView, Scoreboard};
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
    let nearest = known
        .iter()
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, _)| *distance <= 2);
    let hint = match nearest {
        Some((_, candidate)) => format!("did you mean {candidate}?"),
        None => format!("known: {}", known.join(", ")),
    };
    CliError::new(Exit::Usage, plain(&format!("there is no {what} {name}; {hint}")))
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

const HEADS: [&str; 12] = [
    "corpus",
    "scenario",
    "model",
    "method",
    "pairs",
    "mean",
    "baseline",
    "diff",
    "95 % interval",
    "p",
    "Holm p",
    "verdict",
];

/// An aligned table and what its tests are.
fn text(view: &GridView, comparisons: &[Comparison]) -> String {
    let mut rows = vec![HEADS.map(str::to_owned)];
    rows.extend(comparisons.iter().map(row));
    let widths: Vec<usize> = (0..HEADS.len())
        .map(|k| rows.iter().map(|row| row[k].chars().count()).max().unwrap_or(0))
        .collect();
    let mut out = String::new();
    for row in &rows {
        out.push_str(line(row, &widths).trim_end());
        out.push('\n');
    }
    out.push_str(&footer(view, comparisons));
    out
}

fn line(row: &[String; 12], widths: &[usize]) -> String {
    let cell = |(k, (text, width)): (usize, (&String, &usize))| match k {
        0..=3 | 11 => format!("{text:<width$}"),
        _ => format!("{text:>width$}"),
    };
    row.iter().zip(widths).enumerate().map(cell).collect::<Vec<_>>().join("  ")
}

fn row(c: &Comparison) -> [String; 12] {
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
    [
        plain(&c.corpus),
        plain(&c.scenario),
        plain(&c.model),
        plain(&c.method),
        pairs,
        shown(c.mean, number::percent),
        shown(c.baseline_mean, number::percent),
        shown(c.difference, number::signed_percent),
        interval,
        shown(c.p, number::p_value),
        shown(c.p_holm, number::p_value),
        plain(&verdict(c)),
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
    let baseline = plain(view.baseline.as_deref().unwrap_or_default());
    let mut footer = format!(
        "\nTest {} in %, each method against {baseline}, paired by seed. Interval and p: two-sided paired \
         t-test.\nHolm p: corrected over the {FAMILY}. Verdict at Holm p < {}.\n",
        view.metric.name(),
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

/// A name cannot steer the terminal.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
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
                "scenario",
                "t",
                "wilcoxon_p",
            ]
        );
        assert_eq!(value["comparisons"][0]["df"], 4);
        assert!(value["comparisons"][0]["mean"].as_f64().is_some_and(|mean| mean < 1.0));
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
