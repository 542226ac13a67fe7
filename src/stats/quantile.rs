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

/// The middle 95 % of sorted values.
pub(super) fn middle_95(sorted: &[f64]) -> Option<[f64; 2]> {
    Some([quantile(sorted, 0.025)?, quantile(sorted, 0.975)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_between_are_interpolated() {
        // numpy.quantile([1, 2, 4], [0, 0.25, 0.5, 0.9, 1])
        let found = [0.0, 0.25, 0.5, 0.9, 1.0].map(|share| quantile(&[1.0, 2.0, 4.0], share));
        assert_eq!(found, [1.0, 1.5, 2.0, 3.6, 4.0].map(Some));
    }

    #[test]
    fn nothing_has_no_quantile() {
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(quantile(&[1.0], f64::NAN), None);
        assert_eq!(quantile(&[1.0], 1.1), None);
    }
}
