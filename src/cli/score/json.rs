//! What other programs read: spans at the top, tokens under `token`, fractions throughout.

use super::asked::Asked;
use super::pass::{Prediction, Read};
use domain::Counts;
use score::Scored;
use score::buckets::BucketScores;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The scores of one prediction, and the rules that they follow.
pub fn one(asked: &Asked, read: &Read, prediction: &Prediction) -> Value {
    let mut all = rules(asked, read, &prediction.scored);
    all.extend(scores(&prediction.scored));
    if let Some(matched) = &prediction.matched {
        all.insert("matching".to_owned(), json!(matched));
    }
    if let Some(buckets) = &prediction.buckets {
        all.insert("buckets".to_owned(), buckets_by_name(buckets));
    }
    if let Some(rareness) = &read.rareness {
        all.insert("rareness".to_owned(), json!(rareness));
    }
    Value::Object(all)
}

/// What was read and how.
pub fn rules(asked: &Asked, read: &Read, scored: &Scored) -> Map<String, Value> {
    object(json!({
        "mode": asked.mode.name(),
        "scheme": asked.scheme.word(),
        "zero_division": asked.policy.zero_division.ratio(0.0, 0),
        "fixed_types": match asked.policy.fixed_types.is_empty() {
            true => Value::Null,
            false => json!(asked.policy.fixed_types),
        },
        "documents": read.documents,
        "sentences": scored.sentences,
        "tokens": scored.accuracy.tokens,
    }))
}

/// The scores alone.
pub fn scores(scored: &Scored) -> Map<String, Value> {
    let span = &scored.scores.span;
    object(json!({
        "micro": span.micro,
        "macro": span.macro_,
        "macro_fixed": span.macro_fixed,
        "weighted": span.weighted,
        "types": span.types,
        "token": scored.scores.token,
        "token_with_o": scored.with_outside,
        "accuracy": {
            "accuracy": scored.accuracy.share(),
            "correct": scored.accuracy.correct,
            "tokens": scored.accuracy.tokens,
        },
    }))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// Each bucketing by its name, its buckets in order.
fn buckets_by_name(scores: &[BucketScores]) -> Value {
    #[derive(Serialize)]
    struct Bucket<'a> {
        bucket: &'a str,
        #[serde(flatten)]
        counts: &'a Counts,
    }
    let of = |one: &BucketScores| {
        let buckets = one.buckets.iter().map(|(bucket, counts)| Bucket { bucket, counts });
        (one.name.to_owned(), json!(buckets.collect::<Vec<_>>()))
    };
    Value::Object(scores.iter().map(of).collect())
}
