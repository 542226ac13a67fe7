//! How large a paired difference is, beside whether it is there.

use super::{all_equal, mean, sd};
use statrs::function::gamma::ln_gamma;

/// Cohen's d_z, the mean difference in standard deviations of the differences (Cohen 1988, 2.5.5;
/// Lakens 2013, equation 6). `None` of fewer than two differences, and where they are all equal but
/// not zero, because the ratio is then infinite.
pub fn cohens_dz(differences: &[f64]) -> Option<f64> {
    let (mean, sd) = (mean(differences)?, sd(differences)?);
    if all_equal(differences) {
        return (mean.abs() <= super::NOISE).then_some(0.0);
    }
    let ratio = mean / sd;
    ratio.is_finite().then_some(ratio)
}

/// d_z without its upward bias in small samples: times Γ(m / 2) / (√(m / 2) Γ((m - 1) / 2)) for
/// m = n - 1 (Hedges 1981, equation 6e). `None` where d_z is, and of fewer than three differences.
pub fn hedges_gz(differences: &[f64]) -> Option<f64> {
    let half = (differences.len().checked_sub(1)? as f64) / 2.0;
    let factor = (ln_gamma(half) - ln_gamma(half - 0.5)).exp() / half.sqrt();
    let corrected = cohens_dz(differences).filter(|_| differences.len() > 2)? * factor;
    corrected.is_finite().then_some(corrected)
}

#[cfg(test)]
mod tests {
    use super::super::vectors::{assert_close, differences, section};
    use super::*;

    #[test]
    fn agrees_with_the_reference() {
        for case in section("paired") {
            assert_close(cohens_dz(&differences(&case)).unwrap(), &case["cohens_dz"]);
        }
    }

    #[test]
    fn the_correction_is_that_of_hedges_table() {
        // Hedges 1981, table 1: c(m) for m = 2, 5, 10, 50, of which m = 2 and 10 in closed form.
        for (m, expected) in [(2, 0.5642), (5, 0.8408), (10, 0.9228), (50, 0.9849)] {
            let mut differences = vec![0.5; m + 1];
            differences[0] = 1.0;
            let found = hedges_gz(&differences).unwrap() / cohens_dz(&differences).unwrap();
            assert!((found - expected).abs() < 1e-4, "{m}: {found}");
        }
        let factor = hedges_gz(&[0.1, 0.2, 0.4]).unwrap() / cohens_dz(&[0.1, 0.2, 0.4]).unwrap();
        assert!((factor - 1.0 / std::f64::consts::PI.sqrt()).abs() < 1e-14, "{factor}");
        assert_eq!(hedges_gz(&[0.1, 0.2]), None);
        assert_eq!(hedges_gz(&[]), None);
    }

    #[test]
    fn equal_differences_have_no_size_unless_they_are_zero() {
        assert_eq!(cohens_dz(&[0.3 - 0.2, 0.7 - 0.6, 0.4 - 0.3]), None);
        assert_eq!(cohens_dz(&[0.0, 0.0]), Some(0.0));
        assert_eq!(cohens_dz(&[0.5]), None);
        assert_eq!(cohens_dz(&[f64::NAN, 0.5]), None);
    }
}
