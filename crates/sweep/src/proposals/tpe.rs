//! The proposal of one trial from the trials before it.

use super::draws::Draws;
use super::parzen::Parzen;
use domain::{Dimension, Ended, ParameterValue, SearchPlan, Trial};

/// Candidates of which the most promising is proposed.
const CANDIDATES: usize = 24;
/// Good trials, at most.
const MOST_GOOD: usize = 25;

/// A value with how promising it is: log l(x) − log g(x), which grows with the expected improvement
/// (Bergstra et al. 2011, section 4.1).
#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    pub value: ParameterValue,
    pub promise: f64,
}

/// The values of trial `number` (from 1), by what ended before its batch.
pub fn propose(plan: &SearchPlan, number: usize, before: &[Trial]) -> Vec<ParameterValue> {
    let (good, others) = split(before);
    let known = good.len() + others.len();
    let one = |(at, dimension): (usize, &Dimension)| {
        let mut draws = Draws::new(plan.seed, number, &dimension.path);
        if known < plan.startup.max(1) {
            return draws.uniform(&dimension.range);
        }
        let column = |trials: &[&Trial]| -> Vec<ParameterValue> {
            trials.iter().filter_map(|trial| trial.values.get(at).cloned()).collect()
        };
        let l = Parzen::new(&dimension.range, &column(&good));
        let g = Parzen::new(&dimension.range, &column(&others));
        let drawn = (0..CANDIDATES).map(|_| l.sample(&mut draws)).collect();
        ranked(&l, &g, drawn).swap_remove(0).value
    };
    plan.dimensions.iter().enumerate().map(one).collect()
}

/// Values, the most promising first; of equals the one that came first.
pub fn ranked(l: &Parzen, g: &Parzen, values: Vec<ParameterValue>) -> Vec<Candidate> {
    let promise = |value: &ParameterValue| l.log_density(value) - g.log_density(value);
    let mut candidates: Vec<Candidate> =
        values.into_iter().map(|value| Candidate { promise: promise(&value), value }).collect();
    candidates.sort_by(|a, b| b.promise.total_cmp(&a.promise));
    candidates
}

/// The trials that ended, in order: the best tenth (rounded up, 25 at most), and the others. A
/// failed one is worse than any score, and never among the good.
pub fn split(trials: &[Trial]) -> (Vec<&Trial>, Vec<&Trial>) {
    let score = |trial: &Trial| trial.ended.and_then(Ended::score).unwrap_or(f64::NEG_INFINITY);
    let ended: Vec<&Trial> = trials.iter().filter(|trial| trial.ended.is_some()).collect();
    let mut order: Vec<usize> = (0..ended.len()).collect();
    order.sort_by(|a, b| score(ended[*b]).total_cmp(&score(ended[*a])));
    order.retain(|at| ended[*at].ended.and_then(Ended::score).is_some());
    let mut is_good = vec![false; ended.len()];
    order.into_iter().take(good_of(ended.len())).for_each(|at| is_good[at] = true);
    let (mut good, mut others) = (Vec::new(), Vec::new());
    for (trial, is_good) in ended.into_iter().zip(is_good) {
        if is_good { good.push(trial) } else { others.push(trial) }
    }
    (good, others)
}

/// How many of `n` trials are good.
fn good_of(n: usize) -> usize {
    n.div_ceil(10).min(MOST_GOOD)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{Maximised, Range, Scale};
    use serde_json::Value;

    fn plan(ranges: Vec<Range>) -> SearchPlan {
        let dimension =
            |(at, range)| Dimension { path: format!("p{at}"), name: String::new(), range };
        SearchPlan {
            dimensions: ranges.into_iter().enumerate().map(dimension).collect(),
            trials: 40,
            batch: 1,
            startup: 10,
            seed: 1,
            maximise: Maximised::MicroF1,
        }
    }

    fn trial(values: Vec<ParameterValue>, ended: Ended) -> Trial {
        Trial { values, ended: Some(ended) }
    }

    #[test]
    fn a_search_finds_the_top_of_a_bump_sooner_than_chance() {
        let range = Range::Real { low: 0.0, high: 1.0, scale: Scale::Linear };
        let plan = plan(vec![range]);
        let height = |value: &ParameterValue| match value {
            ParameterValue::Real(x) => (-((x - 0.3) / 0.2).powi(2)).exp(),
            _ => 0.0,
        };
        let near = |startup: usize| {
            let mut near = 0;
            for seed in 0..10 {
                let plan = SearchPlan { startup, seed, ..plan.clone() };
                let mut trials = Vec::new();
                for number in 1..=40 {
                    let values = propose(&plan, number, &trials);
                    let score = height(&values[0]);
                    near += usize::from(number > 10 && score > 0.95);
                    trials.push(trial(values, Ended::Score(score)));
                }
            }
            near
        };
        let (estimated, chance) = (near(10), near(1000));
        assert!(estimated > 2 * chance, "{estimated} of 300 near the top, by chance {chance}");
    }

    #[test]
    fn failures_are_the_worst_and_what_runs_does_not_count() {
        let value = |x| vec![ParameterValue::Real(x)];
        let mut trials: Vec<Trial> =
            (0..11).map(|n| trial(value(f64::from(n)), Ended::Failed)).collect();
        trials[4].ended = Some(Ended::Score(0.0));
        trials[7].ended = None;
        let (good, others) = split(&trials);
        assert_eq!(good.iter().map(|t| t.values.clone()).collect::<Vec<_>>(), [value(4.0)]);
        assert_eq!(others.len(), 9);
        assert_eq!([0, 1, 10, 11, 250, 999].map(good_of), [0, 1, 1, 2, 25, 25]);
    }

    /// `tests/peers/tpe.py --write` made the file with Optuna 4.5.0.
    #[test]
    fn estimators_and_rankings_are_those_of_optuna() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/tpe.json");
        let cases: Vec<Value> =
            serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        assert!(cases.len() >= 40);
        for case in cases {
            let range: Range = serde_json::from_value(case["range"].clone()).unwrap();
            let list = |key: &str| -> Vec<ParameterValue> {
                serde_json::from_value(case[key].clone()).unwrap()
            };
            let scores: Vec<Option<f64>> = serde_json::from_value(case["scores"].clone()).unwrap();
            let ended = |score: Option<f64>| score.map_or(Ended::Failed, Ended::Score);
            let trials: Vec<Trial> = list("history")
                .into_iter()
                .zip(scores)
                .map(|(value, score)| trial(vec![value], ended(score)))
                .collect();
            let (good, others) = split(&trials);
            let column = |trials: &[&Trial]| -> Vec<ParameterValue> {
                trials.iter().map(|trial| trial.values[0].clone()).collect()
            };
            let (l, g) =
                (Parzen::new(&range, &column(&good)), Parzen::new(&range, &column(&others)));
            for (at, x) in list("candidates").iter().enumerate() {
                for (key, parzen) in [("log_l", &l), ("log_g", &g)] {
                    let (found, expected) =
                        (parzen.log_density(x), case[key][at].as_f64().unwrap());
                    let off = (found - expected).abs() / expected.abs().max(1.0);
                    assert!(off < 1e-10, "{key} at {x}: {found}, Optuna has {expected}: {case}");
                }
            }
            let best = &ranked(&l, &g, list("candidates"))[0];
            let at = case["best"].as_u64().unwrap() as usize;
            assert_eq!(best.value, list("candidates")[at], "{case}");
        }
    }
}
