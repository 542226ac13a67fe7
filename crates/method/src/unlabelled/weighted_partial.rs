//! Weighted partial annotation (Jie et al. 2019, a baseline of li2022, Table 4): sequences that agree with the
//! annotations are not all alike. Models trained on parts of the data say how likely each is in the other parts,
//! some rounds over; the last model is trained on what they said.

use super::possible::ends;
use domain::{Entry, Parameter, ParameterKind};

pub const ENTRY: Entry = Entry {
    name: "weighted-partial",
    help: "they have the tags that models trained on the other parts of the data find",
    parameters: &[
        Parameter {
            name: "labels",
            help: "the likeliest sequence that agrees with the annotations, or how likely each tag is",
            kind: ParameterKind::Choice { default: "hard", of: &["hard", "soft"] },
        },
        Parameter {
            name: "folds",
            help: "parts of the training data, each told by the model of the others",
            kind: ParameterKind::Integer { default: 2, min: 2, max: 20 },
        },
        Parameter {
            name: "rounds",
            help: "how often all parts are told anew; 10 in the paper",
            kind: ParameterKind::Integer { default: 3, min: 1, max: 100 },
        },
        Parameter {
            name: "round_epochs",
            help: "epochs of each of those models; 100 in the paper",
            kind: ParameterKind::Integer { default: 15, min: 1, max: 10_000 },
        },
        ends("kept"),
    ],
    needs: "a CRF head",
    source: "jie2019; li2022, Table 4",
};
