//! Statistics for other programs: a corpus stands at the top, several under `corpora`.

use super::numbers::{Numbers, Repetition, UnseenEntities};
use corpus::DevOrigin;
use corpus::statistics::FEWEST_SENTENCES;
use serde_json::{Map, Value, json};

/// One corpus as an object, several as a list in one.
pub fn render(counted: &[Numbers]) -> Value {
    match counted {
        [only] => object(only),
        several => json!({"corpora": several.iter().map(object).collect::<Vec<_>>()}),
    }
}

fn object(numbers: &Numbers) -> Value {
    let corpus = &numbers.corpus;
    let mut splits: Map<String, Value> = (corpus.further.iter().chain(&corpus.splits))
        .map(|(name, split)| (name.clone(), json!(split)))
        .collect();
    if let Some(found) = &numbers.missampling {
        for (name, of_split) in found.further.iter().chain(&found.splits) {
            splits[name]["missampling"] = json!(of_split);
        }
    }
    let mut object = match json!(corpus.whole) {
        Value::Object(whole) => whole,
        _ => Map::new(),
    };
    object.extend([
        ("name".to_owned(), json!(corpus.name)),
        ("format".to_owned(), json!(numbers.format)),
        ("scheme".to_owned(), json!(numbers.scheme)),
        ("splits".to_owned(), Value::Object(splits)),
        ("dev".to_owned(), numbers.dev.as_ref().map_or(Value::Null, dev)),
        ("repeated".to_owned(), numbers.repetitions.iter().map(repetition).collect()),
        ("unseen".to_owned(), numbers.unseen.iter().map(unseen).collect()),
        (
            "lengths".to_owned(),
            json!({
                "at_least_sentences": FEWEST_SENTENCES,
                "beyond_root_share": corpus.lengths.beyond_root_share,
                "points": corpus.lengths.points,
            }),
        ),
    ]);
    if let Some(found) = &numbers.missampling {
        object.insert("missampling".to_owned(), json!(found.whole));
    }
    Value::Object(object)
}

fn dev(origin: &DevOrigin) -> Value {
    match origin {
        DevOrigin::Own => json!({"policy": "own"}),
        DevOrigin::Carved { share, seed, sentences } => {
            json!({"policy": "carved", "share": share, "seed": seed, "sentences": sentences})
        }
        DevOrigin::Split { parts, seed } => {
            json!({"policy": "split", "split": parts, "seed": seed})
        }
        DevOrigin::Made => json!({"policy": "made"}),
    }
}

fn repetition(found: &Repetition) -> Value {
    let Repetition { split, earlier, sentences, of } = found;
    json!({"split": split, "in": earlier, "sentences": sentences, "share": share(*sentences, *of)})
}

fn unseen(found: &UnseenEntities) -> Value {
    let counts = found.counts;
    json!({
        "split": found.split,
        "in": "train",
        "entities": counts.entities,
        "surface": counts.surface,
        "surface_share": share(counts.surface, counts.entities),
        "surface_and_type": counts.surface_and_type,
        "surface_and_type_share": share(counts.surface_and_type, counts.entities),
    })
}

fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}
