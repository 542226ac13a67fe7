//! The training loop: batches, the optimiser, the best model on dev, early stopping.

use super::course::Course;
use super::objective::{Lesson, Objective};
use super::schedule::{rate, restarts};
use super::{Trained, TrainingJob, selection_score, thresholds};
use crate::batches::{self, Size};
use crate::model::adam::{Adam, AdamSettings};
use crate::model::pesg::{Pesg, PesgSettings};
use crate::model::{Batch, Optimiser, Reader, Row, Tagger, Vocabulary};
use crate::predict::{length, predict};
use crate::prepare::{Encoded, Prepared};
use crate::random::{Purpose, normal, stream};
use burn::module::Module;
use burn::optim::{GradientsAccumulator, GradientsParams};
use burn::tensor::Device;
use domain::{
    Effort, Epoch, Failure, JobSettings, Optimiser as Optimisers, Order, Scores, TrainingSettings,
    TrainingVerdict,
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

/// How often a word seen once in training is trained as the unknown word.
const UNKNOWN_SHARE: f64 = 0.5;

/// Trains the job's model share by share of its course.
pub fn train(
    job: &mut TrainingJob<'_>,
    objective: Box<dyn Objective>,
    course: Course,
) -> Result<Trained, Failure> {
    let TrainingJob { settings, data, device, tell } = job;
    let mut trainer = Trainer::new(settings, data, objective, course, &device.clone().autodiff())?;
    let parameters = trainer.model.as_ref().map_or(0, Module::num_params);
    let (mut epochs, mut passed) = (Vec::new(), Passed::default());
    let mut best: Option<(f64, usize, Tagger, Scores)> = None;
    let mut stopped_early = false;
    let shares = trainer.course.shares;
    for share in 1..=shares {
        let start = Instant::now();
        passed.losses.push(trainer.share(share, data)?);
        passed.seconds += start.elapsed().as_secs_f64();
        if !is_looked_at(&settings.training, share, shares) {
            continue;
        }
        let (model, added) = (trainer.snapshot(), trainer.objective.added());
        let row = passed.row(share, trainer.updates, added);
        let (row, dev) = look(settings, data, &model, device, row)?;
        passed = Passed::default();
        tell(&row);
        epochs.push(row);
        let score = selection_score(&settings.training, &dev);
        // A tie counts as a gain: the later model has seen more.
        if best.as_ref().is_none_or(|(highest, ..)| score >= *highest) {
            best = Some((score, epochs.len(), model, dev));
        }
        let since_best = epochs.len() - best.as_ref().map_or(0, |(_, look, ..)| *look);
        if is_enough(&settings.training, since_best, trainer.updates) && share < shares {
            stopped_early = true;
            break;
        }
    }
    let (_, look, model, dev) = best.ok_or_else(|| Failure::input("training has no epoch"))?;
    let best_epoch = epochs[look - 1].epoch;
    let effort = trainer.effort();
    let verdict =
        (dev.span.micro.support > 0).then(|| TrainingVerdict::on(&epochs, &effort, stopped_early));
    let mut observed = BTreeMap::new();
    let (model, dev) =
        thresholds::tune(model, dev, &settings.training, data, device, &mut observed)?;
    let effort = Some(effort);
    Ok(Trained { model, best_epoch, epochs, dev, effort, verdict, parameters, observed })
}

/// Shares since dev was looked at.
#[derive(Default)]
struct Passed {
    losses: Vec<f64>,
    seconds: f64,
}

impl Passed {
    /// What is reported of them, but for the scores.
    fn row(&self, epoch: usize, updates: usize, added: BTreeMap<String, f64>) -> Epoch {
        Epoch {
            epoch,
            updates: updates as u64,
            loss: self.losses.iter().sum::<f64>() / self.losses.len().max(1) as f64,
            dev_micro_f1: 0.0,
            dev_macro_f1: 0.0,
            added,
            seconds: self.seconds,
        }
    }
}

/// Whether dev is scored after a share.
fn is_looked_at(training: &TrainingSettings, share: usize, shares: usize) -> bool {
    share.is_multiple_of(training.eval_every.max(1)) || share == shares
}

/// Whether dev has not improved for so many evaluations that training stops.
fn is_enough(training: &TrainingSettings, since_best: usize, updates: usize) -> bool {
    training.patience > 0 && since_best >= training.patience && updates >= training.patience_updates
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
    let predicted = predict(model, &data.dev, characters, device);
    let dev = data.score(&data.corpus_dev, &predicted)?;
    (row.dev_micro_f1, row.dev_macro_f1) = (dev.span.micro.f1, dev.span.macro_.f1);
    if settings.training.test_curve && settings.stage.is_main() {
        let predicted = predict(model, &data.test, characters, device);
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
    let decays = match training.optimiser {
        Optimisers::Auto => {
            parts::encoders::can(&settings.model.encoder.kind, parts::Capability::Pieces)
        }
        chosen => chosen == Optimisers::AdamW,
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
    course: Course,
    /// Indices of training sentences, one for every copy.
    sentences: Vec<usize>,
    /// The places of each of them.
    lengths: Vec<usize>,
    /// Batches of the pass that are still to come, of places in `sentences`.
    ahead: VecDeque<Vec<usize>>,
    /// Passes that were begun, and the steps of the last one.
    passes: usize,
    steps: usize,
    updates: usize,
    tokens_seen: usize,
    /// Passes over the data that each sentence seen is a part of, added up.
    passes_seen: f64,
    order: ChaCha8Rng,
    unknown: ChaCha8Rng,
    device: Device,
}

impl Trainer {
    fn new(
        settings: &JobSettings,
        data: &mut Prepared,
        objective: Box<dyn Objective>,
        course: Course,
        device: &Device,
    ) -> Result<Self, Failure> {
        device.seed(settings.seed);
        let tags = data.types.tag_count();
        let model = Tagger::new(&settings.model, &data.material, tags, device)
            .map_err(Failure::input)?
            .with_precision(settings.training.precision);
        let mut trainer = Self {
            model: Some(model.of_seen_types(&data.class_counts())),
            optimisers: (0..objective.turns()).map(|turn| optimiser(settings, turn)).collect(),
            objective,
            training: (*settings.training).clone(),
            course,
            lengths: vec![],
            sentences: vec![],
            ahead: VecDeque::new(),
            passes: 0,
            steps: 0,
            updates: 0,
            tokens_seen: 0,
            passes_seen: 0.0,
            order: stream(settings.seed, Purpose::Order),
            unknown: stream(settings.seed, Purpose::UnknownWords),
            device: device.clone(),
        };
        trainer.begin_pass(data)?;
        let (turns, budget) = (trainer.turns(), trainer.budget());
        trainer.course = trainer.course.with_steps_of(turns);
        if turns > budget {
            let message = format!(
                "the budget of {budget} update is shorter than one step of this method, which takes {turns} updates: \
                 raise `training.updates`"
            );
            return Err(Failure::input(message));
        }
        Ok(trainer)
    }

    /// Updates of each step.
    fn turns(&self) -> usize {
        self.optimisers.len()
    }

    /// Updates of the whole course.
    fn budget(&self) -> usize {
        self.course.budget(self.steps * self.turns())
    }

    /// How much the model was trained so far.
    fn effort(&self) -> Effort {
        Effort {
            budget: self.budget() as u64,
            updates: self.updates as u64,
            tokens_seen: self.tokens_seen as u64,
            passes: self.passes_seen,
        }
    }

    /// Begins a pass over the training data, which may be new.
    fn begin_pass(&mut self, data: &mut Prepared) -> Result<(), Failure> {
        if self.passes == 0 || data.renew()? {
            self.sentences = data.order();
            let length = |&i: &usize| length(&data.train.rows[i]);
            self.lengths = self.sentences.iter().map(length).collect();
        }
        self.passes += 1;
        self.ahead = self.batches().into();
        self.steps = self.ahead.len().div_ceil(self.training.accumulate.max(1));
        match self.ahead.is_empty() {
            true => Err(Failure::input("there is no training sentence")),
            false => Ok(()),
        }
    }

    /// The batches of the next step, which are of one pass.
    fn next(&mut self, data: &mut Prepared) -> Result<Vec<Vec<usize>>, Failure> {
        if self.ahead.is_empty() {
            self.begin_pass(data)?;
        }
        let count = self.training.accumulate.max(1).min(self.ahead.len());
        Ok(self.ahead.drain(..count).collect())
    }

    /// A copy of the model that predicts: no autodiff, no dropout.
    fn snapshot(&self) -> Tagger {
        self.model.as_ref().expect("the model is back after a step").valid()
    }

    /// Whether a share of the course is over.
    fn is_over(&self, share: usize) -> bool {
        match self.course.end(share) {
            // A step that does not fit any more is not begun.
            Some(end) if share == self.course.shares => self.updates + self.turns() > end,
            Some(end) => self.updates >= end,
            None => self.ahead.is_empty(),
        }
    }

    /// The training of one share of the course; the mean loss.
    fn share(&mut self, share: usize, data: &mut Prepared) -> Result<f64, Failure> {
        self.objective.begin_share(share, self.course.shares);
        if restarts(share, self.course.shares) {
            self.optimisers.iter_mut().for_each(Optimiser::restart);
        }
        let (mut sum, mut count) = (0.0, 0);
        // A pass is there from the start, and a share without a step of its own is over at once.
        let mut is_first = true;
        while is_first && self.course.end(share).is_none() || !self.is_over(share) {
            is_first = false;
            let batches = self.next(data)?;
            let rate = rate(&self.training, share, self.progress(share));
            for turn in 0..self.turns() {
                // What is reported is the last turn's: losses that take turns are not one quantity.
                let is_told = turn + 1 == self.turns();
                for (value, of) in self.step(&batches, data, rate, turn) {
                    if !value.is_finite() {
                        return Err(Failure::Diverged { epoch: share, loss: value.to_string() });
                    }
                    if is_told {
                        sum += value * of as f64;
                        count += of;
                    }
                }
            }
            self.count(&batches, &data.train);
        }
        Ok(sum / count.max(1) as f64)
    }

    /// Counts a step over these batches as made.
    fn count(&mut self, batches: &[Vec<usize>], train: &Encoded) {
        self.updates += self.turns();
        let places = batches.iter().flatten();
        let words = places.clone().map(|&i| train.classes[self.sentences[i]].len());
        self.tokens_seen += words.sum::<usize>();
        self.passes_seen += places.count() as f64 / self.sentences.len().max(1) as f64;
    }

    /// Where the next step is: steps before it, and all steps.
    fn progress(&self, share: usize) -> (usize, usize) {
        match self.course.end(self.course.shares) {
            Some(budget) => (self.updates, budget),
            None => {
                let ahead = self.ahead.len().div_ceil(self.training.accumulate.max(1));
                let done = (share - 1) * self.steps + self.steps.saturating_sub(ahead + 1);
                (done, self.steps * self.course.shares)
            }
        }
    }

    /// The batches of the next pass, of places in `self.sentences`.
    fn batches(&mut self) -> Vec<Vec<usize>> {
        let size = Size { sentences: self.training.batch, places: self.training.tokens };
        match self.training.order {
            Order::File => batches::in_order(&self.lengths, size),
            Order::Length => batches::of_like_length(&self.lengths, size, &mut self.order),
            Order::Random => batches::random(&self.lengths, size, &mut self.order),
        }
    }

    /// Forward and backward over some batches, then one update; the mean loss of each that teaches
    /// something, and of how many it is the mean. Where none does there is no gradient, and nothing
    /// moves.
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
