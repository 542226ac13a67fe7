//! Which methods are compared with which, and over which family the tests are corrected.

use super::Comparison;
use super::pair::{Resamples, Side, Tested};
use crate::cautions::Caution;
use crate::view::{GridView, Panel, Scoreboard};
use domain::Contender;
use stats::{self, Correction};

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
    Named(Vec<[Contender; 2]>),
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
            Pairing::Named(_) if self.is_across_models() => {
                "named pairs of methods, of all models together, within one corpus and scenario"
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

    /// Whether a named pair names a model: then no model is a family of its own.
    pub fn is_across_models(&self) -> bool {
        let Pairing::Named(pairs) = &self.pairing else { return false };
        pairs.iter().flatten().any(|contender| contender.model.is_some())
    }

    /// Every comparison that is shown, in grid order.
    pub fn answers(&self, view: &GridView, board: &Scoreboard) -> Vec<Comparison> {
        let mut resamples = Resamples::default();
        let panels = view.panels();
        panels
            .iter()
            .flat_map(|panel| self.of_panel((view, board), panel, &mut resamples))
            .collect()
    }

    /// Those of one corpus and scenario.
    pub fn answers_on(
        &self,
        panel: &Panel,
        view: &GridView,
        board: &Scoreboard,
    ) -> Vec<Comparison> {
        self.of_panel((view, board), panel, &mut Resamples::default())
    }

    fn of_panel(
        &self,
        grid: (&GridView, &Scoreboard),
        panel: &Panel,
        resamples: &mut Resamples,
    ) -> Vec<Comparison> {
        let (view, board) = grid;
        let is_planned =
            |side: Side<'_>| !board.planned(panel, side.model, side.method).seeds.is_empty();
        if let Pairing::Named(pairs) = &self.pairing
            && self.is_across_models()
        {
            let pairs = across(view, pairs, is_planned);
            return self.of_family(grid, panel, &pairs, resamples);
        }
        let mut comparisons = Vec::new();
        for model in board.models(view, panel) {
            let pairs = self.pairs(view, |method| is_planned(Side { model, method }));
            let pairs: Vec<[Side<'_>; 2]> = pairs
                .into_iter()
                .map(|(a, b)| [Side { model, method: a }, Side { model, method: b }])
                .collect();
            comparisons.extend(self.of_family(grid, panel, &pairs, resamples));
        }
        comparisons
    }

    /// Tests the family, corrects over all of it, and finishes those of it that are shown.
    fn of_family(
        &self,
        (view, board): (&GridView, &Scoreboard),
        panel: &Panel,
        pairs: &[[Side<'_>; 2]],
        resamples: &mut Resamples,
    ) -> Vec<Comparison> {
        let cell = |side: Side<'_>| board.planned(panel, side.model, side.method);
        let test = |[a, b]: &[Side<'_>; 2]| Tested::new(panel, (*a, cell(*a)), (*b, cell(*b)));
        let mut tested: Vec<Tested> = pairs.iter().map(test).collect();
        correct(&mut tested, self.correction);
        let size = tested.len();
        let chosen = match (&self.pairing, pairs.first()) {
            (Pairing::NextBest, Some([Side { model, .. }, _])) => {
                best_two(view, |method| stats::mean(&cell(Side { model, method }).f1()))
            }
            _ => None,
        };
        let shown = |tested: &Tested| {
            let [side, other] = tested.sides();
            match &self.pairing {
                Pairing::Baseline => cell(side).shown,
                Pairing::Named(_) => cell(side).shown || cell(other).shown,
                Pairing::NextBest => tested.is_of(chosen),
            }
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
            Some((best, _)) if tested.sides()[0].method != best => tested.turned(),
            _ => tested,
        };
        let stopping = view.stopping.as_ref().filter(|_| !self.is_chosen_after_seeing());
        let looks = stopping.map(|stopping| (stopping, &*view.seeds, family));
        let mut comparison = tested.finish(looks, self.detail, resamples);
        comparison.family_size = family;
        if self.pairing == Pairing::Baseline {
            comparison.cautions.iter_mut().for_each(Caution::name_baseline);
        }
        comparison.chosen_after_seeing = self.is_chosen_after_seeing();
        comparison
    }

    /// The pairs of a model's family, of the methods that are planned in it.
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
                let named = pairs.iter().map(|[a, b]| (a.method.as_str(), b.method.as_str()));
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

/// The pairs of a corpus and scenario, whatever their models, each once. A method that names no
/// model is meant in every model: with the other one there, or, where that names its own, with that
/// one.
fn across<'a>(
    view: &'a GridView,
    pairs: &'a [[Contender; 2]],
    planned: impl Fn(Side<'_>) -> bool,
) -> Vec<[Side<'a>; 2]> {
    let with = |of: &'a Contender, model: &'a str| Side { model, method: &of.method };
    let planned_sides = |of: &'a Contender| -> Vec<Side<'a>> {
        match &of.model {
            Some(model) => vec![with(of, model)],
            None => view.models.iter().map(|m| with(of, m)).filter(|s| planned(*s)).collect(),
        }
    };
    let mut found: Vec<[Side<'a>; 2]> = Vec::new();
    for [a, b] in pairs {
        let sides: Vec<[Side<'a>; 2]> = match (&a.model, &b.model) {
            (None, None) => view.models.iter().map(|m| [with(a, m), with(b, m)]).collect(),
            _ => {
                let others = planned_sides(b);
                let beside = |side: Side<'a>| others.iter().map(move |other| [side, *other]);
                planned_sides(a).into_iter().flat_map(beside).collect()
            }
        };
        for pair in sides {
            let [a, b] = pair;
            let is_new = a != b && !found.contains(&pair) && !found.contains(&[b, a]);
            if is_new && pair.iter().any(|side| planned(*side)) {
                found.push(pair);
            }
        }
    }
    found
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
