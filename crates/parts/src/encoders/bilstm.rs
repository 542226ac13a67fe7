//! A bidirectional LSTM over a sentence's words (the BiLSTM of wang2022), optionally with one over the
//! characters of each word beside the word's vector.

use crate::{Preset, part};

part! {
    /// a bidirectional LSTM over the sentence
    pub struct Bilstm("bilstm") from "wang2022, section 4.4"
        gives Capability::Context
    {
        /// units a direction
        hidden: usize = 300 in 1..=8192,
        /// share of numbers dropped before and after the LSTM while training
        dropout: f64 = 0.5 in 0.0..=0.95,
        /// units a direction of an LSTM over each word's characters (100 in the papers' code); 0
        /// reads none
        characters: usize = 0 in 0..=4096,
    }
}

/// A rate that falls linearly over the budget, and a floor so that a model also learns from a hundred sentences;
/// `benches/regret` measures how far this is from a search.
pub const TRAINING: &[(&str, Preset)] = &[
    ("batch", Preset::Whole(16)),
    ("learning_rate", Preset::Number(0.004)),
    ("schedule", Preset::Word("linear")),
    ("min_updates", Preset::Whole(2000)),
    ("patience", Preset::Whole(8)),
    ("patience_updates", Preset::Whole(1000)),
];
