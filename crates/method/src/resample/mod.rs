//! Training data made more or less: sentence-level resampling (wang2022, section 3.2) says how many
//! copies of each training sentence, balanced undersampling which of its tokens.
//!
//! A resampling function sees one sentence's token counts and the rareness of its types; an
//! entity-less sentence always gets exactly one copy. Undersampling sees one sentence's tags; no
//! entity token is ever lost. Nothing here is random. Only training data is ever resampled.

mod bus;
mod counts;
mod nscrd;
mod sc;
mod scr;
mod scrd;
mod size;

pub use size::Size;

use counts::{SentenceCounts, rareness};
use domain::{Part, Sentence, TypeSet};
use parts::{Parameter, choice, registry};
use std::borrow::Cow;

choice! {
    /// Which of the two published forms of a formula.
    pub enum Variant {
        /// Equations 1-4 of the paper.
        Paper = "paper",
        /// The authors' script, which adds 1 inside the root or before the division.
        Code = "code",
    }
}

const VARIANT: Parameter = Parameter {
    name: "variant",
    help: "the paper's equation, or the authors' script, which gives about one copy fewer",
    kind: Variant::Paper.kind(),
};

registry! {
    /// The settings of any resampling function.
    pub enum Resampler { sc::Sc, scr::Scr, scrd::Scrd, nscrd::Nscrd, bus::Bus }
}

/// Training data as it is used: each sentence, and how often. Both are as long as the data given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resampled<'a> {
    /// As given, or with tokens left out. A sentence that is not used keeps its place and its
    /// tokens, so that every sentence has some.
    pub sentences: Cow<'a, [Sentence]>,
    pub copies: Vec<u32>,
}

impl<'a> Resampled<'a> {
    /// Every sentence once.
    pub fn unchanged(train: &'a [Sentence]) -> Self {
        Self { sentences: Cow::Borrowed(train), copies: vec![1; train.len()] }
    }
}

/// What a method trains on, in the order of the sentences.
pub fn resample<'a>(part: &Part, types: &TypeSet, train: &'a [Sentence]) -> Resampled<'a> {
    let resampler = Resampler::read(part);
    if let Resampler::Bus(bus) = resampler {
        let (sentences, copies) = train.iter().map(|s| cut(s, &bus.kept(&s.tags))).unzip();
        return Resampled { sentences: Cow::Owned(sentences), copies };
    }
    let rareness = rareness(types, train);
    let copies_of = |sentence| {
        let counts = SentenceCounts::new(sentence, &rareness);
        if counts.is_empty() { 1 } else { resampler.copies(&counts) as u32 }
    };
    Resampled { sentences: Cow::Borrowed(train), copies: train.iter().map(copies_of).collect() }
}

impl Resampler {
    /// Whether it only repeats sentences, all as they are.
    pub fn repeats(&self) -> bool {
        !matches!(self, Resampler::Bus(_))
    }

    /// How often a sentence with an entity is used.
    fn copies(&self, sentence: &SentenceCounts) -> f64 {
        match self {
            Resampler::Sc(function) => function.copies(sentence),
            Resampler::Scr(function) => function.copies(sentence),
            Resampler::Scrd(function) => function.copies(sentence),
            Resampler::Nscrd(function) => function.copies(sentence),
            Resampler::Bus(_) => 1.0,
        }
    }
}

/// A sentence without the tokens that are not kept, and how often it is used.
fn cut(sentence: &Sentence, kept: &[bool]) -> (Sentence, u32) {
    if kept.iter().all(|kept| !kept) {
        return (sentence.clone(), 0);
    }
    let tokens = sentence.tokens.iter().zip(kept).filter(|(_, kept)| **kept);
    let tags = sentence.tags.iter().zip(kept).filter(|(_, kept)| **kept);
    let tokens = tokens.map(|(token, _)| token).collect();
    (Sentence { tokens, tags: tags.map(|(tag, _)| *tag).collect() }, 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{ParameterValue, Tag};
    use serde_json::Value;

    fn part(kind: &str, changes: &[(&str, ParameterValue)]) -> Part {
        let mut part = ENTRIES.iter().find(|entry| entry.name == kind).unwrap().part();
        let changes = changes.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        part.parameters.0.extend(changes);
        part
    }

    fn parse(tag: &str, types: &mut TypeSet) -> Tag {
        match tag.split_once('-') {
            Some(("B", name)) => Tag::Begin(types.intern(name)),
            Some((_, name)) => Tag::Inside(types.intern(name)),
            None => Tag::Outside,
        }
    }

    /// The vectors and their sentences; each token is called by its place.
    fn vectors() -> (Value, TypeSet, Vec<Sentence>) {
        let text = include_str!("../../../../tests/vectors/resampling.json");
        let vectors: Value = serde_json::from_str(text).unwrap();
        let mut types = TypeSet::default();
        let mut sentence = |case: &Value| {
            let tags = case["tags"].as_array().unwrap().iter();
            let tags: Vec<Tag> = tags.map(|t| parse(t.as_str().unwrap(), &mut types)).collect();
            Sentence { tokens: (0..tags.len()).map(|i| i.to_string()).collect(), tags }
        };
        let sentences =
            vectors["sentences"].as_array().unwrap().iter().map(&mut sentence).collect();
        (vectors, types, sentences)
    }

    fn close(found: f64, expected: &Value) -> bool {
        (found - expected.as_f64().unwrap()).abs() < 1e-12
    }

    #[test]
    fn copies_and_factors_match_the_reference_vectors() {
        let (vectors, types, sentences) = vectors();
        for (kind, name) in [("sc", "sC"), ("scr", "sCR"), ("scrd", "sCRD"), ("nscrd", "nsCRD")] {
            for variant in ["paper", "code"] {
                let chosen = [("variant", ParameterValue::Text(variant.into()))];
                let resampled = resample(&part(kind, &chosen), &types, &sentences);
                assert_eq!(*resampled.sentences, sentences);
                for (i, copies) in resampled.copies.iter().enumerate() {
                    let expected = &vectors["sentences"][i][variant][name];
                    assert_eq!(expected, copies, "{variant} {name}, sentence {i}");
                }
                let size = Size::new(&sentences, &resampled.sentences, &resampled.copies);
                let expected = &vectors["aggregate"][format!("{variant}.{name}")];
                assert_eq!(expected["total_sentences"], size.sentences);
                assert!(close(size.sentence_factor, &expected["sentence_factor"]));
                assert!(close(size.token_factor, &expected["token_factor"]));
            }
        }
    }

    #[test]
    fn undersampling_matches_the_reference_vectors() {
        let (vectors, types, sentences) = vectors();
        let resampled = resample(&part("bus", &[]), &types, &sentences);
        let after = resampled.sentences.iter().zip(&resampled.copies);
        for (i, (sentence, &copies)) in after.enumerate() {
            let expected = vectors["sentences"][i]["bus_R3_kept"].as_array().unwrap();
            assert_eq!(copies, u32::from(!expected.is_empty()), "sentence {i}");
            if copies > 0 {
                let expected: Vec<usize> =
                    expected.iter().map(|place| place.as_u64().unwrap() as usize).collect();
                let kept: Vec<usize> = sentence.tokens.iter().map(|t| t.parse().unwrap()).collect();
                assert_eq!(kept, expected, "sentence {i}");
                let tags: Vec<Tag> = kept.iter().map(|&place| sentences[i].tags[place]).collect();
                assert_eq!(sentence.tags, tags, "sentence {i}");
            }
        }
        let size = Size::new(&sentences, &resampled.sentences, &resampled.copies);
        let expected = &vectors["aggregate"]["bus"];
        assert_eq!(expected["tokens"], size.tokens);
        assert_eq!(expected["nonempty_sentences"], size.sentences);
        assert!(close(size.token_factor, &expected["token_factor"]));
    }

    #[test]
    fn the_first_form_of_undersampling_keeps_more() {
        let (_, types, sentences) = vectors();
        let tokens = |legacy| {
            let part = part("bus", &[("legacy", ParameterValue::Bool(legacy))]);
            let resampled = resample(&part, &types, &sentences);
            Size::new(&sentences, &resampled.sentences, &resampled.copies).tokens
        };
        assert!(tokens(true) > tokens(false));
    }

    #[test]
    fn rareness_matches_the_reference_vectors() {
        let (vectors, types, sentences) = vectors();
        let rareness = rareness(&types, &sentences);
        for (id, name) in types.names().iter().enumerate() {
            assert!(close(rareness[id], &vectors["rareness"][name]), "{name}: {}", rareness[id]);
        }
    }

    #[test]
    fn a_function_repeats_sentences_or_cuts_them() {
        let repeats = |kind| Resampler::read(&part(kind, &[])).repeats();
        assert!(repeats("scr") && !repeats("bus"));
    }
}
