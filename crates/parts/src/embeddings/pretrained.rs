//! Vectors that others trained, read from a file.

use domain::{Entry, Parameter, ParameterKind};

pub const ENTRY: Entry = Entry {
    name: "pretrained",
    help: "vectors of GloVe, word2vec or fastText, by a name of the catalogue or from a `file`, for every word of the corpus that is in it",
    parameters: &[
        Parameter {
            name: "frozen",
            help: "keep the vectors as they are",
            kind: ParameterKind::Bool { default: true },
        },
        Parameter {
            name: "digits",
            help: "words of nothing but digits are one word, with its own vector",
            kind: ParameterKind::Bool { default: true },
        },
        Parameter {
            name: "unknown",
            help: "the vector of words that are not in the file, and of that one word for digits",
            kind: ParameterKind::Choice { default: "zero", of: &["zero", "random"] },
        },
    ],
    needs: "",
    source: "wang2022, section 4.4",
};
