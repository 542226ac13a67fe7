//! Training: step by step over batches, or to the optimum over the whole data at once.

mod batchwise;
mod optimum;
mod schedule;

use super::prepare::Prepared;
use crate::domain::{Epoch, Failure, JobSettings, Scores, TrainingSettings};
use crate::method::loss;
use crate::model::Tagger;
use burn::tensor::Device;
use std::collections::BTreeMap;

/// A trained model: the parameters of its best epoch, ready to predict.
pub struct Trained {
    pub model: Tagger,
    pub best_epoch: usize,
    pub epochs: Vec<Epoch>,
    pub dev: Scores,
    pub parameters: usize,
    /// What was seen of the training: the share of padding, and the like.
    pub observed: BTreeMap<String, f64>,
}

/// Trains the job's model; `tell` hears of every epoch.
pub fn train(
    settings: &JobSettings,
    data: &Prepared,
    device: &Device,
    tell: impl FnMut(&Epoch),
) -> Result<Trained, Failure> {
    let loss = loss::build(&settings.method.loss).ok_or_else(|| Failure::Input {
        message: format!("this engine has no loss `{}`", settings.method.loss.kind),
    })?;
    match optimum::is_wanted(settings, &*loss) {
        true => optimum::train(settings, data, &*loss, device, tell),
        false => batchwise::train(settings, data, loss, device, tell),
    }
}

fn selection_score(training: &TrainingSettings, dev: &Scores) -> f64 {
    match training.select_by.as_str() {
        "macro_f1" => dev.span.macro_.f1,
        // A tie counts as a gain, so the last epoch stays.
        "last" => 0.0,
        _ => dev.span.micro.f1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::JobRequest;
    use crate::engine::prepare::prepare;
    use crate::engine::testing::{part, request};
    use crate::model::heads;

    fn losses(request: &JobRequest) -> Result<Vec<f64>, Failure> {
        let data = prepare(request)?;
        let mut losses = Vec::new();
        train(&request.settings, &data, &Device::flex(), |epoch| losses.push(epoch.loss))?;
        Ok(losses)
    }

    fn with_rate(learning_rate: f64) -> JobRequest {
        let mut request = request();
        request.settings.training.learning_rate = learning_rate;
        request
    }

    #[test]
    fn the_loss_falls() {
        let losses = losses(&with_rate(0.05)).unwrap();
        assert_eq!(losses.len(), 4);
        assert!(losses[3] < 0.5 * losses[0], "{losses:?}");
    }

    #[test]
    fn the_loss_of_a_random_field_falls_too() {
        let mut request = with_rate(0.05);
        request.settings.model.head = part(heads::ENTRIES, "crf");
        let losses = losses(&request).unwrap();
        assert!(losses[3] < 0.5 * losses[0], "{losses:?}");
    }

    #[test]
    fn adding_up_the_gradients_of_parts_is_training_on_the_whole() {
        let mut whole = with_rate(0.05);
        // Sixty sentences in one batch, or in four of fifteen: not the same bits, but the same course.
        whole.settings.training.batch = 60;
        whole.settings.training.order = "file".into();
        let mut parts = whole.clone();
        parts.settings.training.batch = 15;
        parts.settings.training.accumulate = 4;
        let (whole, parts) = (losses(&whole).unwrap(), losses(&parts).unwrap());
        for (a, b) in whole.iter().zip(&parts) {
            assert!((a - b).abs() < 0.1 * a, "{whole:?} {parts:?}");
        }
    }

    #[test]
    fn a_loss_that_is_no_number_ends_the_job_and_is_not_tried_again() {
        let failure = losses(&with_rate(1e38)).unwrap_err();
        assert!(matches!(failure, Failure::Diverged { .. }), "{failure}");
        assert!(!failure.is_retryable());
    }
}
