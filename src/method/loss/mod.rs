//! Stub for the worktree.
use crate::domain::{Entry, Parameter, ParameterKind};

/// Stub for the worktree.
pub const ENTRIES: &[Entry] = &[
    Entry { name: "cross-entropy", help: "the mean negative log likelihood", parameters: &[], needs: "a token head", source: "" },
    Entry {
        name: "focal",
        help: "cross-entropy that counts easy tokens less",
        parameters: &[Parameter {
            name: "gamma",
            help: "how much less; 0 is cross-entropy",
            kind: ParameterKind::Real { default: 2.0, min: 0.0, max: 10.0 },
        }],
        needs: "a token head",
        source: "lin2017, equation 4",
    },
];
