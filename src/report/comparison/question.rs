//! Which methods are compared with which, and over which family the tests are corrected.

use super::Comparison;
use super::pair::{Resamples, Tested};
use crate::report::view::{GridView, Panel, Scoreboard};
use crate::stats::{self, Correction};

/// What is asked of the scores.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Question {
    pub pairing: Pairing,
    pub correction: Correction,
    pub detail: Detail,
}

/// How much is told of each comparison. What is resampled takes nearly all the time.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Detail {
    /// The test that verdicts go by, and what follows from the scores without resampling.
    Verdict,
    /// Also what tables show: the sign-flip test and the bootstrapped interval.
    Tables,
    /// Also standard errors and almost stochastic order.
    #[default]
    All,
}

/// Which methods are compared with which.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Pairing {
    /// Every other method with the grid's baseline.
    #[default]
    Baseline,
    /// These, the first of each with the second.
    Named(Vec<(String, String)>),
    /// Within each corpus, scenario and model the best with the next best: chosen after seeing.
    NextBest,
}

impl Question {
    /// What a family of tests is, in the words of the outputs.
    pub fn family(&self) -> &'static str {
        match self.pairing {
            Pairing::Baseline => {
                "methods other than the baseline, within one corpus, scenario and model"
            }
            Pairing::Named(_) => "named pairs of methods, within one corpus, scenario and model",
            Pairing::NextBest => {
                "pairs of methods that could have come out as best and next best, within one corpus, \
                 scenario and model"
            }
        }
    }

    /// Whether pairs are chosen because of their scores.
    pub fn is_chosen_after_seeing(&self) -> bool {
        self.pairing == Pairing::NextBest
    }

    /// Every comparison that is shown, in grid order.
    pub fn answers(&self, view: &GridView, board: &Scoreboard) -> Vec<Comparison> {
        let mut comparisons = Vec::new();
        let mut resamples = Resamples::default();
        for panel in view.panels() {
            for model in board.models(view, &panel) {
                comparisons.extend(self.of_family(view, board, (&panel, model), &mut resamples));
            }
        }
        comparisons
    }

    /// Tests the family, corrects over all of it, and finishes those of it that are shown.
    fn of_family(
        &self,
        view: &GridView,
        board: &Scoreboard,
        (panel, model): (&Panel, &str),
        resamples: &mut Resamples,
    ) -> Vec<Comparison> {
        let cell = |method: &str| board.planned(panel, model, method);
        let pairs = self.pairs(view, |method| !cell(method).seeds.is_empty());
        let mut tested: Vec<Tested> = pairs
            .iter()
            .map(|(a, b)| Tested::new(panel, model, (a, cell(a)), (b, cell(b))))
            .collect();
        correct(&mut tested, self.correction);
        let size = tested.len();
        let chosen = match self.pairing {
            Pairing::NextBest => best_two(view, |method| stats::mean(&cell(method).f1())),
            _ => None,
        };
        let shown = |tested: &Tested| match &self.pairing {
            Pairing::Baseline => cell(tested.method()).shown,
            Pairing::Named(_) => cell(tested.method()).shown || cell(tested.against()).shown,
            Pairing::NextBest => tested.is_of(chosen),
        };
        tested.retain(shown);
        let finish = |tested| self.finish(tested, view, (size, chosen), resamples);
        tested.into_iter().map(finish).collect()
    }

    fn finish(
        &self,
        tested: Tested,
        view: &GridView,
        (family, chosen): (usize, Option<(&str, &str)>),
        resamples: &mut Resamples,
    ) -> Comparison {
        let tested = match chosen {
            Some((best, _)) if tested.method() != best => tested.turned(),
            _ => tested,
        };
        let stopping = view.stopping.as_ref().filter(|_| !self.is_chosen_after_seeing());
        let looks = stopping.map(|stopping| (stopping, &*view.seeds, family));
        let mut comparison = tested.finish(looks, self.detail, resamples);
        comparison.family_size = family;
        comparison.chosen_after_seeing = self.is_chosen_after_seeing();
        comparison
    }

    /// The pairs of a family, of the methods that are planned in it.
    fn pairs<'a>(
        &'a self,
        view: &'a GridView,
        planned: impl Fn(&str) -> bool,
    ) -> Vec<(&'a str, &'a str)> {
        let methods = || view.methods.iter().map(String::as_str).filter(|method| planned(method));
        match &self.pairing {
            Pairing::Baseline => {
                let baseline = view.baseline.as_deref();
                let others = methods().filter(|method| Some(*method) != baseline);
                others.zip(std::iter::repeat(baseline)).filter_map(|(m, b)| Some((m, b?))).collect()
            }
            Pairing::Named(pairs) => {
                let named = pairs.iter().map(|(a, b)| (a.as_str(), b.as_str()));
                named.filter(|(a, b)| planned(a) || planned(b)).collect()
            }
            Pairing::NextBest => {
                let all: Vec<&str> = methods().collect();
                let after = |k: usize| all[k + 1..].iter().map(move |other| (k, *other));
                (0..all.len()).flat_map(after).map(|(k, other)| (all[k], other)).collect()
            }
        }
    }
}

/// The methods of the highest and the next highest mean; of equal ones the earlier in the grid.
fn best_two(view: &GridView, mean: impl Fn(&str) -> Option<f64>) -> Option<(&str, &str)> {
    let mut scored: Vec<(&str, f64)> =
        view.methods.iter().filter_map(|method| Some((method.as_str(), mean(method)?))).collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1));
    match scored[..] {
        [(best, _), (next, _), ..] => Some((best, next)),
        _ => None,
    }
}

/// Corrects over the family; an undefined test counts as p = 1 and stays undefined.
fn correct(tested: &mut [Tested], correction: Correction) {
    let p: Vec<f64> = tested.iter().map(|tested| tested.comparison.p.unwrap_or(1.0)).collect();
    let (holm, asked) = (Correction::Holm.adjust(&p), correction.adjust(&p));
    for (k, tested) in tested.iter_mut().enumerate() {
        let defined = tested.comparison.p.is_some();
        tested.comparison.p_holm = defined.then_some(holm[k]);
        tested.comparison.p_corrected = defined.then_some(asked[k]);
    }
}
