//! A conditional random field over a sentence's tags (Lafferty et al. 2001): a linear layer scores
//! the tags of each token, a matrix the pairs of neighbouring tags.
//!
//! The loss is the mean over sentences of −log p(tags | sentence). Its sums over paths run in plain
//! Rust (`chain`), and their derivatives reach the encoder in one step: the loss handed
//! to autodiff is the inner product of the scores with those derivatives, whose gradient they are.

use crate::part;

part! {
    /// a conditional random field: the best sequence of tags for the whole sentence
    pub struct Crf("crf") from "wang2022, section 4.4"
        gives Capability::Crf, Capability::FullBatch
    {
        /// forbid tags that cannot follow each other (I-X only after B-X or I-X), while training
        /// too
        constraints: bool = false,
    }
}
