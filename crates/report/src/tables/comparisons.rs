//! The table of tests: every method against the baseline with difference, interval and p-values.

use super::planned_looks::planned;
use super::registry::{Appears, Kind, Make, Sheet};
use super::{Align, Cell, Column, Row, Table, Tidy};
use crate::artefact::FileNames;
use analysis::cautions;
use analysis::comparison::{
    CHOSEN_AFTER_SEEING, Comparison, Pairing, Question, caution_of_few, least_p_by_signs,
};
use analysis::measure;
use analysis::number;
use analysis::{GridView, Panel, SeedsScored};
use domain::Metric;

/// The registry's entry.
pub const KIND: Kind = Kind {
    name: "comparisons",
    help: "every method against the baseline: difference, interval and p-values of the headline",
    appears: Appears::ByItself,
    make: Make::Panel(make),
};

fn make(sheet: &Sheet<'_>, panel: &Panel, names: &mut FileNames) -> Vec<Table> {
    let name = names.name(&["comparisons", &panel.corpus, &panel.scenario]);
    let (metric, tests) = (sheet.headline().metric, sheet.all_tests());
    let question = Question::default();
    comparisons(sheet.view, metric, &question, tests, panel, name).into_iter().collect()
}

/// The table of one panel; `None` where nothing was compared.
pub fn comparisons(
    view: &GridView,
    metric: Metric,
    question: &Question,
    all: &[Comparison],
    panel: &Panel,
    name: String,
) -> Option<Table> {
    let comparisons: Vec<&Comparison> = all.iter().filter(|c| c.is_on(panel)).collect();
    if comparisons.is_empty() {
        return None;
    }
    Some(Table {
        name,
        title: format!("{}: {}", title(view, question), panel.title()),
        cautions: cautions::sentences(comparisons.iter().copied()),
        caption: caption(view, metric, question, &comparisons),
        groups: vec![],
        columns: columns(question),
        rows: rows(view, question, &comparisons),
        tidy: tidy(metric, question, &comparisons),
    })
}

fn title(view: &GridView, question: &Question) -> String {
    match &question.pairing {
        Pairing::Baseline => {
            format!("Methods against {}", view.baseline.as_deref().unwrap_or("none"))
        }
        Pairing::Named(_) if question.is_across_models() => {
            "Pairs of models and methods".to_owned()
        }
        Pairing::Named(_) => "Pairs of methods".to_owned(),
        Pairing::NextBest => "The best method against the next best".to_owned(),
    }
}

fn caption(
    view: &GridView,
    metric: Metric,
    question: &Question,
    comparisons: &[&Comparison],
) -> String {
    let (of, correction) = (metric.title(), question.correction.title());
    let (difference, over) = match &question.pairing {
        Pairing::Baseline => {
            let baseline = view.baseline.as_deref().unwrap_or("none");
            (format!("Difference in test {of} to {baseline}"), "the methods of one model")
        }
        Pairing::Named(_) if question.is_across_models() => {
            (format!("Difference in test {of}"), "the named pairs of all models together")
        }
        Pairing::Named(_) => (format!("Difference in test {of}"), "the named pairs of one model"),
        Pairing::NextBest => {
            (format!("Difference in test {of}"), "all pairs of methods of one model")
        }
    };
    let mut caption = format!(
        "{difference}, in percentage points, over the seeds that both have ({}). {} Interval and p: \
         two-sided paired t-test; {correction}: p corrected over {over}{}; Wilcoxon, sign flips: \
         signed-rank test and permutation test, uncorrected; d: mean difference over its standard deviation.",
        SeedsScored::of(comparisons.iter().map(|c| c.n)),
        measure::definition(metric),
        if view.is_selection() { ", also those not shown here" } else { "" }
    );
    if question.is_chosen_after_seeing() {
        caption.push_str(&format!(" {CHOSEN_AFTER_SEEING}"));
    }
    if let Some(stopping) = &view.stopping
        && comparisons.iter().any(|c| c.sequential.is_some())
    {
        caption.push_str(&format!(
            " Verdicts are those of the planned looks at {} seeds, in a table of their own: the p-values \
             here are over all seeds that are there, and decide nothing.",
            planned(stopping)
        ));
    }
    caption.push_str(&weakest_signs(comparisons));
    if let Some(caution) = caution_of_few(comparisons.iter().copied()) {
        caption.push_str(&format!(" {caution}"));
    }
    caption.push_str(&remarks(comparisons));
    caption.push_str(&missing(comparisons));
    caption
}

/// With few pairs even the clearest result gives a large p; a reader should know.
fn weakest_signs(comparisons: &[&Comparison]) -> String {
    match comparisons.iter().map(|c| c.n).max() {
        Some(n @ 2..=5) => format!(
            " With {n} pairs neither Wilcoxon's test nor sign flips can give a p below {}.",
            number::p_value(least_p_by_signs(n))
        ),
        _ => String::new(),
    }
}

/// Every pair that is not whole.
fn missing(comparisons: &[&Comparison]) -> String {
    let of = |c: &&Comparison| Some(format!("{}: {}", place(c), c.missing_in_words()?));
    let missing: Vec<String> = comparisons.iter().filter_map(of).collect();
    match missing.is_empty() {
        true => String::new(),
        false => format!(" Missing pairs: {}.", missing.join("; ")),
    }
}

/// Why some rows have no test, each reason once.
fn remarks(comparisons: &[&Comparison]) -> String {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for comparison in comparisons {
        let Some(remark) = &comparison.remark else { continue };
        let place = place(comparison);
        match reasons.iter_mut().find(|(known, _)| known == remark) {
            Some((_, places)) => places.push(place),
            None => reasons.push((remark, vec![place])),
        }
    }
    let sentence =
        |(remark, places): &(&str, Vec<String>)| format!(" {}: {remark}.", places.join(", "));
    reasons.iter().map(sentence).collect()
}

/// Whose comparison it is.
fn place(c: &Comparison) -> String {
    let own = format!("{} with {}", c.method, c.model);
    match c.model == c.against_model {
        true => own,
        false => format!("{own} against {} with {}", c.against, c.against_model),
    }
}

fn columns(question: &Question) -> Vec<Column> {
    let left: &[&str] = match question.pairing {
        Pairing::Baseline => &["Model", "Method"],
        _ if question.is_across_models() => &["Model", "Method", "Against model", "Against"],
        _ => &["Model", "Method", "Against"],
    };
    let correction = question.correction.title();
    let right =
        ["Difference", "95 % interval", "p", correction, "Wilcoxon", "Sign flips", "d", "Pairs"];
    let left = left.iter().map(|head| (*head, Align::Left));
    left.chain(right.map(|head| (head, Align::Right)))
        .map(|(head, align)| Column { head: head.to_owned(), align })
        .collect()
}

fn rows(view: &GridView, question: &Question, comparisons: &[&Comparison]) -> Vec<Row> {
    let mut model = None;
    let mut rows = Vec::new();
    for comparison in comparisons {
        let first = model != Some(&comparison.model);
        // Models part the rows where they part the families.
        let ruled = first && model.is_some() && !question.is_across_models();
        model = Some(&comparison.model);
        let mut cells = cells(view, comparison, first || question.is_across_models());
        if question.pairing != Pairing::Baseline {
            let (name, look) = (comparison.against.clone(), view.look(&comparison.against));
            cells.insert(2, Cell::Method { name, look, baseline: false });
        }
        if question.is_across_models() {
            cells.insert(2, Cell::Head(comparison.against_model.clone()));
        }
        rows.push(Row { cells, ruled });
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
    let head = if first { Cell::Head } else { Cell::Again };
    let look = view.look(&c.method);
    let method = Cell::Method { name: c.method.clone(), look, baseline: false };
    let numbers = [
        shown(c.difference, number::signed_percent),
        interval,
        shown(c.p, number::p_value),
        shown(c.p_corrected, number::p_value),
        shown(c.wilcoxon_p, number::p_value),
        shown(c.permutation_p, number::p_value),
        shown(c.effect_size, number::signed),
        pairs,
    ];
    [head(c.model.clone()), method].into_iter().chain(numbers.map(Cell::Text)).collect()
}

fn tidy(metric: Metric, question: &Question, comparisons: &[&Comparison]) -> Tidy {
    let mut header = vec![
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
        "against",
        "p_corrected",
        "permutation_p",
        "hedges_g",
        "bca_low",
        "bca_high",
        "missing",
        "budget",
        "baseline_budget",
        "never_learned",
        "baseline_never_learned",
        "cautions",
    ];
    let mut rows: Vec<Vec<String>> = comparisons.iter().map(|c| tidy_row(metric, c)).collect();
    if question.is_across_models() {
        header.push("against_model");
        rows.iter_mut().zip(comparisons).for_each(|(row, c)| row.push(c.against_model.clone()));
    }
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
    let further = [c.p_corrected, c.permutation_p, c.hedges_g, c.bca_low, c.bca_high];
    let written = |x: Option<f64>| x.map_or_else(String::new, |x| x.to_string());
    let remark = c.remark.clone().unwrap_or_default();
    let missing = c.missing_in_words().unwrap_or_default();
    let trained = [
        c.budget.map_or_else(String::new, |budget| budget.to_string()),
        c.baseline_budget.map_or_else(String::new, |budget| budget.to_string()),
        c.verdicts.never_learned.to_string(),
        c.baseline_verdicts.never_learned.to_string(),
        cautions::in_one_field(&c.cautions),
    ];
    names
        .into_iter()
        .chain(counts)
        .chain(numbers.map(written))
        .chain([remark, c.against.clone()])
        .chain(further.map(written))
        .chain([missing])
        .chain(trained)
        .collect()
}
