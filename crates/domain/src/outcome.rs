//! What a job gives when it comes through.

use super::{Effort, Metric, TrainingVerdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Precision, recall and F1 with the counts behind them. For averages the counts are totals.
#[derive(Copy, Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    pub precision: f64,
    pub recall: f64,
    pub f1: f64,
    /// Entities (or tokens) in gold.
    pub support: u64,
    pub predicted: u64,
    pub correct: u64,
}

/// The scores of one level, spans or tokens.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LevelScores {
    pub micro: Counts,
    /// Mean over the types found in gold or prediction, as seqeval does.
    #[serde(rename = "macro")]
    pub macro_: Counts,
    /// Mean over the types of this split's gold: the same list for every method.
    pub macro_fixed: Counts,
    /// Mean over types weighted by support.
    pub weighted: Counts,
    /// By type name.
    pub types: BTreeMap<String, Counts>,
}

/// The scores of one split.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scores {
    pub span: LevelScores,
    pub token: LevelScores,
    /// O as a class of its own at the level of tokens (Table 2 of nemoto2024); in no average, and
    /// not in records of a time when it was not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside: Option<Counts>,
}

impl Scores {
    /// The F1 that a metric names.
    pub fn f1(&self, metric: Metric) -> f64 {
        match metric {
            Metric::MacroF1 => self.span.macro_.f1,
            Metric::MicroF1 => self.span.micro.f1,
            Metric::MacroFixedF1 => self.span.macro_fixed.f1,
            Metric::WeightedF1 => self.span.weighted.f1,
            Metric::TokenMacroF1 => self.token.macro_.f1,
            Metric::TokenMicroF1 => self.token.micro.f1,
        }
    }
}

/// What methods may tell of an epoch beside its loss and the scores on dev, in the order of their
/// columns.
pub const ADDED: &[&str] = &[
    // Of the spans drawn as negatives, those that are entities whose annotation is missing (li2022,
    // equation 2).
    "missampling_rate",
    // Of those entities, the ones that were drawn.
    "missampled_entities",
    // The mean entropy of the model over the spans that were drawn.
    "mean_uncertainty",
    "test_micro_f1",
    "test_macro_f1",
];

/// One evaluation on dev and the training before it: a share of the budget, or a pass under
/// `budget: passes`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Epoch {
    /// From 1.
    pub epoch: usize,
    /// Optimiser steps until then; 0 in records of a time when they were not counted.
    #[serde(default)]
    pub updates: u64,
    pub loss: f64,
    pub dev_micro_f1: f64,
    pub dev_macro_f1: f64,
    /// What a method adds: those of [`ADDED`] that it knows.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub added: BTreeMap<String, f64>,
    /// Of training alone, without dev. Measured, so no part of what must be identical.
    pub seconds: f64,
}

/// What ran the job.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineInfo {
    /// Program version, `0.1.0`.
    pub version: String,
    /// The backend's own version, `libtorch 2.9.1`.
    pub backend: String,
}

/// The result of a job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// The epoch whose parameters were kept, from 1.
    pub best_epoch: usize,
    pub epochs: Vec<Epoch>,
    /// After the scenario and the method's data part.
    pub train_sentences: u64,
    pub train_tokens: u64,
    /// Sentences after the method over sentences before it (Table 6 of wang2022).
    pub sentence_factor: f64,
    pub token_factor: f64,
    /// What a scenario that can only aim came to, as the share of entity tokens, and what it took
    /// where it was not told, as the sentences of dev.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub achieved: BTreeMap<String, f64>,
    /// Of each entity type the share of training tokens, before the method's data part.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub type_shares: BTreeMap<String, f64>,
    /// What was seen of the model's input and its training: words without a vector, padding.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub observed: BTreeMap<String, f64>,
    /// How much the model was trained; none of full-batch training, which has no budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// Whether it learned; none where dev has no entity to find.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<TrainingVerdict>,
    /// Trainable parameters of the model.
    pub parameters: u64,
    pub dev: Scores,
    /// None of a trial, which never sees the test set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<Scores>,
    /// SHA-256 in hexadecimal of the parameters of the best epoch; not in records of a time when it
    /// was not taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
    /// Measured.
    pub train_seconds: f64,
    /// Measured.
    pub peak_rss_mb: f64,
    pub engine: EngineInfo,
}

impl Outcome {
    /// Without what is measured and what measured it: the same for the same job.
    pub fn unmeasured(&self) -> Self {
        let mut outcome = self.clone();
        (outcome.train_seconds, outcome.peak_rss_mb) = (0.0, 0.0);
        outcome.engine = EngineInfo::default();
        outcome.epochs.iter_mut().for_each(|epoch| epoch.seconds = 0.0);
        outcome
    }
}
