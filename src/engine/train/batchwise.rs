//! The training loop: batches, the optimiser, the best epoch on dev, early stopping.

use super::objective::{Lesson, Objective};
use super::schedule::{rate, restarts};
use super::{Trained, selection_score, thresholds};
use crate::domain::{Epoch, Failure, JobSettings, Scores, TrainingSettings};
use crate::engine::batches::{self, Size};
use crate::engine::predict::{length, predict};
use crate::engine::prepare::{Encoded, Prepared};
use crate::engine::random::{Purpose, normal, stream};
use crate::model::adam::{Adam, AdamSettings};
use crate::model::pesg::{Pesg, PesgSettings};
use crate::model::{Batch, Optimiser, Reader, Row, Tagger, Vocabulary, encoders};
use burn::module::Module;
use burn::optim::{GradientsAccumulator, GradientsParams};
use burn::tensor::Device;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::time::Instant;

/// How often a word seen once in training is trained as the unknown word.
const UNKNOWN_SHARE: f64 = 0.5;

/// Trains the job's model epoch by epoch; `tell` hears of every one.
pub fn train(
    settings: &JobSettings,
    data: &mut Prepared,
    objective: Box<dyn Objective>,
    device: &Device,
    mut tell: impl FnMut(&Epoch),
) -> Result<Trained, Failure> {
    let mut trainer = Trainer::new(settings, data, objective, &device.clone().autodiff())?;
    let parameters = trainer.model.as_ref().map_or(0, Module::num_params);
    let (mut epochs, mut passed) = (Vec::new(), Passed::default());
    let mut best: Option<(f64, usize, Tagger, Scores)> = None;
    for epoch in 1..=settings.training.epochs {
        let start = Instant::now();
        if epoch > 1 && data.renew()? {
            trainer.read_anew(data);
        }
        passed.losses.push(trainer.epoch(epoch, data)?);
        passed.seconds += start.elapsed().as_secs_f64();
        if !is_looked_at(&settings.training, epoch) {
            continue;
        }
        let (model, added) = (trainer.snapshot(), trainer.objective.added());
        let (row, dev) = look(settings, data, &model, device, passed.row(epoch, added))?;
        passed = Passed::default();
        tell(&row);
        epochs.push(row);
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
    let mut observed = [("padding_share".to_owned(), trainer.padding_share)].into();
    let (model, dev) =
        thresholds::tune(model, dev, &settings.training, data, device, &mut observed)?;
    Ok(Trained { model, best_epoch, epochs, dev, parameters, observed })
}

/// Epochs since dev was looked at.
#[derive(Default)]
struct Passed {
    losses: Vec<f64>,
    seconds: f64,
}

impl Passed {
    /// What is told of them, but for the scores.
    fn row(&self, epoch: usize, added: BTreeMap<String, f64>) -> Epoch {
        let loss = self.losses.iter().sum::<f64>() / self.losses.len().max(1) as f64;
        Epoch { epoch, loss, added, seconds: self.seconds, dev_micro_f1: 0.0, dev_macro_f1: 0.0 }
    }
}

/// Whether dev is scored after an epoch.
fn is_looked_at(training: &TrainingSettings, epoch: usize) -> bool {
    epoch.is_multiple_of(training.eval_every.max(1)) || epoch == training.epochs
}

/// Scores dev, and test where its curve is wanted.
pub(super) fn look(
    settings: &JobSettings,
    data: &Prepared,
    model: &Tagger,
    device: &Device,
    mut row: Epoch,
) -> Result<(Epoch, Scores), Failure> {
    let characters = data.material.reader.characters();
    let predicted = predict(model, &data.dev.rows, characters, device);
    let dev = data.score(&data.corpus_dev, &predicted)?;
    (row.dev_micro_f1, row.dev_macro_f1) = (dev.span.micro.f1, dev.span.macro_.f1);
    if settings.training.test_curve && settings.stage.is_main() {
        let predicted = predict(model, &data.test.rows, characters, device);
        let test = data.score(&data.corpus_test, &predicted)?;
        let scores =
            [("test_micro_f1", test.span.micro.f1), ("test_macro_f1", test.span.macro_.f1)];
        row.added.extend(scores.map(|(name, score)| (name.to_owned(), score)));
    }
    Ok((row, dev))
}

/// What the job's settings name, having seen nothing.
fn optimiser(settings: &JobSettings, turn: usize) -> Optimiser {
    match Pesg::is_wanted(&settings.training) {
        true => {
            let purpose = if turn == 0 { Purpose::Reference } else { Purpose::TurnReference };
            let mut draws = stream(settings.seed, purpose);
            Optimiser::Pesg(Pesg::new(pesg(&settings.training), move || normal(&mut draws)))
        }
        false => Optimiser::Adam(Adam::new(adam(settings))),
    }
}

fn pesg(training: &TrainingSettings) -> PesgSettings {
    PesgSettings {
        clip: (training.clip > 0.0).then_some(training.clip),
        epoch_decay: training.epoch_decay,
        weight_decay: training.weight_decay,
    }
}

/// Adam, or AdamW where weights are to decay.
fn adam(settings: &JobSettings) -> AdamSettings {
    let training = &settings.training;
    let decays = match training.optimiser.as_str() {
        "auto" => encoders::reads_pieces(&settings.model.encoder.kind),
        kind => kind == "adamw",
    };
    AdamSettings {
        decay: if decays { training.weight_decay } else { 0.0 },
        clip: (training.clip > 0.0).then_some(training.clip),
        lazy: training.lazy_adam,
        ..Default::default()
    }
}

/// What changes from batch to batch.
struct Trainer {
    /// `None` only inside a step, which takes the model and gives it back.
    model: Option<Tagger>,
    /// One for each turn.
    optimisers: Vec<Optimiser>,
    objective: Box<dyn Objective>,
    training: TrainingSettings,
    /// Indices of training sentences, one for every copy.
    sentences: Vec<usize>,
    /// The places of each of them.
    lengths: Vec<usize>,
    order: ChaCha8Rng,
    unknown: ChaCha8Rng,
    device: Device,
    /// Of the last epoch.
    padding_share: f64,
}

impl Trainer {
    fn new(
        settings: &JobSettings,
        data: &Prepared,
        objective: Box<dyn Objective>,
        device: &Device,
    ) -> Result<Self, Failure> {
        device.seed(settings.seed);
        let tags = data.types.tag_count();
        let model = Tagger::new(&settings.model, &data.material, tags, device)
            .map_err(|unknown| Failure::Input { message: unknown.to_string() })?;
        let mut trainer = Self {
            model: Some(model.of_seen_types(&data.class_counts())),
            optimisers: (0..objective.turns()).map(|turn| optimiser(settings, turn)).collect(),
            objective,
            training: (*settings.training).clone(),
            lengths: vec![],
            sentences: vec![],
            order: stream(settings.seed, Purpose::Order),
            unknown: stream(settings.seed, Purpose::UnknownWords),
            device: device.clone(),
            padding_share: 0.0,
        };
        trainer.read_anew(data);
        Ok(trainer)
    }

    /// Takes up other training data.
    fn read_anew(&mut self, data: &Prepared) {
        self.sentences = data.order();
        let length = |&i: &usize| length(&data.train.rows[i]);
        self.lengths = self.sentences.iter().map(length).collect();
    }

    /// A copy of the model that predicts: no autodiff, no dropout.
    fn snapshot(&self) -> Tagger {
        self.model.as_ref().expect("the model is back after a step").valid()
    }

    /// One pass over the training sentences; the mean loss.
    fn epoch(&mut self, epoch: usize, data: &Prepared) -> Result<f64, Failure> {
        self.objective.begin_epoch(epoch);
        if restarts(epoch, self.training.epochs) {
            self.optimisers.iter_mut().for_each(Optimiser::restart);
        }
        let batches = self.batches();
        self.padding_share = batches::padding_share(&batches, &self.lengths);
        let steps: Vec<&[Vec<usize>]> = batches.chunks(self.training.accumulate).collect();
        let (mut sum, mut count) = (0.0, 0);
        for (step, batches) in steps.iter().enumerate() {
            let done = (epoch - 1) * steps.len() + step;
            let rate = rate(&self.training, epoch, done, steps.len() * self.training.epochs);
            for turn in 0..self.optimisers.len() {
                // What is told is the last turn's: losses that take turns are no one quantity.
                let is_told = turn + 1 == self.optimisers.len();
                for (value, of) in self.step(batches, data, rate, turn) {
                    if !value.is_finite() {
                        return Err(Failure::Diverged { epoch, loss: value.to_string() });
                    }
                    if is_told {
                        sum += value * of as f64;
                        count += of;
                    }
                }
            }
        }
        Ok(sum / count.max(1) as f64)
    }

    /// The batches of the next epoch, of places in `self.sentences`.
    fn batches(&mut self) -> Vec<Vec<usize>> {
        let size = Size { sentences: self.training.batch, places: self.training.tokens };
        match self.training.order.as_str() {
            "file" => batches::in_order(&self.lengths, size),
            _ => batches::shuffled(&self.lengths, size, &mut self.order),
        }
    }

    /// Forward and backward over some batches, then one update; the mean loss of each that teaches something, and of how
    /// many it is the mean. Where none does there is no gradient, and nothing moves.
    fn step(
        &mut self,
        batches: &[Vec<usize>],
        data: &Prepared,
        rate: f64,
        turn: usize,
    ) -> Vec<(f64, usize)> {
        let model = self.model.take().expect("the model is back after a step");
        let mut sum = GradientsAccumulator::new();
        let (mut values, mut only) = (Vec::with_capacity(batches.len()), None);
        for batch in batches {
            let sentences: Vec<usize> = batch.iter().map(|&i| self.sentences[i]).collect();
            let batch = self.read(&sentences, &data.train, &data.material.reader);
            let (model, train, sentences) = (&model, &data.train, sentences.as_slice());
            let lesson = Lesson { model, batch: &batch, sentences, train };
            let Some(loss) = self.objective.loss(&lesson, turn) else { continue };
            let share = 1.0 / batches.len() as f64;
            values.push((loss.value, loss.count));
            let tensor = if batches.len() > 1 { loss.tensor * share } else { loss.tensor };
            let gradients = GradientsParams::from_grads(tensor.backward(), model);
            match batches.len() {
                1 => only = Some(gradients),
                _ => sum.accumulate(model, gradients),
            }
        }
        let gradients = only.unwrap_or_else(|| sum.grads());
        self.model = Some(self.optimisers[turn].step(model, gradients, rate));
        values
    }

    /// A batch of training sentences.
    fn read(&mut self, sentences: &[usize], train: &Encoded, reader: &Reader) -> Batch {
        let rows: Vec<Vec<Row>> =
            sentences.iter().map(|&i| self.with_unknown(&train.rows[i], reader)).collect();
        let rows: Vec<&[Row]> = rows.iter().map(Vec::as_slice).collect();
        Batch::new(&rows, reader.characters(), &self.device)
    }

    /// A sentence's rows, some of the words seen once as the unknown word.
    fn with_unknown(&mut self, rows: &[Row], reader: &Reader) -> Vec<Row> {
        let mut rows = rows.to_vec();
        for id in rows.iter_mut().flat_map(|row| &mut row.ids) {
            if reader.is_singleton(*id) && self.unknown.random_bool(UNKNOWN_SHARE) {
                *id = Vocabulary::UNKNOWN;
            }
        }
        rows
    }
}
