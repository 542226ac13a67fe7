//! The comparison for other programs.

use super::super::asked::Asked;
use super::super::json::{rules, scores};
use super::super::pass::Read;
use super::{Tested, tests, unit};
use domain::LevelScores;
use serde_json::{Map, Value, json};
use stats::PairedResampling;

/// The scores of both under `a` and `b`, a - b of every average, and the tests.
pub fn json(asked: &Asked, read: &Read) -> Value {
    let [a, b] = &read.predictions[..] else { return Value::Null };
    let mut all = rules(asked, read, &a.scored);
    all.insert("a".to_owned(), Value::Object(scores(&a.scored)));
    all.insert("b".to_owned(), Value::Object(scores(&b.scored)));
    let (a, b) = (&a.scored.scores.span, &b.scored.scores.span);
    all.insert("difference".to_owned(), differences(a, b));
    if asked.tests.any() {
        all.insert("unit".to_owned(), json!(unit(read)));
        all.insert("seed".to_owned(), json!(asked.tests.seed));
    }
    for Tested { kind, by_measure, .. } in tests(asked, read) {
        let results = by_measure.iter().map(|(name, result)| ((*name).to_owned(), test(result)));
        all.insert(kind.key().to_owned(), Value::Object(results.collect::<Map<_, _>>()));
    }
    Value::Object(all)
}

fn differences(a: &LevelScores, b: &LevelScores) -> Value {
    json!({
        "micro_f1": a.micro.f1 - b.micro.f1,
        "macro_f1": a.macro_.f1 - b.macro_.f1,
        "macro_fixed_f1": a.macro_fixed.f1 - b.macro_fixed.f1,
        "weighted_f1": a.weighted.f1 - b.weighted.f1,
    })
}

/// A test's numbers, null where there was nothing to test.
fn test(result: &Option<PairedResampling>) -> Value {
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
