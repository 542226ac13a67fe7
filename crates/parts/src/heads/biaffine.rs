//! A biaffine head over spans (Yu et al. 2020, *Named Entity Recognition as Dependency Parsing*): each word is projected
//! once as a beginning and once as an end, and a bilinear form with bias gives a number a label for each pair.
//!
//! As in the authors' code: the form begins at zero, dropout takes the same numbers of all words of a sentence, the loss is
//! a sum over all spans, and of entities that overlap the one with the highest score stays.

use domain::{Entry, Parameter, ParameterKind};

pub const ENTRY: Entry = Entry {
    name: "biaffine",
    help: "every span of the sentence decided by a bilinear form of its first and last word",
    parameters: &[
        Parameter {
            name: "span_width",
            help: "numbers of a word as a beginning and as an end",
            kind: ParameterKind::Integer { default: 150, min: 1, max: 8192 },
        },
        Parameter {
            name: "span_dropout",
            help: "share of these numbers dropped while training, the same ones in all words of a sentence",
            kind: ParameterKind::Real { default: 0.2, min: 0.0, max: 0.95 },
        },
        Parameter {
            name: "reduction",
            help: "the sum of the loss over a batch's spans, as the authors' code has it, or their mean",
            kind: ParameterKind::Choice { default: "sum", of: &["mean", "sum"] },
        },
    ],
    needs: "",
    source: "yu2020; li2022, table 4",
};
