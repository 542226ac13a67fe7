//! Training with chosen negatives: drawn as training goes, or fixed before by an [oracle].

use super::course::Course;
use super::objective::spans::{Source, Spans};
use super::stages::oracle;
use super::{Trained, batchwise, token_loss};
use crate::prepare::Prepared;
use burn::tensor::Device;
use domain::{Epoch, Failure, JobSettings, Part};
use method::negatives::{self, Number, Way};
use parts::{Capability, heads};

/// Trains the job's model with the negatives that its method names.
pub fn train(
    settings: &JobSettings,
    data: &mut Prepared,
    part: &Part,
    device: &Device,
    tell: impl FnMut(&Epoch),
) -> Result<Trained, Failure> {
    let input = |message: String| Failure::Input { message };
    if !heads::can(&settings.model.head.kind, Capability::Span) {
        let head = &settings.model.head.kind;
        return Err(input(format!("negatives need a head over spans; `{head}` is not one")));
    }
    if let Some(reason) = negatives::conflict(&settings.method, &settings.scenario) {
        return Err(input(reason));
    }
    let source = match Way::new(part, 1 + data.types.len()) {
        Way::Uniform { excludes_masked } => Source::Uniform { excludes_masked },
        Way::Weighted { weighting, evaluates } => Source::Weighted { weighting, evaluates },
        Way::ByUncertainty(which) => {
            return oracle::train(settings, data, (part, which), device, tell);
        }
    };
    let course = Course::new(&settings.training, data);
    batchwise::train(settings, data, objective(settings, data, part, source)?, course, device, tell)
}

/// The loss over entities and the negatives of that source.
pub fn objective(
    settings: &JobSettings,
    data: &Prepared,
    part: &Part,
    source: Source,
) -> Result<Box<Spans>, Failure> {
    let loss = token_loss(settings, &data.class_counts())?;
    Ok(Box::new(Spans::new(loss, source, Number::new(part), settings.seed)))
}

#[cfg(test)]
mod tests;
