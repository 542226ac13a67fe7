//! Wilcoxon's signed-rank test of paired differences.
//!
//! The rules are those of scipy's `wilcoxon` with `zero_method="wilcox"`, two-sided, without a
//! continuity correction: zeros are dropped, ties share their mean rank, the null distribution is
//! exact up to [`EXACT_LIMIT`] differences without ties or zeros and normal, with the variance
//! corrected for ties, otherwise.

use super::{normal, without_noise};

/// The largest sample whose exact distribution is used.
const EXACT_LIMIT: usize = 50;

/// The two-sided test of "the differences lie symmetrically around 0".
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Wilcoxon {
    /// Differences that are not 0.
    pub n: usize,
    /// The smaller of the two rank sums.
    pub statistic: f64,
    /// Two-sided; 1 where all differences are 0.
    pub p: f64,
    /// Whether p is exact, not from the normal approximation.
    pub exact: bool,
}

/// Tests paired differences; `None` of none, or if one is not finite.
pub fn wilcoxon(differences: &[f64]) -> Option<Wilcoxon> {
    if differences.is_empty() || differences.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let mut sample: Vec<f64> =
        differences.iter().map(|&x| without_noise(x)).filter(|&x| x != 0.0).collect();
    sample.sort_unstable_by(|a, b| a.abs().total_cmp(&b.abs()));
    let sums = RankSums::of(&sample);
    let n = sample.len();
    let statistic = sums.positive.min(sums.negative);
    let exact = differences.len() <= EXACT_LIMIT && n == differences.len() && sums.ties == 0.0;
    let p = match (n, exact) {
        (0, _) => 1.0,
        (_, true) => exact_p(n, statistic as usize),
        (_, false) => normal_p(n, statistic, sums.ties),
    };
    Some(Wilcoxon { n, statistic, p, exact })
}

/// The sums of the ranks of positive and of negative differences, and t^3 - t summed over ties.
#[derive(Default)]
struct RankSums {
    positive: f64,
    negative: f64,
    ties: f64,
}

impl RankSums {
    /// Ranks a sample that is sorted by absolute value and has no zero.
    fn of(sorted: &[f64]) -> Self {
        let mut sums = Self::default();
        let mut before = 0.0;
        for tied in sorted.chunk_by(|a, b| a.abs() == b.abs()) {
            let size = tied.len() as f64;
            let rank = before + (size + 1.0) / 2.0;
            let positive = tied.iter().filter(|x| **x > 0.0).count() as f64;
            sums.positive += rank * positive;
            sums.negative += rank * (size - positive);
            sums.ties += size.powi(3) - size;
            before += size;
        }
        sums
    }
}

/// Twice the share of the 2^n sign patterns whose rank sum is at most `statistic`.
fn exact_p(n: usize, statistic: usize) -> f64 {
    // ways[s]: subsets of the ranks so far with sum s. Exact: 2^50 fits well into 64 bits.
    let mut ways = vec![0u64; n * (n + 1) / 2 + 1];
    ways[0] = 1;
    for rank in 1..=n {
        for sum in (rank..ways.len()).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    let at_most: u64 = ways.iter().take(statistic + 1).sum();
    (2.0 * at_most as f64 / 2f64.powi(n as i32)).min(1.0)
}

/// The normal approximation, its variance corrected for ties.
fn normal_p(n: usize, statistic: f64, ties: f64) -> f64 {
    let n = n as f64;
    let mean = n * (n + 1.0) / 4.0;
    let variance = (n * (n + 1.0) * (2.0 * n + 1.0) - ties / 2.0) / 24.0;
    let z = (statistic - mean) / variance.sqrt();
    (2.0 * normal::upper_tail(z.abs())).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::super::vectors::{assert_close, differences, section};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn agrees_with_scipy() {
        let mut exact = 0;
        for case in section("paired") {
            let found = wilcoxon(&differences(&case)).unwrap();
            // The file has the exact test only where there are neither ties nor zeros.
            let expected = match case.get("wilcoxon_wilcox_exact") {
                Some(expected) => expected,
                None => &case["wilcoxon_wilcox_approx"],
            };
            assert_eq!(found.exact, case.get("wilcoxon_wilcox_exact").is_some());
            assert_close(found.statistic, &expected["statistic"]);
            assert_close(found.p, &expected["pvalue"]);
            exact += usize::from(found.exact);
        }
        assert!((1..7).contains(&exact), "both ways must have been taken");
    }

    #[test]
    fn the_normal_approximation_agrees_with_scipy_on_every_case() {
        for case in section("paired") {
            let expected = &case["wilcoxon_wilcox_approx"];
            let mut sample: Vec<f64> =
                differences(&case).into_iter().map(without_noise).filter(|x| *x != 0.0).collect();
            sample.sort_unstable_by(|a, b| a.abs().total_cmp(&b.abs()));
            let sums = RankSums::of(&sample);
            let statistic = sums.positive.min(sums.negative);
            assert_close(normal_p(sample.len(), statistic, sums.ties), &expected["pvalue"]);
        }
    }

    #[test]
    fn no_difference_at_all_is_p_1() {
        let found = wilcoxon(&[0.0, 0.3 - 0.2 - 0.1, 0.0]).unwrap();
        assert_eq!((found.n, found.p), (0, 1.0));
        assert_eq!(wilcoxon(&[]), None);
        assert_eq!(wilcoxon(&[0.1, f64::NAN]), None);
    }

    #[test]
    fn five_gains_of_five_are_the_smallest_p_that_five_pairs_can_give() {
        assert_eq!(wilcoxon(&[0.1, 0.2, 0.3, 0.4, 0.5]).unwrap().p, 2.0 / 32.0);
    }

    proptest! {
        #[test]
        fn p_is_a_probability(differences in prop::collection::vec(prop::num::f64::ANY, 0..60)) {
            if let Some(found) = wilcoxon(&differences) {
                prop_assert!((0.0..=1.0).contains(&found.p));
                prop_assert!(found.statistic.is_finite());
            }
        }

        #[test]
        fn sign_and_order_do_not_matter(
            (differences, shuffled) in prop::collection::vec(-5..5i32, 1..70)
                .prop_flat_map(|x| (Just(x.clone()), Just(x).prop_shuffle())),
        ) {
            let scores = |x: &[i32], sign: f64| -> Vec<f64> {
                x.iter().map(|&x| sign * f64::from(x) / 100.0).collect()
            };
            let expected = wilcoxon(&scores(&differences, 1.0));
            prop_assert_eq!(wilcoxon(&scores(&shuffled, -1.0)), expected);
        }

        #[test]
        fn only_ranks_matter(differences in prop::collection::vec(0.01..1.0f64, 1..60)) {
            let mut alternating = differences;
            for x in alternating.iter_mut().step_by(2) {
                *x = -*x;
            }
            let stretched: Vec<f64> = alternating.iter().map(|x| x * 3.0).collect();
            prop_assert_eq!(wilcoxon(&stretched), wilcoxon(&alternating));
        }
    }
}
