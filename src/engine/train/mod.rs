//! The training loop: shuffled batches, Adam, the best epoch on dev, early stopping.

use super::batches;
use super::predict::predict;
use super::prepare::{Encoded, Prepared};
use super::random::{Purpose, stream};
use crate::domain::{Epoch, Failure, JobSettings, Scores, TrainingSettings};
use crate::method::loss::{self, TokenLoss};
use crate::model::{Batch, Tagger, Vocabulary};
use burn::module::Module;
use burn::optim::{AdamConfig, GradientsParams, ModuleOptimizer};
use burn::tensor::{Device, Int, Tensor, TensorData};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::time::Instant;

/// How often a word seen once in training is trained as the unknown word.
const UNKNOWN_SHARE: f64 = 0.5;

/// A trained model: the parameters of its best epoch, ready to predict.
pub struct Trained {
    pub model: Tagger,
    pub best_epoch: usize,
    pub epochs: Vec<Epoch>,
    pub dev: Scores,
    pub parameters: usize,
}

/// Trains the job's model; `tell` hears of every epoch.
pub fn train(
    settings: &JobSettings,
    data: &Prepared,
    device: &Device,
    mut tell: impl FnMut(&Epoch),
) -> Result<Trained, Failure> {
    let mut trainer = Trainer::new(settings, data, &device.clone().autodiff())?;
    let parameters = trainer.model.as_ref().map_or(0, Module::num_params);
    let mut epochs = Vec::new();
    let mut best: Option<(f64, usize, Tagger, Scores)> = None;
    for epoch in 1..=settings.training.epochs {
        let start = Instant::now();
        let loss = trainer.epoch(epoch, data)?;
        let model = trainer.snapshot();
        let predicted = predict(&model, &data.dev, device);
        let dev = data.score(&data.corpus_dev, &predicted)?;
        epochs.push(Epoch {
            epoch,
            loss,
            dev_micro_f1: dev.span.micro.f1,
            dev_macro_f1: dev.span.macro_.f1,
            seconds: start.elapsed().as_secs_f64(),
        });
        tell(&epochs[epoch - 1]);
        let score = selection_score(&settings.training, &dev);
        // A tie counts as a gain (METHODS E): the later epoch has seen more.
        if best.as_ref().is_none_or(|(highest, ..)| score >= *highest) {
            best = Some((score, epoch, model, dev));
        }
        let since_best = epoch - best.as_ref().map_or(0, |(_, epoch, ..)| *epoch);
        if settings.training.patience > 0 && since_best >= settings.training.patience {
            break;
        }
    }
    let (_, best_epoch, model, dev) =
        best.ok_or_else(|| Failure::Input { message: "training has no epoch".into() })?;
    Ok(Trained { model, best_epoch, epochs, dev, parameters })
}

fn selection_score(training: &TrainingSettings, dev: &Scores) -> f64 {
    match training.select_by.as_str() {
        "macro_f1" => dev.span.macro_.f1,
        _ => dev.span.micro.f1,
    }
}

/// What changes from batch to batch.
struct Trainer {
    /// `None` only inside a step, which takes the model and gives it back.
    model: Option<Tagger>,
    optimiser: ModuleOptimizer,
    loss: Box<dyn TokenLoss>,
    training: TrainingSettings,
    order: ChaCha8Rng,
    unknown: ChaCha8Rng,
    device: Device,
}

impl Trainer {
    fn new(settings: &JobSettings, data: &Prepared, device: &Device) -> Result<Self, Failure> {
        device.seed(settings.seed);
        let (rows, tags) = (data.vocabulary.rows(), data.types.tag_count());
        let model = Tagger::new(&settings.model, rows, tags, device)
            .map_err(|unknown| Failure::Input { message: unknown.to_string() })?;
        let loss = loss::build(&settings.method.loss).ok_or_else(|| Failure::Input {
            message: format!("this engine has no loss `{}`", settings.method.loss.kind),
        })?;
        Ok(Self {
            model: Some(model),
            // Burn's default of 1e-5 is not PyTorch's.
            optimiser: AdamConfig::new().with_epsilon(1e-8).init(),
            loss,
            training: settings.training.clone(),
            order: stream(settings.seed, Purpose::Order),
            unknown: stream(settings.seed, Purpose::UnknownWords),
            device: device.clone(),
        })
    }

    /// A copy of the model that predicts: no autodiff, no dropout.
    fn snapshot(&self) -> Tagger {
        self.model.as_ref().expect("the model is back after a step").valid()
    }

    /// One pass over the training sentences; the mean loss a token.
    fn epoch(&mut self, epoch: usize, data: &Prepared) -> Result<f64, Failure> {
        let lengths: Vec<usize> = data.order.iter().map(|&i| data.train.rows[i].len()).collect();
        let (mut sum, mut tokens) = (0.0, 0);
        for batch in batches::shuffled(&lengths, self.training.batch, &mut self.order) {
            let sentences: Vec<usize> = batch.iter().map(|&i| data.order[i]).collect();
            let loss = self.step(&sentences, &data.train, &data.vocabulary);
            if !loss.is_finite() {
                return Err(Failure::Diverged { epoch, loss: loss.to_string() });
            }
            let count: usize = batch.iter().map(|&i| lengths[i]).sum();
            sum += loss * count as f64;
            tokens += count;
        }
        Ok(sum / tokens.max(1) as f64)
    }

    /// One batch: forward, backward, update; its mean loss.
    fn step(&mut self, sentences: &[usize], train: &Encoded, vocabulary: &Vocabulary) -> f64 {
        let rows: Vec<Vec<i64>> =
            sentences.iter().map(|&i| self.with_unknown(&train.rows[i], vocabulary)).collect();
        let rows: Vec<&[i64]> = rows.iter().map(Vec::as_slice).collect();
        let batch = Batch::new(&rows, &self.device);
        let gold: Vec<i64> =
            sentences.iter().flat_map(|&i| train.classes[i].iter().copied()).collect();
        let count = gold.len();
        let gold = Tensor::<1, Int>::from_data(TensorData::new(gold, [count]), &self.device);
        let model = self.model.take().expect("the model is back after a step");
        let loss = self.loss.forward(model.logits(&batch), gold);
        let value = loss.clone().into_scalar::<f32>() as f64;
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        self.model = Some(self.optimiser.step(self.training.learning_rate, model, gradients));
        value
    }

    /// A sentence's rows, some of the words seen once as the unknown word.
    fn with_unknown(&mut self, rows: &[i64], vocabulary: &Vocabulary) -> Vec<i64> {
        let replace = |&row: &i64| {
            let drop = vocabulary.is_singleton(row) && self.unknown.random_bool(UNKNOWN_SHARE);
            if drop { Vocabulary::UNKNOWN } else { row }
        };
        rows.iter().map(replace).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{
        Backend, CorpusIdentity, JobKey, JobRequest, MethodSettings, ModelSettings, Parameters,
        Part, Point,
    };
    use crate::engine::prepare::prepare;
    use crate::{corpus, method, model};

    fn part(entries: &[crate::domain::Entry], kind: &str) -> Part {
        let entry = entries.iter().find(|entry| entry.name == kind).unwrap();
        Part { kind: kind.into(), parameters: Parameters::defaults(entry.parameters) }
    }

    fn request(learning_rate: f64) -> JobRequest {
        let mut format = part(corpus::formats::ENTRIES, "synthetic");
        for split in ["sentences", "dev_sentences", "test_sentences"] {
            format.parameters.0.insert(split.into(), crate::domain::ParameterValue::Integer(60));
        }
        let name = || "x".to_owned();
        JobRequest {
            job: JobKey(name()),
            point: Point {
                corpus: name(),
                scenario: name(),
                model: name(),
                method: name(),
                seed: 1,
            },
            settings: JobSettings {
                engine: "1".into(),
                corpus: CorpusIdentity { format, digests: Default::default() },
                scenario: Parameters::defaults(corpus::scenarios::PARAMETERS),
                model: ModelSettings {
                    embeddings: part(model::embeddings::ENTRIES, "random"),
                    encoder: part(model::encoders::ENTRIES, "shallow"),
                    head: part(model::heads::ENTRIES, "softmax"),
                },
                method: MethodSettings {
                    resample: None,
                    loss: part(method::loss::ENTRIES, "cross-entropy"),
                },
                training: TrainingSettings {
                    epochs: 4,
                    batch: 16,
                    learning_rate,
                    patience: 0,
                    select_by: "micro_f1".into(),
                    threads: 1,
                    backend: Backend::Flex,
                    device: "cpu".into(),
                },
                seed: 1,
            },
            files: Default::default(),
            predictions: Default::default(),
        }
    }

    fn losses(learning_rate: f64) -> Result<Vec<f64>, Failure> {
        let request = request(learning_rate);
        let data = prepare(&request)?;
        let mut losses = Vec::new();
        train(&request.settings, &data, &Device::flex(), |epoch| losses.push(epoch.loss))?;
        Ok(losses)
    }

    #[test]
    fn the_loss_falls() {
        let losses = losses(0.05).unwrap();
        assert_eq!(losses.len(), 4);
        assert!(losses[3] < 0.5 * losses[0], "{losses:?}");
    }

    #[test]
    fn a_loss_that_is_no_number_ends_the_job_and_is_not_tried_again() {
        let failure = losses(1e38).unwrap_err();
        assert!(matches!(failure, Failure::Diverged { .. }), "{failure}");
        assert!(!failure.is_retryable());
    }
}
