//! Two predictions of the same gold: their scores side by side, and tests of the difference.

mod json;
mod text;

pub use json::json;
pub use text::text;

use super::asked::Asked;
use super::pass::{Prediction, Read};
use score::Tally;
use stats::{
    F1Measure, PairedResampling, UnitCounts, UnitTable, approximate_randomisation, paired_bootstrap,
};

/// What is tested, by the name of the average.
const MEASURES: [(&str, F1Measure); 3] = [
    ("micro_f1", F1Measure::Micro),
    ("macro_f1", F1Measure::Macro),
    ("macro_fixed_f1", F1Measure::MacroFixed),
];

/// A way to test.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Kind {
    Bootstrap,
    Randomisation,
}

impl Kind {
    /// As people call it, and what it makes of the units.
    fn words(self) -> [&'static str; 2] {
        match self {
            Kind::Bootstrap => ["paired bootstrap", "samples"],
            Kind::Randomisation => ["approximate randomisation", "swaps"],
        }
    }

    /// As JSON writes it.
    fn key(self) -> &'static str {
        match self {
            Kind::Bootstrap => "paired_bootstrap",
            Kind::Randomisation => "approximate_randomisation",
        }
    }

    /// How many resamples were asked for, if any.
    fn resamples(self, asked: &Asked) -> Option<u32> {
        match self {
            Kind::Bootstrap => asked.tests.bootstrap,
            Kind::Randomisation => asked.tests.randomisation,
        }
    }
}

/// The results of one test.
struct Tested {
    kind: Kind,
    resamples: u32,
    /// `None` where there is nothing to test.
    by_measure: Vec<(&'static str, Option<PairedResampling>)>,
}

/// Makes the tests that were asked for.
fn tests(asked: &Asked, read: &Read) -> Vec<Tested> {
    let tables: Vec<UnitTable> =
        read.predictions.iter().filter_map(|one| unit_table(read, one)).collect();
    let tested = |kind: Kind| {
        let resamples = kind.resamples(asked)?;
        let test = |measure| match (&tables[..], kind, resamples as usize, asked.tests.seed) {
            ([a, b], Kind::Bootstrap, n, seed) => paired_bootstrap(a, b, measure, n, seed),
            ([a, b], Kind::Randomisation, n, seed) => {
                approximate_randomisation(a, b, measure, n, seed)
            }
            _ => None,
        };
        let by_measure = MEASURES.map(|(name, measure)| (name, test(measure))).to_vec();
        Some(Tested { kind, resamples, by_measure })
    };
    [Kind::Bootstrap, Kind::Randomisation].into_iter().filter_map(tested).collect()
}

/// The counts of every unit; `None` without a type, when there is nothing to test.
fn unit_table(read: &Read, prediction: &Prediction) -> Option<UnitTable> {
    let tallies = prediction.units.as_ref()?.by_unit(&read.unit_of);
    let counts = tallies.map(|(unit, id, tally)| (unit, id.0 as usize, unit_counts(&tally)));
    let units = read.unit_of.last().map_or(0, |last| last + 1);
    UnitTable::new(read.types, units, counts.collect())
}

/// No unit has as many entities as 32 bits can count: its lines alone would be a file of gigabytes.
fn unit_counts(tally: &Tally) -> UnitCounts {
    let narrow = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
    UnitCounts {
        correct: narrow(tally.correct),
        predicted: narrow(tally.predicted),
        support: narrow(tally.support),
    }
}

/// The unit that tests draw: documents where the gold file tells them apart.
fn unit(read: &Read) -> &'static str {
    if read.documents.is_some() { "document" } else { "sentence" }
}
