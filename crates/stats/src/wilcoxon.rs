//! Wilcoxon's signed-rank test of paired differences.
//!
//! The rules are those of scipy's `wilcoxon` with `zero_method="wilcox"`, two-sided, without a
//! continuity correction: zeros are dropped and ties share their mean rank. Up to [`EXACT_LIMIT`]
//! differences that are not 0 the null distribution is exact given the ranks at hand, ties or not;
//! beyond, it is normal, with the variance corrected for ties. So p is never below 2 / 2^n.

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
    let ranks = Ranks::of(differences)?;
    Some(match ranks.n() <= EXACT_LIMIT {
        true => ranks.result(ranks.exact_p(), true),
        false => ranks.result(ranks.normal_p(), false),
    })
}

/// The same test by the normal approximation whatever the number of differences, as scipy's
/// `method="asymptotic"`: with few of them p may lie below what any pattern of signs can give.
pub fn wilcoxon_approximation(differences: &[f64]) -> Option<Wilcoxon> {
    let ranks = Ranks::of(differences)?;
    Some(ranks.result(ranks.normal_p(), false))
}

/// The ranks of a sample by absolute value, without its zeros. Twice a rank is a whole number, ties
/// or not.
struct Ranks {
    /// Twice the rank of every difference, ascending.
    doubled: Vec<usize>,
    /// Twice the smaller of the rank sums of positive and of negative differences.
    statistic: usize,
    /// t^3 - t summed over ties.
    ties: f64,
}

impl Ranks {
    fn of(differences: &[f64]) -> Option<Self> {
        if differences.is_empty() || differences.iter().any(|x| !x.is_finite()) {
            return None;
        }
        let steps = differences.iter().map(|&x| without_noise(x));
        let mut sorted: Vec<f64> = steps.filter(|&x| x != 0.0).collect();
        sorted.sort_unstable_by(|a, b| a.abs().total_cmp(&b.abs()));
        let (mut doubled, mut positive, mut ties) = (Vec::with_capacity(sorted.len()), 0, 0.0);
        for tied in sorted.chunk_by(|a, b| a.abs() == b.abs()) {
            let rank = 2 * doubled.len() + tied.len() + 1;
            positive += rank * tied.iter().filter(|x| **x > 0.0).count();
            ties += (tied.len() as f64).powi(3) - tied.len() as f64;
            doubled.extend(std::iter::repeat_n(rank, tied.len()));
        }
        let negative = doubled.iter().sum::<usize>() - positive;
        Some(Self { doubled, statistic: positive.min(negative), ties })
    }

    fn n(&self) -> usize {
        self.doubled.len()
    }

    fn result(&self, p: f64, exact: bool) -> Wilcoxon {
        Wilcoxon { n: self.n(), statistic: self.statistic as f64 / 2.0, p, exact }
    }

    /// Twice the share of the 2^n sign patterns whose rank sum is at most the statistic.
    fn exact_p(&self) -> f64 {
        // ways[s]: subsets of the ranks so far whose doubled sum is s. Exact: 2^50 fits into 64
        // bits.
        let mut ways = vec![0u64; self.doubled.iter().sum::<usize>() + 1];
        ways[0] = 1;
        for &rank in &self.doubled {
            for sum in (rank..ways.len()).rev() {
                ways[sum] += ways[sum - rank];
            }
        }
        let at_most: u64 = ways.iter().take(self.statistic + 1).sum();
        (2.0 * at_most as f64 / 2f64.powi(self.n() as i32)).min(1.0)
    }

    /// The normal approximation, its variance corrected for ties; 1 of nothing but zeros.
    fn normal_p(&self) -> f64 {
        if self.doubled.is_empty() {
            return 1.0;
        }
        let n = self.n() as f64;
        let mean = n * (n + 1.0) / 4.0;
        let variance = (n * (n + 1.0) * (2.0 * n + 1.0) - self.ties / 2.0) / 24.0;
        let z = (self.statistic as f64 / 2.0 - mean) / variance.sqrt();
        (2.0 * normal::upper_tail(z.abs())).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::vectors::{assert_close, differences, section};
    use super::*;
    use proptest::prelude::*;

    /// Every pattern of signs of ranks with ties, one by one.
    fn by_hand(differences: &[f64]) -> f64 {
        let kept: Vec<f64> = differences.iter().copied().filter(|x| *x != 0.0).collect();
        let rank = |x: f64| -> f64 {
            let below = kept.iter().filter(|y| y.abs() < x.abs()).count() as f64;
            let equal = kept.iter().filter(|y| y.abs() == x.abs()).count() as f64;
            below + (equal + 1.0) / 2.0
        };
        let ranks: Vec<f64> = kept.iter().map(|&x| rank(x)).collect();
        let centre = ranks.iter().sum::<f64>() / 2.0;
        let off = |sum: f64| (sum - centre).abs();
        let positive = |k: &usize| kept[*k] > 0.0;
        let observed = off((0..kept.len()).filter(positive).map(|k| ranks[k]).sum());
        let patterns = 1u32 << kept.len();
        let outside = (0..patterns).filter(|pattern| {
            let sum = (0..kept.len()).filter(|k| pattern >> k & 1 == 1).map(|k| ranks[k]).sum();
            off(sum) >= observed
        });
        outside.count() as f64 / f64::from(patterns)
    }

    #[test]
    fn agrees_with_scipy() {
        let mut checked = 0;
        for case in section("paired") {
            let found = wilcoxon(&differences(&case)).unwrap();
            assert!(found.exact);
            assert_close(found.statistic, &case["wilcoxon_wilcox_approx"]["statistic"]);
            // The file has the exact test only where there are neither ties nor zeros.
            if let Some(expected) = case.get("wilcoxon_wilcox_exact") {
                assert_close(found.p, &expected["pvalue"]);
                checked += 1;
            }
        }
        assert!(checked > 3);
    }

    #[test]
    fn the_normal_approximation_agrees_with_scipy_on_every_case() {
        for case in section("paired") {
            let expected = &case["wilcoxon_wilcox_approx"];
            let found = wilcoxon_approximation(&differences(&case)).unwrap();
            assert!(!found.exact);
            assert_close(found.statistic, &expected["statistic"]);
            assert_close(found.p, &expected["pvalue"]);
        }
    }

    #[test]
    fn ties_and_zeros_agree_with_scipys_permutation_test() {
        // scipy.stats.wilcoxon(d, method=PermutationMethod(n_resamples=inf)), zeros left out of d
        let cases: [(&[f64], f64); 4] = [
            (&[1.0, 1.0, 1.0, 1.0, 1.0], 0.0625),
            (&[1.0, 1.0, -1.0, 2.0, 2.0, 3.0], 0.125),
            (&[0.0, 1.0, 1.0, -2.0, 3.0, 0.0, 4.0, 4.0], 0.15625),
            (&[2.0, 2.0, -1.0, 4.0, 4.0, 4.0, -2.0, 6.0, 1.0], 0.05078125),
        ];
        for (differences, p) in cases {
            let found = wilcoxon(differences).unwrap();
            assert!(found.exact && (found.p - p).abs() < 1e-12, "{differences:?}: {found:?}");
        }
    }

    #[test]
    fn the_distribution_is_exact_up_to_50_differences_that_are_not_0() {
        let tied = |n: usize| -> Vec<f64> { (0..n).map(|k| (k % 7) as f64 - 2.5).collect() };
        let with_zeros = [tied(50), vec![0.0; 9]].concat();
        assert!(wilcoxon(&with_zeros).unwrap().exact);
        assert_eq!(wilcoxon(&with_zeros).unwrap().p, wilcoxon(&tied(50)).unwrap().p);
        let beyond = wilcoxon(&tied(51)).unwrap();
        assert_eq!(Some(beyond), wilcoxon_approximation(&tied(51)));
        assert!(!beyond.exact);
    }

    #[test]
    fn no_difference_at_all_is_p_1() {
        let found = wilcoxon(&[0.0, 0.3 - 0.2 - 0.1, 0.0]).unwrap();
        assert_eq!((found.n, found.p), (0, 1.0));
        assert_eq!(wilcoxon(&[]), None);
        assert_eq!(wilcoxon(&[0.1, f64::NAN]), None);
        assert_eq!(wilcoxon_approximation(&[0.0, 0.0]).unwrap().p, 1.0);
        assert_eq!(wilcoxon_approximation(&[]), None);
    }

    #[test]
    fn five_gains_of_five_are_the_smallest_p_that_five_pairs_can_give() {
        assert_eq!(wilcoxon(&[0.1, 0.2, 0.3, 0.4, 0.5]).unwrap().p, 2.0 / 32.0);
        assert_eq!(wilcoxon(&[0.1; 5]).unwrap().p, 2.0 / 32.0, "ties change nothing");
        assert_eq!(wilcoxon(&[0.0, 0.1, 0.2, 0.2, 0.5]).unwrap().p, 2.0 / 16.0, "a zero is none");
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
        fn ties_and_zeros_are_counted_pattern_by_pattern(
            differences in prop::collection::vec(-4..5i32, 1..11),
        ) {
            let differences: Vec<f64> = differences.into_iter().map(f64::from).collect();
            let found = wilcoxon(&differences).unwrap();
            prop_assert!((found.p - by_hand(&differences)).abs() < 1e-12);
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
