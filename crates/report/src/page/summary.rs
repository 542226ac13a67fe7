//! The findings in words: only what a test supports, with its size and its limits.

mod limits;
mod panels;

use crate::leaders::{Leader, leaders};
use crate::tables::html::escape;
use crate::tables::{Cell, Significance, cells};
use analysis::cautions;
use analysis::comparison::{Comparison, Verdict};
use analysis::number;
use analysis::{GridView, Panel, Scoreboard};
use domain::Spread;
use limits::limits;
use panels::over_panels;

/// More names than this are counted instead.
const MOST_NAMES: usize = 8;

/// More findings than this are folded.
const MOST_FINDINGS: usize = 12;

/// How many comparisons came to which verdict.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct ComparisonCounts {
    pub better: usize,
    pub worse: usize,
    pub open: usize,
    pub untested: usize,
    /// Without a verdict, because one of the two never learned.
    pub untrained: usize,
}

impl ComparisonCounts {
    /// Counts.
    pub fn of<'a>(tests: impl IntoIterator<Item = &'a Comparison>) -> Self {
        let mut counts = Self::default();
        for test in tests {
            let count = match test.verdict() {
                Verdict::Better => &mut counts.better,
                Verdict::Worse => &mut counts.worse,
                Verdict::Open => &mut counts.open,
                Verdict::Untested => &mut counts.untested,
                Verdict::Untrained => &mut counts.untrained,
            };
            *count += 1;
        }
        counts
    }

    /// How many there are.
    pub fn all(&self) -> usize {
        self.tested() + self.untested + self.untrained
    }

    /// How many there are tests of.
    pub fn tested(&self) -> usize {
        self.better + self.worse + self.open
    }
}

/// The one sentence under the title.
pub fn headline(view: &GridView, board: &Scoreboard, tests: &[Comparison]) -> String {
    let metric = board.metric.title();
    let Some(baseline) = &view.baseline else {
        return format!("Test {metric} of {}.", number::counted(view.methods.len(), "method"));
    };
    let verdicts = ComparisonCounts::of(tests);
    let (ComparisonCounts { better, worse, open, untested, untrained }, tested) =
        (verdicts, verdicts.tested());
    let lost = match untrained {
        0 => String::new(),
        n => format!(
            " {} without a verdict, because one of the two never learned.",
            if n == 1 { "One comparison is".to_owned() } else { format!("{n} comparisons are") }
        ),
    };
    if tested == 0 {
        return match (untested, untrained) {
            (0, 0) => format!("No method has been compared with {baseline} yet."),
            (_, 0) => format!("There are too few finished seeds for a test against {baseline}."),
            _ => format!("No comparison with {baseline} has a verdict.{lost}"),
        };
    }
    let compared = number::counted(tested, "tested comparison");
    if better + worse == 0 {
        return format!(
            "In {compared} with {baseline} no difference in test {metric} could be shown.{lost}"
        );
    }
    let rest = match open {
        0 => String::new(),
        n => format!("; for {n} no difference could be shown"),
    };
    format!(
        "Of {compared} with {baseline}, {better} {} significantly above it in test {metric} and {worse} \
         below{rest}.{lost}",
        if better == 1 { "lies" } else { "lie" },
    )
}

/// The section.
pub fn render(view: &GridView, headline: &Scoreboard, tests: &[Comparison]) -> String {
    let over_panels: Vec<String> = over_panels(view, tests)
        .iter()
        .map(|line| format!("<li>{}</li>\n", escape(line)))
        .collect();
    let lines: Vec<String> = lines(view, headline, tests)
        .iter()
        .map(|(place, found)| {
            format!("<li><strong>{}.</strong> {}</li>\n", escape(place), escape(found))
        })
        .collect();
    let cautions: String = limits(view, headline, tests)
        .iter()
        .map(|line| format!("<p class=\"note\">{}</p>\n", escape(line)))
        .collect();
    let untrained: String = cautions::sentences(tests)
        .iter()
        .map(|line| format!("<p class=\"caution\">{}</p>\n", escape(line)))
        .collect();
    let list = |lines: &[String]| match lines.is_empty() {
        true => String::new(),
        false => format!("<ul>\n{}</ul>\n", lines.concat()),
    };
    let folded = match over_panels.len() + lines.len() > MOST_FINDINGS && !over_panels.is_empty() {
        true => format!(
            "<details id=\"by-model\">\n<summary>Model by model</summary>\n{}</details>\n",
            list(&lines)
        ),
        false => list(&lines),
    };
    format!(
        "<section class=\"card\" id=\"in-short\">\n<h2>In short</h2>\n{untrained}{}{folded}{cautions}</section>\n",
        list(&over_panels)
    )
}

/// What was found for each model: the place, and what is to be said of it.
fn lines(view: &GridView, board: &Scoreboard, tests: &[Comparison]) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for panel in view.panels() {
        for model in board.models(view, &panel) {
            let own = tests.iter().filter(|c| c.is_on(&panel) && c.model == model);
            let trained = !own.clone().any(Comparison::never_learned);
            let parts = [
                best(view, board, &panel, model),
                found(view, tests, &panel, model),
                nothing_to_gain_on(view, board, &panel, model).filter(|_| trained),
            ];
            let cautions = cautions::sentences(own);
            let parts: Vec<String> =
                cautions.into_iter().chain(parts.into_iter().flatten()).collect();
            if !parts.is_empty() {
                lines.push((format!("{model} on {}", panel.title()), parts.join(" ")));
            }
        }
    }
    lines
}

/// Whoever the table shows as the best, and of fewer seeds than planned the number.
fn best(view: &GridView, board: &Scoreboard, panel: &Panel, model: &str) -> Option<String> {
    let leaders = leaders(view, board, panel, model);
    let mean = number::percent(leaders.first()?.score.mean);
    let name = |leader: &Leader<'_>| match leader.score.shortfall() {
        Some(n) => format!("{} ({n})", leader.method),
        None => leader.method.to_owned(),
    };
    let names: Vec<String> = leaders.iter().map(name).collect();
    let have = if names.len() == 1 { "has" } else { "have" };
    let metric = board.metric.title();
    Some(format!("{} {have} the highest mean {metric}, {mean} %.", together(&names)))
}

/// That the baseline scores nothing: whatever is above it need not be good.
fn nothing_to_gain_on(
    view: &GridView,
    board: &Scoreboard,
    panel: &Panel,
    model: &str,
) -> Option<String> {
    let baseline = view.baseline.as_ref()?;
    let cell =
        cells::mean(board.cell(panel, model, baseline), |s| s.f1, Spread::Sd, Significance::None);
    let Cell::Score(score) = cell else { return None };
    (score.mean == 0.0).then(|| {
        format!(
            "{baseline} has a {} of 0 in every seed, so being above it says little: was it trained long enough?",
            board.metric.title()
        )
    })
}

/// `a`, `a and b`, `a, b and c`, `a, …, h and 3 more`.
fn together(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        _ if names.len() > MOST_NAMES => {
            let (told, more) = names.split_at(MOST_NAMES);
            format!("{} and {} more", told.join(", "), more.len())
        }
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::comparison::compare;
    use analysis::synthetic;
    use domain::Metric;
    use store::Results;

    fn told(view: &GridView, results: &Results) -> String {
        let board = Scoreboard::new(view, &results.into(), Metric::MacroF1);
        let tests = compare(view, &board);
        let mut told = headline(view, &board, &tests) + "\n";
        for (place, found) in lines(view, &board, &tests) {
            told.push_str(&format!("{place}: {found}\n"));
        }
        told + &limits(view, &board, &tests).join("\n")
    }

    #[test]
    fn findings_in_words() {
        let (view, mut results) = synthetic::grid();
        for row in results.metrics.iter_mut().filter(|row| row.point.method == "nscrd") {
            row.f1 = 0.45 + (row.point.seed * 7 % 5) as f64 / 50.0;
        }
        insta::assert_snapshot!("findings", told(&view, &results));
    }

    /// What is said of the first model where its methods have these scores at every seed.
    fn of_scores(scores: &[(&str, f64)]) -> String {
        let (view, mut results) = synthetic::grid();
        for row in &mut results.metrics {
            let own = scores.iter().find(|(method, _)| row.point.method == *method);
            row.f1 = own.map_or(0.2, |(_, score)| *score);
        }
        // One of five seeds has not run.
        results.runs.retain(|run| run.point.method != "scrd" || run.point.seed != 3);
        let board = Scoreboard::new(&view, &(&results).into(), Metric::MacroF1);
        best(&view, &board, &view.panels()[0], &view.models[0]).unwrap_or_default()
    }

    #[test]
    fn those_who_print_alike_lead_together() {
        let told = of_scores(&[("sc", 0.600_001), ("scr", 0.600_002), ("focal", 0.5)]);
        assert_eq!(told, "sc and scr have the highest mean macro-F1, 60.00 %.");
        let told = of_scores(&[("sc", 0.6), ("scr", 0.6), ("scrd", 0.6)]);
        assert_eq!(told, "sc, scr and scrd (n = 4) have the highest mean macro-F1, 60.00 %.");
    }

    #[test]
    fn a_mean_of_fewer_seeds_says_so() {
        let told = of_scores(&[("scrd", 0.6)]);
        assert_eq!(told, "scrd (n = 4) has the highest mean macro-F1, 60.00 %.");
    }

    #[test]
    fn nobody_leads_with_nothing() {
        let methods = ["original", "sc", "scr", "scrd", "nscrd", "focal"];
        assert_eq!(of_scores(&methods.map(|method| (method, 0.000_01))), "");
    }

    #[test]
    fn names_beyond_a_few_are_counted() {
        let names: Vec<String> = (0..11).map(|n| n.to_string()).collect();
        assert_eq!(together(&names[..1]), "0");
        assert_eq!(together(&names[..8]), "0, 1, 2, 3, 4, 5, 6 and 7");
        assert_eq!(together(&names), "0, 1, 2, 3, 4, 5, 6, 7 and 3 more");
    }

    #[test]
    fn tests_are_over_pairs_not_over_the_seeds_of_cells() {
        let (view, mut results) = synthetic::grid();
        // Each has four seeds or five, and three or four in common with the baseline.
        results.runs.retain(|run| match run.point.method.as_str() {
            "original" => run.point.seed != 1,
            "sc" => run.point.seed != 2,
            _ => true,
        });
        let told = told(&view, &results);
        assert!(told.contains("paired t-tests over 3 to 4 seeds"), "{told}");
    }

    #[test]
    fn what_never_learned_is_told_before_all_and_nothing_beats_it() {
        let (view, mut results) = synthetic::badly_trained();
        let text = told(&view, &results);
        assert!(text.starts_with("Of 5 tested comparisons with original"), "{text}");
        let lost = "5 comparisons are without a verdict, because one of the two never learned.";
        assert!(text.contains(lost), "{text}");
        let line = text.lines().find(|line| line.starts_with("bilstm-softmax on")).expect("a line");
        assert!(
            line.starts_with(
                "bilstm-softmax on synthetic: Caution: the baseline of bilstm-softmax never learned: dev \
                 micro-F1 0.00 after 384 updates; raise training.updates. Note: scr of bilstm-softmax was"
            ),
            "{line}"
        );
        assert!(!line.contains("ignificantly"), "{line}");
        assert!(text.contains("Some comparisons get no verdict"), "{text}");
        synthetic::train(&mut results, (domain::TrainingVerdict::NeverLearned, 9), |_| true);
        let text = told(&view, &results);
        assert!(text.starts_with("No comparison with original has a verdict. 10 comp"), "{text}");
        assert!(!text.contains("ignificantly"), "{text}");
    }

    #[test]
    fn noise_is_not_called_a_finding() {
        let (view, mut results) = synthetic::grid();
        for row in &mut results.metrics {
            let method = row.point.method.len() as u64;
            row.f1 = 0.4 + ((row.point.seed * 7 + method * 3) % 11) as f64 / 100.0;
        }
        let told = told(&view, &results);
        assert!(told.starts_with("In 8 tested comparisons"), "{told}");
        assert!(!told.contains("ignificantly"), "{told}");
    }

    #[test]
    fn too_little_is_said_to_be_too_little() {
        let (view, results) = synthetic::grid();
        let mut one_seed = view.clone();
        one_seed.jobs.retain(|job| job.point.seed == 1);
        assert!(told(&one_seed, &results).starts_with("There are too few finished seeds"));
        let nothing = told(&view, &Results::default());
        assert!(nothing.contains("60 of 60 jobs have no score"), "{nothing}");
    }
}
