//! Tests of the F1 difference of two prediction files on the same gold, by resampling its documents
//! or sentences: the paired bootstrap and approximate randomisation.
//!
//! The seeds of a grid say how a method varies when it is trained again; these tests say how a
//! score varies with the test data, for two given outputs. Neither stands for the other.
//!
//! sacreBLEU offers the same two tests and other p-values: its bootstrap takes absolute differences
//! before centring, which makes the p of a clear difference one-sided, and both of its tests count
//! only differences *above* the observed one, so that a system compared with itself is highly
//! significant. Here p is two-sided and a tie counts as evidence for equality.

use super::NOISE;
use super::draws::Draws;
use super::f1_measure::F1Measure;
use super::quantile::middle_95;
use super::unit_table::{Entry, PairTable, UnitTable, WIDTH, add, change_of_swap};

/// A test of "both systems have the same F1".
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct PairedResampling {
    /// Documents or sentences.
    pub units: usize,
    pub resamples: usize,
    /// F1 of the first system.
    pub a: f64,
    /// F1 of the second system.
    pub b: f64,
    /// a - b.
    pub difference: f64,
    /// Two-sided, (c + 1) / (n + 1) for c of n resamples at least as far out as what was observed:
    /// never 0 (Davison and Hinkley 1997, 4.11).
    pub p: f64,
    /// How far the scores spread; the randomisation test does not tell.
    pub spread: Option<Spread>,
}

/// The middle 95 % of bootstrap samples.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Spread {
    pub a: [f64; 2],
    pub b: [f64; 2],
    pub difference: [f64; 2],
}

/// Draws as many units as there are, with replacement, again and again (Efron and Tibshirani 1993,
/// chapter 16; Berg-Kirkpatrick et al. 2012, figure 1, here two-sided): p is the share of samples
/// whose difference lies as far from the observed one as that lies from 0.
///
/// `None` unless both tables have the same units and the same gold, or if there is nothing to draw.
pub fn paired_bootstrap(
    a: &UnitTable,
    b: &UnitTable,
    measure: F1Measure,
    resamples: usize,
    seed: u64,
) -> Option<PairedResampling> {
    let table = PairTable::new(a, b, measure)?;
    let mut draws = Draws::new(seed);
    let (mut weights, mut sums) = (table.weights(), table.zeros());
    let mut samples: [Vec<f64>; 3] = [const { Vec::new() }; 3];
    for _ in 0..resamples {
        weights.fill(0);
        for _ in 0..table.units() {
            let unit = draws.below(table.units() as u32);
            weights[table.row_of()[unit] as usize] += 1;
        }
        table.weighted(&weights, &mut sums);
        let [a, b] = table.scores(&sums);
        samples.iter_mut().zip([a, b, a - b]).for_each(|(all, score)| all.push(score));
    }
    let [a, b] = observed(&table);
    let outside = samples[2].iter().filter(|&&d| is_as_far(d - (a - b), a - b)).count();
    samples.iter_mut().for_each(|scores| scores.sort_unstable_by(f64::total_cmp));
    let [of_a, of_b, of_difference] = samples.map(|sorted| middle_95(&sorted));
    let spread = Spread { a: of_a?, b: of_b?, difference: of_difference? };
    Some(PairedResampling { spread: Some(spread), ..result(&table, [a, b], outside, resamples) })
}

/// Swaps the two outputs of each unit or leaves them, by the toss of a coin (Noreen 1989; Yeh
/// 2000): p is the share of swaps that give a difference at least as large as the observed one.
///
/// `None` unless both tables have the same units and the same gold, or if there is nothing to swap.
pub fn approximate_randomisation(
    a: &UnitTable,
    b: &UnitTable,
    measure: F1Measure,
    resamples: usize,
    seed: u64,
) -> Option<PairedResampling> {
    let table = PairTable::new(a, b, measure)?;
    if resamples == 0 {
        return None;
    }
    let mut draws = Draws::new(seed);
    let swaps = Swaps::new(&table);
    let mut sums = table.zeros();
    let [a, b] = observed(&table);
    let mut outside = 0;
    for _ in 0..resamples {
        swaps.draw(&mut draws, &mut sums);
        let [a_shuffled, b_shuffled] = table.scores(&sums);
        outside += usize::from(is_as_far(a_shuffled - b_shuffled, a - b));
    }
    Some(result(&table, [a, b], outside, resamples))
}

/// F1 of both systems as they are.
fn observed(table: &PairTable) -> [f64; 2] {
    let mut sums = table.zeros();
    table.weighted(&table.weights(), &mut sums);
    table.scores(&sums)
}

/// A difference that is equal but for rounding counts as equal.
fn is_as_far(difference: f64, observed: f64) -> bool {
    difference.abs() >= observed.abs() - NOISE
}

fn result(table: &PairTable, [a, b]: [f64; 2], outside: usize, n: usize) -> PairedResampling {
    let p = (outside + 1) as f64 / (n + 1) as f64;
    PairedResampling {
        units: table.units(),
        resamples: n,
        a,
        b,
        difference: a - b,
        p,
        spread: None,
    }
}

/// What a swap of each unit changes. A unit whose two outputs score alike changes nothing and needs
/// no coin.
struct Swaps {
    unswapped: Vec<[f64; WIDTH]>,
    /// For every other unit what is added when it is swapped, each row once, with the number of
    /// its units.
    changes: Vec<(Vec<Entry>, u32)>,
}

impl Swaps {
    fn new(table: &PairTable) -> Self {
        let mut unswapped = table.zeros();
        let weights = table.weights();
        table.weighted(&weights, &mut unswapped);
        let changes = table.rows().map(change_of_swap).zip(weights);
        let changes = changes.filter(|(change, _)| !change.is_empty()).collect();
        Self { unswapped, changes }
    }

    /// Sums after a toss for each unit: of m equal units as many are swapped as m coins show heads.
    fn draw(&self, draws: &mut Draws, sums: &mut [[f64; WIDTH]]) {
        sums.copy_from_slice(&self.unswapped);
        let (mut bits, mut left) = (0, 0);
        for (change, units) in &self.changes {
            let mut heads = 0;
            let mut to_toss = *units;
            while to_toss > 0 {
                if left == 0 {
                    (bits, left) = (draws.bits(), u64::BITS);
                }
                let now = to_toss.min(left);
                let mask = u64::MAX >> (u64::BITS - now);
                heads += (bits & mask).count_ones();
                bits = bits.checked_shr(now).unwrap_or(0);
                (left, to_toss) = (left - now, to_toss - now);
            }
            add(sums, change, f64::from(heads));
        }
    }
}

#[cfg(test)]
mod tests;
