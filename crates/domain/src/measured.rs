//! What a finished job took: what the cost of like jobs is estimated from.

use super::Outcome;
use serde::{Deserialize, Serialize};

/// What a finished job took.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// From the start of its process to its end.
    pub seconds: f64,
    /// That an epoch, or share of the budget, was trained on.
    pub tokens: f64,
    /// These over the tokens of the training data before the method.
    pub token_factor: f64,
    pub parameters: f64,
    /// That were trained.
    pub epochs: f64,
    pub peak_rss_mb: f64,
}

impl Measured {
    /// Of a job that gave this outcome.
    pub fn new(outcome: &Outcome, seconds: f64) -> Self {
        let epochs = outcome.epochs.last().map_or(0, |last| last.epoch) as f64;
        let all = outcome.train_tokens as f64;
        // Under a budget of updates an epoch is a share of it, whatever the size of the data.
        let seen = outcome.effort.map(|effort| effort.tokens_seen as f64 / epochs);
        let tokens = seen.filter(|seen| seen.is_finite()).unwrap_or(all);
        Self {
            seconds,
            tokens,
            token_factor: if all > 0.0 { outcome.token_factor * tokens / all } else { 0.0 },
            parameters: outcome.parameters as f64,
            epochs,
            peak_rss_mb: outcome.peak_rss_mb,
        }
    }
}
