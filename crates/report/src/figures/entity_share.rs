//! Scores over the share of tokens that are in entities (Figure 4 of nguyen2023), from scenarios
//! with `entity_tokens`.

use super::curves::{self, Curves};
use super::scale::AxisUnit;
use super::{Draft, Material};

/// One figure for every few models and corpora.
pub fn build(material: &Material<'_>) -> Vec<Draft> {
    let about = Curves {
        kind: "entity-share",
        setting: "entity_tokens",
        title: "by share of entity tokens",
        // A corpus cannot always give it.
        across: "Training tokens in entities, aimed at (%)",
        unit: AxisUnit::Percent,
        caption: "A line that falls less towards the left stands imbalance better.",
    };
    curves::build(material, &about)
}
