//! Two predictions of the same gold: their scores side by side, and tests of the difference.

use super::asked::{Asked, Tests};
use super::json as scores_json;
use super::pass::{Prediction, Read};
use super::table;
use crate::cli::output::{Side, aligned_to, printable};
use crate::domain::{Counts, LevelScores};
use crate::report::tables::number;
use crate::score::Tally;
use crate::stats::{
    F1Measure, PairedResampling, UnitCounts, UnitTable, approximate_randomisation, paired_bootstrap,
};
use serde_json::{Map, Value, json};

/// A test of two predictions by one kind of F1.
type Test = fn(&UnitTable, &UnitTable, F1Measure, usize, u64) -> Option<PairedResampling>;

/// What is tested, by the name of the average.
const MEASURES: [(&str, F1Measure); 3] = [
    ("micro_f1", F1Measure::Micro),
    ("macro_f1", F1Measure::Macro),
    ("macro_fixed_f1", F1Measure::MacroFixed),
];

/// The results of one test.
struct Tested {
    /// As JSON writes it.
    key: &'static str,
    title: &'static str,
    resamples: u32,
    by_measure: Vec<(&'static str, Option<PairedResampling>)>,
}

/// Makes the tests that were asked for.
fn tests(asked: &Asked, read: &Read) -> Vec<Tested> {
    let Tests { bootstrap, randomisation, seed } = asked.tests;
    let kinds: [(_, _, _, Test); 2] = [
        (bootstrap, "paired_bootstrap", "paired bootstrap", paired_bootstrap),
        (
            randomisation,
            "approximate_randomisation",
            "approximate randomisation",
            approximate_randomisation,
        ),
    ];
    let tables: Vec<Option<UnitTable>> =
        read.predictions.iter().map(|one| unit_table(read, one)).collect();
    let test = |test: Test, measure, n: u32| match &tables[..] {
        [Some(a), Some(b)] => test(a, b, measure, n as usize, seed),
        _ => None,
    };
    let tested = |(asked, key, title, kind): (Option<u32>, _, _, Test)| {
        let n = asked?;
        let by_measure = MEASURES.map(|(name, measure)| (name, test(kind, measure, n)));
        Some(Tested { key, title, resamples: n, by_measure: by_measure.to_vec() })
    };
    kinds.into_iter().filter_map(tested).collect()
}

/// The counts of every unit; `None` without a type, when there is nothing to test.
fn unit_table(read: &Read, prediction: &Prediction) -> Option<UnitTable> {
    let tallies = prediction.units.as_ref()?.by_unit(read.types, &read.unit_of);
    UnitTable::new(read.types, tallies.iter().map(unit_counts).collect())
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

/// What other programs read.
pub fn json(asked: &Asked, read: &Read) -> Value {
    let [a, b] = &read.predictions[..] else { return Value::Null };
    let mut all = scores_json::rules(asked, read, &a.scored);
    all.insert("a".to_owned(), Value::Object(scores_json::scores(&a.scored)));
    all.insert("b".to_owned(), Value::Object(scores_json::scores(&b.scored)));
    let differences =
        averages(&a.scored.scores.span).into_iter().zip(averages(&b.scored.scores.span));
    let differences: Map<String, Value> =
        differences.map(|((name, a), (_, b))| (format!("{name}_f1"), json!(a.f1 - b.f1))).collect();
    all.insert("difference".to_owned(), Value::Object(differences));
    if asked.tests.any() {
        all.insert("unit".to_owned(), json!(unit(read)));
        all.insert("seed".to_owned(), json!(asked.tests.seed));
    }
    for tested in tests(asked, read) {
        let by_measure: Map<String, Value> =
            tested.by_measure.iter().map(|(name, r)| ((*name).to_owned(), test_json(r))).collect();
        all.insert(tested.key.to_owned(), Value::Object(by_measure));
    }
    Value::Object(all)
}

/// A test's numbers, null where there was nothing to test.
fn test_json(result: &Option<PairedResampling>) -> Value {
    let Some(result) = result else { return Value::Null };
    let spread = result.spread.map(|s| json!({"a": s.a, "b": s.b, "difference": s.difference}));
    json!({
        "units": result.units,
        "resamples": result.resamples,
        "a": result.a,
        "b": result.b,
        "difference": result.difference,
        "p": result.p,
        "interval_95": spread,
    })
}

fn averages(level: &LevelScores) -> [(&'static str, &Counts); 4] {
    [
        ("micro", &level.micro),
        ("macro", &level.macro_),
        ("macro_fixed", &level.macro_fixed),
        ("weighted", &level.weighted),
    ]
}

/// Scores side by side, then a table a test.
pub fn text(asked: &Asked, read: &Read) -> String {
    let [a, b] = &read.predictions[..] else { return String::new() };
    let mut text = String::new();
    for (letter, source) in ["A", "B"].iter().zip(&asked.sources[1..]) {
        text.push_str(&format!("{letter}: {}\n", printable(&source.path.display().to_string())));
    }
    text.push('\n');
    text.push_str(&side_by_side(a, b));
    for tested in tests(asked, read) {
        text.push('\n');
        text.push_str(&test_text(asked, read, &tested));
    }
    text.push('\n');
    text.push_str(&format!("{}\n{}\n", table::mode(asked), table::averages(asked)));
    if asked.tests.any() {
        text.push_str(P_VALUES);
    }
    text
}

const P_VALUES: &str = "\
p is two-sided: how often chance alone gives a difference as large, were both equally good on data like
this. It says nothing of other seeds of the same systems: `tailgrid compare` does.
";

/// F1 of every average and type.
fn side_by_side(a: &Prediction, b: &Prediction) -> String {
    let (a, b) = (&a.scored.scores.span, &b.scored.scores.span);
    let mut rows = vec![["f1 of spans", "A", "B", "A − B"].map(str::to_owned).to_vec()];
    let mut names: Vec<&String> = a.types.keys().chain(b.types.keys()).collect();
    names.sort();
    names.dedup();
    let f1 = |level: &LevelScores, name: &String| level.types.get(name).map_or(0.0, |c| c.f1);
    rows.extend(names.iter().map(|name| difference_row(name, f1(a, name), f1(b, name))));
    if !names.is_empty() {
        rows.push(vec![]);
    }
    let both = averages(a).into_iter().zip(averages(b));
    rows.extend(both.map(|((name, a), (_, b))| difference_row(name, a.f1, b.f1)));
    aligned_to(&rows, &RIGHT, "")
}

const RIGHT: [Side; 5] = [Side::Left, Side::Right, Side::Right, Side::Right, Side::Right];

fn difference_row(name: &str, a: f64, b: f64) -> Vec<String> {
    vec![printable(name), format!("{a:.4}"), format!("{b:.4}"), signed(a - b)]
}

/// Four decimals with a true minus sign, as other numbers here.
fn signed(difference: f64) -> String {
    let rounded = format!("{difference:+.4}");
    match rounded.as_str() {
        "-0.0000" => "+0.0000".to_owned(),
        _ => rounded.replace('-', "−"),
    }
}

fn test_text(asked: &Asked, read: &Read, tested: &Tested) -> String {
    let Some(units) = tested.by_measure.iter().find_map(|(_, result)| Some(result.as_ref()?.units))
    else {
        return format!("{}: no entity in any file, so there is nothing to test\n", tested.title);
    };
    let title = format!(
        "{}, {} of {units} {}s, seed {}",
        tested.title,
        tested.resamples,
        unit(read),
        asked.tests.seed
    );
    let has_spread = tested.key == "paired_bootstrap";
    let mut heads = vec![String::new(), "A".to_owned(), "B".to_owned(), "A − B".to_owned()];
    heads.extend(has_spread.then(|| "middle 95 %".to_owned()));
    heads.push("p".to_owned());
    let mut rows = vec![heads];
    for (name, result) in &tested.by_measure {
        let Some(result) = result else { continue };
        let mut row = difference_row(name, result.a, result.b);
        let interval = result.spread.map(|spread| spread.difference);
        row.extend(interval.map(|[low, high]| format!("[{}, {}]", signed(low), signed(high))));
        row.push(number::p_value(result.p));
        rows.push(row);
    }
    let sides: Vec<Side> = RIGHT.into_iter().chain([Side::Right]).collect();
    format!("{title}\n{}", aligned_to(&rows, &sides, ""))
}
