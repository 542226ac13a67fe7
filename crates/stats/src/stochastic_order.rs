//! Almost stochastic order: how nearly the scores of one method lie above those of another at every
//! quantile.
//!
//! The samples are not paired. Conventions of the `deepsig` package: the bound is normal, its
//! standard deviation from samples of the two score lists. The integrals are exact here, where
//! `deepsig` sums them over a grid (and leaves its first place out of the violations).

use super::draws::Draws;
use super::{mean, normal};

/// How nearly a lies above b.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct StochasticOrder {
    /// The share of the squared distance of the two distributions over which b lies above a: 0
    /// where a lies above b at every quantile, 0.5 for equal samples.
    pub violation: f64,
    /// The upper bound of it at the asked confidence: below 0.5 a is better, the more surely the
    /// nearer to 0.
    pub epsilon_min: f64,
}

/// Compares scores, higher is better (Del Barrio et al. 2018, equation 4; Dror et al. 2019,
/// equation 8).
///
/// `None` of a sample of none, without resamples, at a confidence that is none, or if a score is
/// not finite.
pub fn almost_stochastic_order(
    a: &[f64],
    b: &[f64],
    confidence: f64,
    resamples: usize,
    seed: u64,
) -> Option<StochasticOrder> {
    let usable = |scores: &[f64]| {
        !scores.is_empty()
            && u32::try_from(scores.len()).is_ok()
            && scores.iter().all(|x| x.is_finite())
    };
    let z = normal::quantile(confidence)?;
    if !usable(a) || !usable(b) || resamples == 0 {
        return None;
    }
    let (a, b) = (sorted(a.to_vec()), sorted(b.to_vec()));
    let violation = violation_ratio(&a, &b)?;
    let mut draws = Draws::new(seed);
    let mut again = |scores: &[f64]| {
        sorted((0..scores.len()).map(|_| scores[draws.below(scores.len() as u32)]).collect())
    };
    let sample = |_| {
        let (a, b) = (again(&a), again(&b));
        violation_ratio(&a, &b)
    };
    let samples: Vec<f64> = (0..resamples).map(sample).collect::<Option<_>>()?;
    // The factors √(nm / (n + m)) of the bound and of its standard deviation cancel.
    let deviation = deviation(&samples)?;
    Some(StochasticOrder { violation, epsilon_min: (violation + z * deviation).clamp(0.0, 1.0) })
}

/// The standard deviation with divisor n, as `deepsig` has it.
fn deviation(samples: &[f64]) -> Option<f64> {
    let centre = mean(samples)?;
    let squares: f64 = samples.iter().map(|x| (x - centre).powi(2)).sum();
    Some((squares / samples.len() as f64).sqrt())
}

fn sorted(mut scores: Vec<f64>) -> Vec<f64> {
    scores.sort_unstable_by(f64::total_cmp);
    scores
}

/// The share of ∫ (F⁻¹(t) - G⁻¹(t))² dt over which F⁻¹ lies below G⁻¹; 0.5 where the two are equal.
/// The quantile functions of sorted samples are steps, so both integrals are sums.
fn violation_ratio(a: &[f64], b: &[f64]) -> Option<f64> {
    // Places on the scale 0..n m, on which the steps of both are whole numbers.
    let (n, m) = (a.len(), b.len());
    let (mut i, mut j, mut at) = (0, 0, 0);
    let (mut below, mut all) = (0.0, 0.0);
    while i < n && j < m {
        let (end_a, end_b) = ((i + 1) * m, (j + 1) * n);
        let end = end_a.min(end_b);
        let part = (a[i] - b[j]).powi(2) * (end - at) as f64;
        all += part;
        below += if a[i] < b[j] { part } else { 0.0 };
        at = end;
        i += usize::from(end == end_a);
        j += usize::from(end == end_b);
    }
    let ratio = if all > 0.0 { below / all } else { 0.5 };
    ratio.is_finite().then_some(ratio)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn agrees_with_deepsig() {
        // deepsig 1.2.8: compute_violation_ratio(a, b, dt=1e-5), aso(a, b) with 4000 samples.
        let cases: [(&[f64], &[f64], f64, f64); 3] = [
            (&[0.61, 0.64, 0.6, 0.66, 0.63], &[0.6, 0.62, 0.59, 0.65, 0.66], 0.25, 0.91144),
            (&[0.7, 0.72, 0.71], &[0.69, 0.73, 0.7, 0.705], 0.279057, 0.86909),
            (&[1.0, 4.0, 2.0, 8.0], &[2.0, 2.5, 5.0], 0.125003, 0.73339),
        ];
        for (a, b, violation, epsilon) in cases {
            let found = almost_stochastic_order(a, b, 0.95, 4000, 1).unwrap();
            assert!((found.violation - violation).abs() < 1e-4, "{a:?} {b:?}: {found:?}");
            assert!((found.epsilon_min - epsilon).abs() < 0.02, "{a:?} {b:?}: {found:?}");
        }
    }

    #[test]
    fn a_written_out_case() {
        // F⁻¹ - G⁻¹ is -1 on the first half, 3 on the second: 1 / (1 + 9).
        let found = almost_stochastic_order(&[0.0, 5.0], &[1.0, 2.0], 0.95, 10, 1).unwrap();
        assert_eq!(found.violation, 0.1);
        // Steps at thirds and halves: -1 on [0, 1/3), 1 on [1/3, 1/2), 0 on [1/2, 2/3), 1 after.
        let found = almost_stochastic_order(&[0.0, 2.0, 3.0], &[1.0, 2.0], 0.95, 10, 1).unwrap();
        assert!((found.violation - 1.0 / 3.0 / (1.0 / 3.0 + 1.0 / 6.0 + 1.0 / 3.0)).abs() < 1e-15);
    }

    #[test]
    fn clear_and_absent_orders() {
        let order = |a: &[f64], b: &[f64]| almost_stochastic_order(a, b, 0.95, 200, 1).unwrap();
        let above = order(&[0.7, 0.8, 0.9], &[0.1, 0.2, 0.3]);
        assert_eq!((above.violation, above.epsilon_min), (0.0, 0.0));
        let below = order(&[0.1, 0.2, 0.3], &[0.7, 0.8, 0.9]);
        assert_eq!((below.violation, below.epsilon_min), (1.0, 1.0));
        assert_eq!(order(&[0.5, 0.6], &[0.6, 0.5]).violation, 0.5);
        assert_eq!(order(&[0.5], &[0.5]).epsilon_min, 0.5);
    }

    #[test]
    fn too_little_is_no_order() {
        let order = |a: &[f64], confidence, resamples| {
            almost_stochastic_order(a, &[0.5, 0.6], confidence, resamples, 1)
        };
        assert_eq!(order(&[], 0.95, 10), None);
        assert_eq!(order(&[f64::NAN], 0.95, 10), None);
        assert_eq!(order(&[0.5], 1.0, 10), None);
        assert_eq!(order(&[0.5], 0.95, 0), None);
    }

    proptest! {
        #[test]
        fn what_one_violates_the_other_keeps(
            a in prop::collection::vec(0.0..1.0f64, 1..9),
            b in prop::collection::vec(0.0..1.0f64, 1..9),
        ) {
            let (a, b) = (sorted(a), sorted(b));
            let both = violation_ratio(&a, &b).unwrap() + violation_ratio(&b, &a).unwrap();
            prop_assert!((both - 1.0).abs() < 1e-9);
        }

        #[test]
        fn never_nan(a in prop::collection::vec(prop::num::f64::ANY, 0..6)) {
            if let Some(found) = almost_stochastic_order(&a, &[0.5, 0.6], 0.95, 20, 1) {
                prop_assert!((0.0..=1.0).contains(&found.violation));
                prop_assert!((0.0..=1.0).contains(&found.epsilon_min));
            }
        }
    }
}
