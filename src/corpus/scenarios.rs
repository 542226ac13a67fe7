//! Stub for the worktree.
use crate::domain::{Parameter, ParameterKind};

/// Stub for the worktree.
pub const PARAMETERS: &[Parameter] = &[Parameter {
    name: "train_sentences",
    help: "sentences of the training split, drawn at random; 0 keeps all",
    kind: ParameterKind::Integer { default: 0, min: 0, max: i64::MAX },
}];
