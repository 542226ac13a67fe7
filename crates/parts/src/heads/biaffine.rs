//! A biaffine head over spans (Yu et al. 2020, *Named Entity Recognition as Dependency Parsing*):
//! each word is projected once as a beginning and once as an end, and a bilinear form with bias
//! gives a number a label for each pair.
//!
//! As in the authors' code: the form begins at zero, dropout takes the same numbers of all words of
//! a sentence, the loss is a sum over all spans, and of entities that overlap the one with the
//! highest score stays.

use crate::{choice, part};

choice! {
    /// What becomes of the loss of a batch's spans.
    pub enum BiaffineReduction { Mean = "mean", Sum = "sum" }
}

part! {
    /// every span of the sentence decided by a bilinear form of its first and last word
    pub struct Biaffine("biaffine") from "yu2020; li2022, table 4"
        gives Capability::Span
    {
        /// numbers of a word as a beginning and as an end
        span_width: usize = 150 in 1..=8192,
        /// share of these numbers dropped while training, the same ones in all words of a sentence
        span_dropout: f64 = 0.2 in 0.0..=0.95,
        /// the sum of the loss over a batch's spans, as the authors' code has it, or their mean
        reduction: BiaffineReduction = Sum,
    }
}
