//! What a job is, as far as costs go.

use crate::schedule::{GridPlace, Names};
use domain::{Backend, Measured};
use spec::Job;

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
    pub place: GridPlace,
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

/// What the time of a job is to grow with.
pub(super) fn work(measured: &Measured) -> f64 {
    measured.tokens * measured.parameters * measured.epochs
}
