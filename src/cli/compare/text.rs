//! The comparisons as people read them on a terminal.

use super::Answer;
use crate::cli::output::printable;
use analysis::GridView;
use analysis::cautions;
use analysis::comparison::{
    self, AcrossCorpora, CHOSEN_AFTER_SEEING, Comparison, LooksVerdict, Pairing, Question,
    Sequential, Verdict,
};
use analysis::number;
use report::INVENTED;
use report::tables::{self, Align, Table, terminal};
use std::fmt::Write;

/// A column: its head, where it leans, whether only `-v` shows it, and its cells.
struct Column<'a> {
    head: String,
    align: Align,
    verbose: bool,
    cell: Box<dyn Fn(&Comparison) -> String + 'a>,
}

/// A table for each corpus, scenario and, unless pairs are across models, model; then what its numbers are.
pub(super) fn render(answer: &Answer<'_>, verbose: bool, width: Option<usize>) -> String {
    let mut columns = columns(answer.question);
    columns.retain(|column| verbose || !column.verbose);
    let mut out = String::new();
    let place = |c: &Comparison| place(answer.question, c);
    for family in answer.comparisons.chunk_by(|a, b| place(a) == place(b)) {
        let table = table(place(&family[0]), &columns, family);
        out.push_str(&terminal::render(&table, width));
        out.push('\n');
    }
    out.push_str(&looks(answer, width));
    out.push_str(&across(&answer.across, width));
    out.push_str(&footer(answer, verbose));
    out
}

/// Where a comparison stands: what its family shares.
fn place(question: &Question, c: &Comparison) -> String {
    match question.is_across_models() {
        true => format!("{}, {}", c.corpus, c.scenario),
        false => format!("{}, {}, {}", c.corpus, c.scenario, c.model),
    }
}

fn table(title: String, columns: &[Column<'_>], family: &[Comparison]) -> Table {
    let heads = columns.iter().map(|column| (column.head.as_str(), column.align));
    let row = |c: &Comparison| columns.iter().map(|column| (column.cell)(c)).collect();
    Table::of_texts(title, cautions::lines(family), heads, family.iter().map(row))
}

/// Rows under each other, without a title.
fn plain<'h>(
    heads: impl IntoIterator<Item = (&'h str, Align)>,
    rows: impl Iterator<Item = Vec<String>>,
    width: Option<usize>,
) -> String {
    terminal::render(&Table::of_texts(String::new(), vec![], heads, rows), width)
}

fn columns(question: &Question) -> Vec<Column<'static>> {
    let column = |head: &str, align, verbose, cell: fn(&Comparison) -> String| Column {
        head: head.to_owned(),
        align,
        verbose,
        cell: Box::new(cell),
    };
    let right = |head: &str, cell| column(head, Align::Right, false, cell);
    let further = |head: &str, cell| column(head, Align::Right, true, cell);
    let corrected = format!("{} p", question.correction.title());
    let mut columns = vec![
        column("method", Align::Left, false, |c| printable(&c.method)),
        right("pairs", pairs),
        right("mean", |c| shown(c.mean, number::percent)),
        further("± SE", |c| shown(c.mean_se, number::percent)),
        right("baseline", |c| shown(c.baseline_mean, number::percent)),
        further("± SE", |c| shown(c.baseline_mean_se, number::percent)),
        right("diff", |c| shown(c.difference, number::signed_percent)),
        right("95 % interval", |c| interval(c.ci_low, c.ci_high)),
        further("BCa interval", |c| interval(c.bca_low, c.bca_high)),
        right("p", |c| shown(c.p, number::p_value)),
        right(&corrected, |c| shown(c.p_corrected, number::p_value)),
        right("flips p", |c| shown(c.permutation_p, number::p_value)),
        right("Wilcoxon p", |c| shown(c.wilcoxon_p, number::p_value)),
        right("d_z", |c| shown(c.effect_size, number::signed)),
        further("g_z", |c| shown(c.hedges_g, number::signed)),
        further("ASO ε", |c| shown(c.aso_epsilon, |x| format!("{x:.2}"))),
        column("verdict", Align::Left, false, |c| printable(&verdict(c))),
    ];
    if question.is_across_models() {
        columns[0].cell = Box::new(|c| printable(&format!("{}/{}", c.model, c.method)));
    }
    if question.pairing != Pairing::Baseline {
        let cell: fn(&Comparison) -> String = match question.is_across_models() {
            true => |c| printable(&format!("{}/{}", c.against_model, c.against)),
            false => |c| printable(&c.against),
        };
        columns.insert(1, column("against", Align::Left, false, cell));
        for column in columns.iter_mut().filter(|column| column.head == "baseline") {
            column.head = "other".to_owned();
        }
    }
    columns
}

fn shown(value: Option<f64>, form: fn(f64) -> String) -> String {
    value.map_or_else(|| "–".to_owned(), form)
}

fn interval(low: Option<f64>, high: Option<f64>) -> String {
    match (low, high) {
        (Some(low), Some(high)) => {
            format!("[{}, {}]", number::signed_percent(low), number::signed_percent(high))
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
    match c.verdict() {
        Verdict::Better => "above".to_owned(),
        Verdict::Worse => "below".to_owned(),
        Verdict::Open if is_open(c) => "open, see planned looks".to_owned(),
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

/// Whether planned looks are left.
fn is_open(c: &Comparison) -> bool {
    c.sequential.as_ref().is_some_and(|planned| planned.verdict == LooksVerdict::Open)
}

/// What planned looks say, a line for each comparison.
fn looks(answer: &Answer<'_>, width: Option<usize>) -> String {
    let Some(stopping) = &answer.view.stopping else { return String::new() };
    let with_looks = answer.comparisons.iter().filter_map(|c| Some((c, c.sequential.as_ref()?)));
    let rows: Vec<Vec<String>> = with_looks.map(|(c, found)| look_row(c, found)).collect();
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "Planned looks at {} seeds, spending {}: p against the nominal level of the look\n{}\n",
        tables::planned(stopping),
        stopping.spending,
        plain([("", Align::Left); 4], rows.into_iter(), width)
    )
}

fn look_row(c: &Comparison, found: &Sequential) -> Vec<String> {
    let taken: Vec<String> = found
        .looks
        .iter()
        .map(|look| {
            let [p, level] = look.p_and_level();
            format!("{}: {p} / {level}", look.seeds)
        })
        .collect();
    let place = format!("{}, {}, {}", c.corpus, c.scenario, c.model);
    let pair = format!("{} against {}", c.method, c.against_in_words());
    vec![printable(&place), printable(&pair), taken.join("   "), printable(&found.in_words())]
}

fn across(rankings: &[AcrossCorpora], width: Option<usize>) -> String {
    let mut out = String::new();
    for found in rankings {
        let place = printable(&format!("{}, {}", found.scenario, found.model));
        let _ = writeln!(
            out,
            "Across {} corpora ({place}): Friedman's chi-squared {:.2}, df {}, p {}; mean ranks differ \
             if more than {:.2} apart\n  means over the seeds that all have: {}",
            found.corpora.len(),
            found.statistic,
            found.df,
            number::p_value(found.p),
            found.critical_difference,
            printable(&tables::blocks(found)),
        );
        let (left, right) = (Align::Left, Align::Right);
        let heads =
            [("method", left), ("mean rank", right), ("mean", right), ("not told apart", left)];
        let row = |ranked: &comparison::RankedMethod| {
            let rank = format!("{:.2}", ranked.mean_rank);
            let mean = number::percent(ranked.mean);
            vec![printable(&ranked.method), rank, mean, tables::letters(found, &ranked.method)]
        };
        out.push_str(&plain(heads, found.methods.iter().map(row), width));
        for caution in &found.cautions {
            let _ = writeln!(out, "  caution: {}", printable(caution));
        }
        if let Some(caution) = &found.caution {
            let _ = writeln!(out, "  {caution}");
        }
        for left in &found.left_out {
            let _ = writeln!(
                out,
                "  not ranked: {}",
                printable(&format!("{}, {}", left.name, left.reason))
            );
        }
        out.push('\n');
    }
    out
}

fn footer(answer: &Answer<'_>, verbose: bool) -> String {
    let Answer { view, question, comparisons, .. } = answer;
    let mut out = if answer.invented { format!("{INVENTED}\n") } else { String::new() };
    out += &format!("Test {} in %, {}, paired by seed.\n", view.metric.name(), who(view, question));
    if question.is_chosen_after_seeing() {
        let _ = writeln!(out, "{CHOSEN_AFTER_SEEING}");
    }
    let corrected = question.correction.title();
    let verdict = match comparisons.iter().any(|c| c.sequential.is_some()) {
        true => "verdict by the planned looks, whatever the p-values over all seeds".to_owned(),
        false => format!("verdict at {corrected} p < {}", comparison::ALPHA),
    };
    let _ = writeln!(
        out,
        "Interval and p: two-sided paired t-test. {corrected} p: corrected over the {}{}; {verdict}.",
        question.family(),
        if view.is_selection() { ", also those not shown" } else { "" },
    );
    out.push_str(
        "flips p: sign-flip permutation test; d_z: mean difference over its standard deviation.\n",
    );
    if verbose {
        let _ = writeln!(
            out,
            "SE: bootstrapped standard error; BCa interval: bootstrap, from {} pairs on; g_z: d_z without \
             small-sample bias; ASO ε: below 0.5 the method is almost stochastically larger.",
            stats::LEAST_FOR_BCA
        );
    }
    out.push_str(&few_pairs(comparisons));
    if let Some(caution) = comparison::caution_of_few(comparisons) {
        out.push_str(&(caution + "\n"));
    }
    out.push_str(&missing(comparisons));
    out
}

fn who(view: &GridView, question: &Question) -> String {
    match &question.pairing {
        Pairing::Baseline => {
            let baseline = view.baseline.as_deref().unwrap_or("none");
            printable(&format!("each method against {baseline}"))
        }
        Pairing::Named(_) if question.is_across_models() => {
            "the named pairs of models and methods".to_owned()
        }
        Pairing::Named(_) => "the named pairs of methods".to_owned(),
        Pairing::NextBest => "the best method against the next best".to_owned(),
    }
}

/// What tests by signs cannot show with so few pairs.
fn few_pairs(comparisons: &[Comparison]) -> String {
    match comparisons.iter().map(|c| c.n).max() {
        Some(n @ 2..=5) => format!(
            "With {n} pairs Wilcoxon's test and sign flips cannot give a p below {}: neither can show \
             anything at {}.\n",
            number::p_value(comparison::least_p_by_signs(n)),
            comparison::ALPHA
        ),
        _ => String::new(),
    }
}

/// Every pair that is not whole.
fn missing(comparisons: &[Comparison]) -> String {
    let mut out = String::new();
    for c in comparisons {
        if let Some(missing) = c.missing_in_words() {
            let mut place = format!("{}, {}, {}, {}", c.corpus, c.scenario, c.model, c.method);
            if c.model != c.against_model {
                place += &format!(" against {}", c.against_in_words());
            }
            let _ = writeln!(out, "Missing pairs of {}", printable(&format!("{place}: {missing}")));
        }
    }
    out
}
