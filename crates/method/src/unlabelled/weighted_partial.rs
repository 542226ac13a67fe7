//! Weighted partial annotation (Jie et al. 2019, a baseline of li2022, Table 4): sequences that
//! agree with the annotations are not all alike. Models trained on parts of the data say how likely
//! each is in the other parts, some rounds over; the last model is trained on what they said.

use super::possible::{Ends, ends};
use parts::{choice, part};

choice! {
    /// What models of other parts tell of a sentence.
    pub enum Labels { Hard = "hard", Soft = "soft" }
}

part! {
    /// they have the tags that models trained on the other parts of the data find
    pub struct WeightedPartial("weighted-partial") from "jie2019; li2022, Table 4" needs Capability::Crf {
        /// the likeliest sequence that agrees with the annotations, or how likely each tag is
        labels: Labels = Hard,
        /// parts of the training data, each told by the model of the others
        folds: usize = 2 in 2..=20,
        /// how often all parts are told anew; 10 in the paper
        rounds: usize = 3 in 1..=100,
        /// epochs of each of those models; 100 in the paper
        round_epochs: usize = 15 in 1..=10_000,
        ends: Ends as ends(Ends::Kept),
    }
}
