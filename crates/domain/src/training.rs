//! How a model is trained: what a grid's `training` can set, as jobs and records have it.

use super::declare::{ParameterKind, Setting};
use super::{ParameterValue, Parameters};
use crate::{choice, settings};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

choice! {
    /// What `training.budget` counts.
    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum BudgetRule {
        /// All methods take as many optimiser steps as `original` takes in `epochs` passes over its
        /// own data.
        #[default]
        Updates = "updates",
        /// Every method takes `epochs` passes over its own data, as in the papers: more data, more
        /// steps.
        Passes = "passes",
    }
}

choice! {
    /// The order in which training sentences are taken.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Order {
        Random = "random",
        /// Batches of like lengths.
        Length = "length",
        /// As in the corpus.
        File = "file";
        Length = "shuffled",
    }
}

choice! {
    /// What takes the steps of training.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Optimiser {
        /// What suits the model.
        Auto = "auto",
        Adam = "adam",
        AdamW = "adamw",
        /// Over the whole data at once.
        Lbfgs = "lbfgs",
        /// LibAUC's.
        Pesg = "pesg",
    }
}

choice! {
    /// The learning rate after the warm-up.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Schedule {
        Constant = "constant",
        /// Down to 0 at the last step.
        Linear = "linear",
    }
}

choice! {
    /// The dev score that picks the epoch.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum SelectBy {
        MicroF1 = "micro_f1",
        MacroF1 = "macro_f1",
        /// None: the last epoch.
        Last = "last",
    }
}

choice! {
    /// What matrix products of a transformer are computed in; parameters and the optimiser are
    /// always 32-bit.
    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Precision {
        #[default]
        F32 = "f32",
        Bf16 = "bf16",
    }
}

choice! {
    /// Where tensors live.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Backend {
        Libtorch = "libtorch",
        Flex = "flex",
    }
}

impl std::fmt::Display for Backend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}

/// The value of `epochs` or `updates` where the other one counts, or neither.
pub const AUTO: &str = "auto";
/// What `epochs: auto` means where an encoder has no number of its own.
const USUAL_EPOCHS: i64 = 20;
/// A length that is a number, or left to the other one.
const COUNTED: ParameterKind = ParameterKind::Count { default: AUTO, words: &[AUTO], min: 1 };

settings! {
    /// How a model is trained. What an older record does not have is at its default; what came
    /// after the first records is left out of the JSON there, so that it changes no key. What
    /// changes no result is left out always.
    #[derive(Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct TrainingSettings {
        /// what is equal between methods: updates gives each as many optimiser steps as `original`
        /// takes in `epochs` passes; passes gives each `epochs` passes over its own data, as in the
        /// papers
        budget: BudgetRule = Updates,
        /// passes over the training data; dev is scored so many times, evenly over the budget; auto
        /// is 20, unless the encoder has another number, and at least min_updates updates
        epochs: usize => COUNTED,
        /// optimiser steps outright, in place of `epochs`; auto is what `epochs` gives
        #[serde(skip_serializing_if = "Option::is_none")]
        updates: Option<usize> => COUNTED,
        /// under `budget: updates` the fewest optimiser steps, however small the corpus; 0 where
        /// the grid sets `epochs` or `updates`
        min_updates: usize = 0 in 0..=10_000_000,
        /// sentences per step
        batch: usize = 32 in 1..=65_536,
        /// maximum positions per step, including padding: a longer batch is cut; 0 disables the
        /// limit
        tokens: usize = 0 in 0..=10_000_000,
        /// batches whose gradients are added up for one step
        accumulate: usize = 1 in 1..=65_536,
        /// of the training sentences: random shuffles them anew for every pass, length shuffles and
        /// puts like lengths together (shuffled is another name for it), file keeps the order of
        /// the file
        order: Order = Random,
        /// auto is lbfgs over the whole data for the shallow encoder on frozen vectors, adamw for
        /// bert and bart, else adam; pesg is LibAUC's
        optimiser: Optimiser = Auto,
        /// step size; where the grid says nothing, pesg has 0.1
        learning_rate: f64 = 0.001 in 1e-8..=10.0,
        /// share of all steps over which the rate rises from 0
        warm_up: f64 = 0.0 in 0.0..=1.0,
        /// of the rate after the warm-up: constant, or linear down to 0 at the last step
        schedule: Schedule = Constant,
        /// what the rate is multiplied with after each epoch, or share of the budget
        decay: f64 = 1.0 in 0.01..=1.0,
        /// of adamw, on all but biases and norms; of pesg, where it is 1e-5 if the grid says
        /// nothing
        weight_decay: f64 = 0.01 in 0.0..=1.0,
        /// of pesg: how strongly parameters are pulled towards the mean of earlier steps
        #[serde(skip_serializing_if = "is_usual_epoch_decay")]
        epoch_decay: f64 = 0.002 in 0.0..=10.0,
        /// maximum gradient norm; with pesg the maximum of each value of the gradient, 1 by
        /// default; 0 disables clipping
        clip: f64 = 0.0 in 0.0..=1e6,
        /// update only the vectors of a batch's own words: another optimiser, not a faster one
        lazy_adam: bool = false,
        /// of lbfgs: the softmax adds ½‖W‖² times it (scikit-learn's 1/C), the CRF ‖w‖² times it
        /// (CRFsuite's c2); per_token is 1 times how many times as many tokens the method trains on
        penalty: Penalty => Penalty::KIND,
        /// evaluations without a gain on dev before training stops; 0 never stops early
        patience: usize = 5 in 0..=100_000,
        /// training does not stop early before so many optimiser steps
        patience_updates: usize = 0 in 0..=10_000_000,
        /// the dev score that picks the epoch to keep
        select_by: SelectBy = MicroF1,
        /// dev is scored after every so many epochs, or shares of the budget, and at the end
        #[serde(skip_serializing_if = "is_usual_eval_every")]
        eval_every: usize = 1 in 1..=100_000,
        /// score test whenever dev is scored; it never chooses the epoch
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        test_curve: bool = false,
        /// keep the trained model beside the record, for `tailgrid predict`
        #[serde(skip_serializing)]
        keep_model: bool = false,
        /// of a transformer's matrix products: f32, or bf16 where the processor has it; parameters
        /// stay f32
        precision: Precision = F32,
        /// threads of one job; another count gives other bits, so it is part of the job's key
        threads: usize = 1 in 1..=1024,
        /// what computes: LibTorch, or Burn's pure-Rust backend
        backend: Backend = Libtorch,
        /// where it computes: cpu, or cuda:N with a LibTorch of your own that has CUDA
        device: String = "cpu",
    }
}

impl Setting for Option<usize> {
    fn of(value: &ParameterValue) -> Option<Self> {
        match value {
            ParameterValue::Text(word) if word == AUTO => Some(None),
            value => usize::of(value).map(Some),
        }
    }
}

choice! {
    /// What a penalty is scaled by.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Scaled {
        /// How many times as many tokens a method trains on: copies do not weaken the penalty
        /// against the loss.
        PerToken = "per_token",
    }
}

/// The L2 penalty of full-batch training: a number, or `per_token`.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Penalty {
    /// The same strength whatever a method does to the data.
    Strength(f64),
    Scaled(Scaled),
}

impl Penalty {
    /// A strength of 1 times the token factor.
    pub const PER_TOKEN: Self = Penalty::Scaled(Scaled::PerToken);

    const KIND: ParameterKind =
        ParameterKind::Strength { default: 1.0, min: 0.0, max: 1e9, words: Scaled::WORDS };

    /// The strength on data that has so many times the tokens of the original.
    pub fn strength(self, token_factor: f64) -> f64 {
        match self {
            Penalty::Strength(strength) => strength,
            Penalty::Scaled(Scaled::PerToken) => token_factor,
        }
    }
}

impl Setting for Penalty {
    fn of(value: &ParameterValue) -> Option<Self> {
        let scaled = Scaled::of(value).map(Penalty::Scaled);
        scaled.or_else(|| f64::of(value).map(Penalty::Strength))
    }
}

/// What a grid that says nothing means: made once, because every record that is read starts from
/// it.
static USUAL: LazyLock<TrainingSettings> =
    LazyLock::new(|| TrainingSettings::new(super::declare::defaults(TrainingSettings::PARAMETERS)));

impl Default for TrainingSettings {
    fn default() -> Self {
        USUAL.clone()
    }
}

impl TrainingSettings {
    /// From checked parameters.
    pub fn new(mut parameters: Parameters) -> Self {
        if let Some(epochs @ ParameterValue::Text(_)) = parameters.0.get_mut("epochs") {
            *epochs = ParameterValue::Integer(USUAL_EPOCHS);
        }
        Self::read(&parameters)
    }

    /// The optimiser steps of the whole training, where a pass takes so many.
    pub fn updates_over(&self, steps_of_pass: usize) -> usize {
        let passes = self.epochs.saturating_mul(steps_of_pass);
        match self.budget {
            BudgetRule::Passes => passes,
            BudgetRule::Updates => self.updates.unwrap_or(passes.max(self.min_updates)),
        }
    }
}

fn is_usual_epoch_decay(value: &f64) -> bool {
    *value == USUAL.epoch_decay
}

fn is_usual_eval_every(value: &usize) -> bool {
    *value == USUAL.eval_every
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::defaults;

    /// What came later is left out of the settings at its default, so that it changes no key; what
    /// changes no result, always.
    const LEFT_OUT: [&str; 5] =
        ["updates", "eval_every", "test_curve", "epoch_decay", "keep_model"];

    #[test]
    fn settings_are_written_as_the_parameters_that_a_key_is_made_of() {
        let mut expected = serde_json::to_value(defaults(TrainingSettings::PARAMETERS)).unwrap();
        expected["epochs"] = USUAL_EPOCHS.into();
        for name in LEFT_OUT {
            assert!(expected.as_object_mut().unwrap().remove(name).is_some(), "{name}");
        }
        let settings: TrainingSettings = serde_json::from_value(expected.clone()).unwrap();
        assert_eq!(settings, TrainingSettings::default());
        assert_eq!(serde_json::to_value(settings).unwrap(), expected);
    }

    #[test]
    fn every_word_is_written_as_grids_write_it() {
        for parameter in TrainingSettings::PARAMETERS {
            for word in parameter.words().iter().filter(|word| !["auto", "shuffled"].contains(word))
            {
                let mut all = defaults(TrainingSettings::PARAMETERS);
                all.0.insert(parameter.name.to_owned(), ParameterValue::Text((*word).to_owned()));
                let settings = TrainingSettings::new(all);
                let written = serde_json::to_value(&settings).unwrap();
                assert_eq!(written[parameter.name], *word);
                assert_eq!(serde_json::from_value::<TrainingSettings>(written).unwrap(), settings);
            }
        }
        assert_eq!(Order::from_word("shuffled"), Some(Order::Length));
    }

    #[test]
    fn a_penalty_is_a_number_or_per_token() {
        let penalty = TrainingSettings::PARAMETERS.iter().find(|p| p.name == "penalty").unwrap();
        let read = |value: ParameterValue| {
            let value = penalty.check(value).ok()?;
            let mut all = defaults(TrainingSettings::PARAMETERS);
            all.0.insert("penalty".to_owned(), value);
            let written = serde_json::to_value(&all).unwrap();
            let settings = TrainingSettings::new(all);
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
