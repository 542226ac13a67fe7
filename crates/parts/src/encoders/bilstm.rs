//! A bidirectional LSTM over a sentence's words (the BiLSTM of wang2022), optionally with one over
//! the characters of each word beside the word's vector.

use crate::{Preset, part};

part! {
    /// a bidirectional LSTM over the sentence
    pub struct Bilstm("bilstm") from "wang2022, section 4.4"
        gives Capability::Context
    {
        /// units per direction
        hidden: usize = 300 in 1..=8192,
        /// share of numbers dropped before and after the LSTM while training
        dropout: f64 = 0.5 in 0.0..=0.95,
        /// units per direction of an LSTM over each word's characters (100 in the papers' code); 0
        /// reads none
        characters: usize = 0 in 0..=4096,
    }
}

/// A rate that rises over the first tenth of the budget and then falls linearly, and a floor so
/// that a model also learns from a hundred sentences; `benches/regret` measures how far this is
/// from a search.
pub const TRAINING: &[(&str, Preset)] = &[
    ("batch", Preset::Whole(8)),
    ("learning_rate", Preset::Number(0.008)),
    ("warm_up", Preset::Number(0.1)),
    ("schedule", Preset::Word("linear")),
    ("min_updates", Preset::Whole(1200)),
    ("patience", Preset::Whole(12)),
    ("patience_updates", Preset::Whole(1000)),
];
