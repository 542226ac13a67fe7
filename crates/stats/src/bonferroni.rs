//! Bonferroni's correction for a family of tests.

/// The adjusted p-values: each times their number, 1 at most. What is no p-value counts as 1.
pub fn bonferroni(p_values: &[f64]) -> Vec<f64> {
    let family = p_values.len() as f64;
    p_values.iter().map(|&p| (super::as_p_value(p) * family).min(1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::vectors::{assert_all_close, numbers, section};
    use super::*;

    #[test]
    fn agrees_with_statsmodels() {
        for case in section("multiple") {
            assert_all_close(&bonferroni(&numbers(&case["p"])), &case["bonferroni"]["adjusted"]);
        }
    }

    #[test]
    fn no_p_value_is_1() {
        assert_eq!(bonferroni(&[f64::NAN, 0.01, -1.0]), [1.0, 0.03, 1.0]);
        assert!(bonferroni(&[]).is_empty());
    }
}
