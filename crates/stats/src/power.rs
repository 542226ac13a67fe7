//! The power of the paired t-test: how likely it shows a difference that is there, and how many
//! pairs that takes.

use super::quadrature::root;
use super::student::{critical, noncentral_upper};
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// More pairs than this are no plan: no grid has as many seeds.
pub const MOST_PAIRS: usize = 10_000;

/// The probability that the two-sided paired t-test of `n` pairs is significant at `alpha` where
/// the mean difference is `effect` standard deviations (Cohen 1988, 2.5; with the non-central t).
///
/// `None` of fewer than two pairs, or if a number is not finite or no level.
pub fn power(effect: f64, n: usize, alpha: f64) -> Option<f64> {
    let df = n.checked_sub(1).filter(|df| *df > 0)? as f64;
    let shift = effect.abs() * (n as f64).sqrt();
    let t = critical(alpha, df).filter(|_| shift.is_finite())?;
    // The test may also come out on the wrong side.
    Some((noncentral_upper(t, df, shift) + noncentral_upper(t, df, -shift)).min(1.0))
}

/// The smallest number of pairs that has this power, [`MOST_PAIRS`] at most; `None` where none has.
pub fn pairs_needed(effect: f64, wanted: f64, alpha: f64) -> Option<usize> {
    if !(wanted > 0.0 && wanted < 1.0) {
        return None;
    }
    let enough = |n: usize| power(effect, n, alpha).is_some_and(|power| power >= wanted);
    let mut high = 2;
    while !enough(high) {
        high = (2 * high).min(MOST_PAIRS + 1);
        if high > MOST_PAIRS {
            return enough(MOST_PAIRS).then(|| first(MOST_PAIRS / 2, MOST_PAIRS, enough));
        }
    }
    Some(first(high / 2, high, enough))
}

/// The first number above `low` that is enough; `high` is.
fn first(mut low: usize, mut high: usize, enough: impl Fn(usize) -> bool) -> usize {
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if enough(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// The 95 % confidence interval of an effect in standard deviations, from t of `n` pairs: those
/// effects under which a t this large, or this small, has at least a chance of 2.5 % (Cumming and
/// Finch 2001).
pub fn effect_interval(t: f64, n: usize) -> Option<[f64; 2]> {
    let df = n.checked_sub(1).filter(|df| *df > 0 && t.is_finite())? as f64;
    // The shift is off t by some multiple of its spread, which is largest for few degrees of
    // freedom.
    let reach = 10.0 + 8.0 * t.abs();
    let shift =
        |tail: f64| root(t - reach, t + reach, |shift| noncentral_upper(t, df, shift) - tail);
    Some([0.025, 0.975].map(|tail| shift(tail) / (n as f64).sqrt()))
}

/// The 95 % confidence interval of a given difference over a standard deviation that `n` pairs
/// estimate, from the chi-squared distribution of a normal sample's variance; the end nearer to 0
/// first.
pub fn given_effect_interval(effect: f64, n: usize) -> Option<[f64; 2]> {
    let df = n.checked_sub(1).filter(|df| *df > 0 && effect.is_finite())? as f64;
    let chi_squared = ChiSquared::new(df).ok()?;
    // The quantile lies within a few standard deviations, √(2 df), of its mean.
    let highest = df + 10.0 * (2.0 * df).sqrt() + 10.0;
    let quantile = |share: f64| root(0.0, highest, |x| chi_squared.cdf(x) - share);
    Some([0.025, 0.975].map(|share| effect * (quantile(share) / df).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Effect, pairs, level, TTestPower().power(effect, pairs, level), and the pairs for a power of
    /// 0.8: .solve_power(effect, None, level, 0.8) rounded up.
    const POWER: [(f64, usize, f64, f64, usize); 7] = [
        (0.5, 10, 0.05, 0.2931756065140767, 34),
        (1.0, 5, 0.05, 0.4013899173717948, 10),
        (0.2, 200, 0.05, 0.8036666605857853, 199),
        (1.5, 5, 0.01, 0.31253614993773066, 9),
        (0.8, 15, 0.005, 0.4450260600389087, 25),
        (0.05, 3000, 0.05, 0.7816495145647636, 3142),
        (3.0, 3, 0.05, 0.7452680070062834, 4),
    ];

    /// t, pairs, and the ends of the interval: roots of the non-central tail in 30 digits.
    const INTERVALS: [(f64, usize, f64, f64); 6] = [
        (2.0, 5, -0.20139387442515808, 1.9205771192883572),
        (-0.344, 5, -1.027286249888893, 0.7377944515861206),
        (5.0, 10, 0.6142955436515718, 2.5122981891529568),
        (0.0, 8, -0.692951912174839, 0.6929519121748385),
        (20.0, 5, 3.0322734177424993, 14.983055201347588),
        (3.0, 2, -0.6539329559611121, 5.011928863877253),
    ];

    #[test]
    fn agrees_with_statsmodels() {
        for (effect, n, alpha, expected, needed) in POWER {
            let found = power(effect, n, alpha).unwrap();
            assert!((found - expected).abs() < 1e-9, "{effect} {n}: {found} {expected}");
            assert_eq!(pairs_needed(effect, 0.8, alpha), Some(needed), "{effect} {alpha}");
        }
    }

    #[test]
    fn effect_intervals_agree_with_mpmath() {
        for (t, n, low, high) in INTERVALS {
            let found = effect_interval(t, n).unwrap();
            assert!((found[0] - low).abs() < 1e-8, "{t} {n}: {found:?} {low}");
            assert!((found[1] - high).abs() < 1e-8, "{t} {n}: {found:?} {high}");
        }
    }

    #[test]
    fn what_cannot_be_shown_has_no_number_of_pairs() {
        assert_eq!(pairs_needed(0.0, 0.8, 0.05), None);
        assert_eq!(pairs_needed(1e-9, 0.8, 0.05), None);
        assert_eq!(pairs_needed(f64::NAN, 0.8, 0.05), None);
        assert_eq!(pairs_needed(0.5, 1.0, 0.05), None);
        assert_eq!(pairs_needed(0.5, 0.8, 0.0), None);
        assert_eq!(power(0.5, 1, 0.05), None);
        assert_eq!(power(f64::INFINITY, 5, 0.05), None);
        assert_eq!(effect_interval(f64::NAN, 5), None);
        assert_eq!(effect_interval(1.0, 1), None);
        assert_eq!(given_effect_interval(f64::NAN, 5), None);
        assert_eq!(given_effect_interval(1.0, 1), None);
    }

    /// Effect, pairs, and the ends of the interval.
    const GIVEN: [(f64, usize, f64, f64); 5] = [
        (1.0, 2, 0.031337982021426604, 2.2414027276049504),
        (1.5, 5, 0.5220013777395234, 2.503617146211908),
        (-0.5, 10, -0.2738810315518379, -0.7269183012064957),
        (0.8, 31, 0.5985007449163463, 1.0011112997722404),
        (2.0, 200, 1.803548609215165, 2.1962035851647097),
    ];

    #[test]
    fn the_interval_of_a_given_effect_is_that_of_its_deviation() {
        // sqrt(scipy.stats.chi2.ppf([0.025, 0.975], n - 1) / (n - 1)) times the effect
        for (effect, n, low, high) in GIVEN {
            let found = given_effect_interval(effect, n).unwrap();
            assert!((found[0] / low - 1.0).abs() < 1e-8, "{effect} {n}: {found:?} {low}");
            assert!((found[1] / high - 1.0).abs() < 1e-8, "{effect} {n}: {found:?} {high}");
        }
    }

    #[test]
    fn a_level_of_nearly_nothing_asks_for_many_pairs() {
        assert!(pairs_needed(1.0, 0.8, 1e-300).is_some_and(|n| n > 1000));
        assert!(power(1.0, 10, 1e-300).is_some_and(|power| power < 1e-200));
    }

    #[test]
    fn a_huge_effect_takes_few_pairs() {
        assert_eq!(pairs_needed(1e6, 0.8, 0.05), Some(2));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn more_pairs_and_larger_effects_have_more_power(
            effect in 0.05..3.0f64, n in 2..60usize, alpha in 0.001..0.2f64,
        ) {
            let found = power(effect, n, alpha).unwrap();
            prop_assert!((alpha - 1e-9..=1.0).contains(&found));
            prop_assert!(power(effect, n + 1, alpha).unwrap() >= found - 1e-12);
            prop_assert!(power(effect * 1.1, n, alpha).unwrap() >= found - 1e-12);
            prop_assert_eq!(power(-effect, n, alpha), Some(found));
        }

        #[test]
        fn the_number_needed_is_the_first_that_is_enough(
            effect in 0.1..3.0f64, wanted in 0.5..0.95f64,
        ) {
            let needed = pairs_needed(effect, wanted, 0.05).unwrap();
            prop_assert!(power(effect, needed, 0.05).unwrap() >= wanted);
            prop_assert!(needed == 2 || power(effect, needed - 1, 0.05).unwrap() < wanted);
        }
    }
}
