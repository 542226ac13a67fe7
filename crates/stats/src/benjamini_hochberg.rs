//! Benjamini and Hochberg's correction: the false discovery rate.

/// The adjusted p-values, in the order of the given ones (Benjamini and Hochberg 1995; Yekutieli
/// and Benjamini 1999): the i-th smallest of m is multiplied by m / i, and never exceeds the one
/// after it. What is no p-value counts as 1.
pub fn benjamini_hochberg(p_values: &[f64]) -> Vec<f64> {
    let (p_values, order) = super::ordered(p_values);
    let mut adjusted = vec![1.0; p_values.len()];
    let mut smallest: f64 = 1.0;
    for (smaller, &index) in order.iter().enumerate().rev() {
        let factor = p_values.len() as f64 / (smaller + 1) as f64;
        smallest = smallest.min(factor * p_values[index]);
        adjusted[index] = smallest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::super::holm;
    use super::super::vectors::{assert_all_close, numbers, section};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn agrees_with_statsmodels() {
        for case in section("multiple") {
            let found = benjamini_hochberg(&numbers(&case["p"]));
            assert_all_close(&found, &case["fdr_bh"]["adjusted"]);
        }
    }

    #[test]
    fn no_p_value_is_1() {
        assert_eq!(benjamini_hochberg(&[f64::NAN, 0.01]), [1.0, 0.02]);
        assert_eq!(benjamini_hochberg(&[0.03]), [0.03]);
        assert!(benjamini_hochberg(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn lies_between_the_raw_value_and_holms(
            p in prop::collection::vec(0.0..=1.0f64, 1..20),
        ) {
            for ((found, holm), p) in benjamini_hochberg(&p).iter().zip(holm(&p)).zip(p) {
                prop_assert!(p <= *found && *found <= holm + 1e-15);
            }
        }
    }
}
