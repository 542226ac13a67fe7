//! Every entry of every registry: named, helped, and its parameters the same after a round trip.

use corpus::formats;
use domain::{Corpus, ParameterValue, Parameters, Part, TrainingSettings};
use method::augment;
use method::resample::{self, Resampled, Resampler};
use parts::{Entry, Parameter, ParameterKind, Scenario, embeddings, encoders, heads};
use spec::slots;
use std::collections::BTreeSet;
use std::path::Path;

/// Every slot of the grid file with its entries, none listed by hand.
fn registries() -> impl Iterator<Item = (&'static str, &'static [Entry])> {
    slots::all().map(|slot| (slot.name, slot.entries))
}

fn is_name(text: &str, joint: char) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == joint;
    text.starts_with(|c: char| c.is_ascii_lowercase()) && text.chars().all(allowed)
}

fn is_help(text: &str) -> bool {
    !text.is_empty() && text.lines().count() == 1 && !text.ends_with('.')
}

#[test]
fn every_entry_has_a_name_of_its_own_and_a_line_of_help() {
    for (registry, entries) in registries() {
        let mut names = BTreeSet::new();
        for entry in entries {
            assert!(is_name(entry.name, '-'), "{registry} {}", entry.name);
            assert!(names.insert(entry.name), "{registry} {} twice", entry.name);
            assert!(is_help(entry.help), "{registry} {}: {}", entry.name, entry.help);
        }
    }
    for (table, parameters) in slots::tables() {
        let mut names = BTreeSet::new();
        for parameter in parameters {
            let which = format!("{table} {}", parameter.name);
            assert!(is_name(parameter.name, '_'), "{which}");
            assert!(names.insert(parameter.name), "{which} twice");
            assert!(is_help(parameter.help), "{which}: {}", parameter.help);
        }
    }
}

#[test]
fn every_default_is_allowed_and_comes_back_from_json_as_it_was() {
    for (table, parameters) in slots::tables() {
        for parameter in parameters {
            let default = parameter.default_value();
            assert_eq!(parameter.check(default.clone()), Ok(default), "{table} {}", parameter.name);
        }
        let defaults = parts::defaults(parameters);
        assert_eq!(parts::check(parameters, &defaults), Ok(()), "{table}");
        let text = serde_json::to_string(&defaults).expect("JSON");
        assert_eq!(serde_json::from_str::<Parameters>(&text).expect("parameters"), defaults);
    }
}

#[test]
fn every_default_and_every_word_is_read_as_typed_settings() {
    for slot in slots::all() {
        for entry in slot.entries {
            for parameters in choices(entry.parameters) {
                read(slot.name, &Part { kind: entry.name.to_owned(), parameters });
            }
        }
    }
    for parameters in choices(slots::SCENARIO) {
        Scenario::read(&parameters);
    }
    for parameters in choices(TrainingSettings::PARAMETERS) {
        TrainingSettings::new(parameters);
    }
}

/// The defaults, and for each word that a parameter can be, the defaults with that one.
fn choices(table: &'static [Parameter]) -> impl Iterator<Item = Parameters> {
    let words = table.iter().flat_map(|p| p.words().iter().map(move |word| (p.name, *word)));
    let with = move |(name, word): (&str, &str)| {
        let mut parameters = parts::defaults(table);
        parameters.0.insert(name.to_owned(), ParameterValue::Text(word.to_owned()));
        parameters
    };
    std::iter::once(parts::defaults(table)).chain(words.map(with))
}

/// Reads the typed settings of a part.
fn read(slot: &str, part: &Part) {
    match slot {
        "embeddings" => drop(embeddings::Embeddings::read(part)),
        "encoder" => drop(encoders::Encoder::read(part)),
        "head" => drop(heads::Head::read(part)),
        "augment" => drop(augment::Augmentation::read(part)),
        "resample" => drop(Resampler::read(part)),
        "unlabelled" => drop(method::unlabelled::Unlabelled::read(part)),
        "negatives" => drop(method::negatives::Negatives::read(part)),
        "loss" => drop(method::loss::Loss::read(part)),
        "format" => drop(formats::Format::read(part)),
        slot => panic!("the test does not know the typed settings of `{slot}`"),
    }
}

#[test]
fn what_lies_outside_a_range_is_refused() {
    for (table, parameters) in slots::tables() {
        for parameter in parameters {
            let outside: Vec<ParameterValue> = match parameter.kind {
                ParameterKind::Bool { .. } => vec![ParameterValue::Integer(1)],
                ParameterKind::Integer { min, max, .. } => [min.checked_sub(1), max.checked_add(1)]
                    .into_iter()
                    .flatten()
                    .map(ParameterValue::Integer)
                    .chain([ParameterValue::Real(1.5)])
                    .collect(),
                ParameterKind::Real { min, max, .. } => [min - 1.0, max * 2.0 + 1.0, f64::NAN]
                    .into_iter()
                    .filter(|value| !(min..=max).contains(value))
                    .map(ParameterValue::Real)
                    .collect(),
                ParameterKind::Choice { .. } | ParameterKind::Named { .. } => {
                    vec![ParameterValue::Text("none of them".into())]
                }
                ParameterKind::Count { min, .. } => {
                    vec![ParameterValue::Integer(min - 1), ParameterValue::Text("many".into())]
                }
                ParameterKind::Strength { min, .. } => {
                    vec![ParameterValue::Real(min - 1.0), ParameterValue::Text("many".into())]
                }
                ParameterKind::Text { .. }
                | ParameterKind::Column { .. }
                | ParameterKind::Names
                | ParameterKind::Part { .. } => vec![ParameterValue::Bool(true)],
            };
            assert!(!outside.is_empty());
            for value in outside {
                let refused = parameter.check(value.clone());
                assert!(refused.is_err(), "{table} {}: {value:?}", parameter.name);
            }
        }
    }
}

/// `UPDATE_SCHEMA=1 cargo test --test it schema` writes the file anew.
#[test]
fn the_committed_schema_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/grid.schema.json");
    let text = spec::schema::text(report::tables::registry::NAMED);
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(&path, &text).expect("the schema is written");
    }
    let committed = std::fs::read_to_string(&path).expect("the committed schema");
    assert!(committed == text, "run `UPDATE_SCHEMA=1 cargo test --test it schema`");
}

/// The generated corpus, made anew.
fn corpus() -> Corpus {
    let entry = formats::ENTRIES.iter().find(|entry| entry.name == "synthetic").unwrap();
    corpus::load(&entry.part(), &Default::default()).expect("a corpus").corpus
}

#[test]
fn every_resampling_function_gives_the_same_again() {
    let (one, two) = (corpus(), corpus());
    for entry in resample::ENTRIES {
        let part = entry.part();
        let resampled = resample::resample(&part, &one.types, &one.train);
        let again = resample::resample(&part, &two.types, &two.train);
        assert_eq!(resampled, again, "{}", entry.name);
        assert_eq!(resampled.sentences.len(), one.train.len());
        assert_eq!(resampled.copies.len(), one.train.len());
        assert_ne!(resampled, Resampled::unchanged(&one.train), "{}", entry.name);
        let never = resampled.copies.contains(&0);
        assert_eq!(never, !Resampler::read(&part).repeats(), "{}", entry.name);
    }
}

#[test]
fn every_augmentation_gives_the_same_again_for_a_seed() {
    struct Doubled;
    impl augment::Synonyms for Doubled {
        fn of(&self, word: &str) -> Vec<String> {
            vec![format!("{word} {word}")]
        }
    }
    let (one, two) = (corpus(), corpus());
    for entry in augment::ENTRIES {
        let make = |corpus: &Corpus, seed| {
            let mut rng = augment::stream(seed);
            augment::augment(&entry.part(), &corpus.types, &corpus.train, Some(&Doubled), &mut rng)
        };
        assert_eq!(make(&one, 1), make(&two, 1), "{}", entry.name);
        assert_ne!(make(&one, 1), make(&one, 2), "{}", entry.name);
        assert!(make(&one, 1).len() >= 2 * one.train.len(), "{}", entry.name);
    }
}
