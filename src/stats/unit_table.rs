//! The counts of resampling units: what tests of F1 on two prediction files draw from.
//!
//! A unit is a document or a sentence. F1 is no mean over units, so a test must add up the counts of
//! the units that it drew and take the ratio then.

use super::f1_measure::F1Measure;
use std::collections::HashMap;

/// The counts of one type in one unit, for one system.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct UnitCounts {
    pub correct: u32,
    pub predicted: u32,
    pub support: u32,
}

/// The counts of every unit for one system: unit by unit, within a unit type by type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnitTable {
    types: usize,
    counts: Vec<UnitCounts>,
}

impl UnitTable {
    /// A table of whole units; `None` where the counts are no multiple of the number of types.
    pub fn new(types: usize, counts: Vec<UnitCounts>) -> Option<Self> {
        (types > 0 && counts.len().is_multiple_of(types)).then_some(Self { types, counts })
    }

    /// How many units there are.
    pub fn units(&self) -> usize {
        self.counts.len() / self.types
    }
}

/// Numbers a type has in a [`PairTable`]: correct and predicted of a and of b, and the support.
const WIDTH: usize = 5;

/// Two systems side by side. Units of equal counts share a row: most sentences have few entities, so
/// there are far fewer rows than units.
pub(super) struct PairTable {
    measure: F1Measure,
    width: usize,
    /// Whole numbers, as floating point for the sake of fast sums (exact up to 2^53).
    rows: Vec<f64>,
    /// The row of each unit.
    row_of: Vec<u32>,
    /// Whether a type is in the gold of the whole table.
    in_gold: Vec<bool>,
}

impl PairTable {
    /// `None` unless both tables have the same units (more than none) and the same gold.
    pub fn new(a: &UnitTable, b: &UnitTable, measure: F1Measure) -> Option<Self> {
        let fits = a.types == b.types && a.counts.len() == b.counts.len() && !a.counts.is_empty();
        let same_gold = a.counts.iter().zip(&b.counts).all(|(a, b)| a.support == b.support);
        if !fits || !same_gold || u32::try_from(a.units()).is_err() {
            return None;
        }
        let width = WIDTH * a.types;
        let (mut rows, mut row_of, mut known) = (Vec::new(), Vec::new(), HashMap::new());
        for unit in a.counts.chunks(a.types).zip(b.counts.chunks(a.types)) {
            let row = *known.entry(unit).or_insert_with(|| {
                rows.extend(unit.0.iter().zip(unit.1).flat_map(side_by_side));
                (rows.len() / width - 1) as u32
            });
            row_of.push(row);
        }
        let in_gold = (0..a.types)
            .map(|k| a.counts.iter().skip(k).step_by(a.types).any(|counts| counts.support > 0))
            .collect();
        Some(Self { measure, width, rows, row_of, in_gold })
    }

    /// How many units there are.
    pub fn units(&self) -> usize {
        self.row_of.len()
    }

    /// The row of each unit.
    pub fn row_of(&self) -> &[u32] {
        &self.row_of
    }

    /// The distinct rows.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.rows.chunks(self.width)
    }

    /// Room for a sum of rows.
    pub fn zeros(&self) -> Vec<f64> {
        vec![0.0; self.width]
    }

    /// Sums the rows, each as often as its weight says.
    pub fn weighted(&self, weights: &[u32], sums: &mut [f64]) {
        sums.fill(0.0);
        for (row, &weight) in self.rows().zip(weights).filter(|(_, weight)| **weight > 0) {
            let weight = f64::from(weight);
            sums.iter_mut().zip(row).for_each(|(sum, count)| *sum += weight * count);
        }
    }

    /// How often each row occurs.
    pub fn weights(&self) -> Vec<u32> {
        let mut weights = vec![0; self.rows.len() / self.width];
        self.row_of.iter().for_each(|&row| weights[row as usize] += 1);
        weights
    }

    /// F1 of a and of b from sums of rows.
    pub fn scores(&self, sums: &[f64]) -> [f64; 2] {
        [0, 1].map(|system| {
            let counts = sums.chunks(WIDTH).map(|c| [c[2 * system], c[2 * system + 1], c[4]]);
            self.measure.of(counts, &self.in_gold)
        })
    }
}

fn side_by_side((a, b): (&UnitCounts, &UnitCounts)) -> [f64; WIDTH] {
    [a.correct, a.predicted, b.correct, b.predicted, a.support].map(f64::from)
}

/// A row after its unit's two outputs are swapped.
pub(super) fn swapped(row: &[f64]) -> Vec<f64> {
    let swap = |c: &[f64]| [c[2], c[3], c[0], c[1], c[4]];
    row.chunks(WIDTH).flat_map(swap).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A table from `[correct, predicted, support]`.
    pub fn table(types: usize, counts: &[[u32; 3]]) -> UnitTable {
        let counts = counts.iter().map(|&[correct, predicted, support]| UnitCounts {
            correct,
            predicted,
            support,
        });
        UnitTable::new(types, counts.collect()).unwrap()
    }

    #[test]
    fn equal_units_share_a_row() {
        let a = table(2, &[[1, 1, 1], [0, 0, 0], [0, 1, 1], [0, 0, 2], [1, 1, 1], [0, 0, 0]]);
        let pair = PairTable::new(&a, &a, F1Measure::Micro).unwrap();
        assert_eq!((pair.units(), pair.rows().count()), (3, 2));
        assert_eq!(pair.weights(), [2, 1]);
        let mut sums = pair.zeros();
        pair.weighted(&pair.weights(), &mut sums);
        assert_eq!(sums, [2.0, 3.0, 2.0, 3.0, 3.0, 0.0, 0.0, 0.0, 0.0, 2.0]);
        assert_eq!(pair.scores(&sums), [0.5, 0.5]);
    }

    #[test]
    fn tables_that_do_not_belong_together_are_no_pair() {
        let a = table(1, &[[1, 1, 1], [0, 1, 2]]);
        let none = |b: &UnitTable| PairTable::new(&a, b, F1Measure::Macro).is_none();
        assert!(none(&table(1, &[[1, 1, 1]])), "other units");
        assert!(none(&table(2, &[[1, 1, 1], [0, 1, 2]])), "other types");
        assert!(none(&table(1, &[[1, 1, 1], [0, 1, 1]])), "another gold");
        assert!(PairTable::new(&table(1, &[]), &table(1, &[]), F1Measure::Micro).is_none());
        assert_eq!(UnitTable::new(2, vec![UnitCounts::default(); 3]), None);
        assert_eq!(UnitTable::new(0, Vec::new()), None);
    }
}
