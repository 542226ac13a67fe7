//! Looks at a comparison while its seeds are still being run, without more false findings than one
//! look would give.
//!
//! Each look may spend a part of the level that an increasing function of the share of seeds sets
//! beforehand (Lan and DeMets 1983). A comparison is decided at the first look whose p-value is
//! below the nominal level there; looking at 5 % every time would find something far too often.
//!
//! The boundaries are those of normal scores. A t-test of few pairs is held against them by its
//! p-value (the significance-level approach: Jennison and Turnbull 2000, section 3.8): exact at the
//! first look, and a simulation beside this file shows how near it is at the later ones.

use super::normal::{self, FARTHEST};
use super::quadrature::{nodes, root};

/// How the level is spent.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Spending {
    /// About the same nominal level at every look.
    Pocock,
    /// Very little early, nearly all at the last look.
    ObrienFleming,
}

/// One look.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Look {
    /// Pairs that the look has.
    pub pairs: usize,
    /// The level spent up to and with this look.
    pub spent: f64,
    /// The boundary of the normal score.
    pub z: f64,
    /// The nominal level: a two-sided p-value below it decides.
    pub level: f64,
}

/// The two-sided boundaries of looks planned at so many pairs (increasing), for the pairs that the
/// looks so far really have: fewer where pairs are missing. What is spent follows the plan, the
/// correlation of the looks follows the pairs.
///
/// `None` unless `alpha` is a level and both lists increase from 1 or more, `pairs` not the longer
/// one.
pub fn boundaries(
    planned: &[usize],
    pairs: &[usize],
    spending: Spending,
    alpha: f64,
) -> Option<Vec<Look>> {
    let increasing = |n: &[usize]| n.first() >= Some(&1) && n.is_sorted_by(|a, b| a < b);
    let level = alpha > 0.0 && alpha < 1.0;
    if !level || !increasing(planned) || !increasing(pairs) || pairs.len() > planned.len() {
        return None;
    }
    let last = planned[planned.len() - 1] as f64;
    let mut looks: Vec<Look> = Vec::with_capacity(pairs.len());
    let mut paths = Paths::start();
    for (&plan, &pairs) in planned.iter().zip(pairs) {
        let spent = spending.spent(plan as f64 / last, alpha)?;
        let before = looks.last().map_or(0.0, |look| look.spent);
        let z = paths.boundary(pairs as f64, (spent - before) / 2.0);
        paths = paths.beyond(pairs as f64, z);
        looks.push(Look { pairs, spent, z, level: 2.0 * normal::upper_tail(z) });
    }
    Some(looks)
}

impl Spending {
    /// What of `alpha` is spent when a `share` of the pairs is there: half of it on either side,
    /// each by the function of Lan and DeMets (1983, section 4) for one side.
    fn spent(self, share: f64, alpha: f64) -> Option<f64> {
        let side = alpha / 2.0;
        let spent = match self {
            Spending::Pocock => side * (1.0 + (std::f64::consts::E - 1.0) * share).ln(),
            Spending::ObrienFleming => {
                let z = -normal::quantile(side / 2.0)?;
                2.0 * normal::upper_tail(z / share.sqrt())
            }
        };
        Some(2.0 * spent)
    }
}

/// The sums of normal differences that crossed no boundary so far: the density at nodes of an
/// integral (Armitage, McPherson and Rowe 1969).
struct Paths {
    pairs: f64,
    /// Place, and density times weight.
    nodes: Vec<(f64, f64)>,
}

impl Paths {
    /// Before the first pair every sum is 0.
    fn start() -> Self {
        Self { pairs: 0.0, nodes: vec![(0.0, 1.0)] }
    }

    /// The z that the upper side crosses with probability `spend` at so many pairs.
    fn boundary(&self, pairs: f64, spend: f64) -> f64 {
        let step = (pairs - self.pairs).sqrt();
        let crossed = |z: f64| -> f64 {
            let edge = z * pairs.sqrt();
            self.nodes.iter().map(|(at, mass)| mass * normal::upper_tail((edge - at) / step)).sum()
        };
        root(0.0, FARTHEST, |z| spend - crossed(z))
    }

    /// The paths that stay within ± z at so many pairs.
    fn beyond(&self, pairs: f64, z: f64) -> Self {
        let step = (pairs - self.pairs).sqrt();
        // Density that far out is none, however wide the boundary.
        let edge = z.min(10.0) * pairs.sqrt();
        // Panels must resolve the step of a look, and need not be finer.
        let panels = ((2.0 * edge / step).ceil() as usize).clamp(8, 256);
        let density = |x: f64| -> f64 {
            self.nodes.iter().map(|(at, mass)| mass * normal::density((x - at) / step) / step).sum()
        };
        let nodes = nodes(-edge, edge, panels).map(|(x, weight)| (x, weight * density(x)));
        Self { pairs, nodes: nodes.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::quoted::assert_said;
    use super::*;
    use proptest::prelude::*;

    fn z(looks: &[usize], spending: Spending, alpha: f64) -> Vec<f64> {
        boundaries(looks, looks, spending, alpha).unwrap().iter().map(|look| look.z).collect()
    }

    #[track_caller]
    fn assert_near(found: &[f64], expected: &[f64], allowed: f64) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < allowed, "{found} {expected}");
        }
    }

    #[test]
    fn agrees_with_published_boundaries() {
        // Two-sided 0.05, equal steps: the tables of the programs by Reboussin et al. (2000), which
        // ldbounds and gsDesign reproduce.
        let obrien = [4.877, 3.357, 2.680, 2.290, 2.031];
        assert_near(&z(&[1, 2, 3, 4, 5], Spending::ObrienFleming, 0.05), &obrien, 6e-4);
        let pocock = [2.438, 2.427, 2.410, 2.397, 2.386];
        assert_near(&z(&[1, 2, 3, 4, 5], Spending::Pocock, 0.05), &pocock, 6e-4);
        assert_near(&z(&[5, 10], Spending::ObrienFleming, 0.05), &[2.963, 1.969], 6e-4);
        assert_near(&z(&[5, 10], Spending::Pocock, 0.05), &[2.157, 2.201], 6e-4);
    }

    #[test]
    fn agrees_with_a_much_finer_integral() {
        // numpy, one rule of 3000 nodes a look; scipy's multivariate normal probability of the box
        // within these is 1 - alpha.
        use Spending::{ObrienFleming, Pocock};
        let cases: [(&[usize], Spending, f64, &[f64]); 5] = [
            (&[5, 10], Pocock, 0.05, &[2.1569992183, 2.2009769552]),
            (&[5, 10, 20], Pocock, 0.01, &[2.9135243022, 2.9420845059, 2.8296962236]),
            (&[3, 5, 10], ObrienFleming, 0.05, &[3.9285725426, 2.9656182264, 1.9686389746]),
            (&[3, 4, 6, 10], Pocock, 0.1, &[2.0377641805, 2.202330614, 2.1077004631, 1.9645895705]),
            (&[10, 20, 30], ObrienFleming, 0.01, &[4.7229052211, 3.2457010354, 2.5893244714]),
        ];
        for (looks, spending, alpha, expected) in cases {
            assert_near(&z(looks, spending, alpha), expected, 1e-9);
        }
    }

    #[test]
    fn levels_are_those_of_the_documentation() {
        assert_said(
            "p must be below 0.0310 at 5 or 0.0277 at 10 (`pocock`), or below 0.0031 and 0.0490 \
             (`obrien-fleming`)",
        );
        for (spending, quoted) in
            [(Spending::Pocock, [0.0310, 0.0277]), (Spending::ObrienFleming, [0.0031, 0.0490])]
        {
            let looks = boundaries(&[5, 10], &[5, 10], spending, 0.05).unwrap();
            let levels: Vec<f64> = looks.iter().map(|look| look.level).collect();
            assert_near(&levels, &quoted, 5e-5);
        }
    }

    #[test]
    fn one_look_is_the_plain_test() {
        for spending in [Spending::Pocock, Spending::ObrienFleming] {
            let looks = boundaries(&[5], &[5], spending, 0.05).unwrap();
            assert!((looks[0].level - 0.05).abs() < 1e-12, "{looks:?}");
            assert!((looks[0].spent - 0.05).abs() < 1e-12, "{looks:?}");
        }
    }

    #[test]
    fn missing_pairs_change_the_correlation_and_not_what_is_spent() {
        let spending = Spending::Pocock;
        let whole = boundaries(&[5, 10], &[5, 10], spending, 0.05).unwrap();
        let missing = boundaries(&[5, 10], &[4, 10], spending, 0.05).unwrap();
        assert_eq!(whole[0].level, missing[0].level);
        assert_eq!(whole[1].spent, missing[1].spent);
        // The looks have less in common, so the second finds more that the first has not.
        assert!(missing[1].level < whole[1].level, "{missing:?} {whole:?}");
        let first = boundaries(&[5, 10], &[5], spending, 0.05).unwrap();
        assert_eq!(first, whole[..1]);
    }

    #[test]
    fn what_is_no_plan_has_no_boundaries() {
        let of = |planned: &[usize], pairs: &[usize], alpha| {
            boundaries(planned, pairs, Spending::Pocock, alpha)
        };
        assert_eq!(of(&[], &[], 0.05), None);
        assert_eq!(of(&[0, 5], &[5], 0.05), None);
        assert_eq!(of(&[5, 5], &[5], 0.05), None);
        assert_eq!(of(&[5], &[5, 10], 0.05), None);
        assert_eq!(of(&[5, 10], &[], 0.05), None);
        assert_eq!(of(&[5, 10], &[5, 5], 0.05), None);
        assert!([0.0, 1.0, f64::NAN].iter().all(|&alpha| of(&[5], &[5], alpha).is_none()));
    }

    #[test]
    fn nearly_nothing_to_spend_is_a_level_of_nearly_nothing() {
        let looks = boundaries(&[1, 1000], &[1, 1000], Spending::ObrienFleming, 0.05).unwrap();
        assert!(looks[0].level < 1e-200 && looks[0].z.is_finite(), "{looks:?}");
        assert!((looks[1].level - 0.05).abs() < 1e-6, "{looks:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn all_of_alpha_is_spent_and_no_look_spends_more(
            steps in prop::collection::vec(1..9usize, 1..5), alpha in 0.001..0.2f64, pocock: bool,
        ) {
            let looks: Vec<usize> =
                steps.iter().scan(0, |sum, step| { *sum += step; Some(*sum) }).collect();
            let spending = if pocock { Spending::Pocock } else { Spending::ObrienFleming };
            let found = boundaries(&looks, &looks, spending, alpha).unwrap();
            prop_assert!((found[found.len() - 1].spent - alpha).abs() < 1e-12);
            prop_assert!(found.is_sorted_by(|a, b| a.spent < b.spent));
            prop_assert!(found.iter().all(|look| look.level > 0.0 && look.level <= alpha * 1.000001));
            prop_assert!((found[0].level - found[0].spent).abs() < 1e-12);
        }
    }
}
