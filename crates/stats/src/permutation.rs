//! The sign-flip permutation test of paired differences.

use super::NOISE;
use super::draws::Draws;

/// The largest sample of which every pattern of signs is counted.
const EXACT_LIMIT: usize = 32;

/// Patterns that are drawn of a larger sample.
const DRAWN: usize = 10_000;

/// The two-sided test of "each difference could as well have had the other sign".
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct SignFlip {
    /// The share of sign patterns whose mean is at least as far from 0.
    pub p: f64,
    /// Whether all patterns were counted; otherwise p is (c + 1) / (n + 1) of
    /// [`SignFlip::patterns`].
    pub exact: bool,
    pub patterns: u64,
}

/// Tests paired differences (Fisher 1935, section 21); `None` of none, or if one is not finite. The
/// seed matters above 32 differences only.
pub fn sign_flip(differences: &[f64], seed: u64) -> Option<SignFlip> {
    let magnitude: f64 = differences.iter().map(|x| x.abs()).sum();
    if differences.is_empty() || !magnitude.is_finite() {
        return None;
    }
    // Sums that are equal but for rounding are equal.
    let observed = differences.iter().sum::<f64>().abs();
    let threshold = observed - NOISE * differences.len() as f64;
    Some(match differences.len() <= EXACT_LIMIT {
        true => exact(differences, threshold),
        false => drawn(differences, threshold, seed),
    })
}

/// Counts every pattern. The sums of either half are listed and sorted, so that 2^n patterns take
/// about 2^(n/2) steps.
fn exact(differences: &[f64], threshold: f64) -> SignFlip {
    let patterns = 1u64 << differences.len();
    if threshold <= 0.0 {
        return SignFlip { p: 1.0, exact: true, patterns };
    }
    let (first, second) = differences.split_at(differences.len() / 2);
    let (first, second) = (signed_sums(first), signed_sums(second));
    // As the sums of the first half grow, those of the second that reach the threshold with them
    // begin earlier.
    let mut begin = second.len();
    let mut outside = 0;
    for sum in &first {
        while begin > 0 && sum + second[begin - 1] >= threshold {
            begin -= 1;
        }
        outside += (second.len() - begin) as u64;
    }
    // As many lie below minus the threshold: every pattern has its opposite.
    SignFlip { p: (2 * outside) as f64 / patterns as f64, exact: true, patterns }
}

/// The sums under every pattern of signs, sorted: those with one sign of a difference are in order,
/// as are those with the other, so that merging them sorts all.
fn signed_sums(differences: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0];
    for x in differences {
        let x = x.abs();
        let mut merged = Vec::with_capacity(2 * sums.len());
        let mut lower = sums.iter().map(|sum| sum - x).peekable();
        for upper in sums.iter().map(|sum| sum + x) {
            while let Some(sum) = lower.next_if(|sum| *sum <= upper) {
                merged.push(sum);
            }
            merged.push(upper);
        }
        sums = merged;
    }
    sums
}

fn drawn(differences: &[f64], threshold: f64, seed: u64) -> SignFlip {
    let mut draws = Draws::new(seed);
    let is_outside = |_: &usize| {
        let chunk = |chunk: &[f64]| -> f64 {
            let bits = draws.bits();
            let signed = |(k, x): (usize, &f64)| if bits >> k & 1 == 1 { -x } else { *x };
            chunk.iter().enumerate().map(signed).sum()
        };
        differences.chunks(64).map(chunk).sum::<f64>().abs() >= threshold
    };
    let outside = (0..DRAWN).filter(is_outside).count();
    let p = (outside + 1) as f64 / (DRAWN + 1) as f64;
    SignFlip { p, exact: false, patterns: DRAWN as u64 }
}

#[cfg(test)]
mod tests {
    use super::super::vectors::{differences, section};
    use super::*;
    use proptest::prelude::*;

    /// Every pattern, one by one.
    fn by_hand(differences: &[f64]) -> f64 {
        let observed = differences.iter().sum::<f64>().abs();
        let patterns = 1u32 << differences.len();
        let outside = (0..patterns).filter(|pattern| {
            let sum: f64 = (0..differences.len())
                .map(|k| if pattern >> k & 1 == 1 { -differences[k] } else { differences[k] })
                .sum();
            sum.abs() >= observed - 1e-9
        });
        outside.count() as f64 / f64::from(patterns)
    }

    #[test]
    fn agrees_with_every_pattern_one_by_one() {
        let mut checked = 0;
        for case in section("paired") {
            let differences = differences(&case);
            let few = &differences[..differences.len().min(16)];
            assert_eq!(sign_flip(few, 1).unwrap().p, by_hand(few));
            checked += 1;
        }
        assert!(checked > 3);
    }

    #[test]
    fn agrees_with_scipy() {
        // scipy.stats.permutation_test((d,), numpy.mean, permutation_type="samples",
        // n_resamples=inf)
        let cases: [(&[f64], f64); 3] = [
            (&[-1.19, 0.07, 1.61, -0.59, -0.74], 0.75),
            (&[0.5, 0.25, -0.125, 0.75, 0.5, 0.3, -0.2, 0.1], 0.0703125),
            (&[0.02, -0.01, 0.03, 0.02, 0.0, 0.01, 0.02, -0.01, 0.04, 0.01], 0.0546875),
        ];
        for (differences, p) in cases {
            let found = sign_flip(differences, 1).unwrap();
            assert!(found.exact && (found.p - p).abs() < 1e-12, "{differences:?}: {found:?}");
        }
    }

    #[test]
    fn merged_sums_are_all_of_them_in_order() {
        let differences = [0.3, -0.1, 0.0, 0.25, -0.7, 0.1, 0.2];
        let mut by_hand = vec![0.0];
        for x in differences {
            by_hand = by_hand.iter().flat_map(|sum| [sum - x, sum + x]).collect();
        }
        by_hand.sort_unstable_by(f64::total_cmp);
        let found = signed_sums(&differences);
        assert_eq!(found.len(), 1 << differences.len());
        assert_eq!(found, by_hand);
    }

    #[test]
    fn draws_come_near_the_exact_share() {
        let differences: Vec<f64> =
            (0..30).map(|k| f64::from((k * 7919) % 31) / 31.0 - 0.4).collect();
        let observed = differences.iter().sum::<f64>().abs();
        let exact = sign_flip(&differences, 1).unwrap();
        let near = drawn(&differences, observed - 1e-9, 1);
        assert!(exact.exact && !near.exact);
        assert!((exact.p - near.p).abs() < 0.02, "{exact:?} {near:?}");
    }

    #[test]
    fn all_gains_are_the_smallest_p() {
        assert_eq!(sign_flip(&[0.1, 0.2, 0.3, 0.1, 0.4], 1).unwrap().p, 2.0 / 32.0);
        let many = vec![0.1; 100];
        assert_eq!(sign_flip(&many, 1).unwrap().p, 1.0 / 10_001.0);
    }

    #[test]
    fn what_has_no_test_is_none() {
        assert_eq!(sign_flip(&[], 1), None);
        assert_eq!(sign_flip(&[0.1, f64::NAN], 1), None);
        assert_eq!(sign_flip(&[f64::MAX, f64::MAX], 1), None);
        assert_eq!(sign_flip(&[0.0, 0.0], 1).unwrap().p, 1.0);
        assert_eq!(sign_flip(&[0.5], 1).unwrap().p, 1.0);
    }

    proptest! {
        #[test]
        fn p_is_a_probability(
            differences in prop::collection::vec(prop::num::f64::ANY, 0..12), seed: u64,
        ) {
            if let Some(found) = sign_flip(&differences, seed) {
                prop_assert!(found.p > 0.0 && found.p <= 1.0);
            }
        }

        #[test]
        fn signs_of_all_and_order_do_not_matter(
            differences in prop::collection::vec(-1.0..1.0f64, 1..12),
        ) {
            let turned: Vec<f64> = differences.iter().rev().map(|x| -x).collect();
            prop_assert_eq!(sign_flip(&differences, 1), sign_flip(&turned, 1));
        }
    }
}
