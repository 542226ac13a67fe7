//! Vectors drawn at random and trained with the rest of the model.

use domain::{Entry, Parameter, ParameterKind};

pub const ENTRY: Entry = Entry {
    name: "random",
    help: "vectors for the training words, drawn at random and trained with the model",
    parameters: &[
        Parameter {
            name: "dimension",
            help: "numbers a word",
            kind: ParameterKind::Integer { default: 50, min: 1, max: 4096 },
        },
        Parameter {
            name: "frozen",
            help: "keep the vectors as they were drawn",
            kind: ParameterKind::Bool { default: false },
        },
    ],
    needs: "",
    source: "",
};
