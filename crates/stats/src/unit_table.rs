//! The counts of resampling units: what tests of F1 on two prediction files draw from.
//!
//! A unit is a document or a sentence. F1 is no mean over units, so a test must add up the counts
//! of the units that it drew and take the ratio then. Only the types that a unit has are stored: a
//! file may have thousands of types, and a sentence has few.

use super::f1_measure::F1Measure;
use std::collections::HashMap;
use std::ops::AddAssign;

/// The counts of one type in one unit, for one system.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct UnitCounts {
    pub correct: u32,
    pub predicted: u32,
    pub support: u32,
}

impl AddAssign for UnitCounts {
    fn add_assign(&mut self, other: Self) {
        self.correct = self.correct.saturating_add(other.correct);
        self.predicted = self.predicted.saturating_add(other.predicted);
        self.support = self.support.saturating_add(other.support);
    }
}

/// The counts of every unit for one system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnitTable {
    types: usize,
    units: usize,
    /// Unit, type and counts that are not all 0: sorted, each unit and type once.
    counts: Vec<(usize, usize, UnitCounts)>,
}

impl UnitTable {
    /// A table of so many types and units from counts of a unit and a type, in any order; those of
    /// the same unit and type add up. `None` without a type, and where a number is none of these.
    pub fn new(
        types: usize,
        units: usize,
        mut counts: Vec<(usize, usize, UnitCounts)>,
    ) -> Option<Self> {
        if types == 0 || counts.iter().any(|(unit, id, _)| *unit >= units || *id >= types) {
            return None;
        }
        counts.retain(|(_, _, counts)| *counts != UnitCounts::default());
        counts.sort_unstable_by_key(|(unit, id, _)| (*unit, *id));
        counts.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 += next.2;
            }
            same
        });
        Some(Self { types, units, counts })
    }

    /// How many units there are.
    pub fn units(&self) -> usize {
        self.units
    }

    /// The types and counts of every unit in order.
    fn by_unit(&self) -> impl Iterator<Item = &[(usize, usize, UnitCounts)]> {
        let mut rest = &self.counts[..];
        (0..self.units).map(move |unit| {
            let here = rest.partition_point(|(other, ..)| *other <= unit);
            let (own, after) = rest.split_at(here);
            rest = after;
            own
        })
    }
}

/// Numbers a type has in a [`PairTable`]: correct and predicted of a and of b, and the support.
pub(super) const WIDTH: usize = 5;

/// One type of a row: its place among the types, and its numbers. They are whole, and floating
/// point for the sake of fast sums (exact up to 2^53).
pub(super) type Entry = (usize, [f64; WIDTH]);

/// Two systems side by side. Units of equal counts share a row: most sentences have few entities,
/// so there are far fewer rows than units.
pub(super) struct PairTable {
    measure: F1Measure,
    /// The types of all rows, one after the other, and where each row ends.
    entries: Vec<Entry>,
    row_ends: Vec<usize>,
    /// The row of each unit.
    row_of: Vec<u32>,
    /// Whether a type is in the gold of the whole table.
    in_gold: Vec<bool>,
}

impl PairTable {
    /// `None` unless both tables have the same units (more than none) and the same gold.
    pub fn new(a: &UnitTable, b: &UnitTable, measure: F1Measure) -> Option<Self> {
        let fits = a.types == b.types && a.units == b.units && a.units > 0;
        if !fits || u32::try_from(a.units).is_err() {
            return None;
        }
        let mut table = Self {
            measure,
            entries: Vec::new(),
            row_ends: Vec::new(),
            row_of: Vec::with_capacity(a.units),
            in_gold: vec![false; a.types],
        };
        let mut known: HashMap<Vec<(usize, [u32; WIDTH])>, u32> = HashMap::new();
        for (of_a, of_b) in a.by_unit().zip(b.by_unit()) {
            let unit = side_by_side(of_a, of_b)?;
            let row = match known.get(&unit) {
                Some(&row) => row,
                None => {
                    let row = table.push(&unit);
                    known.insert(unit, row);
                    row
                }
            };
            table.row_of.push(row);
        }
        Some(table)
    }

    /// Adds a row.
    fn push(&mut self, unit: &[(usize, [u32; WIDTH])]) -> u32 {
        for &(id, counts) in unit {
            self.in_gold[id] |= counts[4] > 0;
            self.entries.push((id, counts.map(f64::from)));
        }
        self.row_ends.push(self.entries.len());
        (self.row_ends.len() - 1) as u32
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
    pub fn rows(&self) -> impl Iterator<Item = &[Entry]> {
        let starts = std::iter::once(&0).chain(&self.row_ends);
        starts.zip(&self.row_ends).map(|(&start, &end)| &self.entries[start..end])
    }

    /// Room for a sum of rows: the numbers of every type.
    pub fn zeros(&self) -> Vec<[f64; WIDTH]> {
        vec![[0.0; WIDTH]; self.in_gold.len()]
    }

    /// Sums the rows, each as often as its weight says.
    pub fn weighted(&self, weights: &[u32], sums: &mut [[f64; WIDTH]]) {
        sums.fill([0.0; WIDTH]);
        for (row, &weight) in self.rows().zip(weights).filter(|(_, weight)| **weight > 0) {
            add(sums, row, f64::from(weight));
        }
    }

    /// How often each row occurs.
    pub fn weights(&self) -> Vec<u32> {
        let mut weights = vec![0; self.row_ends.len()];
        self.row_of.iter().for_each(|&row| weights[row as usize] += 1);
        weights
    }

    /// F1 of a and of b from sums of rows.
    pub fn scores(&self, sums: &[[f64; WIDTH]]) -> [f64; 2] {
        [0, 1].map(|system| {
            let counts = sums.iter().map(|c| [c[2 * system], c[2 * system + 1], c[4]]);
            self.measure.of(counts, &self.in_gold)
        })
    }
}

/// Adds a row to a sum, so many times.
pub(super) fn add(sums: &mut [[f64; WIDTH]], row: &[Entry], times: f64) {
    for (id, counts) in row {
        sums[*id].iter_mut().zip(counts).for_each(|(sum, count)| *sum += times * count);
    }
}

/// The types of one unit with the numbers of both systems; `None` where their gold differs.
fn side_by_side(
    mut a: &[(usize, usize, UnitCounts)],
    mut b: &[(usize, usize, UnitCounts)],
) -> Option<Vec<(usize, [u32; WIDTH])>> {
    let mut unit = Vec::with_capacity(a.len().max(b.len()));
    let first = |side: &[(usize, usize, UnitCounts)]| side.first().map(|(_, id, _)| *id);
    while let Some(id) = first(a).into_iter().chain(first(b)).min() {
        let (of_a, of_b) = (take(&mut a, id), take(&mut b, id));
        if of_a.support != of_b.support {
            return None;
        }
        let UnitCounts { correct, predicted, support } = of_a;
        unit.push((id, [correct, predicted, of_b.correct, of_b.predicted, support]));
    }
    Some(unit)
}

/// The counts of a type if it is the next of a side; none otherwise.
fn take(side: &mut &[(usize, usize, UnitCounts)], id: usize) -> UnitCounts {
    match side.split_first() {
        Some(((_, next, counts), rest)) if *next == id => {
            *side = rest;
            *counts
        }
        _ => UnitCounts::default(),
    }
}

/// What a swap of its unit's two outputs adds to a row; types that it leaves alone are left out.
pub(super) fn change_of_swap(row: &[Entry]) -> Vec<Entry> {
    let change =
        |&(id, [ca, pa, cb, pb, _]): &Entry| (id, [cb - ca, pb - pa, ca - cb, pa - pb, 0.0]);
    row.iter().map(change).filter(|(_, change)| change.iter().any(|x| *x != 0.0)).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A table from `[correct, predicted, support]`, unit by unit and within one type by type.
    pub fn table(types: usize, counts: &[[u32; 3]]) -> UnitTable {
        let counts = counts.iter().enumerate().map(|(k, &[correct, predicted, support])| {
            (k / types, k % types, UnitCounts { correct, predicted, support })
        });
        let counts: Vec<_> = counts.collect();
        UnitTable::new(types, counts.len().div_ceil(types), counts).unwrap()
    }

    #[test]
    fn equal_units_share_a_row() {
        let a = table(2, &[[1, 1, 1], [0, 0, 0], [0, 1, 1], [0, 0, 2], [1, 1, 1], [0, 0, 0]]);
        let pair = PairTable::new(&a, &a, F1Measure::Micro).unwrap();
        assert_eq!((pair.units(), pair.rows().count()), (3, 2));
        assert_eq!(pair.weights(), [2, 1]);
        let mut sums = pair.zeros();
        pair.weighted(&pair.weights(), &mut sums);
        assert_eq!(sums, [[2.0, 3.0, 2.0, 3.0, 3.0], [0.0, 0.0, 0.0, 0.0, 2.0]]);
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
        assert_eq!(UnitTable::new(2, 1, vec![(1, 0, UnitCounts::default())]), None);
        assert_eq!(UnitTable::new(2, 1, vec![(0, 2, UnitCounts::default())]), None);
        assert_eq!(UnitTable::new(0, 1, Vec::new()), None);
    }

    #[test]
    fn counts_of_the_same_unit_and_type_add_up() {
        let one = UnitCounts { correct: 1, predicted: 1, support: 2 };
        let nothing = UnitCounts::default();
        let counts = vec![(1, 1, one), (0, 1, one), (1, 0, nothing), (1, 1, one)];
        let expected = table(2, &[[0, 0, 0], [1, 1, 2], [0, 0, 0], [2, 2, 4]]);
        assert_eq!(UnitTable::new(2, 2, counts), Some(expected));
    }

    #[test]
    fn what_a_unit_has_not_takes_no_room() {
        // A dense table of this would hold a hundred million counts.
        let one = UnitCounts { correct: 1, predicted: 1, support: 1 };
        let counts: Vec<_> = (0..10_000).map(|unit| (unit, unit, one)).collect();
        let table = UnitTable::new(10_000, 10_000, counts).unwrap();
        assert_eq!(table.counts.len(), 10_000);
        let pair = PairTable::new(&table, &table, F1Measure::Macro).unwrap();
        assert_eq!((pair.rows().count(), pair.entries.len()), (10_000, 10_000));
    }

    #[test]
    fn a_type_that_one_system_alone_has_is_paired_with_nothing() {
        let a = table(2, &[[1, 1, 1], [0, 1, 0]]);
        let b = table(2, &[[0, 0, 1], [0, 0, 0]]);
        let pair = PairTable::new(&a, &b, F1Measure::Micro).unwrap();
        let row = pair.rows().next().unwrap();
        assert_eq!(row, [(0, [1.0, 1.0, 0.0, 0.0, 1.0]), (1, [0.0, 1.0, 0.0, 0.0, 0.0])]);
        let swap = change_of_swap(row);
        assert_eq!(swap[1], (1, [0.0, -1.0, 0.0, 1.0, 0.0]));
        assert!(change_of_swap(&[(3, [1.0, 2.0, 1.0, 2.0, 5.0])]).is_empty());
    }
}
