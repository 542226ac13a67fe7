//! `tailgrid compare GRID`: paired tests of methods against each other.

use super::grid::{self, GridArgs, Opened};
use super::output::{self, message, print, printable};
use super::{CliError, Common, Exit};
use analysis::comparison::{
    self, AcrossCorpora, CHOSEN_AFTER_SEEING, Comparison, Pairing, Question, across_corpora,
};
use analysis::{GridView, Scoreboard, number};
use domain::{Contender, Metric, NoContender};
use report::INVENTED;
use report::tables::{self, Form, Table, terminal};
use serde::Serialize;
use spec::did_you_mean;
use stats::Correction;
use std::fmt::Write;

/// Paired tests of every method against the baseline, or of other pairs
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    #[command(flatten)]
    pub grid: GridArgs,
    /// Compare with this method instead of the grid's baseline
    #[arg(long, value_name = "METHOD")]
    pub baseline: Option<String>,
    /// Compare A with B, each METHOD (in every model) or MODEL/METHOD (repeatable)
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with_all = ["baseline", "against"])]
    pub pair: Vec<String>,
    /// Who is compared where no --pair says so
    #[arg(long, value_enum, value_name = "WHAT", default_value = "baseline")]
    pub against: Against,
    /// Compare by this metric instead of the grid's: macro_f1, micro_f1, macro_fixed_f1, …
    #[arg(long, value_name = "METRIC")]
    pub metric: Option<String>,
    /// How p-values are corrected over their family
    #[arg(long, value_enum, value_name = "HOW", default_value = "holm")]
    pub correction: CorrectionArg,
    /// How the result is written
    #[arg(long, value_enum, value_name = "FORM", default_value = "text", conflicts_with = "json")]
    pub format: Format,
}

/// What methods are compared with where no pair is named.
#[derive(clap::ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
pub enum Against {
    /// Every method with the baseline
    Baseline,
    /// The best method with the next best, which is chosen after seeing
    NextBest,
    /// The pairs that the grid names under `report`
    Pairs,
}

/// A correction as an option names it.
#[derive(clap::ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
pub enum CorrectionArg {
    /// No false finding in a family, with 95 % probability
    Holm,
    /// The same, more strictly
    Bonferroni,
    /// At most 5 % false among the findings, in expectation
    Bh,
}

/// A form of the output.
#[derive(clap::ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
pub enum Format {
    Text,
    Markdown,
    Latex,
}

impl From<CorrectionArg> for Correction {
    fn from(name: CorrectionArg) -> Self {
        match name {
            CorrectionArg::Holm => Correction::Holm,
            CorrectionArg::Bonferroni => Correction::Bonferroni,
            CorrectionArg::Bh => Correction::BenjaminiHochberg,
        }
    }
}

/// What was asked and what came of it.
struct Answer<'a> {
    view: &'a GridView,
    question: &'a Question,
    comparisons: Vec<Comparison>,
    across: Vec<AcrossCorpora>,
    /// The scores come from the mock engine.
    invented: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Output<'a> {
    metric: &'a str,
    /// Absent where methods are not compared with one method.
    baseline: Option<&'a str>,
    family: &'a str,
    correction: &'a str,
    chosen_after_seeing: bool,
    comparisons: &'a [Comparison],
    across_corpora: &'a [AcrossCorpora],
    /// The scores come from the mock engine.
    invented: bool,
}

/// Compares and prints.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let Opened { grid, args: grid_args, common } = &args.grid.open(common)?;
    let (view, results) = grid::view(grid, common)?;
    if results.runs().is_empty() && !common.quiet {
        message!("warning: no job of this grid has a result yet: `tailgrid run` makes them");
        grid_args.mock_hint(common).iter().for_each(|hint| message!("hint: {hint}"));
    }
    let question = question(args, &view)?;
    let view = as_asked(&args.baseline, &args.metric, &question, view)?;
    let board = Scoreboard::new(&view, &results, view.metric);
    let mut answer = Answer::new(&view, &board, &question);
    answer.invented = report::are_invented(&view, &results);
    if answer.comparisons.is_empty() {
        let message = match &question.pairing {
            Pairing::Named(_) => {
                "there is nothing to compare: no model that is selected has both sides of a named pair; \
                 `tailgrid plan` shows which methods the models have"
            }
            _ => {
                "there is nothing to compare: fewer than two methods to compare are selected or have a score"
            }
        };
        return Err(CliError::new(Exit::NothingSelected, message));
    }
    match (common.json, args.format) {
        (true, _) => print(&answer.json()?)?,
        (_, Format::Text) => print(&text(&answer, common.verbose > 0, output::width()))?,
        (_, Format::Markdown) => print(&answer.tables(Form::Markdown))?,
        (_, Format::Latex) => print(&answer.tables(Form::Latex))?,
    }
    Ok(Exit::Done)
}

fn question(args: &Args, view: &GridView) -> Result<Question, CliError> {
    if args.baseline.is_some() && args.against != Against::Baseline {
        let message = "--baseline names whom --against baseline is about: leave one of the two out";
        return Err(CliError::new(Exit::Usage, message));
    }
    let pairs = named_pairs(&args.pair, view)?;
    let pairing = match args.against {
        _ if !pairs.is_empty() => Pairing::Named(pairs),
        Against::Baseline => Pairing::Baseline,
        Against::NextBest => Pairing::NextBest,
        Against::Pairs if view.asked.pairs.is_empty() => {
            let message = "the grid names no pairs: add `report: {pairs: [[A, B]]}` to it, or pass --pair A B";
            return Err(CliError::new(Exit::Usage, message));
        }
        Against::Pairs => Pairing::Named(view.asked.pairs.clone()),
    };
    Ok(Question { pairing, correction: args.correction.into(), ..Question::default() })
}

/// The pairs that are named, of models and methods that the grid has.
fn named_pairs(names: &[String], view: &GridView) -> Result<Vec<[Contender; 2]>, CliError> {
    let [models, methods] = [&view.models, &view.methods]
        .map(|names| names.iter().map(String::as_str).collect::<Vec<_>>());
    let read = |text: &String| {
        Contender::read(text, &models, &methods).map_err(|error| match error {
            NoContender::Model(name) => unknown("model", &name, &models),
            NoContender::Method(name) => unknown("method", &name, &methods),
            NoContender::ModelAlone(name) => {
                let message = format!("{name} is a model: write {name}/METHOD");
                CliError::new(Exit::Usage, printable(&message))
            }
        })
    };
    let mut pairs = Vec::new();
    for pair in names.chunks_exact(2) {
        let pair = [read(&pair[0])?, read(&pair[1])?];
        if pair[0] == pair[1] {
            let message = format!("--pair {} {} compares a method with itself", pair[0], pair[1]);
            return Err(CliError::new(Exit::Usage, printable(&message)));
        }
        pairs.push(pair);
    }
    Ok(pairs)
}

/// The grid with the baseline and the metric that the arguments name.
pub(super) fn as_asked(
    baseline: &Option<String>,
    metric: &Option<String>,
    question: &Question,
    mut view: GridView,
) -> Result<GridView, CliError> {
    if let Some(name) = metric {
        let names = Metric::ALL.map(Metric::name);
        view.metric = name.parse().map_err(|_| unknown("metric", name, &names))?;
    }
    if let Some(name) = baseline {
        view.baseline = Some(name.clone());
    }
    if question.pairing == Pairing::Baseline {
        let name = baseline_of(&view)?;
        let methods: Vec<&str> = view.methods.iter().map(String::as_str).collect();
        if !methods.contains(&name) {
            return Err(unknown("method", name, &methods));
        }
    }
    Ok(view)
}

/// The baseline, of which there must be one.
pub(super) fn baseline_of(view: &GridView) -> Result<&str, CliError> {
    view.baseline.as_deref().ok_or_else(|| {
        let message =
            "the grid names no baseline: add `baseline: METHOD` to it, or pass --baseline METHOD";
        CliError::new(Exit::Usage, message)
    })
}

/// The error for a name that is not there.
fn unknown(what: &str, name: &str, known: &[&str]) -> CliError {
    let hint = match did_you_mean(name, known.iter().copied()) {
        Some(candidate) => format!("did you mean {candidate}?"),
        None => format!("known: {}", known.join(", ")),
    };
    CliError::new(Exit::Usage, printable(&format!("there is no {what} {name}; {hint}")))
}

impl<'a> Answer<'a> {
    fn new(view: &'a GridView, board: &Scoreboard, question: &'a Question) -> Self {
        let comparisons = question.answers(view, board);
        let across = across_corpora(view, board);
        Self { view, question, comparisons, across, invented: false }
    }

    fn json(&self) -> Result<String, CliError> {
        let baseline = self.view.baseline.as_deref();
        let output = Output {
            metric: self.view.metric.name(),
            baseline: baseline.filter(|_| self.question.pairing == Pairing::Baseline),
            family: self.question.family(),
            correction: self.question.correction.name(),
            chosen_after_seeing: self.question.is_chosen_after_seeing(),
            comparisons: &self.comparisons,
            across_corpora: &self.across,
            invented: self.invented,
        };
        serde_json::to_string_pretty(&output).map_err(|e| CliError::new(Exit::Internal, e))
    }

    /// The tables of every panel, of planned looks and of rankings, one after the other.
    fn tables(&self, form: Form) -> String {
        let Self { view, question, comparisons, across, invented } = self;
        let panels = view.panels();
        let compared = panels.iter().enumerate().filter_map(|(k, panel)| {
            let name = format!("comparisons-{}", k + 1);
            tables::comparisons(view, view.metric, question, comparisons, panel, name)
        });
        let looks = view.stopping.iter().filter_map(|stopping| {
            tables::planned_looks(stopping, view.metric, comparisons, "looks".to_owned())
        });
        let ranked = across
            .iter()
            .enumerate()
            .map(|(k, found)| tables::ranks(view, view.metric, found, format!("ranks-{}", k + 1)));
        let all = compared.chain(looks).chain(ranked);
        let mut all: Vec<Table> = all.map(|table| report::remarks::on_table(view, table)).collect();
        if *invented {
            all.iter_mut().for_each(|t| t.caption = format!("{INVENTED} {}", t.caption));
        }
        let rendered: Vec<String> = all.iter().map(|table| tables::render(table, form)).collect();
        rendered.join("\n")
    }
}

/// A table for each family, then what its numbers are.
fn text(answer: &Answer<'_>, verbose: bool, width: Option<usize>) -> String {
    let Answer { view, question, comparisons, .. } = answer;
    let mut out = String::new();
    let place = |c: &Comparison| place(question, c);
    for family in comparisons.chunk_by(|a, b| place(a) == place(b)) {
        let table = tables::family(view, question, family, verbose);
        let table = Table { title: place(&family[0]), ..table };
        out.push_str(&format!("{}\n", terminal::render(&table, width)));
    }
    let below = looks(answer, width) + &across(answer, width);
    out + &below + &terminal::paragraphs(&footer(answer, verbose), width)
}

/// Where a comparison stands: what its family shares.
fn place(question: &Question, c: &Comparison) -> String {
    match question.is_across_models() {
        true => format!("{}, {}", c.corpus, c.scenario),
        false => format!("{}, {}, {}", c.corpus, c.scenario, c.model),
    }
}

/// What planned looks say, a table for each family.
fn looks(answer: &Answer<'_>, width: Option<usize>) -> String {
    let Answer { view, question, comparisons, .. } = answer;
    let Some(stopping) = &view.stopping else { return String::new() };
    let place = |c: &Comparison| place(question, c);
    let names = if question.is_across_models() { 2 } else { 3 };
    let mut out = String::new();
    for family in comparisons.chunk_by(|a, b| place(a) == place(b)) {
        let looks = tables::planned_looks(stopping, view.metric, family, String::new());
        let Some(table) = looks else { continue };
        let table = Table { title: place(&family[0]), ..table.bare().without_first(names) };
        out += &format!("{}\n", terminal::render(&table, width));
    }
    if out.is_empty() {
        return out;
    }
    let head = format!(
        "Planned looks at {} seeds, spending {}: p against the nominal level of the look\n",
        tables::planned(stopping),
        stopping.spending
    );
    terminal::paragraphs(&head, width) + &out
}

fn across(answer: &Answer<'_>, width: Option<usize>) -> String {
    let mut out = String::new();
    for found in &answer.across {
        let head = format!(
            "Across {} corpora ({}, {}): Friedman's chi-squared {:.2}, df {}, p {}; mean ranks differ if more \
             than {:.2} apart\n  means over the seeds that all have: {}\n",
            found.corpora.len(),
            printable(&found.scenario),
            printable(&found.model),
            found.statistic,
            found.df,
            number::p_value(found.p),
            found.critical_difference,
            printable(&tables::blocks(found)),
        );
        let ranks = tables::ranks(answer.view, answer.view.metric, found, String::new()).bare();
        let cautions = found.cautions.iter().map(|caution| format!("caution: {caution}"));
        let left = found.left_out.iter();
        let left = left.map(|left| format!("not ranked: {}, {}", left.name, left.reason));
        let notes = cautions.chain(found.caution.clone()).chain(left);
        let notes: String = notes.map(|note| format!("  {}\n", printable(&note))).collect();
        out += &terminal::paragraphs(&head, width);
        out += &terminal::render(&ranks, width);
        out += &format!("{}\n", terminal::paragraphs(&notes, width));
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
        "Interval and p: two-sided paired t-test. {corrected}: p corrected over the {}{}; {verdict}.",
        question.family(),
        if view.is_selection() { ", also those not shown" } else { "" },
    );
    out.push_str("Sign flips: permutation test; d: mean difference over its standard deviation.\n");
    if verbose {
        let _ = writeln!(
            out,
            "SE: bootstrapped standard error; BCa interval: bootstrap, from {} pairs on; g: d without \
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

#[cfg(test)]
mod tests;
