//! What a finished job took: what the cost of like jobs is estimated from.

use super::Outcome;
use serde::{Deserialize, Serialize};

/// What a finished job took.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// From the start of its process to its end.
    pub seconds: f64,
    /// Of the training data, after the method.
    pub tokens: f64,
    /// Tokens after the method over tokens before it.
    pub token_factor: f64,
    pub parameters: f64,
    /// That were trained.
    pub epochs: f64,
    pub peak_rss_mb: f64,
}

impl Measured {
    /// Of a job that gave this outcome.
    pub fn new(outcome: &Outcome, seconds: f64) -> Self {
        Self {
            seconds,
            tokens: outcome.train_tokens as f64,
            token_factor: outcome.token_factor,
            parameters: outcome.parameters as f64,
            epochs: outcome.epochs.last().map_or(0, |last| last.epoch) as f64,
            peak_rss_mb: outcome.peak_rss_mb,
        }
    }
}
