//! How long the models of a grid will be trained, before anything runs.

use corpus::{self, scenarios};
use domain::{BudgetRule, JobSettings, Optimiser, Point};
use parts::{Capability, are_frozen_vectors, encoders};
use spec::Job;
use std::collections::HashMap;

/// The budget of a corpus, scenario and model: that of `original`, which under `budget: updates`
/// every method has.
#[derive(Clone, Debug)]
pub struct Budget<'g> {
    /// Of the first job there.
    pub point: &'g Point,
    /// Sentences of the training split.
    pub sentences: usize,
    pub updates: usize,
    /// What `epochs` passes would have been.
    pub of_epochs: usize,
    is_neural: bool,
    /// Whether the floor counts, and not what the grid says.
    has_floor: bool,
}

/// The budgets of the jobs that are to run, one for each corpus, scenario and model. Jobs whose
/// corpus cannot be read have none here: the run says why.
pub(crate) fn of<'g>(jobs: impl Iterator<Item = &'g Job>) -> Vec<Budget<'g>> {
    let mut budgets: Vec<Budget<'_>> = Vec::new();
    let mut sizes: HashMap<(&str, &str), Option<usize>> = HashMap::new();
    for job in jobs {
        let Point { corpus, scenario, model, .. } = &job.point;
        let same = |known: &&Budget<'_>| {
            let point = known.point;
            (&point.corpus, &point.scenario, &point.model) == (corpus, scenario, model)
        };
        if budgets.iter().rev().find(same).is_some() {
            continue;
        }
        let size = *sizes.entry((corpus, scenario)).or_insert_with(|| sentences(job));
        budgets.extend(size.and_then(|size| Budget::new(&job.point, &job.settings, size)));
    }
    budgets
}

/// Training sentences of a job before its method.
fn sentences(job: &Job) -> Option<usize> {
    let loaded = corpus::load_cached(&job.settings.corpus, &job.files).ok()?;
    let scenario = &job.settings.scenario;
    let applied = scenarios::apply(loaded.corpus, scenario, job.point.seed).ok()?;
    Some(applied.corpus.train.len())
}

impl<'g> Budget<'g> {
    /// Updates below which a neural model hardly ever learns.
    pub const FEW: usize = 300;

    /// `None` where there is none, or where only training itself can tell: with a bound on tokens.
    pub fn new(point: &'g Point, settings: &JobSettings, sentences: usize) -> Option<Self> {
        let (training, encoder) = (&settings.training, settings.model.encoder.kind.as_str());
        let is_full_batch = match training.optimiser {
            Optimiser::Lbfgs => true,
            Optimiser::Auto => are_frozen_vectors(&settings.model),
            Optimiser::Adam | Optimiser::AdamW | Optimiser::Pesg => false,
        };
        if is_full_batch || training.tokens > 0 {
            return None;
        }
        let batches = sentences.div_ceil(training.batch.max(1));
        let steps = batches.div_ceil(training.accumulate.max(1)).max(1);
        Some(Self {
            point,
            sentences,
            updates: training.updates_over(steps),
            of_epochs: training.epochs.saturating_mul(steps),
            is_neural: encoders::can(encoder, Capability::Context),
            has_floor: training.budget == BudgetRule::Updates && training.updates.is_none(),
        })
    }

    /// Whether a neural model will hardly learn by it.
    pub fn is_short(&self) -> bool {
        self.is_neural && self.updates < Self::FEW
    }

    /// Whether a small corpus makes it more than the passes that were asked for.
    pub fn is_raised(&self) -> bool {
        self.has_floor && self.updates > self.of_epochs
    }
}
