//! The bootstrap of a mean: percentile and BCa intervals, and the standard error.
//!
//! A bootstrap knows only the values it has. Of few values it knows too little: its intervals are
//! then too narrow, whatever their kind ([`LEAST_FOR_BCA`]).

use super::draws::Draws;
use super::quantile::{middle_95, quantile_by_selection};
use super::{all_equal, mean, normal, sd};

/// The fewest values of which a BCa interval is shown. Of so many, from a normal distribution, an
/// interval that is said to hold the mean in 95 % of samples holds it in about 90 %; of 5, in 84 %.
pub const LEAST_FOR_BCA: usize = 10;

/// Resamples of an interval.
pub const RESAMPLES: usize = 10_000;

/// Resamples of a standard error, and of a band of a figure (nguyen2023).
pub const ERROR_RESAMPLES: usize = 1000;

/// Samples that are drawn once and taken of any list of so many values: what is drawn depends on
/// their number alone, and drawing takes longer than adding up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bootstrap {
    /// The places of one sample after the other.
    places: Vec<u32>,
    n: usize,
}

impl Bootstrap {
    /// So many samples with replacement of `n` values; `None` of fewer than two, or without
    /// samples.
    pub fn new(n: usize, resamples: usize, seed: u64) -> Option<Self> {
        let below = u32::try_from(n).ok().filter(|n| *n > 1 && resamples > 0)?;
        let mut draws = Draws::new(seed);
        let places = (0..n.checked_mul(resamples)?).map(|_| draws.below(below) as u32).collect();
        Some(Self { places, n })
    }

    /// The means of the samples; `None` of another number of values, or if a mean is not finite.
    fn means(&self, values: &[f64]) -> Option<Vec<f64>> {
        if values.len() != self.n {
            return None;
        }
        let divisor = self.n as f64;
        let one = |sample: &[u32]| -> f64 {
            sample.iter().map(|&place| values[place as usize]).sum::<f64>() / divisor
        };
        let means: Vec<f64> = self.places.chunks_exact(self.n).map(one).collect();
        means.iter().all(|mean| mean.is_finite()).then_some(means)
    }

    /// As [`bca_interval`].
    pub fn bca_interval(&self, values: &[f64]) -> Option<[f64; 2]> {
        bca(values, &mut self.means(values)?)
    }
}

/// The middle 95 % of bootstrap means (Efron and Tibshirani 1993, 13.3); `None` of fewer than two
/// values, without resamples, or if a value is not finite. Equal values give a point.
pub fn percentile_interval(values: &[f64], resamples: usize, seed: u64) -> Option<[f64; 2]> {
    middle_95(&sorted(bootstrap_means(values, resamples, seed)?))
}

/// The bias-corrected and accelerated interval of the mean (Efron 1987; Efron and Tibshirani 1993,
/// 14.3); `None` where the percentile interval is, and where all means lie on one side of the mean.
pub fn bca_interval(values: &[f64], resamples: usize, seed: u64) -> Option<[f64; 2]> {
    bca(values, &mut bootstrap_means(values, resamples, seed)?)
}

/// The standard deviation of bootstrap means (divisor B - 1), as nguyen2023 gives it over
/// partitions with [`ERROR_RESAMPLES`]; `None` where the percentile interval is.
pub fn bootstrap_standard_error(values: &[f64], resamples: usize, seed: u64) -> Option<f64> {
    sd(&bootstrap_means(values, resamples, seed)?)
}

/// The means of samples with replacement.
fn bootstrap_means(values: &[f64], resamples: usize, seed: u64) -> Option<Vec<f64>> {
    mean(values)?;
    Bootstrap::new(values.len(), resamples, seed)?.means(values)
}

fn sorted(mut means: Vec<f64>) -> Vec<f64> {
    means.sort_unstable_by(f64::total_cmp);
    means
}

/// Of means in any order, which are left in another.
fn bca(values: &[f64], means: &mut [f64]) -> Option<[f64; 2]> {
    let centre = mean(values)?;
    if all_equal(values) {
        return Some([centre, centre]);
    }
    let bias = normal::quantile(share_below(means, centre))?;
    let acceleration = acceleration(values)?;
    let mut end = |share: f64| {
        let z = bias + normal::quantile(share)?;
        let corrected = bias + z / (1.0 - acceleration * z);
        quantile_by_selection(means, normal::cdf(corrected))
    };
    Some([end(0.025)?, end(0.975)?])
}

/// The share of means below the mean of all values (Efron and Tibshirani 1993, equation 14.14).
fn share_below(means: &[f64], centre: f64) -> f64 {
    means.iter().filter(|mean| **mean < centre).count() as f64 / means.len() as f64
}

/// Of the mean, from the jackknife (Efron and Tibshirani 1993, equation 14.15).
fn acceleration(values: &[f64]) -> Option<f64> {
    // Leaving out x moves the mean by (mean - x) / (n - 1): the factor cancels in the ratio.
    let centre = mean(values)?;
    let power = |k: i32| -> f64 { values.iter().map(|x| (x - centre).powi(k)).sum() };
    let ratio = power(3) / (6.0 * power(2).powf(1.5));
    ratio.is_finite().then_some(ratio)
}

#[cfg(test)]
mod tests {
    use super::super::quantile::quantile;
    use super::super::quoted::assert_said;
    use super::super::vectors::{assert_close, numbers, section};
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    /// The means of the samples that the file lists.
    fn listed_means(case: &Value) -> (Vec<f64>, Vec<f64>) {
        let values = numbers(&case["x"]);
        let of = |indices: &Value| {
            let drawn: Vec<f64> =
                numbers(indices).into_iter().map(|k| values[k as usize]).collect();
            mean(&drawn).unwrap()
        };
        let means = case["indices"].as_array().unwrap().iter().map(of).collect();
        (values, means)
    }

    fn assert_ends(found: [f64; 2], expected: &Value) {
        assert_close(found[0], &expected[0]);
        assert_close(found[1], &expected[1]);
    }

    #[test]
    fn agrees_with_the_reference_on_listed_samples() {
        for case in section("bootstrap") {
            let (values, means) = listed_means(&case);
            assert_close(sd(&means).unwrap(), &case["se_ddof1"]);
            let sorted = sorted(means);
            assert_ends(middle_95(&sorted).unwrap(), &case["percentile_ci95_linear"]);
            let ends = [0.05, 0.95].map(|share| quantile(&sorted, share).unwrap());
            assert_ends(ends, &case["percentile_ci90_linear"]);
            assert_close(acceleration(&values).unwrap(), &case["bca"]["acceleration"]);
            let bias = normal::quantile(share_below(&sorted, mean(&values).unwrap()));
            assert_close(bias.unwrap(), &case["bca"]["z0"]);
            assert_ends(bca(&values, &mut sorted.clone()).unwrap(), &case["bca"]["ci95"]);
        }
    }

    #[test]
    fn the_standard_error_comes_near_its_formula() {
        for case in section("bootstrap") {
            let values = numbers(&case["x"]);
            let n = values.len() as f64;
            // The bootstrap's own limit has the divisor n where sem has n - 1.
            let limit = case["sem"].as_f64().unwrap() * ((n - 1.0) / n).sqrt();
            let found = bootstrap_standard_error(&values, 20_000, 7).unwrap();
            assert!((found / limit - 1.0).abs() < 0.02, "{found} {limit}");
        }
    }

    #[test]
    fn samples_that_are_drawn_once_are_the_same_for_all() {
        let drawn = Bootstrap::new(12, 500, 3).unwrap();
        for case in 0..20 {
            let values: Vec<f64> =
                (0..12).map(|k| f64::from((k * 7919 + case * 31) % 101) / 101.0).collect();
            assert_eq!(drawn.bca_interval(&values), bca_interval(&values, 500, 3));
        }
        assert_eq!(drawn.bca_interval(&[0.1, 0.2]), None);
        assert_eq!(drawn.bca_interval(&[f64::NAN; 12]), None);
        assert_eq!(Bootstrap::new(1, 500, 3), None);
        assert_eq!(Bootstrap::new(5, 0, 3), None);
    }

    #[test]
    fn what_has_no_interval_is_none() {
        for interval in [percentile_interval, bca_interval] {
            assert_eq!(interval(&[], 100, 1), None);
            assert_eq!(interval(&[0.5], 100, 1), None);
            assert_eq!(interval(&[0.5, 0.6], 0, 1), None);
            assert_eq!(interval(&[0.5, f64::INFINITY], 100, 1), None);
            assert_eq!(interval(&[0.5, 0.5, 0.5], 100, 1), Some([0.5, 0.5]));
        }
        assert_eq!(bootstrap_standard_error(&[0.5], 100, 1), None);
        assert_eq!(bootstrap_standard_error(&[0.5, 0.5], 100, 1), Some(0.0));
    }

    /// The share of normal samples of `n` values whose interval holds the mean.
    fn coverage(n: usize, interval: fn(&[f64], usize, u64) -> Option<[f64; 2]>) -> f64 {
        let mut draws = Draws::new(n as u64);
        let trials = 4000;
        let held = (0..trials).filter(|seed| {
            let values: Vec<f64> = (0..n).map(|_| draws.normal()).collect();
            let [low, high] = interval(&values, 400, *seed).unwrap();
            low <= 0.0 && 0.0 <= high
        });
        held.count() as f64 / trials as f64
    }

    #[test]
    fn few_values_give_too_narrow_an_interval() {
        assert_said(
            "with 5 a nominal 95 % interval of this kind held the mean in 84 % of simulated samples, with \
             10 in 90 %",
        );
        let [few, enough] = [5, LEAST_FOR_BCA].map(|n| coverage(n, bca_interval));
        println!("BCa: 5 values {few:.4}, {LEAST_FOR_BCA} values {enough:.4}");
        assert!((few - 0.84).abs() < 0.006 && (enough - 0.90).abs() < 0.006, "{few} {enough}");
        let [few, enough] = [5, LEAST_FOR_BCA].map(|n| coverage(n, percentile_interval));
        assert!(few < 0.86 && enough < 0.92 && enough > few, "{few} {enough}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn intervals_lie_among_the_values(
            values in prop::collection::vec(-1.0..1.0f64, 2..12), seed: u64,
        ) {
            let low = values.iter().copied().fold(f64::INFINITY, f64::min) - 1e-12;
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max) + 1e-12;
            for interval in [percentile_interval, bca_interval] {
                if let Some([from, to]) = interval(&values, 200, seed) {
                    prop_assert!(low <= from && from <= to && to <= high);
                }
            }
        }

        #[test]
        fn never_nan(values in prop::collection::vec(prop::num::f64::ANY, 0..8)) {
            for interval in [percentile_interval, bca_interval] {
                let found = interval(&values, 50, 1);
                prop_assert!(found.is_none_or(|ends| ends.iter().all(|x| x.is_finite())));
            }
            let error = bootstrap_standard_error(&values, 50, 1);
            prop_assert!(error.is_none_or(|x| x.is_finite() && x >= 0.0));
        }
    }
}
