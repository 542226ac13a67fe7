//! Every method against the baseline, paired by seed.
//!
//! One family of tests is the methods other than the baseline on one corpus, scenario and model;
//! Holm's correction is over that family, also over those of its methods that are not shown: what a
//! reader selects to see changes no p-value. A pair is a seed for which both methods have a score; a
//! pair that is not whole is counted in `missing_pairs`. A test that is not defined (fewer than two
//! pairs, no variance) has no p-value and says why; in the correction it still counts as one test of
//! its family, with p = 1, so that it never makes the others look better.

use super::view::{Cell, GridView, Panel, Scoreboard, Standing};
use crate::stats;
use serde::Serialize;

/// What a family of tests is, in the words of the JSON output.
pub const FAMILY: &str = "methods other than the baseline, within one corpus, scenario and model";

/// The level below which a corrected p-value is called significant.
pub const ALPHA: f64 = 0.05;

/// One method against the baseline. Scores are fractions; `None` where a test is not defined.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Comparison {
    pub corpus: String,
    pub scenario: String,
    pub model: String,
    pub method: String,
    /// Whole pairs.
    pub n: usize,
    /// Over the whole pairs, as is the baseline's.
    pub mean: Option<f64>,
    pub baseline_mean: Option<f64>,
    pub difference: Option<f64>,
    /// 95 % confidence interval of the difference, from the t-distribution.
    pub ci_low: Option<f64>,
    pub ci_high: Option<f64>,
    pub t: Option<f64>,
    pub df: Option<usize>,
    pub p: Option<f64>,
    pub p_holm: Option<f64>,
    pub wilcoxon_p: Option<f64>,
    /// Cohen's d_z: mean of the differences over their standard deviation.
    pub effect_size: Option<f64>,
    pub missing_pairs: usize,
    /// Why there is no test, or what is odd about it, in words.
    pub remark: Option<String>,
}

/// What a comparison says.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Above the baseline, significant after correction.
    Better,
    /// Below the baseline, significant after correction.
    Worse,
    /// No difference could be shown.
    Open,
    /// There is no test.
    Untested,
}

impl Comparison {
    /// The verdict at [`ALPHA`].
    pub fn verdict(&self) -> Verdict {
        match (self.p_holm, self.difference) {
            (Some(p), Some(d)) if p < ALPHA && d > 0.0 => Verdict::Better,
            (Some(p), Some(d)) if p < ALPHA && d < 0.0 => Verdict::Worse,
            (Some(_), Some(_)) => Verdict::Open,
            _ => Verdict::Untested,
        }
    }

    /// Whether this is the comparison of that cell.
    pub fn is_of(&self, panel: &Panel, model: &str, method: &str) -> bool {
        self.corpus == panel.corpus
            && self.scenario == panel.scenario
            && self.model == model
            && self.method == method
    }
}

/// Every comparison that is shown, in grid order; none where there is no baseline.
pub fn compare(view: &GridView, board: &Scoreboard) -> Vec<Comparison> {
    let Some(baseline) = view.baseline.as_deref() else { return Vec::new() };
    let mut comparisons = Vec::new();
    for panel in view.panels() {
        for model in board.models(view, &panel) {
            comparisons.extend(family(view, board, &panel, model, baseline));
        }
    }
    comparisons
}

fn family(
    view: &GridView,
    board: &Scoreboard,
    panel: &Panel,
    model: &str,
    baseline: &str,
) -> Vec<Comparison> {
    let base = board.planned(panel, model, baseline);
    let mut comparisons: Vec<Comparison> = view
        .methods
        .iter()
        .filter(|method| *method != baseline)
        .map(|method| (method, board.planned(panel, model, method)))
        .filter(|(_, cell)| !cell.seeds.is_empty())
        .map(|(method, cell)| compare_cells(panel, model, method, cell, base))
        .collect();
    correct(&mut comparisons);
    comparisons.retain(|c| board.planned(panel, model, &c.method).shown);
    comparisons
}

/// Holm's correction; an undefined test counts as p = 1 and stays undefined.
fn correct(comparisons: &mut [Comparison]) {
    let p: Vec<f64> = comparisons.iter().map(|c| c.p.unwrap_or(1.0)).collect();
    for (comparison, adjusted) in comparisons.iter_mut().zip(stats::holm(&p)) {
        comparison.p_holm = comparison.p.map(|_| adjusted);
    }
}

fn compare_cells(panel: &Panel, model: &str, method: &str, cell: &Cell, base: &Cell) -> Comparison {
    let pairs = pairs(cell, base);
    let mut comparison = Comparison {
        corpus: panel.corpus.clone(),
        scenario: panel.scenario.clone(),
        model: model.to_owned(),
        method: method.to_owned(),
        n: pairs.len(),
        missing_pairs: cell.seeds.len() - pairs.len(),
        mean: None,
        baseline_mean: None,
        difference: None,
        ci_low: None,
        ci_high: None,
        t: None,
        df: None,
        p: None,
        p_holm: None,
        wilcoxon_p: None,
        effect_size: None,
        remark: None,
    };
    if let Some(reason) = &base.not_applicable {
        comparison.remark = Some(format!("the baseline does not apply here: {reason}"));
    } else if pairs.is_empty() {
        comparison.remark = Some("no seed has a score for both methods".to_owned());
    } else {
        test(&mut comparison, &pairs);
    }
    comparison
}

/// Score and baseline score of every seed that has both.
fn pairs(cell: &Cell, base: &Cell) -> Vec<(f64, f64)> {
    let scored = cell.scores();
    scored
        .filter_map(|(seed, score)| match base.seeds.get(&seed) {
            Some(Standing::Done(other)) => Some((score.f1, other.f1)),
            _ => None,
        })
        .collect()
}

/// Fills in means and tests; there is at least one pair.
fn test(comparison: &mut Comparison, pairs: &[(f64, f64)]) {
    let (scores, base): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let differences: Vec<f64> = pairs.iter().map(|(a, b)| a - b).collect();
    comparison.mean = stats::mean(&scores);
    comparison.baseline_mean = stats::mean(&base);
    comparison.difference = stats::mean(&differences);
    let Some(t) = stats::paired_t(&differences) else {
        comparison.remark = Some("one pair is too few for a test".to_owned());
        return;
    };
    comparison.ci_low = Some(t.ci_low).filter(|_| !t.zero_variance);
    comparison.ci_high = Some(t.ci_high).filter(|_| !t.zero_variance);
    comparison.t = t.t;
    comparison.df = t.t.map(|_| t.df);
    comparison.p = t.p;
    comparison.effect_size = stats::cohens_dz(&differences);
    comparison.wilcoxon_p = stats::wilcoxon(&differences).map(|w| w.p);
    if t.zero_variance {
        comparison.remark = Some(no_variance(t.p.is_some()).to_owned());
    }
}

/// All differences are equal, so t is not defined: nothing speaks against equality where they are
/// all zero, and no probability can be given where they are not.
fn no_variance(all_zero: bool) -> &'static str {
    match all_zero {
        true => "every seed gives the baseline's score exactly",
        false => "every seed differs by the same amount: without variance t is not defined",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Metric;
    use crate::report::synthetic;
    use crate::store::{Results, Status};

    fn compared(view: &GridView, results: &Results) -> Vec<Comparison> {
        compare(view, &Scoreboard::new(view, results, Metric::MacroF1))
    }

    fn set_f1(results: &mut Results, method: &str, f1: impl Fn(u64) -> f64) {
        for row in results.metrics.iter_mut().filter(|r| r.point.method == method) {
            row.f1 = f1(row.point.seed);
        }
    }

    #[test]
    fn every_method_is_compared_once_for_every_model() {
        let (view, results) = synthetic::grid();
        let comparisons = compared(&view, &results);
        assert_eq!(comparisons.len(), 2 * 5);
        assert!(comparisons.iter().all(|c| c.n == 5 && c.missing_pairs == 0));
        assert!(comparisons.iter().all(|c| c.method != "original"));
    }

    #[test]
    fn numbers_agree_with_scipy() {
        // tests/vectors/stats.json, first paired case: ttest_rel, wilcoxon (exact), Cohen's d_z.
        let a = [80.0, 80.9, 79.18, 77.33, 78.64];
        let b = [81.19, 80.83, 77.57, 77.92, 79.38];
        let (view, mut results) = synthetic::grid();
        set_f1(&mut results, "original", |seed| b[seed as usize - 1]);
        set_f1(&mut results, "sc", |seed| a[seed as usize - 1]);
        let comparisons = compared(&view, &results);
        let sc = comparisons.iter().find(|c| c.method == "sc").expect("sc is in the grid");
        let near = |x: Option<f64>, y: f64| assert!((x.unwrap_or(f64::NAN) - y).abs() < 1e-8);
        near(sc.t, -0.34408895342090184);
        near(sc.p, 0.7481070270260469);
        near(sc.ci_low, -1.5235877718127273);
        near(sc.ci_high, 1.1875877718127372);
        near(sc.wilcoxon_p, 0.8125);
        near(sc.effect_size, -0.15388125803118433);
    }

    #[test]
    fn a_failed_seed_is_a_missing_pair_and_not_dropped_in_silence() {
        let (view, mut results) = synthetic::grid();
        let run = results.runs.iter_mut().find(|r| r.point.method == "original");
        run.expect("the baseline ran").status = Status::Failed;
        let comparisons = compared(&view, &results);
        let short: Vec<_> = comparisons.iter().filter(|c| c.missing_pairs == 1).collect();
        assert_eq!(short.len(), 5);
        assert!(short.iter().all(|c| c.n == 4));
    }

    #[test]
    fn equal_scores_have_p_one_and_a_constant_shift_has_no_test() {
        let (view, mut results) = synthetic::grid();
        set_f1(&mut results, "original", |seed| 0.5 + seed as f64 / 64.0);
        set_f1(&mut results, "sc", |seed| 0.5 + seed as f64 / 64.0);
        set_f1(&mut results, "scr", |seed| 0.75 + seed as f64 / 64.0);
        let comparisons = compared(&view, &results);
        let of = |method| comparisons.iter().find(|c| c.method == method).expect("in the grid");
        assert_eq!((of("sc").p, of("sc").difference, of("sc").t), (Some(1.0), Some(0.0), None));
        assert_eq!((of("scr").p, of("scr").p_holm), (None, None));
        assert_eq!(of("scr").verdict(), Verdict::Untested);
        assert!(of("scr").remark.is_some());
    }

    #[test]
    fn one_pair_gives_a_difference_and_no_test() {
        let (mut view, results) = synthetic::grid();
        view.jobs.retain(|job| job.point.seed == 1);
        let comparisons = compared(&view, &results);
        assert!(comparisons.iter().all(|c| c.n == 1 && c.difference.is_some() && c.p.is_none()));
    }

    #[test]
    fn a_selection_changes_no_number_and_keeps_the_baseline_to_compare_with() {
        let (view, results) = synthetic::grid();
        let whole = compared(&view, &results);
        for methods in [&["scr", "original"][..], &["scr"]] {
            let chosen = synthetic::showing(view.clone(), |point| {
                methods.contains(&point.method.as_str()) && point.model == "bilstm-softmax"
            });
            let expected =
                whole.iter().filter(|c| c.method == "scr" && c.model != "shallow-softmax");
            assert_eq!(compared(&chosen, &results), expected.cloned().collect::<Vec<_>>());
        }
        let scr = whole.iter().find(|c| c.method == "scr").expect("in the grid");
        assert!(scr.p_holm > scr.p, "the correction does nothing here");
    }

    #[test]
    fn an_undefined_test_still_counts_in_its_family() {
        let (view, mut results) = synthetic::grid();
        let all = compared(&view, &results);
        let first = all.iter().find(|c| c.method == "focal").and_then(|c| c.p).expect("tested");
        set_f1(&mut results, "original", |seed| 0.5 + (seed % 3) as f64 / 64.0);
        for method in ["sc", "scr", "scrd", "nscrd"] {
            set_f1(&mut results, method, |seed| 0.75 + (seed % 3) as f64 / 64.0);
        }
        let focal = compared(&view, &results).into_iter().find(|c| c.method == "focal");
        let focal = focal.expect("in the grid");
        let (p, p_holm) = (focal.p.expect("tested"), focal.p_holm.expect("tested"));
        assert!((p_holm - (5.0 * p).min(1.0)).abs() < 1e-12, "{p} {p_holm} {first}");
    }
}
