//! Mean and standard deviation.

/// The arithmetic mean; `None` of nothing, and where the sum is not finite.
pub fn mean(values: &[f64]) -> Option<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    mean.is_finite().then_some(mean)
}

/// The standard deviation of a sample (divisor n - 1); `None` of fewer than two values.
pub fn sd(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let mean = mean(values)?;
    // Two passes: the sum of squares minus the square of the sum cancels for scores that lie close.
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    let sd = (squares / (values.len() - 1) as f64).sqrt();
    sd.is_finite().then_some(sd)
}

#[cfg(test)]
mod tests {
    use super::super::vectors::{assert_close, differences, section};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn agrees_with_numpy() {
        for case in section("paired") {
            let differences = differences(&case);
            assert_close(mean(&differences).unwrap(), &case["mean_diff"]);
            assert_close(sd(&differences).unwrap(), &case["sd_diff_ddof1"]);
        }
    }

    #[test]
    fn too_few_values_have_no_moment() {
        assert_eq!(mean(&[]), None);
        assert_eq!(mean(&[0.5]), Some(0.5));
        assert_eq!(sd(&[0.5]), None);
        assert_eq!(sd(&[0.5, 0.5]), Some(0.0));
    }

    proptest! {
        #[test]
        fn never_nan(values in prop::collection::vec(prop::num::f64::ANY, 0..8)) {
            prop_assert!(mean(&values).is_none_or(f64::is_finite));
            prop_assert!(sd(&values).is_none_or(|sd| sd.is_finite() && sd >= 0.0));
        }

        #[test]
        fn a_shift_moves_the_mean_and_keeps_the_spread(
            values in prop::collection::vec(0.0..1.0f64, 2..20), shift in -1.0..1.0f64,
        ) {
            let shifted: Vec<f64> = values.iter().map(|x| x + shift).collect();
            prop_assert!((mean(&shifted).unwrap() - mean(&values).unwrap() - shift).abs() < 1e-12);
            prop_assert!((sd(&shifted).unwrap() - sd(&values).unwrap()).abs() < 1e-12);
        }
    }
}
