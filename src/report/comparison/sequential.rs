//! The verdict of planned looks: whether a comparison is decided before all its seeds are there.
//!
//! A look at k seeds is at the first k seeds of the grid and is taken when each of their jobs has ended,
//! one way or another; seeds that came in early do not count before their look. The level of a family
//! is divided by its size before it is spent, so that the looks of all its comparisons together keep it.

use super::ALPHA;
use crate::domain::{Spending, Stopping};
use crate::report::view::{Cell, Standing};
use crate::stats;
use serde::Serialize;

/// How a comparison stands after the looks so far.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Sequential {
    /// What all looks of this comparison may spend: the level over the size of the family.
    pub alpha: f64,
    /// `above`, `below`, `open` while looks are left, `no difference shown` when none is.
    pub verdict: &'static str,
    /// Looks that were taken, the deciding one last.
    pub looks: Vec<SequentialLook>,
    /// Seeds whose jobs the next look waits for; empty where there is no next look, or where the grid
    /// has too few seeds for it.
    pub waits_for: Vec<u64>,
}

impl Sequential {
    /// The verdict with the look that gave it, or what the next look waits for.
    pub fn in_words(&self) -> String {
        let seeds = self.looks.last().map_or(0, |look| look.seeds);
        match self.verdict {
            "open" if self.waits_for.is_empty() => "open: the grid has too few seeds".to_owned(),
            "open" => {
                let seeds: Vec<String> = self.waits_for.iter().map(ToString::to_string).collect();
                let noun = if seeds.len() == 1 { "seed" } else { "seeds" };
                format!("open: waits for {noun} {}", seeds.join(", "))
            }
            verdict => format!("{verdict} after {seeds} seeds"),
        }
    }
}

/// A look that was taken.
#[derive(Copy, Clone, PartialEq, Debug, Serialize)]
pub struct SequentialLook {
    /// Seeds it is planned at.
    pub seeds: usize,
    /// Whole pairs among them.
    pub n: usize,
    /// Below this nominal level p decides.
    pub level: f64,
    pub p: Option<f64>,
}

/// One seed of both cells.
enum Pair {
    Whole(f64),
    /// A job has failed or is not planned: there will be no pair.
    Lost,
    /// A job has not run.
    Waiting,
}

fn pair([cell, base]: [&Cell; 2], seed: u64) -> Pair {
    match (cell.seeds.get(&seed), base.seeds.get(&seed)) {
        (Some(Standing::Done(a)), Some(Standing::Done(b))) => Pair::Whole(a.f1 - b.f1),
        (Some(Standing::Missing), _) | (_, Some(Standing::Missing)) => Pair::Waiting,
        _ => Pair::Lost,
    }
}

/// Takes the looks that can be taken, up to the one that decides.
pub(super) fn sequential(
    cells: [&Cell; 2],
    stopping: &Stopping,
    seeds: &[u64],
    family: usize,
) -> Sequential {
    let alpha = ALPHA / family.max(1) as f64;
    let mut found = Sequential { alpha, verdict: "open", looks: Vec::new(), waits_for: Vec::new() };
    let mut pairs: Vec<usize> = Vec::new();
    for &look in &stopping.looks {
        let Some(first) = seeds.get(..look) else { return found };
        found.waits_for = waiting(cells, first);
        if !found.waits_for.is_empty() {
            return found;
        }
        let differences = whole(cells, first);
        pairs.push(differences.len());
        let Some(level) = level(stopping, &pairs, alpha) else { return found };
        let test = stats::paired_t(&differences);
        let p = test.and_then(|test| test.p);
        found.looks.push(SequentialLook { seeds: look, n: differences.len(), level, p });
        if let (Some(test), Some(p)) = (test, p)
            && p < level
        {
            found.verdict = if test.mean > 0.0 { "above" } else { "below" };
            return found;
        }
    }
    found.verdict = "no difference shown";
    found
}

fn waiting(cells: [&Cell; 2], seeds: &[u64]) -> Vec<u64> {
    let waits = |seed: &&u64| matches!(pair(cells, **seed), Pair::Waiting);
    seeds.iter().filter(waits).copied().collect()
}

fn whole(cells: [&Cell; 2], seeds: &[u64]) -> Vec<f64> {
    let difference = |seed: &u64| match pair(cells, *seed) {
        Pair::Whole(difference) => Some(difference),
        _ => None,
    };
    seeds.iter().filter_map(difference).collect()
}

/// The nominal level of the last of these looks.
fn level(stopping: &Stopping, pairs: &[usize], alpha: f64) -> Option<f64> {
    let spending = match stopping.spending {
        Spending::Pocock => stats::Spending::Pocock,
        Spending::ObrienFleming => stats::Spending::ObrienFleming,
    };
    let looks = stats::boundaries(&stopping.looks, pairs, spending, alpha)?;
    looks.last().map(|look| look.level)
}
