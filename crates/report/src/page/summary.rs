//! The findings in words: only what a test supports, with its size and its limits.

mod panels;

pub use panels::over_panels;

use crate::leaders::{Leader, leaders};
use crate::page::problems::Counts;
use crate::tables::{Cell, Significance, cells, planned};
use analysis::cautions;
use analysis::comparison::{ALPHA, Comparison, Verdict, caution_of_few};
use analysis::number;
use analysis::{GridView, Panel, PlannedJob, Scoreboard, SeedsScored};
use domain::Spread;
use std::collections::BTreeSet;

/// More names than this are counted instead.
const MOST_NAMES: usize = 8;

/// How many comparisons came to which verdict.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdicts {
    pub better: usize,
    pub worse: usize,
    pub open: usize,
    pub untested: usize,
    /// Without a verdict, because one of the two never learned.
    pub untrained: usize,
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
            untrained: count(Verdict::Untrained),
        }
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
    let verdicts = Verdicts::of(tests);
    let (Verdicts { better, worse, open, untested, untrained }, tested) =
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

/// What was found for each model: the place, and what is to be said of it.
pub fn lines(view: &GridView, board: &Scoreboard, tests: &[Comparison]) -> Vec<(String, String)> {
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

/// What a reader must keep in mind.
pub fn cautions(view: &GridView, board: &Scoreboard, tests: &[Comparison]) -> Vec<String> {
    let mut cautions = Vec::new();
    if let Some((shown, all)) = view.selection() {
        let is_beside = |job: &&PlannedJob| !job.shown && view.is_baseline(&job.point.method);
        let beside = match view.shown_jobs().filter(is_beside).count() {
            0 => String::new(),
            n => format!(" and shown beside {} of the baseline", number::counted(n, "job")),
        };
        cautions.push(format!(
            "This is a part of the grid: {shown} of {} are selected{beside}. Corrections of tests are over all \
             jobs of the grid.",
            number::counted(all, "job")
        ));
    }
    let counts = Counts::of(view, board);
    if counts.done < counts.planned() {
        cautions.push(format!(
            "{} of {} have no score yet or failed; means and tests are over the ones that have.",
            counts.planned() - counts.done,
            number::counted(counts.planned(), "job")
        ));
    }
    let Verdicts { untested, untrained, .. } = Verdicts::of(tests);
    if untrained > 0 {
        cautions.push(format!(
            "{} no verdict: one of the two never learned (its best micro-F1 on dev is below 1 %), so that a \
             test would compare a method with no model. The differences are shown, without marks.",
            if untrained == 1 { "One comparison gets" } else { "Some comparisons get" }
        ));
    }
    if untested > 0 {
        cautions.push(format!(
            "{} could not be tested; the table of comparisons says why.",
            number::counted(untested, "comparison")
        ));
    }
    if tests.len() > untested + untrained {
        cautions.push(format!(
            "Differences are in percentage points. Tests are two-sided paired t-tests over {}, {}. That no \
             difference could be shown does not mean that there is none: few seeds find only differences \
             that are large against their spread.",
            seeds_tested(tests),
            level(view)
        ));
    }
    cautions.extend(caution_of_few(tests));
    cautions.extend(many_families(view, tests));
    cautions
}

/// Over how many pairs of seeds the tests are.
fn seeds_tested(tests: &[Comparison]) -> SeedsScored {
    let tested = tests.iter().filter(|c| c.verdict().is_of_a_test());
    SeedsScored::of(tested.map(|c| c.n))
}

/// That a correction holds within a family, and how many families there are.
fn many_families(view: &GridView, tests: &[Comparison]) -> Option<String> {
    let tested = tests.iter().filter(|c| c.verdict().is_of_a_test());
    let families: BTreeSet<_> = tested.map(|c| (&c.corpus, &c.scenario, &c.model)).collect();
    (families.len() > 1 && view.stopping.is_none()).then(|| {
        format!(
            "The correction holds within each of the {} combinations of corpus, scenario and model, not over \
             all of them together: if no method differed anywhere, up to about {} of them would still be \
             expected to show a difference.",
            families.len(),
            expected(families.len() as f64 * ALPHA)
        )
    })
}

/// A number of combinations with as many digits as it deserves.
fn expected(n: f64) -> String {
    if n < 10.0 { format!("{n:.1}") } else { format!("{n:.0}") }
}

/// What makes a difference significant.
fn level(view: &GridView) -> String {
    match &view.stopping {
        Some(stopping) => format!(
            "decided by the planned looks at {} seeds, which share the level {ALPHA} among the methods and \
             looks of one model",
            planned(stopping)
        ),
        None => format!("corrected after Holm for the methods of one model, at the level {ALPHA}"),
    }
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
        told + &cautions(view, &board, &tests).join("\n")
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
