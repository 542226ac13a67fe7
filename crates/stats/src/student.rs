//! Student's t-distribution, central and not.

use super::normal;
use super::quadrature::{nodes, root};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Beyond this many degrees of freedom the expansion around the normal quantile is exact to 12
/// digits.
const MANY: f64 = 1000.0;

/// A tail probability from which on quantiles are searched.
const FAR_OUT: f64 = 1e-12;

/// Panels of an integral over 24 standard deviations.
const PANELS: usize = 24;

/// The t that |T| exceeds with probability `alpha`.
pub(super) fn critical(alpha: f64, df: f64) -> Option<f64> {
    if !(alpha > 0.0 && alpha < 1.0 && df >= 1.0 && df.is_finite()) {
        return None;
    }
    let t = match df > MANY {
        true => -expanded(normal::quantile(alpha / 2.0)?, df),
        false => quantile_beyond(alpha / 2.0, &StudentsT::new(0.0, 1.0, df).ok()?),
    };
    t.is_finite().then_some(t)
}

/// The t that is exceeded with probability `tail`.
fn quantile_beyond(tail: f64, student: &StudentsT) -> f64 {
    if tail > FAR_OUT {
        return -student.inverse_cdf(tail);
    }
    // The quantile of `statrs` panics far out: there the tail itself is searched, on a scale on
    // which heavy tails are not out of reach.
    root(0.0, f64::MAX.ln(), |log_t| tail - student.sf(log_t.exp())).exp()
}

/// Cornish and Fisher's expansion of the quantile (Abramowitz and Stegun 1964, 26.7.5).
fn expanded(z: f64, df: f64) -> f64 {
    let [z3, z5, z7] = [3, 5, 7].map(|power| z.powi(power));
    z + (z3 + z) / (4.0 * df)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * df.powi(2))
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * df.powi(3))
}

/// P(T > t) for T = (Z + `shift`) / s, where Z is normal and s the root of a chi-squared over its
/// degrees of freedom: the mean over s of P(Z > t s - shift) (Johnson, Kotz and Balakrishnan 1995,
/// 31.5).
pub(super) fn noncentral_upper(t: f64, df: f64, shift: f64) -> f64 {
    if t == 0.0 {
        return normal::cdf(shift);
    }
    // s lies around 1 with a standard deviation of about 1 / sqrt(2 df).
    let width = 12.0 / (2.0 * df).sqrt();
    let (low, high) = ((1.0 - width).max(0.0), 1.0 + width);
    // But for a factor, which the division below takes out.
    let density = |s: f64| ((df - 1.0) * s.ln() - df / 2.0 * (s * s - 1.0)).exp();
    // With a large t the probability falls from 1 to 0 between these two, and nowhere else.
    let falls = [-9.0, 9.0].map(|z| ((shift + z) / t).clamp(low, high));
    let mut edges = [low, falls[0], falls[1], high];
    edges.sort_unstable_by(f64::total_cmp);
    let (mut mean, mut total) = (0.0, 0.0);
    let parts = edges.windows(2).filter(|edge| edge[0] < edge[1]);
    for (s, weight) in parts.flat_map(|edge| nodes(edge[0], edge[1], PANELS)) {
        let weight = weight * density(s);
        mean += weight * normal::upper_tail(t * s - shift);
        total += weight;
    }
    (mean / total).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Level, degrees of freedom, scipy.stats.t.isf(level / 2, df).
    const CRITICAL: [(f64, f64, f64); 10] = [
        (0.05, 1.0, 12.706204736174705),
        (0.05, 4.0, 2.7764451051977943),
        (0.05, 9.0, 2.2621571627982053),
        (0.01, 4.0, 4.604094871349993),
        (0.001, 2.0, 31.59905457644362),
        (0.0005, 99.0, 3.5995627145249025),
        (0.05, 1000.0, 1.9623390808264085),
        (0.05, 1001.0, 1.96233670528088),
        (0.01, 5000.0, 2.5768129665562807),
        (0.05, 99999.0, 1.9599877077718448),
    ];

    /// Level, degrees of freedom, scipy.stats.t.isf(level / 2, df).
    const FAR: [(f64, f64, f64); 5] = [
        (1e-13, 4.0, 2783.157084873509),
        (1e-20, 9.0, 430.61304066996956),
        (1e-100, 4.0, 1.5650845800732873e25),
        (1e-300, 99.0, 10400.15670573821),
        (1e-50, 1000.0, 15.864749871923097),
    ];

    /// t, degrees of freedom, shift, scipy.stats.nct.sf(t, df, shift); mpmath has the same to 12
    /// digits.
    const NONCENTRAL: [(f64, f64, f64, f64); 11] = [
        (2.776, 4.0, 1.5, 0.2126936511590698),
        (2.776, 4.0, -1.5, 0.0007209606525992753),
        (12.706, 1.0, 3.0, 0.18611099998287456),
        (12.706, 1.0, 30.0, 0.9814179218690504),
        (1273.2, 1.0, 100.0, 0.06260326192667302),
        (2.262, 9.0, 4.2, 0.9609259284225719),
        (1.96, 9999.0, 2.8, 0.79953692882722),
        (3.0, 19.0, 0.0, 0.003680862091934321),
        (-1.0, 5.0, 0.7, 0.943041952634213),
        (0.0, 3.0, 1.0, 0.8413447460685429),
        (4.6, 4.0, 60.0, 1.0),
    ];

    #[test]
    fn critical_values_agree_with_scipy() {
        for (alpha, df, expected) in CRITICAL {
            let found = critical(alpha, df).unwrap();
            assert!((found / expected - 1.0).abs() < 1e-9, "{alpha} {df}: {found} {expected}");
        }
        assert_eq!(critical(0.0, 4.0), None);
        assert_eq!(critical(f64::NAN, 4.0), None);
        assert_eq!(critical(0.05, 0.0), None);
    }

    #[test]
    fn levels_far_out_agree_with_scipy() {
        for (alpha, df, expected) in FAR {
            let found = critical(alpha, df).unwrap();
            assert!((found / expected - 1.0).abs() < 1e-9, "{alpha} {df}: {found} {expected}");
        }
        // The quantile lies beyond the largest double, or the tail below the smallest.
        for df in [1.0, 2.0, 50.0, 1000.0, 5000.0] {
            let found = critical(f64::MIN_POSITIVE * f64::EPSILON, df);
            assert!(found.is_none_or(|t| t > 30.0), "{df}: {found:?}");
        }
    }

    #[test]
    fn noncentral_tails_agree_with_scipy() {
        for (t, df, shift, expected) in NONCENTRAL {
            let found = noncentral_upper(t, df, shift);
            assert!((found - expected).abs() < 1e-12, "{t} {df} {shift}: {found} {expected}");
        }
    }

    #[test]
    fn without_a_shift_it_is_the_central_distribution() {
        for (alpha, df, t) in CRITICAL {
            let found = noncentral_upper(t, df, 0.0);
            assert!((2.0 * found - alpha).abs() < 1e-10, "{alpha} {df}: {found}");
        }
        assert_eq!(noncentral_upper(0.0, 4.0, 0.0), 0.5);
    }
}
