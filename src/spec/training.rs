//! How a model is trained: the parameters that a grid's `training` can set.

use crate::domain::{Parameter, ParameterKind, Preset};

/// The parameters of training, with the defaults of every job.
pub const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "epochs",
        help: "passes over the training data, at most",
        kind: ParameterKind::Integer { default: 20, min: 1, max: 100_000 },
    },
    Parameter {
        name: "batch",
        help: "sentences a step",
        kind: ParameterKind::Integer { default: 32, min: 1, max: 65_536 },
    },
    Parameter {
        name: "tokens",
        help: "positions a step at most, padding counted: a batch is cut where it would grow beyond; 0 is no bound",
        kind: ParameterKind::Integer { default: 0, min: 0, max: 10_000_000 },
    },
    Parameter {
        name: "accumulate",
        help: "batches whose gradients are added up for one step",
        kind: ParameterKind::Integer { default: 1, min: 1, max: 65_536 },
    },
    Parameter {
        name: "order",
        help: "of the training sentences: shuffled each epoch with like lengths together, or as in the file",
        kind: ParameterKind::Choice { default: "shuffled", of: &["shuffled", "file"] },
    },
    Parameter {
        name: "optimiser",
        help: "auto is lbfgs over the whole data for the shallow encoder on frozen vectors, adamw for bert and bart, else adam; pesg is LibAUC's",
        kind: ParameterKind::Choice {
            default: "auto",
            of: &["auto", "adam", "adamw", "lbfgs", "pesg"],
        },
    },
    Parameter {
        name: "learning_rate",
        help: "step size; where the grid says nothing, pesg has 0.1",
        kind: ParameterKind::Real { default: 0.001, min: 1e-8, max: 10.0 },
    },
    Parameter {
        name: "warm_up",
        help: "share of all steps over which the rate rises from 0",
        kind: ParameterKind::Real { default: 0.0, min: 0.0, max: 1.0 },
    },
    Parameter {
        name: "schedule",
        help: "of the rate after the warm-up: constant, or linear down to 0 at the last step",
        kind: ParameterKind::Choice { default: "constant", of: &["constant", "linear"] },
    },
    Parameter {
        name: "decay",
        help: "what the rate is multiplied with after each epoch",
        kind: ParameterKind::Real { default: 1.0, min: 0.01, max: 1.0 },
    },
    Parameter {
        name: "weight_decay",
        help: "of adamw, on all but biases and norms; of pesg, where it is 1e-5 if the grid says nothing",
        kind: ParameterKind::Real { default: 0.01, min: 0.0, max: 1.0 },
    },
    Parameter {
        name: "epoch_decay",
        help: "of pesg: how strongly parameters are pulled towards the mean of earlier steps",
        kind: ParameterKind::Real { default: 0.002, min: 0.0, max: 10.0 },
    },
    Parameter {
        name: "clip",
        help: "the longest that the gradient of all parameters may be; with pesg the largest that each number of it may be, 1 if the grid says nothing; 0 is no bound",
        kind: ParameterKind::Real { default: 0.0, min: 0.0, max: 1e6 },
    },
    Parameter {
        name: "lazy_adam",
        help: "update only the vectors of a batch's own words: another optimiser, not a faster one",
        kind: ParameterKind::Bool { default: false },
    },
    Parameter {
        name: "penalty",
        help: "of lbfgs: the softmax adds ½‖W‖² times it (scikit-learn's 1/C), the CRF ‖w‖² times it (CRFsuite's c2)",
        kind: ParameterKind::Real { default: 1.0, min: 0.0, max: 1e9 },
    },
    Parameter {
        name: "patience",
        help: "epochs without a gain on dev before training stops; 0 never stops early",
        kind: ParameterKind::Integer { default: 5, min: 0, max: 100_000 },
    },
    Parameter {
        name: "select_by",
        help: "the dev score that picks the epoch to keep",
        kind: ParameterKind::Choice { default: "micro_f1", of: &["micro_f1", "macro_f1", "last"] },
    },
    Parameter {
        name: "eval_every",
        help: "dev is scored every so many epochs, and after the last one",
        kind: ParameterKind::Integer { default: 1, min: 1, max: 100_000 },
    },
    Parameter {
        name: "test_curve",
        help: "score test too in every epoch that dev is scored in; it never chooses the epoch",
        kind: ParameterKind::Bool { default: false },
    },
    Parameter {
        name: "keep_model",
        help: "keep the trained model beside the record, for `tailgrid predict`",
        kind: ParameterKind::Bool { default: false },
    },
    Parameter {
        name: "threads",
        help: "threads of one job; another count gives other bits, so it is part of the job's key",
        kind: ParameterKind::Integer { default: 1, min: 1, max: 1024 },
    },
    Parameter {
        name: "backend",
        help: "what computes: LibTorch, or Burn's pure-Rust backend",
        kind: ParameterKind::Choice { default: "libtorch", of: &["libtorch", "flex"] },
    },
    Parameter {
        name: "device",
        help: "where it computes: cpu, or cuda:N with a LibTorch of your own that has CUDA",
        kind: ParameterKind::Text { default: "cpu" },
    },
];

/// What PESG is usually run with (LibAUC's defaults), where the grid does not say otherwise.
pub const PESG: &[(&str, Preset)] = &[
    ("learning_rate", Preset::Number(0.1)),
    ("warm_up", Preset::Number(0.0)),
    ("schedule", Preset::Word("constant")),
    ("decay", Preset::Number(1.0)),
    ("weight_decay", Preset::Number(1e-5)),
    ("clip", Preset::Number(1.0)),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Parameters, TrainingSettings};

    /// What came later is left out of the settings at its default, so that it changes no key.
    const LATER: [&str; 3] = ["eval_every", "test_curve", "epoch_decay"];

    #[test]
    fn the_table_and_the_settings_have_the_same_fields() {
        let mut defaults = serde_json::to_value(Parameters::defaults(PARAMETERS)).unwrap();
        let settings: TrainingSettings = serde_json::from_value(defaults.clone()).unwrap();
        assert_eq!(settings, TrainingSettings::default());
        for name in LATER {
            assert!(defaults.as_object_mut().unwrap().remove(name).is_some(), "{name}");
        }
        assert_eq!(serde_json::to_value(settings).unwrap(), defaults);
    }

    #[test]
    fn what_came_later_is_in_the_settings_where_it_is_not_at_its_default() {
        let given = TrainingSettings { eval_every: 5, test_curve: true, ..Default::default() };
        let written = serde_json::to_value(&given).unwrap();
        assert_eq!((&written["eval_every"], &written["test_curve"]), (&5.into(), &true.into()));
        assert_eq!(serde_json::from_value::<TrainingSettings>(written).unwrap(), given);
    }
}
