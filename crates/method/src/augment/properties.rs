//! What holds for every training data.

use super::tests::part;
use super::*;
use crate::resample;
use domain::{Parameters, Tag, TypeId};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const TYPES: u16 = 3;

fn types() -> TypeSet {
    TypeSet::new((0..TYPES).map(|id| format!("type{id}")))
}

/// Valid IOB2 from choices: what would be a stray I becomes a B.
fn sentence(choices: Vec<(u8, u16, u8)>) -> Sentence {
    let mut before = None;
    let tags = choices.iter().map(|&(kind, id, _)| {
        let id = TypeId(id % TYPES);
        let tag = match kind % 4 {
            0 | 1 => Tag::Outside,
            2 if before == Some(id) => Tag::Inside(id),
            _ => Tag::Begin(id),
        };
        before = tag.entity_type();
        tag
    });
    let tags = tags.collect();
    const WORDS: [&str; 8] = ["the", "The", "Rome", "x", "", "Östersund", "of", "a b"];
    let tokens = choices.iter().map(|(_, _, word)| WORDS[*word as usize % WORDS.len()]).collect();
    Sentence { tokens, tags }
}

fn train() -> impl Strategy<Value = Vec<Sentence>> {
    let token = (any::<u8>(), any::<u16>(), any::<u8>());
    prop::collection::vec(prop::collection::vec(token, 1..12).prop_map(sentence), 0..12)
}

struct Doubled;

impl Synonyms for Doubled {
    fn of(&self, word: &str) -> Vec<String> {
        vec![format!("{word} {word}"), String::new(), " ".to_owned()]
    }
}

fn is_valid(sentence: &Sentence) -> bool {
    let before = std::iter::once(Tag::Outside).chain(sentence.tags.iter().copied());
    sentence.len() == sentence.tags.len()
        && !sentence.is_empty()
        && before.zip(&sentence.tags).all(|(before, tag)| match tag {
            Tag::Inside(id) => before.entity_type() == Some(*id),
            _ => true,
        })
}

/// Each original with what was made of it.
fn pairs(kind: &str, ratio: f64, train: &[Sentence], seed: u64) -> Vec<(Sentence, Sentence)> {
    let part = part(kind, &[("ratio", ratio)]);
    let made = augment(&part, &types(), train, Some(&Doubled), &mut stream(seed));
    made.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect()
}

fn entity_types(sentence: &Sentence) -> Vec<TypeId> {
    sentence.entities().map(|span| span.entity_type).collect()
}

fn sorted<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort();
    items
}

/// The tokens of each segment, sorted.
fn segments(sentence: &Sentence) -> Vec<Vec<&str>> {
    let mut tokens = sentence.tokens.iter();
    let segments = shuffle_within_segments::segments(&sentence.tags);
    segments.map(|segment| sorted(tokens.by_ref().take(segment.len()))).collect()
}

proptest! {
    #[test]
    fn what_is_made_is_valid_and_the_same_again(
        train in train(), ratio in 0.0..=1.0, copies in 1..4i32, seed: u64, kind in 0..ENTRIES.len(),
    ) {
        let part = part(ENTRIES[kind].name, &[("ratio", ratio), ("copies", copies.into())]);
        let make = || augment(&part, &types(), &train, Some(&Doubled), &mut stream(seed));
        let made = make();
        prop_assert!(made.iter().all(is_valid));
        prop_assert_eq!(&made, &make());
        let each = made.len() / train.len().max(1);
        prop_assert!(made.iter().step_by(each.max(1)).eq(&train), "every original in its place");
    }

    #[test]
    fn label_wise_replacement_keeps_tags_and_draws_what_was_seen_with_them(
        train in train(), ratio in 0.0..=1.0, seed: u64,
    ) {
        let tagged = |s: &Sentence| s.tokens.iter().map(str::to_owned).zip(s.tags.clone()).collect::<Vec<_>>();
        let seen: BTreeSet<(String, Tag)> = train.iter().flat_map(tagged).collect();
        for (original, made) in pairs("label-wise-token-replacement", ratio, &train, seed) {
            prop_assert_eq!(&original.tags, &made.tags);
            prop_assert!(tagged(&made).iter().all(|token| seen.contains(token)));
            for (before, after) in original.tokens.iter().zip(made.tokens.iter()) {
                prop_assert!(before == after || !stop_words::is_stop_word(before));
                prop_assert!(before == after || !stop_words::is_stop_word(after));
            }
        }
    }

    #[test]
    fn mention_replacement_keeps_types_and_everything_else(
        train in train(), ratio in 0.0..=1.0, seed: u64,
    ) {
        let outside = |s: &Sentence| -> Vec<String> {
            let tokens = s.tokens.iter().zip(&s.tags).filter(|(_, tag)| **tag == Tag::Outside);
            tokens.map(|(token, _)| token.to_owned()).collect()
        };
        for (original, made) in pairs("mention-replacement", ratio, &train, seed) {
            prop_assert_eq!(entity_types(&original), entity_types(&made));
            prop_assert_eq!(outside(&original), outside(&made));
        }
    }

    #[test]
    fn shuffling_keeps_tags_and_the_tokens_of_each_segment(
        train in train(), ratio in 0.0..=1.0, seed: u64,
    ) {
        for (original, made) in pairs("shuffle-within-segments", ratio, &train, seed) {
            prop_assert_eq!(&original.tags, &made.tags);
            prop_assert_eq!(segments(&original), segments(&made));
        }
    }

    #[test]
    fn synonym_replacement_keeps_the_entities(train in train(), ratio in 0.0..=1.0, seed: u64) {
        for (original, made) in pairs("synonym-replacement", ratio, &train, seed) {
            prop_assert_eq!(entity_types(&original), entity_types(&made));
        }
    }

    #[test]
    fn a_ratio_of_zero_changes_nothing(train in train(), seed: u64, kind in 0..4usize) {
        for (original, made) in pairs(ENTRIES[kind].name, 0.0, &train, seed) {
            prop_assert_eq!(original, made);
        }
    }

    #[test]
    fn undersampling_keeps_every_entity_token_and_valid_tags(
        train in train(), ratio in 1.0..10.0, legacy: bool,
    ) {
        use domain::ParameterValue as V;
        let parameters: BTreeMap<String, V> =
            [("ratio".to_owned(), V::Real(ratio)), ("legacy".to_owned(), V::Bool(legacy))].into();
        let part = Part { kind: "bus".into(), parameters: Parameters(parameters) };
        let resampled = resample::resample(&part, &types(), &train);
        prop_assert_eq!(resampled.sentences.len(), train.len());
        let entity_tokens = |s: &Sentence| -> Vec<(String, Tag)> {
            let tokens = s.tokens.iter().map(str::to_owned).zip(s.tags.iter().copied());
            tokens.filter(|(_, tag)| *tag != Tag::Outside).collect()
        };
        let after = resampled.sentences.iter().zip(&resampled.copies);
        for (original, (kept, &copies)) in train.iter().zip(after) {
            prop_assert!(is_valid(kept));
            prop_assert_eq!(copies, u32::from(original.has_entity()));
            let entity = entity_tokens(original);
            prop_assert_eq!(&entity, &entity_tokens(kept));
            let enough = (entity.len() as f64 * ratio).min(original.len() as f64);
            prop_assert!(kept.len() as f64 >= enough);
        }
    }

    #[test]
    fn resampling_never_drops_a_sentence(train in train(), kind in 0..4usize, code: bool) {
        let entry = &resample::ENTRIES[kind];
        let mut parameters = entry.defaults();
        let variant = if code { "code" } else { "paper" };
        parameters.0.insert("variant".to_owned(), domain::ParameterValue::Text(variant.into()));
        let part = Part { kind: entry.name.into(), parameters };
        let resampled = resample::resample(&part, &types(), &train);
        prop_assert_eq!(&*resampled.sentences, &train[..]);
        for (sentence, &copies) in train.iter().zip(&resampled.copies) {
            prop_assert!(copies >= 1);
            prop_assert!(sentence.has_entity() || copies == 1);
        }
    }
}
