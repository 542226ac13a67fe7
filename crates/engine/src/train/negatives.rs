//! Training with chosen negatives: drawn as training goes, or fixed before by an [oracle].

use super::objective::spans::{NegativesSource, Spans};
use super::stages::oracle;
use super::{Trained, TrainingJob, token_loss};
use crate::prepare::Prepared;
use domain::{Failure, JobSettings, Part};
use method::negatives::{self, Number, Way};
use parts::{Capability, heads};

/// Trains the job's model with the negatives that its method names.
pub fn train(job: &mut TrainingJob<'_>, part: &Part) -> Result<Trained, Failure> {
    let settings = job.settings;
    if !heads::can(&settings.model.head.kind, Capability::Span) {
        let head = &settings.model.head.kind;
        let message = format!("negatives need a head over spans; `{head}` is not one");
        return Err(Failure::input(message));
    }
    if let Some(reason) = negatives::conflict(&settings.method, &settings.scenario) {
        return Err(Failure::input(reason));
    }
    let source = match Way::new(part, 1 + job.data.types.len()) {
        Way::Uniform { excludes_masked } => NegativesSource::Uniform { excludes_masked },
        Way::Weighted { weighting, evaluates } => {
            NegativesSource::Weighted { weighting, evaluates }
        }
        Way::ByUncertainty(which) => {
            return oracle::train(job, part, which);
        }
    };
    let objective = objective(settings, job.data, part, source)?;
    job.by_batches(objective)
}

/// The loss over entities and the negatives of that source.
pub fn objective(
    settings: &JobSettings,
    data: &Prepared,
    part: &Part,
    source: NegativesSource,
) -> Result<Spans, Failure> {
    let loss = token_loss(settings, &data.class_counts())?;
    Ok(Spans::new(loss, source, Number::new(part), settings.seed))
}

#[cfg(test)]
mod tests;
