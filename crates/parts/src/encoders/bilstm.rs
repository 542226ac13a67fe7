//! A bidirectional LSTM over a sentence's words (the BiLSTM of wang2022), optionally with one over the
//! characters of each word beside the word's vector.

use domain::{Entry, Parameter, ParameterKind, Preset};

pub const ENTRY: Entry = Entry {
    name: "bilstm",
    help: "a bidirectional LSTM over the sentence",
    parameters: &[
        Parameter {
            name: "hidden",
            help: "units a direction",
            kind: ParameterKind::Integer { default: 300, min: 1, max: 8192 },
        },
        Parameter {
            name: "dropout",
            help: "share of numbers dropped before and after the LSTM while training",
            kind: ParameterKind::Real { default: 0.5, min: 0.0, max: 0.95 },
        },
        Parameter {
            name: "characters",
            help: "units a direction of an LSTM over each word's characters (100 in the papers' code); 0 reads none",
            kind: ParameterKind::Integer { default: 0, min: 0, max: 4096 },
        },
    ],
    needs: "",
    source: "wang2022, section 4.4",
};

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
