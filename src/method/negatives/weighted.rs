//! Weighted negative sampling (li2022, equations 3 to 5): spans that the model in training is unsure of are drawn
//! more often, those that it takes for entities less often.

use super::{COUNT, LAMBDA};
use crate::domain::{Entry, Parameter, ParameterKind};

pub const ENTRY: Entry = Entry {
    name: "weighted",
    help: "some spans, those rather that the model is unsure of and does not take for entities",
    parameters: &[
        LAMBDA,
        COUNT,
        Parameter {
            name: "mu",
            help: "μ, how strongly spans that look like entities are avoided",
            kind: ParameterKind::Real { default: 8.0, min: 0.0, max: 1000.0 },
        },
        Parameter {
            name: "entity_only",
            help: "whether v compares O with the entity labels alone, not with all labels",
            kind: ParameterKind::Bool { default: false },
        },
    ],
    needs: "a span head",
    source: "li2022, equations 3 to 5",
};
