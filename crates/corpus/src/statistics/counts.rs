//! Counts and shares of sentences, tokens, entities and types (Table 1 of wang2022, Table 1 of
//! nguyen2023).

use domain::{Sentence, Statistics, Tag, TypeSet, TypeStatistics};

/// Counts sentences.
pub fn statistics<'s>(
    types: &TypeSet,
    sentences: impl IntoIterator<Item = &'s Sentence>,
) -> Statistics {
    let mut by_type = vec![TypeStatistics::default(); types.len()];
    let (mut count, mut tokens, mut with_entities) = (0, 0, 0);
    for sentence in sentences {
        count += 1;
        tokens += sentence.len() as u64;
        with_entities += u64::from(sentence.has_entity());
        for tag in &sentence.tags {
            let Some(entity_type) = tag.entity_type() else { continue };
            let numbers = &mut by_type[entity_type.0 as usize];
            numbers.tokens += 1;
            numbers.entities += u64::from(matches!(tag, Tag::Begin(_)));
        }
    }
    for numbers in by_type.iter_mut().filter(|numbers| numbers.tokens > 0) {
        numbers.share = share(numbers.tokens, tokens);
        numbers.rareness = rareness(numbers.tokens, tokens);
    }
    summed(types, by_type, (count, tokens, with_entities))
}

/// r_t = -log2(tokens of the type / all tokens) (wang2022, section 3.2).
fn rareness(of_type: u64, all: u64) -> f64 {
    // Not the negative of it, which is -0 where all tokens are of one type.
    0.0 - share(of_type, all).log2()
}

fn summed(
    types: &TypeSet,
    by_type: Vec<TypeStatistics>,
    (sentences, tokens, with_entities): (u64, u64, u64),
) -> Statistics {
    let type_tokens = || by_type.iter().map(|numbers| numbers.tokens).filter(|&n| n > 0);
    let entities: u64 = by_type.iter().map(|numbers| numbers.entities).sum();
    let entity_tokens: u64 = type_tokens().sum();
    Statistics {
        sentences,
        tokens,
        entities,
        entity_tokens,
        entity_token_share: share(entity_tokens, tokens),
        sentences_with_entities: with_entities,
        sentences_with_entities_share: share(with_entities, sentences),
        rarest_type_share: share(type_tokens().min().unwrap_or(0), tokens),
        commonest_type_share: share(type_tokens().max().unwrap_or(0), tokens),
        begin_share: share(entities, tokens),
        inside_share: share(entity_tokens - entities, tokens),
        outside_share: share(tokens - entity_tokens, tokens),
        types: types
            .names()
            .iter()
            .cloned()
            .zip(by_type)
            .filter(|(_, numbers)| numbers.tokens > 0)
            .collect(),
    }
}

/// A part of a whole, 0 if there is no whole.
pub(super) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::TypeId;
    use serde_json::Value;

    fn sentence(tags: &[Tag]) -> Sentence {
        let tokens = tags.iter().map(|_| "w").collect();
        Sentence { tokens, tags: tags.to_vec() }
    }

    #[test]
    fn counts_and_shares() {
        use Tag::{Begin, Inside, Outside};
        let types = TypeSet::new(["a", "b", "unused"].map(String::from));
        let (a, b) = (TypeId(0), TypeId(1));
        let sentences = [
            sentence(&[Begin(a), Inside(a), Begin(a), Inside(a), Begin(b)]),
            sentence(&[Outside, Outside, Outside]),
        ];
        let found = statistics(&types, &sentences);
        let json = serde_json::json!({
            "sentences": 2, "tokens": 8, "entities": 3,
            "types": {
                "a": {"entities": 2, "tokens": 4, "share": 0.5, "rareness": 1.0},
                "b": {"entities": 1, "tokens": 1, "share": 0.125, "rareness": 3.0},
            },
            "entity_tokens": 5, "entity_token_share": 0.625,
            "sentences_with_entities": 1, "sentences_with_entities_share": 0.5,
            "rarest_type_share": 0.125, "commonest_type_share": 0.5,
            "begin_share": 0.375, "inside_share": 0.25, "outside_share": 0.375,
        });
        assert_eq!(serde_json::to_value(&found).unwrap(), json);
    }

    #[test]
    fn nothing_has_no_shares() {
        assert_eq!(statistics(&TypeSet::default(), &[]), Statistics::default());
    }

    #[test]
    fn rareness_matches_the_reference_vectors() {
        let text = include_str!("../../../../tests/vectors/resampling.json");
        let vectors: Value = serde_json::from_str(text).unwrap();
        let types = vectors["type_token_counts"].as_object().unwrap();
        assert!(!types.is_empty());
        for (name, count) in types {
            let expected = vectors["rareness"][name].as_f64().unwrap();
            let found = rareness(count.as_u64().unwrap(), vectors["N"].as_u64().unwrap());
            assert!((found - expected).abs() < 1e-12, "{name}: {found} {expected}");
        }
    }
}
