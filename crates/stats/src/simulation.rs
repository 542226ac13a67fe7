//! The promise of the tests, kept on simulated scores: where there is no difference, a test at 5 %
//! finds one in 5 % of grids, with one look or with planned ones; looking again and again does not.

use super::draws::Draws;
use super::quoted::assert_said;
use super::{Spending, boundaries, paired_t, sign_flip, wilcoxon};

const TRIALS: u32 = 100_000;
const ALPHA: f64 = 0.05;
/// Four standard errors of a share of 5 % in so many trials.
const NOISE: f64 = 0.0028;
/// Half of the last digit that is quoted, and a little for other mathematics libraries.
const ROUNDING: f64 = 0.0006;

/// The share of trials in which a rule finds a difference among `n` pairs of two methods that do
/// not differ.
fn found(n: usize, seed: u64, rule: impl Fn(&[f64]) -> bool) -> f64 {
    let mut draws = Draws::new(seed);
    let mut finds = |_: &u32| {
        // Points of F1, as runs of one method differ.
        let differences: Vec<f64> = (0..n).map(|_| 0.01 * draws.normal()).collect();
        rule(&differences)
    };
    (0..TRIALS).filter(|trial| finds(trial)).count() as f64 / f64::from(TRIALS)
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
    assert_said("never below 2 / 2ⁿ: **0.0625 with 5 pairs**");
    assert_eq!(found(5, 2, |d| wilcoxon(d).unwrap().p < ALPHA), 0.0, "five pairs cannot");
    assert_eq!(found(5, 2, |d| sign_flip(d, 1).unwrap().p < ALPHA), 0.0, "five pairs cannot");
    // Scores are ratios of counts, so that differences tie.
    let coarse =
        |d: &[f64]| -> Vec<f64> { d.iter().map(|x| (x * 150.0).round() / 150.0).collect() };
    assert_eq!(found(5, 2, |d| wilcoxon(&coarse(d)).unwrap().p < ALPHA), 0.0, "nor with ties");
    let ranks = found(8, 3, |d| wilcoxon(d).unwrap().p < ALPHA);
    let signs = found(8, 3, |d| sign_flip(d, 1).unwrap().p < ALPHA);
    println!("8 pairs: Wilcoxon {ranks:.4}, sign flips {signs:.4}");
    assert!((0.03..ALPHA + NOISE).contains(&ranks) && (0.03..ALPHA + NOISE).contains(&signs));
}

/// The share of trials that planned looks find a difference in.
fn found_by_looks(looks: &[usize], spending: Spending) -> f64 {
    let planned = boundaries(looks, looks, spending, ALPHA).unwrap();
    let levels: Vec<f64> = planned.iter().map(|look| look.level).collect();
    let crossed =
        |d: &[f64]| looks.iter().zip(&levels).any(|(&n, level)| t_test_p(&d[..n]) < *level);
    found(looks[looks.len() - 1], 4, crossed)
}

#[test]
fn planned_looks_keep_the_level() {
    use Spending::{ObrienFleming, Pocock};
    assert_said(
        "In 100,000 simulated comparisons for each plan, without a difference, looks at 5 and 10 found one \
         in 5.2 % (`pocock`) and 5.0 % (`obrien-fleming`), where 5 % are meant; at 5, 10 and 20 in 5.3 % and \
         5.0 %; six looks from 5 to 10 in 5.3 % and 5.6 %",
    );
    for (looks, spending, quoted) in [
        (&[5, 10][..], Pocock, 0.052),
        (&[5, 10], ObrienFleming, 0.050),
        (&[5, 10, 20], Pocock, 0.053),
        (&[5, 10, 20], ObrienFleming, 0.050),
        (&[5, 6, 7, 8, 9, 10], Pocock, 0.053),
        (&[5, 6, 7, 8, 9, 10], ObrienFleming, 0.056),
    ] {
        let share = found_by_looks(looks, spending);
        println!("{spending:?} {looks:?}: {share:.4}");
        assert!((share - quoted).abs() < ROUNDING, "{spending:?} {looks:?}: {share}");
    }
}

#[test]
fn looking_again_and_again_does_not() {
    assert_said(
        "finds a difference that is not there in 8.8 % of simulated cases; after every seed from 3 to 10, \
         in 17 %",
    );
    let two = found(10, 5, |d| [5, 10].iter().any(|&n| t_test_p(&d[..n]) < ALPHA));
    let all = found(10, 5, |d| (3..=10).any(|n| t_test_p(&d[..n]) < ALPHA));
    println!("5 % at 5 and 10: {two:.4}; at every seed from 3 to 10: {all:.4}");
    assert!((two - 0.088).abs() < ROUNDING, "{two}");
    assert!((all - 0.17).abs() < 10.0 * ROUNDING, "{all}");
}

#[test]
fn looks_spare_seeds_and_what_they_decide_early_is_overstated() {
    let planned = boundaries(&[5, 10], &[5, 10], Spending::Pocock, ALPHA).unwrap();
    let mut draws = Draws::new(6);
    let mut early = Vec::new();
    for _ in 0..TRIALS {
        let differences: Vec<f64> = (0..5).map(|_| 1.0 + draws.normal()).collect();
        let test = paired_t(&differences).unwrap();
        early.extend(test.p.filter(|p| *p < planned[0].level).map(|_| test.mean));
    }
    let share = early.len() as f64 / f64::from(TRIALS);
    let mean = early.iter().sum::<f64>() / early.len() as f64;
    println!("decided at 5: {share:.4}, showing {mean:.4}");
    assert_said(
        "Of 100,000 simulated comparisons with a true difference of one standard deviation, looks at 5 and \
         10 (`pocock`) decided 30 % at 5 seeds, and those show 1.36 standard deviations on average",
    );
    assert!((share - 0.30).abs() < 10.0 * ROUNDING, "{share}");
    assert!((mean - 1.36).abs() < 10.0 * ROUNDING, "{mean}");
}
