//! How a model is trained: the parameters that a grid's `training` can set.

use crate::domain::{Parameter, ParameterKind};

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
        name: "learning_rate",
        help: "step size of Adam",
        kind: ParameterKind::Real { default: 0.001, min: 1e-8, max: 10.0 },
    },
    Parameter {
        name: "patience",
        help: "epochs without a gain on dev before training stops; 0 never stops early",
        kind: ParameterKind::Integer { default: 5, min: 0, max: 100_000 },
    },
    Parameter {
        name: "select_by",
        help: "the dev score that picks the epoch to keep",
        kind: ParameterKind::Choice { default: "micro_f1", of: &["micro_f1", "macro_f1"] },
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
        help: "where it computes",
        kind: ParameterKind::Choice { default: "cpu", of: &["cpu"] },
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Parameters, TrainingSettings};

    #[test]
    fn the_table_and_the_settings_have_the_same_fields() {
        let defaults = serde_json::to_value(Parameters::defaults(PARAMETERS)).unwrap();
        let settings: TrainingSettings = serde_json::from_value(defaults.clone()).unwrap();
        assert_eq!(serde_json::to_value(settings).unwrap(), defaults);
    }
}
