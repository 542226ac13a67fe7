//! Two tasks a type (nguyen2023): is a word in an entity, and does one begin there? A logit each,
//! decided by Algorithm 1 of the paper. The paper merges all types into one; with several, each has
//! its two tasks, and a word that is in entities of several is of the one with the highest
//! probability.
//!
//! A layer over the tags stands beside them. Only the cross-entropy steps of the loss `comauc`
//! train it, for what they teach the encoder; it decides nothing.

use crate::part;

part! {
    /// for each type two decisions a word: is it in an entity, does one begin there
    pub struct TwoTask("two-task") from "nguyen2023, figure 2 and algorithm 1"
        gives Capability::TokenLevel, Capability::TwoTask, Capability::YesNo
    {
        /// after training, move the thresholds of 0.5 to where the dev score is highest
        tune_threshold: bool = false,
        /// weight of the task of beginnings beside that of entities; `auc` and `comauc` have their
        /// λ instead
        begin_weight: f64 = 1.0 in 0.0..=1e6,
    }
}
