//! What a corpus looks like in numbers: the imbalance that the methods are about.

use crate::domain::{Sentence, Tag, TypeSet};
use serde::Serialize;
use std::collections::BTreeMap;

/// The numbers of one split. Shares are fractions of all its tokens or sentences, 0 if it has none.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Statistics {
    pub sentences: u64,
    pub tokens: u64,
    pub entities: u64,
    /// The types that occur in the split, by name.
    pub types: BTreeMap<String, TypeStatistics>,
    pub entity_token_share: f64,
    pub sentences_with_entities_share: f64,
    /// Tokens of the rarest type that occurs, over all tokens (Table 1 of wang2022).
    pub rarest_type_share: f64,
    /// Tokens of the commonest type, over all tokens.
    pub commonest_type_share: f64,
}

/// The numbers of one entity type.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct TypeStatistics {
    pub entities: u64,
    pub tokens: u64,
}

/// Counts the sentences of a split.
pub fn statistics(types: &TypeSet, sentences: &[Sentence]) -> Statistics {
    let mut counts = vec![TypeStatistics::default(); types.len()];
    let mut with_entities = 0;
    for sentence in sentences {
        with_entities += u64::from(sentence.tags.iter().any(|tag| *tag != Tag::Outside));
        for tag in &sentence.tags {
            let Some(entity_type) = tag.entity_type() else { continue };
            let count = &mut counts[entity_type.0 as usize];
            count.tokens += 1;
            count.entities += u64::from(matches!(tag, Tag::Begin(_)));
        }
    }
    let tokens = sentences.iter().map(|sentence| sentence.len() as u64).sum();
    let type_tokens = || counts.iter().map(|count| count.tokens).filter(|&n| n > 0);
    Statistics {
        sentences: sentences.len() as u64,
        tokens,
        entities: counts.iter().map(|count| count.entities).sum(),
        entity_token_share: share(type_tokens().sum(), tokens),
        sentences_with_entities_share: share(with_entities, sentences.len() as u64),
        rarest_type_share: share(type_tokens().min().unwrap_or(0), tokens),
        commonest_type_share: share(type_tokens().max().unwrap_or(0), tokens),
        types: types
            .names()
            .iter()
            .cloned()
            .zip(counts)
            .filter(|(_, count)| count.tokens > 0)
            .collect(),
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::TypeId;

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
            sentence(&[Begin(a), Inside(a), Begin(a), Outside, Begin(b)]),
            sentence(&[Outside, Outside, Outside]),
        ];
        let found = statistics(&types, &sentences);
        let json = serde_json::json!({
            "sentences": 2, "tokens": 8, "entities": 3,
            "types": {"a": {"entities": 2, "tokens": 3}, "b": {"entities": 1, "tokens": 1}},
            "entity_token_share": 0.5, "sentences_with_entities_share": 0.5,
            "rarest_type_share": 0.125, "commonest_type_share": 0.375,
        });
        assert_eq!(serde_json::to_value(&found).unwrap(), json);
    }

    #[test]
    fn nothing_has_no_shares() {
        assert_eq!(statistics(&TypeSet::default(), &[]), Statistics::default());
    }
}
