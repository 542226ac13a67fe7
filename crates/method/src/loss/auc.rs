//! AUC maximisation over two tasks (nguyen2023, equation 4): AUC(entity) + λ AUC(beginning), each the margin loss of
//! [`two_task`](crate::two_task). It is no loss of tokens: a, b and α of its tasks last from batch to batch,
//! so the engine keeps them.

use domain::{Entry, Parameter, ParameterKind};

pub const ENTRY: Entry = Entry {
    name: "auc",
    help: "words of entities ranked above the others, and beginnings too (AUC-2T)",
    parameters: PARAMETERS,
    needs: "a two-task head",
    source: "nguyen2023, equations 3 and 4",
};

/// Those of `comauc` too.
pub const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "lambda",
        help: "λ, the weight of the task of beginnings beside that of entities",
        kind: ParameterKind::Real { default: 100.0, min: 1e-4, max: 1e6 },
    },
    Parameter {
        name: "version",
        help: "means over each class, as the paper has it, or LibAUC's first version with the share of positives in the batch or in training",
        kind: ParameterKind::Choice { default: "v2", of: &["v2", "v1_batch", "v1_fixed"] },
    },
    Parameter {
        name: "margin",
        help: "m, how far apart the means of both classes are to be",
        kind: ParameterKind::Real { default: 1.0, min: 0.0, max: 1000.0 },
    },
    Parameter {
        name: "ab",
        help: "a and b follow the gradient of their task's loss, or are the means of each batch",
        kind: ParameterKind::Choice { default: "descent", of: &["descent", "closed_form"] },
    },
    Parameter {
        name: "eta",
        help: "step size of a, b and α",
        kind: ParameterKind::Real { default: 0.1, min: 1e-6, max: 1.0 },
    },
];
