//! The promise of the tests, kept on simulated scores: where there is no difference, a test at 5 %
//! finds one in 5 % of grids, with one look or with planned ones; looking again and again does not.

use super::draws::Draws;
use super::{Spending, boundaries, normal, paired_t, sign_flip, wilcoxon};

const TRIALS: u32 = 20_000;
const ALPHA: f64 = 0.05;
/// Four standard errors of a share of 5 % in so many trials.
const NOISE: f64 = 0.0062;

/// Differences of two methods that do not differ, from a seeded stream.
struct Null(Draws);

impl Null {
    fn differences(&mut self, n: usize) -> Vec<f64> {
        let mut normal = || {
            let share = (self.0.below(1 << 31) as f64 + 0.5) / f64::from(1u32 << 31);
            normal::quantile(share).unwrap()
        };
        // Points of F1, as runs of one method differ.
        (0..n).map(|_| 0.01 * normal()).collect()
    }
}

/// The share of trials in which a rule finds a difference among `n` pairs.
fn found(n: usize, seed: u64, rule: impl Fn(&[f64]) -> bool) -> f64 {
    let mut null = Null(Draws::new(seed));
    let findings = (0..TRIALS).filter(|_| rule(&null.differences(n))).count();
    findings as f64 / f64::from(TRIALS)
}

fn t_test_p(differences: &[f64]) -> f64 {
    paired_t(differences).unwrap().p.unwrap()
}

#[test]
fn one_look_keeps_its_level() {
    for n in [5, 10] {
        let share = found(n, 1, |d| t_test_p(d) < ALPHA);
        println!("t-test of {n} pairs: {share:.4}");
        assert!((share - ALPHA).abs() < NOISE, "{n}: {share}");
    }
}

#[test]
fn tests_of_ranks_and_signs_find_no_more_than_their_level() {
    assert_eq!(found(5, 2, |d| wilcoxon(d).unwrap().p < ALPHA), 0.0, "five pairs cannot");
    assert_eq!(found(5, 2, |d| sign_flip(d, 1).unwrap().p < ALPHA), 0.0, "five pairs cannot");
    let ranks = found(8, 3, |d| wilcoxon(d).unwrap().p < ALPHA);
    let signs = found(8, 3, |d| sign_flip(d, 1).unwrap().p < ALPHA);
    println!("8 pairs: Wilcoxon {ranks:.4}, sign flips {signs:.4}");
    assert!((0.03..ALPHA + NOISE).contains(&ranks) && (0.03..ALPHA + NOISE).contains(&signs));
}

#[test]
fn planned_looks_keep_the_level() {
    for spending in [Spending::Pocock, Spending::ObrienFleming] {
        for looks in [&[5, 10][..], &[5, 10, 20]] {
            let levels: Vec<f64> = boundaries(looks, looks, spending, ALPHA)
                .unwrap()
                .iter()
                .map(|look| look.level)
                .collect();
            let crossed =
                |d: &[f64]| looks.iter().zip(&levels).any(|(&n, level)| t_test_p(&d[..n]) < *level);
            let share = found(looks[looks.len() - 1], 4, crossed);
            println!("{spending:?} {looks:?}: {share:.4}");
            assert!((share - ALPHA).abs() < NOISE, "{spending:?} {looks:?}: {share}");
        }
    }
}

#[test]
fn looking_again_and_again_does_not() {
    let two = found(10, 5, |d| [5, 10].iter().any(|&n| t_test_p(&d[..n]) < ALPHA));
    let all = found(10, 5, |d| (3..=10).any(|n| t_test_p(&d[..n]) < ALPHA));
    println!("5 % at 5 and 10: {two:.4}; at every seed from 3 to 10: {all:.4}");
    assert!(two > 0.07, "{two}");
    assert!(all > 0.12, "{all}");
}
