//! What a job is, and what it cost, as far as costs go.

use crate::domain::{Backend, Outcome};
use crate::runner::schedule::{Names, Place};
use crate::spec::Job;

/// Jobs whose time grows alike.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Kind {
    pub encoder: u32,
    pub backend: Backend,
    pub threads: usize,
}

/// What is known of a job before it runs.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Profile {
    pub place: Place,
    pub kind: Kind,
    /// At most.
    pub epochs: usize,
}

impl Profile {
    /// Of a job.
    pub fn of(job: &Job, names: &mut Names) -> Self {
        let training = &job.settings.training;
        let encoder = names.number(&job.settings.model.encoder.kind);
        let kind = Kind { encoder, backend: training.backend, threads: training.threads };
        Self { place: names.place(&job.point), kind, epochs: training.epochs }
    }
}

/// What a finished job took.
#[derive(Copy, Clone, PartialEq, Debug)]
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
            epochs: outcome.epochs.len() as f64,
            peak_rss_mb: outcome.peak_rss_mb,
        }
    }

    /// What the time is to grow with.
    pub(super) fn work(&self) -> f64 {
        self.tokens * self.parameters * self.epochs
    }
}
