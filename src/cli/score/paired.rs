//! Two predictions of the same gold: their scores side by side, and tests of the difference.

mod json;

pub use json::json;

use super::asked::Asked;
use super::pass::{Prediction, Read};
use super::table::{averages_rule, mode_rule, numbers};
use crate::cli::output::printable;
use analysis::number;
use domain::LevelScores;
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
enum PairedTest {
    Bootstrap,
    Randomisation,
}

impl PairedTest {
    /// As people call it, and what it makes of the units.
    fn words(self) -> [&'static str; 2] {
        match self {
            PairedTest::Bootstrap => ["paired bootstrap", "samples"],
            PairedTest::Randomisation => ["approximate randomisation", "swaps"],
        }
    }

    /// As JSON writes it.
    fn key(self) -> &'static str {
        match self {
            PairedTest::Bootstrap => "paired_bootstrap",
            PairedTest::Randomisation => "approximate_randomisation",
        }
    }

    /// How many resamples were asked for, if any.
    fn resamples(self, asked: &Asked) -> Option<u32> {
        match self {
            PairedTest::Bootstrap => asked.tests.bootstrap,
            PairedTest::Randomisation => asked.tests.randomisation,
        }
    }
}

/// The results of one test.
struct Tested {
    kind: PairedTest,
    resamples: u32,
    /// `None` where there is nothing to test.
    by_measure: Vec<(&'static str, Option<PairedResampling>)>,
}

/// Makes the tests that were asked for.
fn tests(asked: &Asked, read: &Read) -> Vec<Tested> {
    let tables: Vec<UnitTable> =
        read.predictions.iter().filter_map(|one| unit_table(read, one)).collect();
    let tested = |kind: PairedTest| {
        let resamples = kind.resamples(asked)?;
        let test = |measure| match (&tables[..], kind, resamples as usize, asked.tests.seed) {
            ([a, b], PairedTest::Bootstrap, n, seed) => paired_bootstrap(a, b, measure, n, seed),
            ([a, b], PairedTest::Randomisation, n, seed) => {
                approximate_randomisation(a, b, measure, n, seed)
            }
            _ => None,
        };
        let by_measure = MEASURES.map(|(name, measure)| (name, test(measure))).to_vec();
        Some(Tested { kind, resamples, by_measure })
    };
    [PairedTest::Bootstrap, PairedTest::Randomisation].into_iter().filter_map(tested).collect()
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

/// Fewer units than this are few to draw from.
const FEW_UNITS: usize = 20;

/// Scores side by side, then a table a test.
pub fn text(asked: &Asked, read: &Read) -> String {
    let [a, b] = &read.predictions[..] else { return String::new() };
    let mut text = String::new();
    for (letter, source) in ["A", "B"].iter().zip(asked.sources.iter().skip(1)) {
        text += &format!("{letter}: {}\n", printable(&source.path.display().to_string()));
    }
    text += &format!("\n{}", side_by_side(&a.scored.scores.span, &b.scored.scores.span));
    for tested in tests(asked, read) {
        text += &format!("\n{}", test_table(asked, read, &tested));
    }
    text += &format!("\n{}\n{}\n", mode_rule(asked), averages_rule(asked));
    if asked.tests.any() {
        text += P_VALUES;
    }
    text
}

const P_VALUES: &str = "\
p is two-sided: how often chance alone gives a difference as large, were both equally good on data like
this. It says nothing of other seeds of the same systems: `tailgrid compare` does.
";

/// F1 of every type and average.
fn side_by_side(a: &LevelScores, b: &LevelScores) -> String {
    let mut rows = vec![["f1 of spans", "A", "B", "A − B"].map(str::to_owned).to_vec()];
    let mut names: Vec<&String> = a.types.keys().chain(b.types.keys()).collect();
    names.sort();
    names.dedup();
    let f1 = |level: &LevelScores, name: &String| level.types.get(name).map_or(0.0, |c| c.f1);
    rows.extend(names.iter().map(|name| difference_row(name, f1(a, name), f1(b, name))));
    if !names.is_empty() {
        rows.push(vec![]);
    }
    rows.extend([
        difference_row("micro", a.micro.f1, b.micro.f1),
        difference_row("macro", a.macro_.f1, b.macro_.f1),
        difference_row("macro_fixed", a.macro_fixed.f1, b.macro_fixed.f1),
        difference_row("weighted", a.weighted.f1, b.weighted.f1),
    ]);
    numbers(rows)
}

fn difference_row(name: &str, a: f64, b: f64) -> Vec<String> {
    vec![name.to_owned(), format!("{a:.4}"), format!("{b:.4}"), signed(a - b)]
}

/// Four decimals with a true minus sign.
fn signed(difference: f64) -> String {
    match format!("{difference:+.4}").as_str() {
        "-0.0000" => "+0.0000".to_owned(),
        rounded => rounded.replace('-', "−"),
    }
}

fn test_table(asked: &Asked, read: &Read, tested: &Tested) -> String {
    let Tested { kind, resamples, by_measure } = tested;
    let [title, made] = kind.words();
    let Some(units) = by_measure.iter().find_map(|(_, result)| Some(result.as_ref()?.units)) else {
        return format!("{title}: no entity in any file, so there is nothing to test\n");
    };
    let mut heads = ["", "A", "B", "A − B"].map(str::to_owned).to_vec();
    heads.extend((*kind == PairedTest::Bootstrap).then(|| "middle 95 %".to_owned()));
    heads.push("p".to_owned());
    let mut rows = vec![heads];
    for (name, result) in by_measure {
        let Some(result) = result else { continue };
        let mut row = difference_row(name, result.a, result.b);
        let middle = result.spread.map(|spread| spread.difference.map(signed));
        row.extend(middle.map(|[low, high]| format!("[{low}, {high}]")));
        row.push(number::p_value(result.p));
        rows.push(row);
    }
    let (unit, seed) = (unit(read), asked.tests.seed);
    let may_be_too_small =
        by_measure.iter().filter_map(|(_, result)| result.as_ref()).any(|r| r.p < 1.0);
    let few = match kind {
        PairedTest::Bootstrap if units < FEW_UNITS && may_be_too_small => {
            format!(
                "So few {unit}s do not show how much others would vary: p comes out too small.\n"
            )
        }
        _ => String::new(),
    };
    format!(
        "{title}, {resamples} {made} of {}, seed {seed}\n{}{few}",
        number::counted(units, unit),
        numbers(rows)
    )
}
