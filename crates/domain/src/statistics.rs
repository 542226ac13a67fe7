//! What sentences look like in numbers: counts and shares, by type and by length.

use serde::Serialize;
use std::collections::BTreeMap;

/// The numbers of some sentences. Shares are fractions of all their tokens or of all sentences, 0
/// if there are none.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Statistics {
    pub sentences: u64,
    pub tokens: u64,
    pub entities: u64,
    /// The types that occur, by name.
    pub types: BTreeMap<String, TypeStatistics>,
    pub entity_tokens: u64,
    pub entity_token_share: f64,
    pub sentences_with_entities: u64,
    pub sentences_with_entities_share: f64,
    /// Tokens of the rarest type that occurs, over all tokens (Table 1 of wang2022).
    pub rarest_type_share: f64,
    /// Tokens of the commonest type, over all tokens.
    pub commonest_type_share: f64,
    /// Tokens tagged B, over all tokens (Table 1 of nguyen2023).
    pub begin_share: f64,
    pub inside_share: f64,
    pub outside_share: f64,
}

/// The numbers of one entity type.
#[derive(Copy, Clone, PartialEq, Debug, Default, Serialize)]
pub struct TypeStatistics {
    pub entities: u64,
    pub tokens: u64,
    /// Its tokens over all tokens.
    pub share: f64,
    /// r_t = -log2(share) (wang2022, section 3.2).
    pub rareness: f64,
}

impl Statistics {
    /// The type with the fewest tokens.
    pub fn rarest_type(&self) -> Option<&str> {
        self.types.iter().min_by_key(|(_, numbers)| numbers.tokens).map(|(name, _)| name.as_str())
    }

    /// The type with the most tokens.
    pub fn commonest_type(&self) -> Option<&str> {
        // Of equals the first by name, as for the rarest.
        let largest = self.types.iter().rev().max_by_key(|(_, numbers)| numbers.tokens);
        largest.map(|(name, _)| name.as_str())
    }
}

/// How many entities sentences of one length have.
#[derive(Copy, Clone, PartialEq, Debug, Serialize)]
pub struct LengthPoint {
    /// Tokens of a sentence.
    pub length: u64,
    pub sentences: u64,
    /// Mean number of entities.
    pub mean: f64,
    /// Its variance over these sentences.
    pub variance: f64,
}

/// The number of entities against the length of sentences (Figure 2 of li2022).
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Lengths {
    /// In the order of lengths; those that too few sentences have are left out.
    pub points: Vec<LengthPoint>,
    /// Sentences with more entities than the square root of their length, over all.
    pub beyond_root_share: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_types_with_as_many_tokens_the_first_is_named() {
        let numbers = |tokens| TypeStatistics { tokens, ..TypeStatistics::default() };
        let types = [("b", 2), ("a", 2), ("c", 1), ("d", 1)];
        let types = types.map(|(name, tokens)| (name.to_owned(), numbers(tokens)));
        let found = Statistics { types: types.into(), ..Statistics::default() };
        assert_eq!((found.rarest_type(), found.commonest_type()), (Some("c"), Some("a")));
        assert_eq!(Statistics::default().rarest_type(), None);
    }
}
