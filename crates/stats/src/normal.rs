//! The standard normal distribution.

use statrs::function::erf::erfc_inv;
use std::f64::consts::{PI, SQRT_2};

/// Beyond this z a tail probability is no normal double.
pub const FARTHEST: f64 = 37.0;

/// The density at `z`.
pub fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * PI).sqrt()
}

/// P(Z <= z).
pub fn cdf(z: f64) -> f64 {
    upper_tail(-z)
}

/// P(Z > z), to 13 digits also where it is small.
///
/// Written out here because the error function of `statrs` has eleven.
pub fn upper_tail(z: f64) -> f64 {
    match z {
        z if z.is_nan() => f64::NAN,
        z if z < 0.0 => 1.0 - upper_tail(-z),
        z if z < 2.5 => 0.5 - density(z) * central(z),
        z if z < FARTHEST => density(z) / mills(z),
        _ => 0.0,
    }
}

/// The logarithm of P(Z > z), also where that is no double any more.
pub fn log_upper_tail(z: f64) -> f64 {
    match z < 2.5 {
        true => upper_tail(z).ln(),
        false => -0.5 * z * z - 0.5 * (2.0 * PI).ln() - mills(z).ln(),
    }
}

/// P(0 < Z < z) over the density: z + z³/3 + z⁵/(3·5) + … (Abramowitz and Stegun 1964, 26.2.11).
fn central(z: f64) -> f64 {
    let (mut term, mut sum, mut odd) = (z, z, 1.0);
    while term > f64::EPSILON * sum {
        odd += 2.0;
        term *= z * z / odd;
        sum += term;
    }
    sum
}

/// The density over P(Z > z): z + 1/(z + 2/(z + 3/(z + …))) (26.2.14), from the innermost fraction.
fn mills(z: f64) -> f64 {
    // As many as the last digit needs: 75 at 2.5, 12 at 10.
    let levels = (420.0 / (z * z)) as i32 + 8;
    (1..=levels).rev().fold(z, |inner, k| z + f64::from(k) / inner)
}

/// The z with P(Z <= z) = `share`; `None` at and beyond 0 and 1.
pub fn quantile(share: f64) -> Option<f64> {
    if !(share > 0.0 && share < 1.0) {
        return None;
    }
    // The tail that is not near 1 has all its digits.
    let tail = share.min(1.0 - share);
    let guess = SQRT_2 * erfc_inv(2.0 * tail);
    let z = guess + (upper_tail(guess) - tail) / density(guess);
    let z = if share < 0.5 { -z } else { z };
    z.is_finite().then_some(z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_scipy() {
        // scipy.stats.norm.ppf, .sf
        for (share, z) in [
            (0.025, -1.9599639845400545),
            (0.5, 0.0),
            (0.95, 1.6448536269514722),
            (1e-12, -7.034483825301131),
        ] {
            assert!((quantile(share).unwrap() - z).abs() < 1e-11, "{share}");
            assert!((cdf(z) - share).abs() < 1e-14, "{share}");
        }
        // mpmath.erfc(z / sqrt(2)) / 2
        for (z, tail) in [
            (0.1, 0.460172162722971),
            (1.0, 0.15865525393145705),
            (2.4999, 0.00621141837494459),
            (2.5, 0.006209665325776132),
            (5.0, 2.866515718791939e-7),
            (10.0, 7.619853024160525e-24),
            (36.0, 4.182624065797283e-284),
        ] {
            let found = upper_tail(z);
            assert!((found / tail - 1.0).abs() < 2e-13, "{z}: {found}");
        }
        // scipy.stats.norm.logsf
        for (z, log) in
            [(-3.0, -0.0013508099647481925), (2.5, -5.081648277278691), (60.0, -1805.0135606805675)]
        {
            assert!((log_upper_tail(z) / log - 1.0).abs() < 1e-12, "{z}: {}", log_upper_tail(z));
        }
        assert_eq!((upper_tail(f64::INFINITY), upper_tail(f64::NEG_INFINITY)), (0.0, 1.0));
        assert!(upper_tail(f64::NAN).is_nan());
        assert!((density(1.0) - 0.24197072451914337).abs() < 1e-15);
    }

    #[test]
    fn certainty_has_no_quantile() {
        assert!([0.0, 1.0, -0.1, 1.1, f64::NAN].iter().all(|&share| quantile(share).is_none()));
    }
}
