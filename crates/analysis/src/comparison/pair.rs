//! One comparison: two cells of scores, paired by seed, and every test of them.

use super::sequential::{Levels, Pair, take_looks};
use super::{Comparison, Detail, MissingPair};
use crate::cautions::{self, Training};
use crate::view::{Panel, SeedCell, SeedStanding};
use domain::Stopping;
use std::collections::{BTreeSet, HashMap};

/// The seed of every resampling: the same scores give the same numbers.
const SEED: u64 = 1;

/// The level of the bound of almost stochastic order.
const CONFIDENCE: f64 = 0.95;

/// The samples of intervals, drawn once for each number of pairs.
#[derive(Default)]
pub(super) struct Resamples(HashMap<usize, Option<stats::Bootstrap>>);

impl Resamples {
    fn of(&mut self, pairs: usize) -> Option<&stats::Bootstrap> {
        let drawn = || stats::Bootstrap::new(pairs, stats::RESAMPLES, SEED);
        self.0.entry(pairs).or_insert_with(drawn).as_ref()
    }
}

/// A model with a method: one of two that are compared.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Side<'a> {
    pub model: &'a str,
    pub method: &'a str,
}

impl Side<'_> {
    /// The method, with its model where the other has another one.
    fn beside(self, other: Side<'_>) -> String {
        match self.model == other.model {
            true => self.method.to_owned(),
            false => format!("{}/{}", self.model, self.method),
        }
    }
}

/// A comparison that is tested but not yet finished: families are corrected over cheap tests, and
/// the dear ones are for those that are shown.
pub(super) struct Tested<'a> {
    pub comparison: Comparison,
    cells: [&'a SeedCell; 2],
    /// Both scores of every whole pair, in the order of seeds.
    pairs: Vec<(f64, f64)>,
}

impl<'a> Tested<'a> {
    /// Pairs the scores of two sides and tests them.
    pub fn new(
        panel: &Panel,
        (side, cell): (Side<'_>, &'a SeedCell),
        (other, base): (Side<'_>, &'a SeedCell),
    ) -> Self {
        let pairs = pairs(cell, base);
        let names = [side.beside(other), other.beside(side)];
        let named = [(names[0].as_str(), cell), (names[1].as_str(), base)];
        let trained = [training(cell, base), training(base, cell)];
        let missing = missing(named[0], named[1]);
        let mut comparison = untested(panel, [side, other], &trained, missing, pairs.len());
        match named.iter().find_map(not_applicable) {
            Some(remark) => comparison.remark = Some(remark),
            None if pairs.is_empty() => {
                comparison.remark = Some("no seed has a score for both methods".to_owned());
            }
            None => test(&mut comparison, &pairs),
        }
        Self { comparison, cells: [cell, base], pairs }
    }

    /// Who is compared with whom.
    pub fn sides(&self) -> [Side<'_>; 2] {
        let Comparison { model, method, against, against_model, .. } = &self.comparison;
        [Side { model, method }, Side { model: against_model, method: against }]
    }

    /// Whether these two methods are compared, whichever with the other.
    pub fn is_of(&self, pair: Option<(&str, &str)>) -> bool {
        let [own, other] = self.sides();
        let own = (own.method, other.method);
        pair.is_some_and(|(a, b)| own == (a, b) || own == (b, a))
    }

    /// The same comparison seen from the other method.
    pub fn turned(self) -> Self {
        let Comparison { corpus, scenario, .. } = &self.comparison;
        let panel = Panel { corpus: corpus.clone(), scenario: scenario.clone() };
        let ([cell, base], [side, other]) = (self.cells, self.sides());
        let mut turned = Self::new(&panel, (other, base), (side, cell));
        turned.comparison.p_holm = self.comparison.p_holm;
        turned.comparison.p_corrected = self.comparison.p_corrected;
        turned
    }

    /// Adds what takes resampling, and the verdict of planned looks: the plan, the grid's seeds,
    /// and how many tests the family has.
    pub fn finish(
        mut self,
        looks: Option<(&Stopping, &[u64], usize)>,
        detail: Detail,
        resamples: &mut Resamples,
    ) -> Comparison {
        if detail >= Detail::Tables {
            resample(&mut self.comparison, &self.pairs, resamples);
        }
        if detail >= Detail::All {
            further(&mut self.comparison, &self.pairs);
        }
        if let Some((stopping, seeds, family)) = looks {
            let pair = |seed| Pair::of(self.cells, seed);
            let found = take_looks(&mut Levels::new(stopping), seeds, family, pair);
            self.comparison.sequential = Some(found);
        }
        self.comparison
    }
}

/// Why one of the two cannot be compared here at all.
fn not_applicable((method, cell): &(&str, &SeedCell)) -> Option<String> {
    let reason = cell.not_applicable.as_ref()?;
    Some(format!("{method} does not apply here: {reason}"))
}

/// Both scores of every seed that has both.
fn pairs(cell: &SeedCell, base: &SeedCell) -> Vec<(f64, f64)> {
    let scored = cell.scores();
    scored
        .filter_map(|(seed, score)| match base.seeds.get(&seed) {
            Some(SeedStanding::Done(other)) => Some((score.f1, other.f1)),
            _ => None,
        })
        .collect()
}

/// A comparison without its tests.
fn untested(
    panel: &Panel,
    [side, other]: [Side<'_>; 2],
    trained: &[Training; 2],
    missing: Vec<MissingPair>,
    n: usize,
) -> Comparison {
    let budget = |training: &Training| training.budget().map(|mean| mean.round() as u64);
    let sides = [(side.model, side.method), (other.model, other.method)];
    Comparison {
        corpus: panel.corpus.clone(),
        scenario: panel.scenario.clone(),
        model: side.model.to_owned(),
        method: side.method.to_owned(),
        against: other.method.to_owned(),
        against_model: other.model.to_owned(),
        n,
        missing_pairs: missing.len(),
        missing,
        budget: budget(&trained[0]),
        baseline_budget: budget(&trained[1]),
        verdicts: trained[0].verdicts(),
        baseline_verdicts: trained[1].verdicts(),
        cautions: cautions::between(sides, &trained[0], &trained[1]),
        mean: None,
        baseline_mean: None,
        mean_se: None,
        baseline_mean_se: None,
        difference: None,
        difference_sd: None,
        ci_low: None,
        ci_high: None,
        bca_low: None,
        bca_high: None,
        t: None,
        df: None,
        p: None,
        p_holm: None,
        p_corrected: None,
        family_size: 1,
        permutation_p: None,
        wilcoxon_p: None,
        effect_size: None,
        hedges_g: None,
        aso_epsilon: None,
        chosen_after_seeing: false,
        sequential: None,
        remark: None,
    }
}

/// How the seeds of a cell that are paired with the other's were trained.
fn training(cell: &SeedCell, other: &SeedCell) -> Training {
    let is_paired = |seed: &u64| {
        [cell, other].iter().all(|cell| matches!(cell.seeds.get(seed), Some(SeedStanding::Done(_))))
    };
    let paired = cell.trained.iter().filter(|(seed, _)| is_paired(seed));
    Training::new(paired.map(|(_, trained)| *trained))
}

/// The seeds of either that do not have both scores, with the reason.
fn missing(one: (&str, &SeedCell), other: (&str, &SeedCell)) -> Vec<MissingPair> {
    let seeds: BTreeSet<u64> = one.1.seeds.keys().chain(other.1.seeds.keys()).copied().collect();
    let of_seed = |seed: u64| {
        let reasons: Vec<String> =
            [one, other].iter().filter_map(|(method, cell)| absence(method, cell, seed)).collect();
        (!reasons.is_empty()).then(|| MissingPair { seed, reason: reasons.join(", ") })
    };
    seeds.into_iter().filter_map(of_seed).collect()
}

fn absence(method: &str, cell: &SeedCell, seed: u64) -> Option<String> {
    match cell.seeds.get(&seed) {
        Some(SeedStanding::Done(_)) => None,
        Some(SeedStanding::Failed(_)) => Some(format!("{method} failed")),
        Some(SeedStanding::Missing) => Some(format!("{method} has not run")),
        Some(SeedStanding::Decided) => Some(format!("{method} was not run: a look had decided")),
        None => Some(format!("{method} is not planned")),
    }
}

/// Fills in means and tests; there is at least one pair.
fn test(comparison: &mut Comparison, pairs: &[(f64, f64)]) {
    let (scores, base): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let differences = differences(pairs);
    comparison.mean = stats::mean(&scores);
    comparison.baseline_mean = stats::mean(&base);
    comparison.difference = stats::mean(&differences);
    let Some(t) = stats::paired_t(&differences) else {
        comparison.remark = Some("one pair is too few for a test".to_owned());
        return;
    };
    comparison.ci_low = Some(t.ci_low).filter(|_| !t.zero_variance);
    comparison.ci_high = Some(t.ci_high).filter(|_| !t.zero_variance);
    comparison.difference_sd = Some(t.sd);
    comparison.t = t.t;
    comparison.df = t.t.map(|_| t.df);
    comparison.p = t.p;
    comparison.effect_size = stats::cohens_dz(&differences);
    comparison.hedges_g = stats::hedges_gz(&differences);
    comparison.wilcoxon_p = stats::wilcoxon(&differences).map(|w| w.p);
    if t.zero_variance {
        comparison.remark = Some(no_variance(t.p.is_some()).to_owned());
    }
}

/// Fills in what tables show of resampling. One pair has no spread to resample.
fn resample(comparison: &mut Comparison, pairs: &[(f64, f64)], resamples: &mut Resamples) {
    if pairs.len() < 2 {
        return;
    }
    let differences = differences(pairs);
    comparison.permutation_p = stats::sign_flip(&differences, SEED).map(|found| found.p);
    let enough =
        Some(&differences).filter(|d| d.len() >= stats::LEAST_FOR_BCA && comparison.t.is_some());
    let interval = enough.and_then(|d| resamples.of(d.len())?.bca_interval(d));
    comparison.bca_low = interval.map(|[low, _]| low);
    comparison.bca_high = interval.map(|[_, high]| high);
}

/// Fills in the rest of it.
fn further(comparison: &mut Comparison, pairs: &[(f64, f64)]) {
    if pairs.len() < 2 {
        return;
    }
    let (scores, base): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let error =
        |scores: &[f64]| stats::bootstrap_standard_error(scores, stats::ERROR_RESAMPLES, SEED);
    comparison.mean_se = error(&scores);
    comparison.baseline_mean_se = error(&base);
    let order =
        stats::almost_stochastic_order(&scores, &base, CONFIDENCE, stats::ERROR_RESAMPLES, SEED);
    comparison.aso_epsilon = order.map(|order| order.epsilon_min);
}

fn differences(pairs: &[(f64, f64)]) -> Vec<f64> {
    pairs.iter().map(|(a, b)| a - b).collect()
}

/// All differences are equal, so t is not defined: nothing speaks against equality where they are
/// all zero, and no probability can be given where they are not.
fn no_variance(all_zero: bool) -> &'static str {
    match all_zero {
        true => "every seed gives both methods the same score",
        false => "every seed differs by the same amount: without variance t is not defined",
    }
}
