//! Nemenyi's comparison of mean ranks: which methods a Friedman test cannot tell apart.

use super::normal;
use super::quadrature::{integral, root};
use std::cell::RefCell;
use std::collections::HashMap;

/// Mean ranks that differ by more than the critical difference differ.
#[derive(Clone, PartialEq, Debug)]
pub struct Nemenyi {
    pub critical_difference: f64,
    /// The largest sets of two or more methods, best first, within which no two differ: the bars of
    /// a critical-difference diagram. Numbers are places in the list of mean ranks.
    pub groups: Vec<Vec<usize>>,
}

/// Compares mean ranks over so many blocks (Nemenyi 1963; Demšar 2006, section 3.2.2): the critical
/// difference is q √(k (k + 1) / 6 N), where q is the studentised range over √2.
///
/// `None` of fewer than two methods or one block, or where `alpha` or a rank is none.
pub fn nemenyi(mean_ranks: &[f64], blocks: usize, alpha: f64) -> Option<Nemenyi> {
    let k = mean_ranks.len() as f64;
    let level = alpha > 0.0 && alpha < 1.0;
    if mean_ranks.len() < 2 || blocks == 0 || !level || mean_ranks.iter().any(|r| !r.is_finite()) {
        return None;
    }
    let spread = (k * (k + 1.0) / (12.0 * blocks as f64)).sqrt();
    let critical_difference = range_quantile(1.0 - alpha, k) * spread;
    Some(Nemenyi { critical_difference, groups: groups(mean_ranks, critical_difference) })
}

/// From each method in the order of ranks as far as the difference is not critical; a set that lies
/// within the one before it says nothing new.
fn groups(mean_ranks: &[f64], critical_difference: f64) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..mean_ranks.len()).collect();
    order.sort_by(|&a, &b| mean_ranks[a].total_cmp(&mean_ranks[b]));
    let mut groups = Vec::new();
    let mut reached = 0;
    for (first, &best) in order.iter().enumerate() {
        let within =
            |method: &&usize| mean_ranks[**method] - mean_ranks[best] <= critical_difference;
        let end = first + order[first..].iter().take_while(within).count();
        if end > reached && end > first + 1 {
            groups.push(order[first..end].to_vec());
        }
        reached = reached.max(end);
    }
    groups
}

/// P(range of k standard normal variables <= q): the studentised range with infinite degrees of
/// freedom, k ∫ φ(z) (Φ(z) - Φ(z - q))^(k - 1) dz (Copenhaver and Holland 1988, equation 2.1).
fn range_cdf(q: f64, k: f64) -> f64 {
    let inside = |z: f64| normal::cdf(z) - normal::cdf(z - q);
    k * integral(-9.0, 9.0, 36, |z| normal::density(z) * inside(z).powf(k - 1.0))
}

/// Rankings of one grid ask for the same few again and again, so those that were found are kept.
fn range_quantile(share: f64, k: f64) -> f64 {
    thread_local! {
        static FOUND: RefCell<HashMap<[u64; 2], f64>> = RefCell::default();
    }
    FOUND.with_borrow_mut(|found| {
        let key = [share, k].map(f64::to_bits);
        // The range of a million normal variables is below 12 but for one sample in a million.
        *found.entry(key).or_insert_with(|| root(0.0, 40.0, |q| range_cdf(q, k) - share))
    })
}

#[cfg(test)]
mod tests {
    use super::super::quoted::assert_said;
    use super::*;
    use proptest::prelude::*;

    /// q, number of variables, scipy.stats.studentized_range.cdf(q, k, inf).
    const RANGE_CDF: [(f64, f64, f64); 8] = [
        (0.5, 3.0, 0.06657805486471302),
        (2.0, 3.0, 0.66650067495985),
        (3.3, 4.0, 0.9094625027546241),
        (3.858, 5.0, 0.9500334404478242),
        (4.5, 10.0, 0.9526941726870715),
        (5.0, 20.0, 0.9486353364208663),
        (6.0, 100.0, 0.9374834445384996),
        (1.0, 8.0, 0.0031781783933725032),
    ];

    /// Share, number of variables, scipy.stats.studentized_range.ppf(share, k, inf).
    const RANGE_PPF: [(f64, f64, f64); 6] = [
        (0.95, 3.0, 3.314493155398122),
        (0.95, 6.0, 4.030092053180576),
        (0.9, 10.0, 4.129346398236873),
        (0.99, 4.0, 4.402800861448699),
        (0.5, 5.0, 2.256882493026194),
        (0.95, 50.0, 5.646026026380527),
    ];

    #[test]
    fn the_range_agrees_with_scipy() {
        for (q, k, expected) in RANGE_CDF {
            let found = range_cdf(q, k);
            assert!((found - expected).abs() < 1e-10, "{q} {k}: {found} {expected}");
        }
        for (share, k, expected) in RANGE_PPF {
            let found = range_quantile(share, k);
            assert!((found - expected).abs() < 1e-8, "{share} {k}: {found} {expected}");
        }
    }

    #[test]
    fn two_variables_differ_as_the_normal_distribution_says() {
        // The difference of two has variance 2: P(|Z| <= q / sqrt 2).
        for q in [0.1, 1.0, 3.0, 6.0] {
            let exact = 1.0 - 2.0 * normal::upper_tail(q / 2f64.sqrt());
            assert!((range_cdf(q, 2.0) - exact).abs() < 1e-14, "{q}");
        }
    }

    #[test]
    fn agrees_with_the_table_of_demsar() {
        // Demšar 2006, table 5 (a): the critical values of the two-tailed Nemenyi test.
        let at_5 = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164];
        let at_10 = [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920];
        for (table, alpha) in [(at_5, 0.05), (at_10, 0.1)] {
            for (k, expected) in (2..).zip(table) {
                let found = range_quantile(1.0 - alpha, f64::from(k)) / 2f64.sqrt();
                assert!((found - expected).abs() < 1e-3, "{k} {alpha}: {found} {expected}");
            }
        }
    }

    #[test]
    fn groups_are_those_of_demsars_example() {
        // Demšar 2006, section 3.2.2: 4 methods, 14 corpora, CD 1.12 at 0.10.
        let ranks = [3.143, 2.000, 2.893, 1.964];
        let found = nemenyi(&ranks, 14, 0.10).unwrap();
        assert!((found.critical_difference - 1.12).abs() < 0.01, "{found:?}");
        assert_eq!(found.groups, [vec![3, 1, 2], vec![2, 0]]);
        let found = nemenyi(&ranks, 1000, 0.10).unwrap();
        assert_eq!(found.groups, [vec![3, 1]]);
        assert!(nemenyi(&ranks, 1_000_000, 0.10).unwrap().groups.is_empty());
    }

    #[test]
    fn few_corpora_tell_little_apart() {
        assert_said("with 6 methods on 3 corpora mean ranks must lie 4.35 apart, of 5 at most");
        let found = nemenyi(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3, 0.05).unwrap();
        assert!((found.critical_difference - 4.35).abs() < 0.005, "{found:?}");
    }

    #[test]
    fn too_little_is_no_comparison() {
        assert_eq!(nemenyi(&[1.0], 5, 0.05), None);
        assert_eq!(nemenyi(&[1.0, 2.0], 0, 0.05), None);
        assert_eq!(nemenyi(&[1.0, 2.0], 5, 0.0), None);
        assert_eq!(nemenyi(&[1.0, f64::NAN], 5, 0.05), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn every_two_that_do_not_differ_share_a_group(
            ranks in prop::collection::vec(1.0..8.0f64, 2..8), blocks in 2..30usize,
        ) {
            let found = nemenyi(&ranks, blocks, 0.05).unwrap();
            for i in 0..ranks.len() {
                for j in 0..i {
                    let together =
                        found.groups.iter().any(|group| group.contains(&i) && group.contains(&j));
                    let alike = (ranks[i] - ranks[j]).abs() <= found.critical_difference;
                    prop_assert_eq!(together, alike);
                }
            }
        }
    }
}
