//! Two methods, or models with methods, against each other, paired by corpus, scenario and seed.
//!
//! A pair is a seed for which both methods have a score; a pair that is not whole is listed in
//! `missing`. Tests are corrected over a family, also over those of its members that are not shown:
//! what a reader selects to see changes no p-value. A test that is not defined (fewer than two
//! pairs, no variance) has no p-value and says why; in the correction it still counts as one test
//! of its family, with p = 1, so that it never makes the others look better.

mod across;
mod pair;
mod question;
mod rows;
mod sequential;

pub use across::{AcrossCorpora, LeftOut, RankedMethod, across_corpora};
pub use question::{Detail, Pairing, Question};
pub use rows::comparison_rows;
pub use sequential::{
    Levels, LooksVerdict, Pair, Sequential, SequentialLook, SkippedLook, WholePair, take_looks,
};

use super::cautions::Caution;
use super::view::{GridView, Panel, Scoreboard};
use domain::VerdictCounts;
use serde::Serialize;

/// The level below which a corrected p-value is called significant.
pub const ALPHA: f64 = 0.05;

/// The level below which it is called strongly so: the doubled mark of tables.
pub const STRONG: f64 = 0.01;

/// What every output says of a pair that was chosen because of its scores.
pub const CHOSEN_AFTER_SEEING: &str =
    "Chosen after seeing the scores: the uncorrected p is that of no planned test.";

/// One method against another. Scores are fractions; `None` where a number is not defined.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Comparison {
    pub corpus: String,
    pub scenario: String,
    pub model: String,
    pub method: String,
    /// The other method: the baseline, unless another pair was asked for.
    pub against: String,
    /// The other's model: the same, unless a pair across models was asked for.
    pub against_model: String,
    /// Whole pairs.
    pub n: usize,
    /// Over the whole pairs, as is the other's.
    pub mean: Option<f64>,
    pub baseline_mean: Option<f64>,
    /// Bootstrapped standard errors of the two means.
    pub mean_se: Option<f64>,
    pub baseline_mean_se: Option<f64>,
    pub difference: Option<f64>,
    /// Of the differences (divisor n - 1).
    pub difference_sd: Option<f64>,
    /// 95 % confidence interval of the difference, from the t-distribution.
    pub ci_low: Option<f64>,
    pub ci_high: Option<f64>,
    /// The same by the BCa bootstrap, where there are enough pairs for it.
    pub bca_low: Option<f64>,
    pub bca_high: Option<f64>,
    pub t: Option<f64>,
    pub df: Option<usize>,
    pub p: Option<f64>,
    pub p_holm: Option<f64>,
    /// By the correction that was asked for; the verdict is by this one.
    pub p_corrected: Option<f64>,
    /// Tests that the corrections are over.
    pub family_size: usize,
    /// Of the sign-flip test, uncorrected as Wilcoxon's.
    pub permutation_p: Option<f64>,
    pub wilcoxon_p: Option<f64>,
    /// Cohen's d_z: mean of the differences over their standard deviation.
    pub effect_size: Option<f64>,
    /// d_z without its bias in small samples.
    pub hedges_g: Option<f64>,
    /// The upper bound of the violation of "this method is stochastically larger", not paired.
    pub aso_epsilon: Option<f64>,
    pub missing_pairs: usize,
    pub missing: Vec<MissingPair>,
    /// The mean number of optimiser steps that a seed of the pairs was allowed, and a seed of the
    /// other; none of full-batch training.
    pub budget: Option<u64>,
    pub baseline_budget: Option<u64>,
    /// How the trainings of the pairs ended, of the method and of the other.
    #[serde(rename = "verdict")]
    pub verdicts: VerdictCounts,
    #[serde(rename = "baseline_verdict")]
    pub baseline_verdicts: VerdictCounts,
    /// What is wrong with the training of either, the gravest first.
    pub cautions: Vec<Caution>,
    /// The pair was chosen because of its scores, so that no p-value of it is that of a planned
    /// test.
    pub chosen_after_seeing: bool,
    /// The verdict of planned looks, where the grid has `stopping`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequential: Option<Sequential>,
    /// Why there is no test, or what is odd about it, in words.
    pub remark: Option<String>,
}

/// A seed that one of two methods has no score for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct MissingPair {
    pub seed: u64,
    pub reason: String,
}

/// What a comparison says.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Above the other, significant after correction.
    Better,
    /// Below the other, significant after correction.
    Worse,
    /// No difference could be shown.
    Open,
    /// There is no test.
    Untested,
    /// One of the two never learned: a test would compare a method with no model.
    Untrained,
}

impl Verdict {
    /// Whether a test came to it.
    pub fn is_of_a_test(self) -> bool {
        !matches!(self, Verdict::Untested | Verdict::Untrained)
    }
}

impl Comparison {
    /// The verdict at [`ALPHA`]; where looks are planned it is theirs, as a test at every glance is
    /// none at that level.
    pub fn verdict(&self) -> Verdict {
        if self.never_learned() {
            return Verdict::Untrained;
        }
        if let Some(planned) = &self.sequential {
            return planned.verdict.into();
        }
        match (self.p_corrected, self.difference) {
            (Some(p), Some(d)) if p < ALPHA && d > 0.0 => Verdict::Better,
            (Some(p), Some(d)) if p < ALPHA && d < 0.0 => Verdict::Worse,
            (Some(_), Some(_)) => Verdict::Open,
            _ => Verdict::Untested,
        }
    }

    /// Whether one of the two never learned.
    pub fn never_learned(&self) -> bool {
        self.cautions.iter().any(Caution::forbids_a_verdict)
    }

    /// Whether the verdict is strong. Planned looks know one level, so theirs never is.
    pub fn is_strong(&self) -> bool {
        self.sequential.is_none() && self.p_corrected.is_some_and(|p| p < STRONG)
    }

    /// What stands beside the difference: `*` above and `†` below, twice where the verdict is
    /// strong.
    pub fn mark(&self) -> &'static str {
        match (self.verdict(), self.is_strong()) {
            (Verdict::Better, false) => "*",
            (Verdict::Better, true) => "**",
            (Verdict::Worse, false) => "†",
            (Verdict::Worse, true) => "††",
            (Verdict::Open | Verdict::Untested | Verdict::Untrained, _) => "",
        }
    }

    /// Whether this is a comparison on that panel.
    pub fn is_on(&self, panel: &Panel) -> bool {
        self.corpus == panel.corpus && self.scenario == panel.scenario
    }

    /// Whether this is the comparison of that cell.
    pub fn is_of(&self, panel: &Panel, model: &str, method: &str) -> bool {
        self.is_on(panel) && self.model == model && self.method == method
    }

    /// The other method, with its model where that is another one.
    pub fn against_in_words(&self) -> String {
        match self.model == self.against_model {
            true => self.against.clone(),
            false => format!("{}/{}", self.against_model, self.against),
        }
    }

    /// The missing pairs by reason, as `seeds 2, 3 (sc failed)`; `None` where there are none.
    pub fn missing_in_words(&self) -> Option<String> {
        let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
        for pair in &self.missing {
            match reasons.iter_mut().find(|(reason, _)| *reason == pair.reason) {
                Some((_, seeds)) => seeds.push(pair.seed.to_string()),
                None => reasons.push((&pair.reason, vec![pair.seed.to_string()])),
            }
        }
        let words = |(reason, seeds): &(&str, Vec<String>)| {
            let noun = if seeds.len() == 1 { "seed" } else { "seeds" };
            format!("{noun} {} ({reason})", seeds.join(", "))
        };
        let words: Vec<String> = reasons.iter().map(words).collect();
        (!words.is_empty()).then(|| words.join("; "))
    }
}

/// Every method against the baseline, corrected by Holm, with all there is to tell.
pub fn compare(view: &GridView, board: &Scoreboard) -> Vec<Comparison> {
    Question::default().answers(view, board)
}

/// The same with as much as is shown.
pub fn compare_in(detail: Detail, view: &GridView, board: &Scoreboard) -> Vec<Comparison> {
    Question { detail, ..Question::default() }.answers(view, board)
}

/// The smallest p that Wilcoxon's test and the sign-flip test can give for `n` pairs.
pub fn least_p_by_signs(n: usize) -> f64 {
    2f64.powi(1 - n.min(1000) as i32)
}

/// Fewer pairs than this are few.
pub const FEW: usize = 5;

/// What the t-tests over few pairs lean on; `None` where every test has pairs enough.
pub fn caution_of_few<'a>(tests: impl IntoIterator<Item = &'a Comparison>) -> Option<String> {
    let tested = tests.into_iter().filter(|c| c.verdict().is_of_a_test());
    let least = tested.map(|c| c.n).min()?;
    (least < FEW).then(|| {
        format!(
            "Some tests are over no more than {least} seeds: with so few a t-test relies on differences that \
             are normally distributed, and its verdicts are hints rather than findings."
        )
    })
}

#[cfg(test)]
mod tests;
