//! Negatives: the spans that a head over spans is told are no entities.
//!
//! Every span that is not annotated is a candidate, an entity whose annotation is missing among them: a few
//! negatives a sentence seldom hit one (li2022, theorem 1). Annotated spans are never drawn. Without this part
//! every candidate is a negative.

mod by_uncertainty;
mod uniform;
mod weighted;

use crate::domain::{Entry, Parameter, ParameterKind};

/// Every way to choose negatives.
pub const ENTRIES: &[Entry] = &[uniform::ENTRY, weighted::ENTRY, by_uncertainty::ENTRY];

/// λ of every way.
pub const LAMBDA: Parameter = Parameter {
    name: "lambda",
    help: "λ: ⌈λn⌉ negatives for a sentence of n words",
    kind: ParameterKind::Real { default: 0.35, min: 0.0, max: 1e6 },
};

/// How the number of negatives is rounded.
pub const COUNT: Parameter = Parameter {
    name: "count",
    help: "⌈λn⌉ as the paper has it, or ⌊λn⌋ + 1 as the authors' code",
    kind: ParameterKind::Choice { default: "ceil", of: &["ceil", "code"] },
};
