//! Reading comprehension (Li et al. 2020, *A Unified MRC Framework for Named Entity Recognition*;
//! table 3 of nemoto2024): for each type the sentence is read behind a question for its entities.
//! Each word may begin an entity, by its first piece, or end one, by its last; a pair of both is an
//! entity if a third decision says so.
//!
//! Training weighs the three losses 1 : 1 : `match_weight`. Pairs are those of words that are, or
//! are taken for, a beginning and an end. Decoding is flat: each beginning goes with the nearest
//! end; of entities that overlap, of one type or of several, the one with the highest logits stays.
//!
//! The decision on pairs is a layer over the vectors of both words, written as the sum of a layer
//! over each: so a word goes through it once, not once for each partner.

use crate::part;

part! {
    /// reading comprehension: a question for each type, the answers' beginnings, ends and pairs
    pub struct Mrc("mrc") from "li2020; nemoto2024, section 3.2"
        gives Capability::TokenLevel, Capability::YesNo, Capability::Questions
    {
        /// weight of the decision on pairs beside those on beginnings and ends; 0 does without it
        match_weight: f64 = 0.1 in 0.0..=1000.0,
        /// numbers a pair inside the layer that decides on it
        match_width: usize = 256 in 1..=8192,
        /// share of these numbers dropped while training
        match_dropout: f64 = 0.3 in 0.0..=0.95,
    }
}

/// The name under which a type's question is looked up: in lower case, `-` for all but letters and
/// digits.
pub fn query_name(entity_type: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() { c } else { '-' };
    entity_type.to_lowercase().chars().map(plain).collect()
}
