//! How long the models of a grid will be trained, before anything runs.

use super::output::printable;
use corpus::{self, scenarios};
use domain::{BudgetRule, JobSettings, Optimiser, Point};
use parts::{Capability, are_frozen_vectors, encoders};
use serde_json::{Value, json};
use spec::Job;
use std::collections::HashMap;

/// Updates below which a neural model hardly ever learns.
const FEW: usize = 300;
/// Places that are named; the JSON has all.
const MOST_PLACES: usize = 6;

/// The budget of a corpus, scenario and model: that of `original`, which under `budget: updates` every method has.
pub struct Budget<'g> {
    point: &'g Point,
    sentences: usize,
    updates: usize,
    /// What `epochs` passes would have been.
    of_epochs: usize,
    is_neural: bool,
    /// Whether the floor counts, and not what the grid says.
    has_floor: bool,
}

/// The budgets of the jobs that are to run, one for each corpus, scenario and model. Jobs whose corpus cannot be read
/// have none here: the run says why.
pub fn of<'g>(jobs: impl Iterator<Item = &'g Job>) -> Vec<Budget<'g>> {
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
    /// `None` where there is none, or where only training itself can tell: with a bound on tokens.
    fn new(point: &'g Point, settings: &JobSettings, sentences: usize) -> Option<Self> {
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

    fn place(&self) -> String {
        let Point { corpus, scenario, model, .. } = self.point;
        printable(&format!("{corpus}/{scenario}/{model}"))
    }

    fn is_short(&self) -> bool {
        self.is_neural && self.updates < FEW
    }

    fn is_raised(&self) -> bool {
        self.has_floor && self.updates > self.of_epochs
    }

    fn json(&self) -> Value {
        let Point { corpus, scenario, model, .. } = self.point;
        json!({
            "corpus": corpus, "scenario": scenario, "model": model,
            "train_sentences": self.sentences, "updates": self.updates,
            "updates_of_epochs": self.of_epochs, "is_short": self.is_short(),
        })
    }
}

/// As other programs read them.
pub fn json(budgets: &[Budget<'_>]) -> Value {
    budgets.iter().map(Budget::json).collect()
}

/// What is worth knowing before a run.
pub fn text(budgets: &[Budget<'_>]) -> String {
    let short = budgets.iter().filter(|budget| budget.is_short());
    let short = short.map(|budget| format!("{} ({})", budget.place(), budget.updates));
    let raised = budgets.iter().filter(|budget| budget.is_raised());
    let raised = raised
        .map(|budget| format!("{} ({} for {})", budget.place(), budget.updates, budget.of_epochs));
    let short = shown(short.collect()).map(|places| {
        format!(
            "warning: fewer than {FEW} updates, in which neural models hardly ever learn: {places}; \
             raise training.epochs or training.updates\n"
        )
    });
    let raised = shown(raised.collect()).map(|places| {
        format!(
            "note: a small corpus is trained for training.min_updates updates, which is more than training.epochs \
             passes: {places}\n"
        )
    });
    short.into_iter().chain(raised).collect()
}

/// The first places, and how many more there are.
fn shown(mut places: Vec<String>) -> Option<String> {
    let more = places.len().saturating_sub(MOST_PLACES);
    places.truncate(MOST_PLACES);
    let listed = places.join(", ");
    match more {
        0 if listed.is_empty() => None,
        0 => Some(listed),
        more => Some(format!("{listed} and {more} more")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::TrainingSettings;
    use store::testing;

    fn settings(encoder: &str, training: TrainingSettings) -> JobSettings {
        let mut settings = testing::settings(1);
        settings.model.encoder.kind = encoder.to_owned();
        settings.training = training.into();
        settings
    }

    fn said(encoder: &str, training: TrainingSettings, sentences: usize) -> String {
        let point = testing::point("original", 1);
        let budget = Budget::new(&point, &settings(encoder, training), sentences);
        text(&Vec::from_iter(budget))
    }

    #[test]
    fn short_budgets_of_neural_models_are_warned_of() {
        let training = || TrainingSettings { batch: 32, epochs: 15, ..Default::default() };
        insta::assert_snapshot!(said("bilstm", training(), 300), @"warning: fewer than 300 updates, in which neural models hardly ever learn: synthetic/full/shallow (150); raise training.epochs or training.updates");
        assert_eq!(said("shallow", training(), 300), "", "not a neural model");
        assert_eq!(said("bilstm", training(), 640), "", "300 updates");
        let bounded = TrainingSettings { tokens: 500, ..training() };
        assert_eq!(said("bilstm", bounded, 300), "", "only training can tell");
        let passes = TrainingSettings { budget: BudgetRule::Passes, ..training() };
        assert!(said("bilstm", passes, 300).contains("(150)"));
    }

    #[test]
    fn a_floor_that_lengthens_training_is_noted() {
        let floor = TrainingSettings { batch: 32, min_updates: 1000, ..Default::default() };
        insta::assert_snapshot!(said("bilstm", floor.clone(), 300), @"note: a small corpus is trained for training.min_updates updates, which is more than training.epochs passes: synthetic/full/shallow (1000 for 200)");
        assert_eq!(said("bilstm", floor.clone(), 1600), "", "20 passes of 50 updates are enough");
        let outright = TrainingSettings { updates: Some(5000), ..floor };
        assert_eq!(said("bilstm", outright, 300), "", "nobody is surprised by what was asked for");
    }

    #[test]
    fn many_places_are_counted() {
        let places = |n: usize| shown((0..n).map(|i| i.to_string()).collect());
        assert_eq!(places(0), None);
        assert_eq!(places(2).unwrap(), "0, 1");
        assert_eq!(places(9).unwrap(), "0, 1, 2, 3, 4, 5 and 3 more");
    }
}
