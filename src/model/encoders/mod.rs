//! Stub for the worktree.
use crate::domain::{Entry, Parameter, ParameterKind};

const DROPOUT: Parameter = Parameter {
    name: "dropout",
    help: "share of units dropped in training",
    kind: ParameterKind::Real { default: 0.5, min: 0.0, max: 0.95 },
};

/// Stub for the worktree.
pub const ENTRIES: &[Entry] = &[
    Entry { name: "shallow", help: "word vectors as they are", parameters: &[DROPOUT], needs: "", source: "" },
    Entry {
        name: "bilstm",
        help: "one LSTM in each direction",
        parameters: &[
            Parameter {
                name: "hidden",
                help: "units of each direction",
                kind: ParameterKind::Integer { default: 100, min: 1, max: 4096 },
            },
            DROPOUT,
        ],
        needs: "",
        source: "",
    },
];
