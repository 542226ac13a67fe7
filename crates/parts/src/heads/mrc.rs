//! Reading comprehension (Li et al. 2020, *A Unified MRC Framework for Named Entity Recognition*; table 3 of
//! nemoto2024): for each type the sentence is read behind a question for its entities. Each word may begin an
//! entity, by its first piece, or end one, by its last; a pair of both is an entity if a third decision says so.
//!
//! Training weighs the three losses 1 : 1 : `match_weight`. Pairs are those of words that are, or are taken for,
//! a beginning and an end. Decoding is flat: each beginning goes with the nearest end; of entities that overlap, of
//! one type or of several, the one with the highest logits stays.
//!
//! The decision on pairs is a layer over the vectors of both words, written as the sum of a layer over each: so a
//! word goes through it once, not once for each partner.

use domain::{Entry, Parameter, ParameterKind};

pub const ENTRY: Entry = Entry {
    name: "mrc",
    help: "reading comprehension: a question for each type, the answers' beginnings, ends and pairs",
    parameters: &[
        Parameter {
            name: "match_weight",
            help: "weight of the decision on pairs beside those on beginnings and ends; 0 does without it",
            kind: ParameterKind::Real { default: 0.1, min: 0.0, max: 1000.0 },
        },
        Parameter {
            name: "match_width",
            help: "numbers a pair inside the layer that decides on it",
            kind: ParameterKind::Integer { default: 256, min: 1, max: 8192 },
        },
        Parameter {
            name: "match_dropout",
            help: "share of these numbers dropped while training",
            kind: ParameterKind::Real { default: 0.3, min: 0.0, max: 0.95 },
        },
    ],
    needs: "",
    source: "li2020; nemoto2024, section 3.2",
};

/// The name under which a type's question is looked up: in lower case, `-` for all but letters and digits.
pub fn query_name(entity_type: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() { c } else { '-' };
    entity_type.to_lowercase().chars().map(plain).collect()
}
