//! How a model is trained: the parameters that a grid's `training` can set.

use super::node::{Key, Node, Value};
use domain::{Optimiser, Order, ParameterValue, Parameters, Schedule, SelectBy};
use parts::{Parameter, ParameterKind, Preset};

/// The other way to say how long to train: of `epochs` and this one, the inner level's counts.
pub const UPDATES: &str = "updates";
/// Passes over the training data.
pub const EPOCHS: &str = "epochs";
/// The value of either where the other counts, or neither.
const AUTO: &str = "auto";
/// What `epochs: auto` means where an encoder has no number of its own.
const USUAL_EPOCHS: i64 = 20;
/// Another name of `order: length`.
const SHUFFLED: &str = "shuffled";

/// Settings that a setting replaces where it is given at an inner level: a length of its own also does without the
/// floor that is usual for the encoder.
pub fn replaced_by(name: &str) -> &'static [&'static str] {
    match name {
        EPOCHS => &[UPDATES, "min_updates"],
        UPDATES => &[EPOCHS, "min_updates"],
        _ => &[],
    }
}

/// What is given without lengths that say nothing: a length that is written out as `auto` replaces nothing.
pub fn without_auto(mut given: Node) -> Node {
    if let Value::Map(map) = &mut given.value {
        let says_nothing = |key: &Key, node: &Node| {
            [EPOCHS, UPDATES].contains(&key.text.as_str()) && node.as_text() == Some(AUTO)
        };
        map.retain(|(key, node)| !says_nothing(key, node));
    }
    given
}

/// Values as the settings have them: one spelling for each meaning, and nothing where nothing is said.
pub fn settled(mut values: Parameters) -> Parameters {
    let is =
        |name: &str, word: &str| values.get(name) == Some(&ParameterValue::Text(word.to_owned()));
    let [updates, epochs, order] =
        [(UPDATES, AUTO), (EPOCHS, AUTO), ("order", SHUFFLED)].map(|(name, word)| is(name, word));
    if updates {
        values.0.remove(UPDATES);
    }
    if epochs {
        values.0.insert(EPOCHS.to_owned(), ParameterValue::Integer(USUAL_EPOCHS));
    }
    if order {
        let length = ParameterValue::Text(Order::Length.word().to_owned());
        values.0.insert("order".to_owned(), length);
    }
    values
}

/// The parameters of training, with the defaults of every job.
pub const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "budget",
        help: "what is equal between methods: updates gives each as many optimiser steps as `original` takes in `epochs` passes; passes gives each `epochs` passes over its own data, as in the papers",
        kind: ParameterKind::Choice { default: "updates", of: &["updates", "passes"] },
    },
    Parameter {
        name: EPOCHS,
        help: "passes over the training data; dev is scored so many times, evenly over the budget; auto is 20, unless the encoder has another number, and at least min_updates updates",
        kind: ParameterKind::Count { default: AUTO, words: &[AUTO], min: 1 },
    },
    Parameter {
        name: UPDATES,
        help: "optimiser steps outright, in place of `epochs`; auto is what `epochs` gives",
        kind: ParameterKind::Count { default: AUTO, words: &[AUTO], min: 1 },
    },
    Parameter {
        name: "min_updates",
        help: "under `budget: updates` the fewest optimiser steps, however small the corpus; 0 where the grid sets `epochs` or `updates`",
        kind: ParameterKind::Integer { default: 0, min: 0, max: 10_000_000 },
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
        help: "of the training sentences: random shuffles them anew for every pass, length shuffles and puts like lengths together (shuffled is another name for it), file keeps the order of the file",
        kind: ParameterKind::Choice {
            default: "random",
            of: &["random", "length", "file", SHUFFLED],
        },
    },
    Parameter {
        name: "optimiser",
        help: "auto is lbfgs over the whole data for the shallow encoder on frozen vectors, adamw for bert and bart, else adam; pesg is LibAUC's",
        kind: ParameterKind::Choice { default: Optimiser::Auto.word(), of: Optimiser::WORDS },
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
        kind: ParameterKind::Choice { default: Schedule::Constant.word(), of: Schedule::WORDS },
    },
    Parameter {
        name: "decay",
        help: "what the rate is multiplied with after each epoch, or share of the budget",
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
        help: "maximum gradient norm; with pesg the maximum of each value of the gradient, 1 by default; 0 disables clipping",
        kind: ParameterKind::Real { default: 0.0, min: 0.0, max: 1e6 },
    },
    Parameter {
        name: "lazy_adam",
        help: "update only the vectors of a batch's own words: another optimiser, not a faster one",
        kind: ParameterKind::Bool { default: false },
    },
    Parameter {
        name: "penalty",
        help: "of lbfgs: the softmax adds ½‖W‖² times it (scikit-learn's 1/C), the CRF ‖w‖² times it (CRFsuite's c2); per_token is 1 times how many times as many tokens the method trains on",
        kind: ParameterKind::Strength { default: 1.0, min: 0.0, max: 1e9, words: &["per_token"] },
    },
    Parameter {
        name: "patience",
        help: "evaluations without a gain on dev before training stops; 0 never stops early",
        kind: ParameterKind::Integer { default: 5, min: 0, max: 100_000 },
    },
    Parameter {
        name: "patience_updates",
        help: "training does not stop early before so many optimiser steps",
        kind: ParameterKind::Integer { default: 0, min: 0, max: 10_000_000 },
    },
    Parameter {
        name: "select_by",
        help: "the dev score that picks the epoch to keep",
        kind: ParameterKind::Choice { default: SelectBy::MicroF1.word(), of: SelectBy::WORDS },
    },
    Parameter {
        name: "eval_every",
        help: "dev is scored after every so many epochs, or shares of the budget, and at the end",
        kind: ParameterKind::Integer { default: 1, min: 1, max: 100_000 },
    },
    Parameter {
        name: "test_curve",
        help: "score test whenever dev is scored; it never chooses the epoch",
        kind: ParameterKind::Bool { default: false },
    },
    Parameter {
        name: "keep_model",
        help: "keep the trained model beside the record, for `tailgrid predict`",
        kind: ParameterKind::Bool { default: false },
    },
    Parameter {
        name: "precision",
        help: "of a transformer's matrix products: f32, or bf16 where the processor has it; parameters stay f32",
        kind: ParameterKind::Choice { default: "f32", of: &["f32", "bf16"] },
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
    use domain::{Penalty, TrainingSettings};

    /// What came later is left out of the settings at its default, so that it changes no key; what changes no result,
    /// always.
    const LEFT_OUT: [&str; 4] = ["eval_every", "test_curve", "epoch_decay", "keep_model"];

    #[test]
    fn the_table_and_the_settings_have_the_same_fields() {
        let defaults = settled(parts::defaults(PARAMETERS));
        let mut defaults = serde_json::to_value(defaults).unwrap();
        let settings: TrainingSettings = serde_json::from_value(defaults.clone()).unwrap();
        assert_eq!(settings, TrainingSettings::default());
        for name in LEFT_OUT {
            assert!(defaults.as_object_mut().unwrap().remove(name).is_some(), "{name}");
        }
        assert_eq!(serde_json::to_value(settings).unwrap(), defaults);
    }

    #[test]
    fn a_penalty_is_a_number_or_per_token() {
        let penalty = PARAMETERS.iter().find(|p| p.name == "penalty").unwrap();
        let read = |value: ParameterValue| {
            let value = penalty.check(value).ok()?;
            let mut all = settled(parts::defaults(PARAMETERS));
            all.0.insert("penalty".to_owned(), value);
            let written = serde_json::to_value(all).unwrap();
            let settings: TrainingSettings = serde_json::from_value(written.clone()).unwrap();
            assert_eq!(serde_json::to_value(&settings).unwrap()["penalty"], written["penalty"]);
            Some(settings.penalty)
        };
        assert_eq!(read(ParameterValue::Integer(2)), Some(Penalty::Strength(2.0)));
        let per_token = read(ParameterValue::Text("per_token".to_owned())).unwrap();
        assert_eq!((per_token, per_token.strength(2.5)), (Penalty::PER_TOKEN, 2.5));
        assert_eq!(Penalty::Strength(2.0).strength(2.5), 2.0);
        assert_eq!(read(ParameterValue::Text("per_sentence".to_owned())), None);
    }

    #[test]
    fn what_came_later_is_in_the_settings_where_it_is_not_at_its_default() {
        let given = TrainingSettings { eval_every: 5, test_curve: true, ..Default::default() };
        let written = serde_json::to_value(&given).unwrap();
        assert_eq!((&written["eval_every"], &written["test_curve"]), (&5.into(), &true.into()));
        assert_eq!(serde_json::from_value::<TrainingSettings>(written).unwrap(), given);
    }
}
