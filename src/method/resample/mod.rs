//! Stub for the worktree.
use crate::domain::{Entry, Parameter, ParameterKind};

const PARAMETERS: &[Parameter] = &[Parameter {
    name: "variant",
    help: "the paper's formula, or that of its authors' script",
    kind: ParameterKind::Choice { default: "paper", of: &["paper", "code"] },
}];

const fn entry(name: &'static str, parameters: &'static [Parameter]) -> Entry {
    Entry { name, help: "sentence resampling", parameters, needs: "", source: "wang2022, equations 1 to 4" }
}

/// Stub for the worktree.
pub const ENTRIES: &[Entry] =
    &[entry("sc", &[]), entry("scr", PARAMETERS), entry("scrd", PARAMETERS), entry("nscrd", PARAMETERS)];
