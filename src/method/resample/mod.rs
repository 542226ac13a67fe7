//! Sentence-level resampling (wang2022, section 3.2): how many copies of each training sentence.
//!
//! A resampling function sees one sentence's token counts and the rareness of its types. An
//! entity-less sentence always gets exactly one copy. Only training data is ever resampled.

mod counts;
mod nscrd;
mod sc;
mod scr;
mod scrd;
mod size;

pub use size::Size;

use crate::domain::{Entry, Parameter, ParameterKind, Part, Sentence, TypeSet};
use counts::{SentenceCounts, rareness};

/// Which of the two published forms of a formula.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Variant {
    /// Equations 1-4 of the paper.
    Paper,
    /// The authors' script, which adds 1 inside the root or before the division.
    Code,
}

const PARAMETERS: &[Parameter] = &[Parameter {
    name: "variant",
    help: "the paper's equation, or the authors' script, which gives about one copy fewer",
    kind: ParameterKind::Choice { default: "paper", of: &["paper", "code"] },
}];

macro_rules! resamplers {
    ($($module:ident),*) => {
        /// Every resampling function.
        pub const ENTRIES: &[Entry] = &[$($module::ENTRY),*];

        fn function(kind: &str) -> Option<fn(&SentenceCounts, Variant) -> f64> {
            match kind {
                $(kind if kind == $module::ENTRY.name => Some($module::copies),)*
                _ => None,
            }
        }
    };
}

resamplers!(sc, scr, scrd, nscrd);

/// How many copies of each sentence to train on, in the order of the sentences; `None` if no
/// function has that name.
pub fn copies(part: &Part, types: &TypeSet, sentences: &[Sentence]) -> Option<Vec<u32>> {
    let function = function(&part.kind)?;
    let variant = match part.parameters.text("variant") {
        "code" => Variant::Code,
        _ => Variant::Paper,
    };
    let rareness = rareness(types, sentences);
    let copies_of = |sentence| {
        let counts = SentenceCounts::new(sentence, &rareness);
        if counts.is_empty() { 1 } else { function(&counts, variant) as u32 }
    };
    Some(sentences.iter().map(copies_of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ParameterValue, Parameters, Tag};
    use serde_json::Value;

    fn part(kind: &str, variant: &str) -> Part {
        let mut parameters = Parameters::defaults(PARAMETERS);
        parameters.0.insert("variant".into(), ParameterValue::Text(variant.into()));
        Part { kind: kind.into(), parameters }
    }

    fn parse(tag: &str, types: &mut TypeSet) -> Tag {
        match tag.split_once('-') {
            Some(("B", name)) => Tag::Begin(types.intern(name)),
            Some((_, name)) => Tag::Inside(types.intern(name)),
            None => Tag::Outside,
        }
    }

    #[test]
    fn copies_and_factors_match_the_reference_vectors() {
        let text = include_str!("../../../tests/vectors/resampling.json");
        let vectors: Value = serde_json::from_str(text).unwrap();
        let cases = vectors["sentences"].as_array().unwrap();
        let mut types = TypeSet::default();
        let sentences: Vec<Sentence> = cases
            .iter()
            .map(|case| {
                let tags: Vec<Tag> = case["tags"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|tag| parse(tag.as_str().unwrap(), &mut types))
                    .collect();
                Sentence { tokens: tags.iter().map(|_| "w").collect(), tags }
            })
            .collect();
        for (kind, name) in [("sc", "sC"), ("scr", "sCR"), ("scrd", "sCRD"), ("nscrd", "nsCRD")] {
            for variant in ["paper", "code"] {
                let copies = copies(&part(kind, variant), &types, &sentences).unwrap();
                for (i, case) in cases.iter().enumerate() {
                    let expected = case[variant][name].as_u64().unwrap();
                    assert_eq!(copies[i] as u64, expected, "{variant} {name}, sentence {i}");
                }
                let total: u32 = copies.iter().sum();
                let aggregate = &vectors["aggregate"][format!("{variant}.{name}")];
                assert_eq!(aggregate["total_sentences"], total);
            }
        }
    }

    #[test]
    fn rareness_matches_the_reference_vectors() {
        let text = include_str!("../../../tests/vectors/resampling.json");
        let vectors: Value = serde_json::from_str(text).unwrap();
        let n = vectors["N"].as_f64().unwrap();
        for (name, count) in vectors["type_token_counts"].as_object().unwrap() {
            let expected = vectors["rareness"][name].as_f64().unwrap();
            let actual = counts::rareness_of(count.as_f64().unwrap(), n);
            assert!((actual - expected).abs() < 1e-12, "{name}: {actual} {expected}");
        }
    }

    #[test]
    fn an_unknown_name_is_none() {
        assert!(copies(&part("sx", "paper"), &TypeSet::default(), &[]).is_none());
    }
}
