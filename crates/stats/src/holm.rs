//! Holm's correction for a family of tests.

/// The adjusted p-values, in the order of the given ones (Holm 1979): the i-th smallest of m is
/// multiplied by m - i + 1, never falls below the one before it, and never exceeds 1.
///
/// A test of the family that gave no p-value still counts: pass it as 1, which corrects the others
/// as strictly as if it had found nothing. What is no p-value counts so too.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let (p_values, order) = super::ordered(p_values);
    let mut adjusted = vec![1.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (smaller, &index) in order.iter().enumerate() {
        let factor = (p_values.len() - smaller) as f64;
        largest = largest.max(factor * p_values[index]).min(1.0);
        adjusted[index] = largest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::super::vectors::{assert_all_close, numbers, section};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn agrees_with_statsmodels() {
        for case in section("multiple") {
            assert_all_close(&holm(&numbers(&case["p"])), &case["holm"]["adjusted"]);
        }
    }

    #[test]
    fn a_family_of_one_is_not_corrected() {
        assert_eq!(holm(&[0.03]), [0.03]);
        assert!(holm(&[]).is_empty());
    }

    #[test]
    fn no_p_value_is_1() {
        assert_eq!(holm(&[f64::NAN, 0.01, f64::INFINITY]), [1.0, 0.03, 1.0]);
    }

    proptest! {
        #[test]
        fn keeps_the_order_and_never_lowers(p in prop::collection::vec(0.0..=1.0f64, 1..20)) {
            let adjusted = holm(&p);
            for i in 0..p.len() {
                prop_assert!(p[i] <= adjusted[i] && adjusted[i] <= 1.0);
                for j in 0..p.len() {
                    prop_assert!(p[i] > p[j] || adjusted[i] <= adjusted[j]);
                }
            }
        }

        #[test]
        fn order_does_not_matter(
            p in prop::collection::vec(0.0..=1.0f64, 1..20), by in 0..20usize,
        ) {
            let mut rotated = p.clone();
            rotated.rotate_left(by % p.len());
            let mut expected = holm(&p);
            expected.rotate_left(by % p.len());
            prop_assert_eq!(holm(&rotated), expected);
        }
    }
}
