//! The table of tests: every method against the baseline with difference, interval and p-values.

use super::number;
use super::{Align, Cell, Column, Row, Table, Tidy};
use crate::domain::Metric;
use crate::report::comparison::Comparison;
use crate::report::view::{GridView, Panel};

/// The table of one panel; `None` where nothing was compared.
pub fn comparisons(
    view: &GridView,
    metric: Metric,
    all: &[Comparison],
    panel: &Panel,
    name: String,
) -> Option<Table> {
    let baseline = view.baseline.as_ref()?;
    let of_panel = |c: &&Comparison| c.corpus == panel.corpus && c.scenario == panel.scenario;
    let comparisons: Vec<&Comparison> = all.iter().filter(of_panel).collect();
    if comparisons.is_empty() {
        return None;
    }
    let mut caption = format!(
        "Difference in test {} to {baseline}, in percentage points, over seeds that both have. Interval \
         and p: two-sided paired t-test; Holm: p corrected over the methods of one model{}; Wilcoxon: \
         signed-rank test, uncorrected; d: mean difference over its standard deviation.",
        metric.title(),
        if view.is_selection() { ", also those not shown here" } else { "" }
    );
    caption.push_str(&weakest_wilcoxon(&comparisons));
    caption.push_str(&remarks(&comparisons));
    let title = format!("Methods against {baseline}: {}", panel.title());
    let rows = rows(view, &comparisons);
    let (groups, columns, tidy) = (vec![], columns(), tidy(metric, &comparisons));
    Some(Table { name, title, caption, groups, columns, rows, tidy })
}

/// With few pairs even the clearest result gives a large p; a reader should know.
fn weakest_wilcoxon(comparisons: &[&Comparison]) -> String {
    match comparisons.iter().map(|c| c.n).max() {
        Some(n @ 2..=5) => {
            let least = number::p_value(2f64.powi(1 - n as i32));
            format!(" With {n} pairs the p of Wilcoxon's test cannot fall below {least}.")
        }
        _ => String::new(),
    }
}

/// Why some rows have no test, each reason once.
fn remarks(comparisons: &[&Comparison]) -> String {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for comparison in comparisons {
        let Some(remark) = &comparison.remark else { continue };
        let place = format!("{} with {}", comparison.method, comparison.model);
        match reasons.iter_mut().find(|(known, _)| known == remark) {
            Some((_, places)) => places.push(place),
            None => reasons.push((remark, vec![place])),
        }
    }
    let sentence =
        |(remark, places): &(&str, Vec<String>)| format!(" {}: {remark}.", places.join(", "));
    reasons.iter().map(sentence).collect()
}

fn columns() -> Vec<Column> {
    let left = ["Model", "Method"].map(|head| (head, Align::Left));
    let right = ["Difference", "95 % interval", "p", "Holm", "Wilcoxon", "d", "Pairs"];
    left.into_iter()
        .chain(right.map(|head| (head, Align::Right)))
        .map(|(head, align)| Column { head: head.to_owned(), align })
        .collect()
}

fn rows(view: &GridView, comparisons: &[&Comparison]) -> Vec<Row> {
    let mut model = None;
    let mut rows = Vec::new();
    for comparison in comparisons {
        let first = model != Some(&comparison.model);
        let ruled = first && model.is_some();
        model = Some(&comparison.model);
        rows.push(Row { cells: cells(view, comparison, first), ruled });
    }
    rows
}

fn cells(view: &GridView, c: &Comparison, first: bool) -> Vec<Cell> {
    let dash = || "–".to_owned();
    let shown = |value: Option<f64>, form: fn(f64) -> String| value.map_or_else(dash, form);
    let interval = match (c.ci_low, c.ci_high) {
        (Some(low), Some(high)) => {
            format!("{} to {}", number::signed_percent(low), number::signed_percent(high))
        }
        _ => dash(),
    };
    let pairs = match c.missing_pairs {
        0 => c.n.to_string(),
        missing => format!("{} ({missing} missing)", c.n),
    };
    let model = if first { c.model.clone() } else { String::new() };
    let look = view.look(&c.method);
    let method = Cell::Method { name: c.method.clone(), look, baseline: false };
    let numbers = [
        shown(c.difference, number::signed_percent),
        interval,
        shown(c.p, number::p_value),
        shown(c.p_holm, number::p_value),
        shown(c.wilcoxon_p, number::p_value),
        shown(c.effect_size, number::signed),
        pairs,
    ];
    [Cell::Text(model), method].into_iter().chain(numbers.map(Cell::Text)).collect()
}

fn tidy(metric: Metric, comparisons: &[&Comparison]) -> Tidy {
    let header = vec![
        "corpus",
        "scenario",
        "model",
        "method",
        "metric",
        "n",
        "missing_pairs",
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
        "remark",
    ];
    let rows = comparisons.iter().map(|c| tidy_row(metric, c)).collect();
    Tidy { header, rows }
}

fn tidy_row(metric: Metric, c: &Comparison) -> Vec<String> {
    let names = [&c.corpus, &c.scenario, &c.model, &c.method].map(String::clone);
    let counts = [metric.name().to_owned(), c.n.to_string(), c.missing_pairs.to_string()];
    let numbers = [
        c.mean,
        c.baseline_mean,
        c.difference,
        c.ci_low,
        c.ci_high,
        c.t,
        c.df.map(|df| df as f64),
        c.p,
        c.p_holm,
        c.wilcoxon_p,
        c.effect_size,
    ];
    let numbers = numbers.map(|x| x.map_or_else(String::new, |x| x.to_string()));
    let remark = c.remark.clone().unwrap_or_default();
    names.into_iter().chain(counts).chain(numbers).chain([remark]).collect()
}
