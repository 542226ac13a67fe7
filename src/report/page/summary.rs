//! The findings in words: only what a test supports, with its size and its limits.

use crate::report::comparison::{Comparison, Verdict};
use crate::report::measure;
use crate::report::page::problems::Counts;
use crate::report::tables::number;
use crate::report::view::{GridView, Panel, Scoreboard};
use crate::stats;

/// More names than this are counted instead.
const MOST_NAMES: usize = 8;

/// How many comparisons came to which verdict.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdicts {
    pub better: usize,
    pub worse: usize,
    pub open: usize,
    pub untested: usize,
}

impl Verdicts {
    /// Counts.
    pub fn of(tests: &[Comparison]) -> Self {
        let count = |verdict| tests.iter().filter(|c| c.verdict() == verdict).count();
        Self {
            better: count(Verdict::Better),
            worse: count(Verdict::Worse),
            open: count(Verdict::Open),
            untested: count(Verdict::Untested),
        }
    }
}

/// The one sentence under the title.
pub fn headline(view: &GridView, board: &Scoreboard, tests: &[Comparison]) -> String {
    let metric = measure::in_words(board.metric);
    let Some(baseline) = &view.baseline else {
        return format!("Test {metric} of {}.", number::counted(view.methods.len(), "method"));
    };
    let Verdicts { better, worse, open, untested } = Verdicts::of(tests);
    let tested = better + worse + open;
    if tested == 0 {
        return match untested {
            0 => format!("No method has been compared with {baseline} yet."),
            _ => format!("There are too few finished seeds for a test against {baseline}."),
        };
    }
    format!(
        "Of {} with {baseline}, {better} {} above it and {worse} below, significant after correction; {} \
         no difference in test {metric} could be shown.",
        number::counted(tested, "tested comparison"),
        if better == 1 { "lies" } else { "lie" },
        match open {
            0 => "for none".to_owned(),
            n => format!("for {n}"),
        }
    )
}

/// What was found for each model.
pub fn lines(view: &GridView, board: &Scoreboard, tests: &[Comparison]) -> Vec<String> {
    let mut lines = Vec::new();
    for panel in view.panels() {
        for model in board.models(view, &panel) {
            let place = format!("{model} on {}", panel.title());
            let parts: Vec<String> = [best(view, board, &panel, model), found(view, tests, &panel, model)]
                .into_iter()
                .flatten()
                .collect();
            if !parts.is_empty() {
                lines.push(format!("{place}: {}", parts.join(" ")));
            }
        }
    }
    lines
}

fn best(view: &GridView, board: &Scoreboard, panel: &Panel, model: &str) -> Option<String> {
    let scored: Vec<(&String, f64)> = view
        .methods
        .iter()
        .filter_map(|method| {
            Some((method, stats::mean(&board.cell(panel, model, method).f1())?))
        })
        .collect();
    let (method, mean) = scored.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    (scored.len() > 1).then(|| {
        let metric = measure::in_words(board.metric);
        format!("{method} has the highest mean {metric}, {} %.", number::percent(*mean))
    })
}

fn found(view: &GridView, tests: &[Comparison], panel: &Panel, model: &str) -> Option<String> {
    let baseline = view.baseline.as_ref()?;
    let of_model = |c: &&Comparison| {
        c.corpus == panel.corpus && c.scenario == panel.scenario && c.model == model
    };
    let with = |verdict: Verdict| -> Vec<String> {
        tests.iter().filter(of_model).filter(|c| c.verdict() == verdict).map(shown).collect()
    };
    let side = |verdict, word: &str| {
        let names = with(verdict);
        (!names.is_empty()).then(|| format!("significantly {word} {baseline}: {}", listed(&names)))
    };
    let sides = [side(Verdict::Better, "above"), side(Verdict::Worse, "below")];
    let sides: Vec<String> = sides.into_iter().flatten().collect();
    let open = with(Verdict::Open).len();
    match (sides.is_empty(), open) {
        (true, 0) => None,
        (true, _) => Some(format!("No method could be shown to differ from {baseline}.")),
        (false, 0) => Some(sentence(&sides.join("; "))),
        (false, n) => Some(format!(
            "{} For {} no difference could be shown.",
            sentence(&sides.join("; ")),
            number::counted(n, "method")
        )),
    }
}

fn shown(comparison: &Comparison) -> String {
    let difference = comparison.difference.map_or_else(String::new, number::signed_percent);
    format!("{} ({difference})", comparison.method)
}

fn listed(names: &[String]) -> String {
    match names.len() {
        n if n > MOST_NAMES => {
            format!("{} and {} more", names[..MOST_NAMES].join(", "), n - MOST_NAMES)
        }
        _ => names.join(", "),
    }
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().collect::<String>());
    first.unwrap_or_default() + letters.as_str() + "."
}

/// What a reader must keep in mind.
pub fn cautions(view: &GridView, board: &Scoreboard, tests: &[Comparison]) -> Vec<String> {
    let mut cautions = Vec::new();
    let counts = Counts::of(view, board);
    if counts.done < counts.planned() {
        cautions.push(format!(
            "{} of {} have no score yet or failed; means and tests are over the ones that have.",
            counts.planned() - counts.done,
            number::counted(counts.planned(), "job")
        ));
    }
    let Verdicts { untested, .. } = Verdicts::of(tests);
    if untested > 0 {
        cautions.push(format!(
            "{} could not be tested; the table of comparisons says why.",
            number::counted(untested, "comparison")
        ));
    }
    if tests.len() > untested {
        cautions.push(format!(
            "Differences are in percentage points. Tests are two-sided paired t-tests over {}, corrected \
             after Holm for the methods of one model, at the level 0.05. That no difference could be shown \
             does not mean that there is none: few seeds find only differences that are large against \
             their spread.",
            number::counted(view.seeds.len(), "seed")
        ));
    }
    cautions
}
