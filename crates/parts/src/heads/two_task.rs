//! Two tasks a type (nguyen2023): is a word in an entity, and does one begin there? A logit each, decided by
//! Algorithm 1 of the paper. The paper merges all types into one; with several, each has its two tasks, and a word
//! that is in entities of several is of the one with the highest probability.
//!
//! A layer over the tags stands beside them. Only the cross-entropy steps of the loss `comauc` train it, for what
//! they teach the encoder; it decides nothing.

use domain::{Entry, Parameter, ParameterKind};

pub const ENTRY: Entry = Entry {
    name: "two-task",
    help: "for each type two decisions a word: is it in an entity, does one begin there",
    parameters: &[
        Parameter {
            name: "tune_threshold",
            help: "after training, move the thresholds of 0.5 to where the dev score is highest",
            kind: ParameterKind::Bool { default: false },
        },
        Parameter {
            name: "begin_weight",
            help: "weight of the task of beginnings beside that of entities; `auc` and `comauc` have their λ instead",
            kind: ParameterKind::Real { default: 1.0, min: 0.0, max: 1e6 },
        },
    ],
    needs: "",
    source: "nguyen2023, figure 2 and algorithm 1",
};
