//! The table of tests: every method against the baseline with difference, interval and p-values.

use super::planned_looks::planned;
use super::registry::{Appears, Kind, Make, Sheet};
use super::{Cell, Table, TableColumn, TableRow, Tidy, TidyColumn, field};
use crate::artefact::FileNames;
use analysis::cautions;
use analysis::comparison::{
    CHOSEN_AFTER_SEEING, Comparison, LooksVerdict, Pairing, Question, Verdict, caution_of_few,
    least_p_by_signs,
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
    let mut numbers = numbers(question);
    numbers.retain(|(_, place, _)| *place == Where::Everywhere);
    let heads = numbers.iter().map(|(head, ..)| TableColumn::right(*head));
    Some(Table {
        name,
        title: format!("{}: {}", title(view, question), panel.title()),
        cautions: cautions::sentences(comparisons.iter().copied()),
        caption: caption(view, metric, question, &comparisons),
        groups: vec![],
        columns: names(question).chain(heads).collect(),
        rows: rows(view, question, &comparisons, &numbers),
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

/// In which tables a column stands.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Where {
    Everywhere,
    Terminal,
    VerboseTerminal,
}

/// A column of numbers: its head, where it stands, and its cells.
type NumberColumn = (&'static str, Where, fn(&Comparison) -> String);

/// All columns of numbers, from the left.
fn numbers(question: &Question) -> Vec<NumberColumn> {
    use Where::{Everywhere, Terminal, VerboseTerminal};
    let other = if question.pairing == Pairing::Baseline { "Baseline" } else { "Other" };
    vec![
        ("Mean", Terminal, |c| shown(c.mean, number::percent)),
        ("± SE", VerboseTerminal, |c| shown(c.mean_se, number::percent)),
        (other, Terminal, |c| shown(c.baseline_mean, number::percent)),
        ("± SE", VerboseTerminal, |c| shown(c.baseline_mean_se, number::percent)),
        ("Difference", Everywhere, |c| shown(c.difference, number::signed_percent)),
        ("95 % interval", Everywhere, |c| interval(c.ci_low, c.ci_high)),
        ("BCa interval", VerboseTerminal, |c| interval(c.bca_low, c.bca_high)),
        ("p", Everywhere, |c| shown(c.p, number::p_value)),
        (question.correction.title(), Everywhere, |c| shown(c.p_corrected, number::p_value)),
        ("Wilcoxon", Everywhere, |c| shown(c.wilcoxon_p, number::p_value)),
        ("Sign flips", Everywhere, |c| shown(c.permutation_p, number::p_value)),
        ("d", Everywhere, |c| shown(c.effect_size, number::signed)),
        ("g", VerboseTerminal, |c| shown(c.hedges_g, number::signed)),
        ("ASO ε", VerboseTerminal, |c| shown(c.aso_epsilon, |x| format!("{x:.2}"))),
        ("Pairs", Everywhere, pairs),
    ]
}

fn shown(value: Option<f64>, form: fn(f64) -> String) -> String {
    value.map_or_else(|| "–".to_owned(), form)
}

fn interval(low: Option<f64>, high: Option<f64>) -> String {
    match (low, high) {
        (Some(low), Some(high)) => {
            format!("{} to {}", number::signed_percent(low), number::signed_percent(high))
        }
        _ => "–".to_owned(),
    }
}

fn pairs(c: &Comparison) -> String {
    match c.missing_pairs {
        0 => c.n.to_string(),
        missing => format!("{} ({missing} missing)", c.n),
    }
}

fn verdict(c: &Comparison) -> String {
    let planned = c.sequential.as_ref().map(|planned| planned.verdict);
    match c.verdict() {
        Verdict::Better => "above".to_owned(),
        Verdict::Worse => "below".to_owned(),
        Verdict::Open if planned == Some(LooksVerdict::Open) => {
            "open, see planned looks".to_owned()
        }
        Verdict::Open => "no difference shown".to_owned(),
        Verdict::Untrained => {
            format!("no verdict: {} never learned", cautions::who_never_learned(c))
        }
        Verdict::Untested => {
            // Only looks can lack a test where all seeds together have one.
            let reason = c.remark.as_deref().unwrap_or("see planned looks");
            format!("not tested: {reason}")
        }
    }
}

/// The columns that name the rows.
fn names(question: &Question) -> impl Iterator<Item = TableColumn> {
    let names: &[&str] = match question.pairing {
        Pairing::Baseline => &["Model", "Method"],
        _ if question.is_across_models() => &["Model", "Method", "Against model", "Against"],
        _ => &["Model", "Method", "Against"],
    };
    names.iter().copied().map(TableColumn::left)
}

fn rows(
    view: &GridView,
    question: &Question,
    comparisons: &[&Comparison],
    numbers: &[NumberColumn],
) -> Vec<TableRow> {
    let mut model = None;
    let mut rows = Vec::new();
    for comparison in comparisons {
        let first = model != Some(&comparison.model);
        // Models part the rows where they part the families.
        let ruled = first && model.is_some() && !question.is_across_models();
        model = Some(&comparison.model);
        let mut cells = name_cells(view, question, comparison, first);
        cells.extend(numbers.iter().map(|(_, _, cell)| Cell::Text(cell(comparison))));
        rows.push(TableRow { cells, ruled });
    }
    rows
}

fn name_cells(view: &GridView, question: &Question, c: &Comparison, first: bool) -> Vec<Cell> {
    let across = question.is_across_models();
    let head = if first || across { Cell::Head } else { Cell::Again };
    let method = |name: &String| {
        let look = view.look(name);
        Cell::Method { name: name.clone(), look, baseline: false }
    };
    let mut cells = vec![head(c.model.clone()), method(&c.method)];
    cells.extend(across.then(|| Cell::Head(c.against_model.clone())));
    cells.extend((question.pairing != Pairing::Baseline).then(|| method(&c.against)));
    cells
}

/// The comparisons of one family, with verdicts and what else only a terminal shows; its title
/// names the model, unless pairs are across models.
pub fn family(view: &GridView, question: &Question, family: &[Comparison], verbose: bool) -> Table {
    let mut numbers = numbers(question);
    numbers.retain(|(_, place, _)| verbose || *place != Where::VerboseTerminal);
    let comparisons: Vec<&Comparison> = family.iter().collect();
    let mut rows = rows(view, question, &comparisons, &numbers);
    let verdicts = family.iter().map(|c| Cell::Text(verdict(c)));
    rows.iter_mut().zip(verdicts).for_each(|(row, verdict)| row.cells.push(verdict));
    let heads = numbers.iter().map(|(head, ..)| TableColumn::right(*head));
    let columns = names(question).chain(heads).chain([TableColumn::left("Verdict")]).collect();
    let cautions = cautions::lines(family);
    let table = Table { cautions, columns, rows, ..Table::default() };
    table.without_first(usize::from(!question.is_across_models()))
}

/// The columns for other programs.
fn tidy_columns<'c>() -> Vec<TidyColumn<(&'c Comparison, Metric)>> {
    vec![
        ("corpus", |(c, _)| c.corpus.clone()),
        ("scenario", |(c, _)| c.scenario.clone()),
        ("model", |(c, _)| c.model.clone()),
        ("method", |(c, _)| c.method.clone()),
        ("metric", |(_, metric)| metric.name().to_owned()),
        ("n", |(c, _)| c.n.to_string()),
        ("missing_pairs", |(c, _)| c.missing_pairs.to_string()),
        ("mean", |(c, _)| field(c.mean)),
        ("baseline_mean", |(c, _)| field(c.baseline_mean)),
        ("difference", |(c, _)| field(c.difference)),
        ("ci_low", |(c, _)| field(c.ci_low)),
        ("ci_high", |(c, _)| field(c.ci_high)),
        ("t", |(c, _)| field(c.t)),
        ("df", |(c, _)| field(c.df)),
        ("p", |(c, _)| field(c.p)),
        ("p_holm", |(c, _)| field(c.p_holm)),
        ("wilcoxon_p", |(c, _)| field(c.wilcoxon_p)),
        ("effect_size", |(c, _)| field(c.effect_size)),
        ("remark", |(c, _)| field(c.remark.as_ref())),
        ("against", |(c, _)| c.against.clone()),
        ("p_corrected", |(c, _)| field(c.p_corrected)),
        ("permutation_p", |(c, _)| field(c.permutation_p)),
        ("hedges_g", |(c, _)| field(c.hedges_g)),
        ("bca_low", |(c, _)| field(c.bca_low)),
        ("bca_high", |(c, _)| field(c.bca_high)),
        ("missing", |(c, _)| field(c.missing_in_words())),
        ("budget", |(c, _)| field(c.budget)),
        ("baseline_budget", |(c, _)| field(c.baseline_budget)),
        ("never_learned", |(c, _)| c.verdicts.never_learned.to_string()),
        ("baseline_never_learned", |(c, _)| c.baseline_verdicts.never_learned.to_string()),
        ("cautions", |(c, _)| cautions::in_one_field(&c.cautions)),
    ]
}

fn tidy(metric: Metric, question: &Question, comparisons: &[&Comparison]) -> Tidy {
    let mut columns = tidy_columns();
    if question.is_across_models() {
        columns.push(("against_model", |(c, _)| c.against_model.clone()));
    }
    Tidy::of(&columns, comparisons.iter().map(|c| (*c, metric)))
}
