//! Quantiles of a sample.

/// The quantile of sorted values by linear interpolation (Hyndman and Fan 1996, type 7: numpy's
/// default); `None` of nothing, and where `share` is no share.
pub(super) fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    if !(0.0..=1.0).contains(&share) {
        return None;
    }
    let last = sorted.len().checked_sub(1)?;
    let place = share * last as f64;
    let below = (place.floor() as usize).min(last);
    let above = (below + 1).min(last);
    Some(sorted[below] + (place - below as f64) * (sorted[above] - sorted[below]))
}

/// The same of values in any order, which are left in another: what is not asked for is not sorted.
pub(super) fn quantile_by_selection(values: &mut [f64], share: f64) -> Option<f64> {
    if !(0.0..=1.0).contains(&share) {
        return None;
    }
    let last = values.len().checked_sub(1)?;
    let place = share * last as f64;
    let below = (place.floor() as usize).min(last);
    let (_, low, above) = values.select_nth_unstable_by(below, f64::total_cmp);
    let low = *low;
    let high = above.iter().copied().min_by(f64::total_cmp).unwrap_or(low);
    Some(low + (place - below as f64) * (high - low))
}

/// The middle 95 % of sorted values.
pub(super) fn middle_95(sorted: &[f64]) -> Option<[f64; 2]> {
    Some([quantile(sorted, 0.025)?, quantile(sorted, 0.975)?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_between_are_interpolated() {
        // numpy.quantile([1, 2, 4], [0, 0.25, 0.5, 0.9, 1])
        let found = [0.0, 0.25, 0.5, 0.9, 1.0].map(|share| quantile(&[1.0, 2.0, 4.0], share));
        assert_eq!(found, [1.0, 1.5, 2.0, 3.6, 4.0].map(Some));
    }

    proptest! {
        #[test]
        fn selection_finds_what_sorting_does(
            values in prop::collection::vec(-1.0..1.0f64, 0..40), share in -0.1..1.1f64,
        ) {
            let mut sorted = values.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            let mut mixed = values;
            prop_assert_eq!(quantile_by_selection(&mut mixed, share), quantile(&sorted, share));
        }
    }

    #[test]
    fn nothing_has_no_quantile() {
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(quantile(&[1.0], f64::NAN), None);
        assert_eq!(quantile(&[1.0], 1.1), None);
    }
}
