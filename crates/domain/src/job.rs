//! A job: one point of the grid, and the settings that its key is made of.

use super::parameters::Parameters;
use super::{BudgetRule, Shared};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// A job's key: a hash of the meaning of its settings (see `spec::key`), in hexadecimal.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JobKey(pub String);

impl fmt::Display for JobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where a job stands in the grid: the names that the grid's author gave. Names are for people and
/// tables; they are no part of the key.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Point {
    pub corpus: String,
    pub scenario: String,
    pub model: String,
    pub method: String,
    pub seed: u64,
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Point { corpus, scenario, model, method, seed } = self;
        write!(f, "{corpus}/{scenario}/{model}/{method}/{seed}")
    }
}

/// A registry entry chosen by name, with all its parameters.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Part {
    pub kind: String,
    #[serde(flatten)]
    pub parameters: Parameters,
}

impl fmt::Display for Part {
    /// `focal {gamma: 2}`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parameters: Vec<String> =
            self.parameters.0.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        match parameters.is_empty() {
            true => f.write_str(&self.kind),
            false => write!(f, "{} {{{}}}", self.kind, parameters.join(", ")),
        }
    }
}

/// What a job's corpus is: its format with all parameters, and the digest of each of its files.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorpusIdentity {
    pub format: Part,
    /// File role (`train`, `dev`, `test`) to SHA-256 of its bytes; empty for a generated corpus.
    pub digests: BTreeMap<String, String>,
}

/// The parts of a model, and the digests of the files that they read.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSettings {
    /// None for an encoder that brings its own, as one with a checkpoint does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embeddings: Option<Part>,
    pub encoder: Part,
    pub head: Part,
    /// What a head that asks questions asks for, by the type's name in lower case.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub queries: BTreeMap<String, String>,
    /// File role (`embeddings`, or a file's name in the checkpoint's folder) to SHA-256 of its bytes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub digests: BTreeMap<String, String>,
}

/// The parts of a method, applied in this order.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MethodSettings {
    /// Adds changed sentences to the training data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub augment: Option<Part>,
    /// Repeats or shortens sentences of what there is then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resample: Option<Part>,
    /// What words without an annotation count as in sentences that may lack some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unlabelled: Option<Part>,
    /// Which spans are taken for no entity while training.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub negatives: Option<Part>,
    pub loss: Part,
    /// The files that a part reads: role to SHA-256 of its bytes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub digests: BTreeMap<String, String>,
}

/// Where tensors live.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    Libtorch,
    Flex,
}

impl Backend {
    /// As grids and the command line write it.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Libtorch => "libtorch",
            Backend::Flex => "flex",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What matrix products of a transformer are computed in; parameters and the optimiser are always 32-bit.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    #[default]
    F32,
    Bf16,
}

impl Precision {
    /// As grids and frames write it.
    pub fn name(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::Bf16 => "bf16",
        }
    }
}

/// Declares a choice among words, as grids and records write them.
macro_rules! words {
    ($(#[doc = $help:literal])+ pub enum $Choice:ident { $($(#[$of_variant:meta])* $Variant:ident = $word:literal),+ $(,)? }) => {
        $(#[doc = $help])+
        #[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
        pub enum $Choice {
            $($(#[$of_variant])* #[serde(rename = $word)] $Variant),+
        }

        impl $Choice {
            /// All words.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// As grids and records write it.
            pub const fn word(self) -> &'static str {
                match self { $($Choice::$Variant => $word),+ }
            }
        }
    };
}

words! {
    /// The order in which training sentences are taken.
    pub enum Order {
        Random = "random",
        /// Batches of like lengths.
        Length = "length",
        /// As in the corpus.
        File = "file",
    }
}

words! {
    /// What takes the steps of training.
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

words! {
    /// The learning rate after the warm-up.
    pub enum Schedule {
        Constant = "constant",
        /// Down to 0 at the last step.
        Linear = "linear",
    }
}

words! {
    /// The dev score that picks the epoch.
    pub enum SelectBy {
        MicroF1 = "micro_f1",
        MacroF1 = "macro_f1",
        /// None: the last epoch.
        Last = "last",
    }
}

/// LibAUC's 1/500.
const EPOCH_DECAY: f64 = 0.002;

fn is_usual_epoch_decay(value: &f64) -> bool {
    *value == EPOCH_DECAY
}

/// How a model is trained. What an older record does not have is at its default; what came after the
/// first records is left out of the JSON there, so that it changes no key.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainingSettings {
    pub budget: BudgetRule,
    /// Passes; under `budget: updates` those of `original`. Dev is scored so many times at most.
    pub epochs: usize,
    /// Optimiser steps outright, in place of those that `epochs` gives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updates: Option<usize>,
    /// Optimiser steps at least, however few `epochs` gives; under `budget: updates` alone.
    pub min_updates: usize,
    /// Sentences a batch.
    pub batch: usize,
    /// Positions a batch at most, padding counted; 0 is no bound.
    pub tokens: usize,
    /// Batches whose gradients are added up for one step.
    pub accumulate: usize,
    pub order: Order,
    pub optimiser: Optimiser,
    pub learning_rate: f64,
    /// Share of all steps over which the rate rises from 0.
    pub warm_up: f64,
    pub schedule: Schedule,
    /// What the rate is multiplied with after each epoch.
    pub decay: f64,
    /// Of AdamW, none on biases and norms; of PESG.
    pub weight_decay: f64,
    /// How strongly PESG pulls parameters towards its reference; left out at its default, which keys of older jobs
    /// do not have.
    #[serde(skip_serializing_if = "is_usual_epoch_decay")]
    pub epoch_decay: f64,
    /// The longest that the gradient may be, or with PESG the largest that each number of it may be; 0 is no bound.
    pub clip: f64,
    /// Whether only the vectors of a batch's words are updated.
    pub lazy_adam: bool,
    /// The L2 penalty of full-batch training.
    pub penalty: Penalty,
    /// Evaluations without a gain on dev before training stops; 0 never stops early.
    pub patience: usize,
    /// Training does not stop early before so many optimiser steps.
    pub patience_updates: usize,
    pub select_by: SelectBy,
    /// Dev is scored after every so many epochs, or shares of the budget, and at the end.
    #[serde(skip_serializing_if = "is_every_epoch")]
    pub eval_every: usize,
    /// Whether test is scored too in every epoch that dev is scored in (Figure 3 of li2022). It never
    /// chooses the epoch.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub test_curve: bool,
    /// Whether the trained model stays beside the record. It changes no result, so neither keys nor records have it.
    #[serde(skip_serializing)]
    pub keep_model: bool,
    pub precision: Precision,
    /// Threads of one job: part of its meaning, because another count gives other bits.
    pub threads: usize,
    pub backend: Backend,
    pub device: String,
}

/// The L2 penalty of full-batch training: a number, or `per_token`.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Penalty {
    /// The same strength whatever a method does to the data.
    Strength(f64),
    Scaled(Scaled),
}

/// What a penalty is scaled by.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scaled {
    /// How many times as many tokens a method trains on: copies do not weaken the penalty against the loss.
    PerToken,
}

impl Penalty {
    /// A strength of 1 times the token factor.
    pub const PER_TOKEN: Self = Penalty::Scaled(Scaled::PerToken);

    /// The strength on data that has so many times the tokens of the original.
    pub fn strength(self, token_factor: f64) -> f64 {
        match self {
            Penalty::Strength(strength) => strength,
            Penalty::Scaled(Scaled::PerToken) => token_factor,
        }
    }
}

impl Default for TrainingSettings {
    /// What a grid that says nothing means; the table of `spec::training` has the same values.
    fn default() -> Self {
        Self {
            budget: BudgetRule::Updates,
            epochs: 20,
            updates: None,
            min_updates: 0,
            batch: 32,
            tokens: 0,
            accumulate: 1,
            order: Order::Random,
            optimiser: Optimiser::Auto,
            learning_rate: 0.001,
            warm_up: 0.0,
            schedule: Schedule::Constant,
            decay: 1.0,
            weight_decay: 0.01,
            epoch_decay: EPOCH_DECAY,
            clip: 0.0,
            lazy_adam: false,
            penalty: Penalty::Strength(1.0),
            patience: 5,
            patience_updates: 0,
            select_by: SelectBy::MicroF1,
            eval_every: 1,
            test_curve: false,
            keep_model: false,
            precision: Precision::F32,
            threads: 1,
            backend: Backend::Libtorch,
            device: "cpu".to_owned(),
        }
    }
}

impl TrainingSettings {
    /// The optimiser steps of the whole training, where a pass takes so many.
    pub fn updates_over(&self, steps_of_pass: usize) -> usize {
        let passes = self.epochs.saturating_mul(steps_of_pass);
        match self.budget {
            BudgetRule::Passes => passes,
            BudgetRule::Updates => self.updates.unwrap_or(passes.max(self.min_updates)),
        }
    }
}

/// The default of `eval_every`.
fn is_every_epoch(epochs: &usize) -> bool {
    *epochs == 1
}

/// What a job is for.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// A result of the grid.
    #[default]
    Main,
    /// A try of a parameter search: it never sees the test set, and has no scores on it.
    Trial,
}

impl Stage {
    /// As the `stage` column has it.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Main => "main",
            Stage::Trial => "trial",
        }
    }

    /// Whether it is a result of the grid.
    pub fn is_main(&self) -> bool {
        *self == Stage::Main
    }
}

/// Everything that affects a job's result, and nothing else. Its canonical JSON is what the key
/// hashes, so a field added here must be left out of the JSON at its default, or every key changes.
/// Jobs that differ in their seeds alone share the rest.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobSettings {
    /// The engine's version of what affects results.
    pub engine: String,
    pub corpus: Shared<CorpusIdentity>,
    /// What the scenario changes in the corpus; empty for `full`.
    pub scenario: Shared<Parameters>,
    pub model: Shared<ModelSettings>,
    pub method: Shared<MethodSettings>,
    pub training: Shared<TrainingSettings>,
    pub seed: u64,
    #[serde(default, skip_serializing_if = "Stage::is_main")]
    pub stage: Stage,
}
