//! Stub for the worktree.
use crate::domain::{Entry, Parameter, ParameterKind};

/// Stub for the worktree.
pub const ENTRIES: &[Entry] = &[Entry {
    name: "random",
    help: "word vectors drawn at random",
    parameters: &[
        Parameter {
            name: "dimension",
            help: "length of a word vector",
            kind: ParameterKind::Integer { default: 50, min: 1, max: 4096 },
        },
        Parameter {
            name: "frozen",
            help: "not trained with the model",
            kind: ParameterKind::Bool { default: false },
        },
    ],
    needs: "",
    source: "",
}];
