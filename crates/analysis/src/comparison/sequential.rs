//! The verdict of planned looks: whether a comparison is decided before all its seeds are there.
//!
//! A look at k seeds is at the first k seeds of the grid and is taken when each of their jobs has
//! ended, one way or another; seeds that came in early do not count before their look. The level of
//! a family is divided by its size before it is spent, so that the looks of all its comparisons
//! together keep it.
//!
//! Jobs that failed make a look smaller. One that adds no pair to the look before it, has too few
//! pairs for a test, or compares models of which a side never learned is skipped: it spends
//! nothing, and what it would have spent is left to the next.

use super::{ALPHA, Verdict};
use crate::number;
use crate::view::{SeedCell, SeedStanding};
use domain::{Spending, Stopping};
use serde::{Serialize, Serializer};
use std::collections::HashMap;
use std::fmt;

/// How a comparison stands after the looks so far.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Sequential {
    /// What all looks of this comparison may spend: the level over the size of the family.
    pub alpha: f64,
    pub verdict: LooksVerdict,
    /// Looks whose seeds have ended, the deciding one last.
    pub looks: Vec<SequentialLook>,
    /// The seeds that the next look is planned at; none where the looks are over.
    pub next_look: Option<usize>,
    /// Seeds whose jobs the next look waits for; empty where there is no next look, or where the
    /// grid has too few seeds for it.
    pub waits_for: Vec<u64>,
}

/// What planned looks say of a comparison.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum LooksVerdict {
    /// A look found the method above the other.
    Above,
    /// A look found the method below the other.
    Below,
    /// Looks are left.
    Open,
    /// No look is left, and none decided.
    NoDifference,
    /// No look is left, and none had a p-value.
    Untested,
}

impl fmt::Display for LooksVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LooksVerdict::Above => "above",
            LooksVerdict::Below => "below",
            LooksVerdict::Open => "open",
            LooksVerdict::NoDifference => "no difference shown",
            LooksVerdict::Untested => "not tested",
        })
    }
}

impl Serialize for LooksVerdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl From<LooksVerdict> for Verdict {
    fn from(verdict: LooksVerdict) -> Self {
        match verdict {
            LooksVerdict::Above => Verdict::Better,
            LooksVerdict::Below => Verdict::Worse,
            LooksVerdict::Open | LooksVerdict::NoDifference => Verdict::Open,
            LooksVerdict::Untested => Verdict::Untested,
        }
    }
}

/// A look whose seeds have ended.
#[derive(Copy, Clone, PartialEq, Debug, Serialize)]
pub struct SequentialLook {
    /// Seeds it is planned at.
    pub seeds: usize,
    /// Whole pairs among them.
    pub n: usize,
    /// Below this nominal level p decides; `None` of a look that was skipped.
    pub level: Option<f64>,
    pub p: Option<f64>,
    /// Why it was skipped, where it was.
    pub skipped: Option<SkippedLook>,
}

impl SequentialLook {
    /// The p-value and its nominal level as they are shown, with a dash for what is not there.
    pub fn p_and_level(&self) -> [String; 2] {
        let dash = || "–".to_owned();
        match (self.p, self.level) {
            (Some(p), Some(level)) => number::p_and_level(p, level),
            (None, Some(level)) => [dash(), number::level(level)],
            _ => [dash(), dash()],
        }
    }
}

/// Why a look was not taken.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum SkippedLook {
    /// No seed of it but those of the look before has both scores.
    NoNewPair,
    /// There is no test of one pair.
    OnePair,
    /// One side never learned in at least half of the pairs: no verdict on such models.
    NeverLearned,
}

impl fmt::Display for SkippedLook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SkippedLook::NoNewPair => "it adds no pair",
            SkippedLook::OnePair => "one pair is no test",
            SkippedLook::NeverLearned => "at least half of the models of one side never learned",
        })
    }
}

impl Serialize for SkippedLook {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Sequential {
    /// The look that decided, if one has.
    pub fn decided(&self) -> Option<&SequentialLook> {
        let decided = matches!(self.verdict, LooksVerdict::Above | LooksVerdict::Below);
        self.looks.last().filter(|_| decided)
    }

    /// The verdict with the look that gave it, or what the next look waits for; then the looks that
    /// were skipped.
    pub fn in_words(&self) -> String {
        let seeds = self.taken().last().map_or(0, |look| look.seeds);
        let mut words = match self.verdict {
            LooksVerdict::Open => self.open_in_words(),
            LooksVerdict::Untested => "not tested: no look has a p-value".to_owned(),
            verdict => format!("{verdict} after {seeds} seeds"),
        };
        for look in &self.looks {
            if let Some(reason) = look.skipped {
                words += &format!("; the look at {} was skipped: {reason}", look.seeds);
            }
        }
        words
    }

    fn open_in_words(&self) -> String {
        let seeds: Vec<String> = self.waits_for.iter().map(ToString::to_string).collect();
        match (&seeds[..], self.next_look) {
            ([], Some(next)) => format!("open: the grid has too few seeds for the look at {next}"),
            ([], None) => "open".to_owned(),
            ([seed], _) => format!("open: waits for seed {seed}"),
            _ => format!("open: waits for seeds {}", seeds.join(", ")),
        }
    }

    /// The looks that were taken.
    fn taken(&self) -> impl Iterator<Item = &SequentialLook> {
        self.looks.iter().filter(|look| look.skipped.is_none())
    }

    /// Looks at the whole pairs of the first `seeds` seeds, if there is something new to see.
    fn look(&mut self, levels: &mut Levels, seeds: usize, pairs: &[WholePair]) {
        let n = pairs.len();
        let before = self.taken().last().map_or(0, |look| look.n);
        let skipped = match n {
            n if n <= before => Some(SkippedLook::NoNewPair),
            1 => Some(SkippedLook::OnePair),
            _ if never_learned(pairs) => Some(SkippedLook::NeverLearned),
            _ => None,
        };
        let taken = skipped.is_none();
        let level = taken.then(|| self.level(levels, n)).flatten();
        let differences: Vec<f64> = pairs.iter().map(|pair| pair.difference).collect();
        let test = stats::paired_t(&differences).filter(|_| taken);
        let p = test.and_then(|test| test.p);
        self.looks.push(SequentialLook { seeds, n, level, p, skipped });
        if let (Some(test), Some(p), Some(level)) = (test, p, level)
            && p < level
        {
            let above = test.mean > 0.0;
            self.verdict = if above { LooksVerdict::Above } else { LooksVerdict::Below };
        }
    }

    /// The nominal level of the next look, which has `n` pairs.
    fn level(&self, levels: &mut Levels, n: usize) -> Option<f64> {
        let skipped = |seeds: &usize| {
            self.looks.iter().any(|look| look.seeds == *seeds && look.skipped.is_some())
        };
        let planned: Vec<usize> =
            levels.stopping.looks.iter().copied().filter(|seeds| !skipped(seeds)).collect();
        let pairs: Vec<usize> = self.taken().map(|look| look.n).chain([n]).collect();
        levels.of(planned, pairs, self.alpha)
    }
}

/// The nominal levels of planned looks. Many comparisons have the same looks, and a level takes an
/// integration: each is computed once.
#[derive(Clone, PartialEq, Debug)]
pub struct Levels {
    stopping: Stopping,
    known: HashMap<Plan, Option<f64>>,
}

/// The pairs that are planned, those that the looks so far have, and the bits of what they may
/// spend.
type Plan = (Vec<usize>, Vec<usize>, u64);

impl Levels {
    /// Of looks that are planned so.
    pub fn new(stopping: &Stopping) -> Self {
        Self { stopping: stopping.clone(), known: HashMap::new() }
    }

    /// The plan.
    pub fn stopping(&self) -> &Stopping {
        &self.stopping
    }

    /// The level of the last look so far.
    fn of(&mut self, planned: Vec<usize>, pairs: Vec<usize>, alpha: f64) -> Option<f64> {
        let spending = match self.stopping.spending {
            Spending::Pocock => stats::Spending::Pocock,
            Spending::ObrienFleming => stats::Spending::ObrienFleming,
        };
        let plan = (planned, pairs, alpha.to_bits());
        *self.known.entry(plan).or_insert_with_key(|(planned, pairs, _)| {
            let looks = stats::boundaries(planned, pairs, spending, alpha)?;
            looks.last().map(|look| look.level)
        })
    }
}

/// A seed of two methods that has both scores.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct WholePair {
    /// The method's score less the other's.
    pub difference: f64,
    /// Whether the model of the method learned, and that of the other.
    pub learned: [bool; 2],
}

/// Whether one side never learned in at least half of the pairs.
fn never_learned(pairs: &[WholePair]) -> bool {
    (0..2).any(|side| 2 * pairs.iter().filter(|pair| !pair.learned[side]).count() >= pairs.len())
}

/// How one seed of two methods stands.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum Pair {
    Whole(WholePair),
    /// A job has failed, is not planned or will not be run: there will be no pair.
    Lost,
    /// A job has not run.
    Waiting,
}

impl Pair {
    /// Of a seed of two cells.
    pub(super) fn of([cell, base]: [&SeedCell; 2], seed: u64) -> Self {
        match (cell.seeds.get(&seed), base.seeds.get(&seed)) {
            (Some(SeedStanding::Done(a)), Some(SeedStanding::Done(b))) => Pair::Whole(WholePair {
                difference: a.f1 - b.f1,
                learned: [cell, base].map(|cell| cell.learned(seed)),
            }),
            (Some(SeedStanding::Missing), _) | (_, Some(SeedStanding::Missing)) => Pair::Waiting,
            _ => Pair::Lost,
        }
    }
}

/// Takes the looks that can be taken at a comparison of a family of this size, up to the one that
/// decides.
pub fn take_looks(
    levels: &mut Levels,
    seeds: &[u64],
    family: usize,
    pair: impl Fn(u64) -> Pair,
) -> Sequential {
    let mut found = Sequential {
        alpha: ALPHA / family.max(1) as f64,
        verdict: LooksVerdict::Open,
        looks: Vec::new(),
        next_look: None,
        waits_for: Vec::new(),
    };
    for look in levels.stopping.looks.clone() {
        let first = seeds.get(..look);
        found.waits_for = first.map_or_else(Vec::new, |first| waiting(first, &pair));
        let Some(first) = first.filter(|_| found.waits_for.is_empty()) else {
            found.next_look = Some(look);
            return found;
        };
        found.look(levels, look, &whole(first, &pair));
        if found.verdict != LooksVerdict::Open {
            return found;
        }
    }
    found.verdict = match found.looks.iter().any(|look| look.p.is_some()) {
        true => LooksVerdict::NoDifference,
        false => LooksVerdict::Untested,
    };
    found
}

fn waiting(seeds: &[u64], pair: &impl Fn(u64) -> Pair) -> Vec<u64> {
    seeds.iter().filter(|seed| pair(**seed) == Pair::Waiting).copied().collect()
}

fn whole(seeds: &[u64], pair: &impl Fn(u64) -> Pair) -> Vec<WholePair> {
    let whole = |seed: &u64| match pair(*seed) {
        Pair::Whole(pair) => Some(pair),
        _ => None,
    };
    seeds.iter().filter_map(whole).collect()
}
