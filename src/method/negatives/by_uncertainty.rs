//! Negatives by the uncertainty of another model (li2022, section 3.1.3 and Table 2): a model is trained with
//! uniform negatives on one half of the training sentences; in the other half, each sentence's candidates are
//! ranked by its entropy, and training takes the top, the middle or the bottom ones. Entities whose annotation
//! was masked are no candidates here, so that uncertainty alone differs.

use super::{COUNT, LAMBDA};
use crate::domain::{Entry, Parameter, ParameterKind};

pub const ENTRY: Entry = Entry {
    name: "by-uncertainty",
    help: "the spans that a model trained on the other half of the data is most, less or least sure of",
    parameters: &[
        LAMBDA,
        COUNT,
        Parameter {
            name: "which",
            help: "the most uncertain ones, those around the median, or the least uncertain ones",
            kind: ParameterKind::Choice { default: "top", of: &["top", "middle", "bottom"] },
        },
    ],
    needs: "a span head",
    source: "li2022, Table 2",
};
