//! How large a paired difference is, beside whether it is there.

use super::{all_equal, mean, sd};

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
    fn equal_differences_have_no_size_unless_they_are_zero() {
        assert_eq!(cohens_dz(&[0.3 - 0.2, 0.7 - 0.6, 0.4 - 0.3]), None);
        assert_eq!(cohens_dz(&[0.0, 0.0]), Some(0.0));
        assert_eq!(cohens_dz(&[0.5]), None);
        assert_eq!(cohens_dz(&[f64::NAN, 0.5]), None);
    }
}
