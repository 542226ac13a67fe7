//! A head over spans (li2022, section 2.1): every span of a sentence is one of the types, or O.
//!
//! A span from word i to word j is [h_i; h_j; h_i − h_j; h_i ⊙ h_j], through a layer of
//! `span_width` units with tanh to a number a label. The layer's weights W₁ to W₄ are those of the
//! four parts.
//!
//! Chosen spans are trained one by one: each of a span's four parts has dropout of its own, as in
//! the paper, and goes through its weights. Where all spans of a sentence are trained or looked at,
//! W₁h_i + W₂h_j + W₃(h_i − h_j) + W₄(h_i ⊙ h_j) is computed as (W₁ + W₃)h_i + (W₂ − W₃)h_j +
//! W₄(h_i ⊙ h_j), so that a word goes through a layer once and not once a span, and the four parts
//! of a span never stand side by side. Without dropout both give the same.
//!
//! Dropout is then done where that sum allows: one mask on the h_i of a word as a beginning, one on
//! it as an end, one on each span's product, and one a sentence on what differences are made of, so
//! that a difference is dropped as one number and that of a word from itself stays 0. Every number
//! is dropped with the same probability and scaled by the same factor as where spans are scored one
//! by one; spans of one word share its masks, those of a sentence that of their differences.

use crate::{choice, part};

choice! {
    /// What becomes of the loss of a batch's spans.
    pub enum SpanReduction { Mean = "mean", Sum = "sum" }
}

part! {
    /// every span of the sentence decided by its first and last word, the likeliest ones first
    pub struct Span("span") from "li2022, section 2.1"
        gives Capability::Span
    {
        /// units of the layer that reads a span
        span_width: usize = 256 in 1..=8192,
        /// share of a span's numbers dropped before that layer while training
        span_dropout: f64 = 0.4 in 0.0..=0.95,
        /// the mean of the loss over a batch's spans, as the authors' code has it, or their sum
        /// (equation 1)
        reduction: SpanReduction = Mean,
    }
}
