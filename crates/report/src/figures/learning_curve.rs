//! Scores over the number of training sentences (Figure 5 of nguyen2023), from scenarios with
//! `train_sentences`.

use super::curves::{self, Curves};
use super::scale::AxisUnit;
use super::{Draft, Material};

/// One figure for every few models and corpora.
pub fn build(material: &Material<'_>) -> Vec<Draft> {
    let about = Curves {
        kind: "learning-curve",
        setting: "train_sentences",
        title: "by training size",
        across: "Training sentences",
        unit: AxisUnit::Plain,
        caption: "A line that lies higher on the left learns from less. Each seed draws its own sentences.",
    };
    curves::build(material, &about)
}
