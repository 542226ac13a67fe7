//! How many seeds a verdict needs.
//!
//! The effect is the mean difference in standard deviations of the differences: the observed one
//! without its small-sample bias, or a difference that is asked for over the observed standard
//! deviation. The level of a test is the level of its family over the family's size, which is what
//! Holm's correction asks of the first of its tests: a verdict needs no fewer seeds than this.

use super::cautions::{self, Caution};
use super::comparison::Comparison;
use serde::Serialize;

/// What a verdict shall have.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Wanted {
    /// The probability that a difference of this effect is shown.
    pub power: f64,
    /// The level of a family of tests.
    pub alpha: f64,
    /// A difference of scores, as a fraction; the observed one where it is not given.
    pub effect: Option<f64>,
}

/// What a comparison needs. Scores are fractions; `None` where a number is not defined.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Need {
    pub corpus: String,
    pub scenario: String,
    pub model: String,
    pub method: String,
    /// Whole pairs.
    pub n: usize,
    /// What is wrong with the training of either side.
    pub cautions: Vec<Caution>,
    pub difference: Option<f64>,
    pub difference_sd: Option<f64>,
    /// The effect that the seeds are for, in standard deviations of the differences.
    pub effect: Option<f64>,
    /// 95 % confidence interval of that effect: of an observed one what so few pairs can say of it,
    /// of a given difference what they can say of the standard deviation that it is measured in.
    pub effect_low: Option<f64>,
    pub effect_high: Option<f64>,
    /// The level of this test alone.
    pub level: f64,
    /// The power that the pairs that are there have for this effect.
    pub power: Option<f64>,
    /// Seeds for the wanted power.
    pub seeds: Option<usize>,
    /// Why there is no number of seeds, in words.
    pub remark: Option<String>,
}

/// What a comparison needs to come to a verdict.
pub fn need(c: &Comparison, wanted: &Wanted) -> Need {
    let level = wanted.alpha / c.family_size.max(1) as f64;
    let effect = effect(c, wanted);
    let interval = interval(c, wanted, effect);
    let trained = effect.filter(|_| !c.never_learned());
    let seeds = trained.and_then(|effect| stats::pairs_needed(effect, wanted.power, level));
    Need {
        corpus: c.corpus.clone(),
        scenario: c.scenario.clone(),
        model: c.model.clone(),
        method: c.method.clone(),
        n: c.n,
        cautions: c.cautions.clone(),
        difference: c.difference,
        difference_sd: c.difference_sd,
        effect,
        effect_low: interval.map(|[low, _]| low),
        effect_high: interval.map(|[_, high]| high),
        level,
        power: trained.and_then(|effect| stats::power(effect, c.n, level)),
        seeds,
        remark: seeds.is_none().then(|| why_not(c, effect)),
    }
}

fn effect(c: &Comparison, wanted: &Wanted) -> Option<f64> {
    let sd = c.difference_sd.filter(|sd| *sd > 0.0)?;
    match wanted.effect {
        Some(difference) => Some(difference / sd).filter(|effect| effect.is_finite()),
        None => c.hedges_g,
    }
}

fn interval(c: &Comparison, wanted: &Wanted, effect: Option<f64>) -> Option<[f64; 2]> {
    match wanted.effect {
        Some(_) => stats::given_effect_interval(effect?, c.n),
        None => stats::effect_interval(c.t?, c.n),
    }
}

fn why_not(c: &Comparison, effect: Option<f64>) -> String {
    if c.never_learned() {
        return format!("no verdict: {} never learned", cautions::who_never_learned(c));
    }
    match (&c.remark, effect) {
        (Some(remark), _) => remark.clone(),
        (None, None) => "an observed effect needs three pairs".to_owned(),
        (None, Some(_)) => format!("more than {} seeds", stats::MOST_PAIRS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::compare;
    use crate::synthetic;
    use crate::view::Scoreboard;
    use domain::Metric;
    use store::Results;

    const WANTED: Wanted = Wanted { power: 0.8, alpha: 0.05, effect: None };

    fn compared(change: impl Fn(&mut Results)) -> Vec<Comparison> {
        let (view, mut results) = synthetic::grid();
        change(&mut results);
        compare(&view, &Scoreboard::new(&view, &(&results).into(), Metric::MacroF1))
    }

    /// Scores of `sc` that differ from the baseline's by these, seed by seed.
    fn with_differences(differences: [f64; 5]) -> Comparison {
        let all = compared(|results| {
            for row in &mut results.metrics {
                let gain = differences[row.point.seed as usize - 1];
                row.f1 = 0.5 + if row.point.method == "sc" { gain } else { 0.0 };
            }
        });
        all.into_iter().find(|c| c.method == "sc").expect("in the grid")
    }

    #[test]
    fn seeds_are_those_of_the_unbiased_effect_at_the_level_of_the_family() {
        let c = with_differences([0.01, 0.03, -0.01, 0.02, 0.0]);
        let found = need(&c, &WANTED);
        assert_eq!((found.level, c.family_size), (0.01, 5));
        let effect = c.hedges_g.expect("five pairs");
        assert_eq!(found.effect, Some(effect));
        assert_eq!(found.seeds, stats::pairs_needed(effect, 0.8, 0.01));
        assert!(found.power < Some(0.8) && found.seeds > Some(5), "{found:?}");
        assert!(found.effect_low < Some(0.0) && found.effect_high > Some(effect));
    }

    #[test]
    fn a_difference_that_is_asked_for_is_taken_over_the_observed_deviation() {
        let c = with_differences([0.01, 0.03, -0.01, 0.02, 0.0]);
        let wanted = Wanted { effect: Some(0.02), ..WANTED };
        let found = need(&c, &wanted);
        let sd = c.difference_sd.expect("five pairs");
        assert_eq!(found.effect, Some(0.02 / sd));
        assert!(found.seeds < need(&c, &WANTED).seeds, "a larger effect needs fewer seeds");
        let [low, high] = stats::given_effect_interval(0.02 / sd, 5).expect("five pairs");
        assert_eq!((found.effect_low, found.effect_high), (Some(low), Some(high)));
        assert!(low > 0.0 && low < 0.02 / sd && high > 0.02 / sd, "of what was asked for");
    }

    #[test]
    fn what_has_no_number_of_seeds_says_why() {
        let constant = need(&with_differences([0.02; 5]), &WANTED);
        assert_eq!((constant.seeds, constant.effect), (None, None));
        assert!(constant.remark.is_some_and(|remark| remark.contains("without variance")));
        let tiny = need(&with_differences([0.1, -0.1, 0.1, -0.1, 1e-6]), &WANTED);
        assert_eq!(tiny.remark.as_deref(), Some("more than 10000 seeds"));
        let nothing = compared(|results| *results = Results::default());
        assert!(need(&nothing[0], &WANTED).remark.is_some());
    }
}
