//! What a reader of the findings must keep in mind: what is missing, what was tested, and how.

use super::ComparisonCounts;
use crate::page::problems::JobCounts;
use crate::tables::planned;
use analysis::comparison::{ALPHA, Comparison, caution_of_few};
use analysis::number;
use analysis::{GridView, PlannedJob, Scoreboard, SeedsScored};
use std::collections::BTreeSet;

/// What a reader must keep in mind.
pub fn limits(view: &GridView, board: &Scoreboard, tests: &[Comparison]) -> Vec<String> {
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
    let counts = JobCounts::of(view, board);
    if counts.done < counts.planned() {
        cautions.push(format!(
            "{} of {} have no score yet or failed; means and tests are over the ones that have.",
            counts.planned() - counts.done,
            number::counted(counts.planned(), "job")
        ));
    }
    let ComparisonCounts { untested, untrained, .. } = ComparisonCounts::of(tests);
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
