//! Stub for the worktree.
use crate::domain::{Entry, Parameter, ParameterKind};

/// Stub for the worktree.
pub const ENTRIES: &[Entry] = &[
    Entry {
        name: "shallow",
        help: "the word vector itself, no context",
        parameters: &[],
        needs: "",
        source: "wang2022, section 4.1",
    },
    Entry {
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
        ],
        needs: "",
        source: "",
    },
];
