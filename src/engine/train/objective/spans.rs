//! The loss over annotated spans and some negatives, which are drawn each time a sentence is visited, or are always the
//! same.
//!
//! What is drawn depends on the job's seed, and for weighted negatives on the model in training. The model's probabilities
//! for them come from the vectors of the pass that is trained on, with the head's own dropout off, or from one more pass
//! without any; nothing of that is part of the graph.

use super::{Lesson, Objective};
use crate::domain::{Annotation, Span};
use crate::engine::prepare::Encoded;
use crate::engine::random::{Purpose, stream};
use crate::method::loss::{self, TokenLoss};
use crate::method::negatives::{
    Candidates, Draw, Missampling, Number, Weighting, draw_uniformly, softmax, uncertainty,
};
use crate::model::heads::{Head, Loss, Places, annotated};
use burn::module::Module;
use burn::tensor::Tensor;
use rand_chacha::ChaCha8Rng;
use std::cell::Cell;
use std::collections::BTreeMap;

/// Where negatives come from.
pub enum Source {
    Uniform,
    Weighted {
        weighting: Weighting,
        evaluates: bool,
    },
    /// Of each training sentence.
    Fixed(Vec<Vec<Span>>),
}

/// The loss over annotated spans and negatives.
pub struct Spans {
    loss: Box<dyn TokenLoss>,
    source: Source,
    number: Number,
    rng: ChaCha8Rng,
    epochs: usize,
    /// From 0.
    epoch: usize,
    missampling: Missampling,
    /// Of the epoch's negatives: the sum of the model's entropies, and how many there are.
    uncertainty: Cell<(f64, usize)>,
}

impl Spans {
    /// Needs a head over spans.
    pub fn new(
        loss: Box<dyn TokenLoss>,
        source: Source,
        number: Number,
        (seed, epochs): (u64, usize),
    ) -> Self {
        let rng = stream(seed, Purpose::Negatives);
        let (missampling, uncertainty) = (Missampling::default(), Cell::default());
        Self { loss, source, number, rng, epochs, epoch: 0, missampling, uncertainty }
    }

    /// The negatives of each sentence of the batch.
    fn negatives(&mut self, lesson: &Lesson<'_>, states: &Tensor<2>) -> Vec<Vec<Span>> {
        let (weighting, evaluates) = match &self.source {
            Source::Fixed(fixed) => {
                return lesson.sentences.iter().map(|&i| fixed[i].clone()).collect();
            }
            Source::Uniform => {
                let (number, rng) = (self.number, &mut self.rng);
                let draw = |of: Candidates| draw_uniformly(&of, number.of(of.words()), rng);
                return candidates(lesson).map(draw).collect();
            }
            Source::Weighted { weighting, evaluates } => (*weighting, *evaluates),
        };
        let (head, states) = match evaluates {
            true => {
                let model = lesson.model.valid();
                (model.head().clone(), model.states(&lesson.batch.without_autodiff()))
            }
            false => (lesson.model.head().valid(), states.clone().inner()),
        };
        self.draw(lesson, self.of_epoch(weighting), &head, states)
    }

    /// What weighs spans now.
    fn of_epoch(&self, weighting: Weighting) -> Weighting {
        weighting.in_epoch(self.epoch, self.epochs)
    }

    /// Draws from all sentences of the batch at once, so that the model is asked once.
    fn draw(
        &mut self,
        lesson: &Lesson<'_>,
        weighting: Weighting,
        head: &Head,
        states: Tensor<2>,
    ) -> Vec<Vec<Span>> {
        let (number, rng) = (self.number, &mut self.rng);
        let draw = |of: Candidates| {
            let wanted = number.of(of.words());
            Draw::new(of, wanted, weighting, rng)
        };
        let draws: Vec<Draw> = candidates(lesson).map(draw).collect();
        let asked: Vec<Vec<Span>> = draws.iter().map(Draw::asked).collect();
        let mut weights = Vec::with_capacity(asked.iter().map(Vec::len).sum());
        probabilities(head, states, &lesson.batch.sentences, &asked, |z| {
            weights.push(weighting.weigh(z));
        });
        let mut weights = weights.into_iter();
        let decide = |(draw, asked): (Draw, &Vec<Span>)| {
            draw.decide(weights.by_ref().take(asked.len()), &mut self.rng)
        };
        draws.into_iter().zip(&asked).map(decide).collect()
    }
}

impl Objective for Spans {
    fn begin_epoch(&mut self, epoch: usize) {
        self.epoch = epoch - 1;
    }

    fn loss(&mut self, lesson: &Lesson<'_>, _turn: usize) -> Option<Loss> {
        let states = lesson.model.states(lesson.batch);
        let negatives = self.negatives(lesson, &states);
        let (mut spans, mut labels) = (Vec::with_capacity(negatives.len()), Vec::new());
        for (&sentence, negatives) in lesson.sentences.iter().zip(&negatives) {
            let negative = negatives.iter().map(|span| (*span, 0));
            let chosen = annotated(&lesson.train.classes[sentence]).chain(negative);
            let (of_sentence, their_labels): (Vec<Span>, Vec<usize>) = chosen.unzip();
            spans.push(of_sentence);
            labels.extend(their_labels);
            self.missampling.add(negatives, &missing(lesson.train, sentence));
        }
        let places = Places::of(&spans, &lesson.batch.sentences);
        let head = lesson.model.head().over_spans().expect("a head over spans, as was checked");
        Some(head.loss_of(
            states,
            &lesson.batch.sentences,
            (&places, &labels),
            &|logits, gold, all, gradient| {
                self.uncertainty.set(added_uncertainty(self.uncertainty.get(), logits, gold));
                self.loss.batch(loss::Tokens { logits, gold, sentences: all }, gradient)
            },
        ))
    }

    fn added(&mut self) -> BTreeMap<String, f64> {
        let (sum, count) = self.uncertainty.take();
        let missampling = std::mem::take(&mut self.missampling);
        let mean = (count > 0).then(|| ("mean_uncertainty", sum / count as f64));
        // Without a masked entity nobody knows which spans are entities.
        let missed = missampling.entities().into_iter().flat_map(|entities| {
            [("missampling_rate", missampling.rate()), ("missampled_entities", entities)]
        });
        missed.chain(mean).map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

/// The entropies of some more spans that are no entities.
fn added_uncertainty((sum, count): (f64, usize), logits: &[f64], gold: &[usize]) -> (f64, usize) {
    let width = logits.len() / gold.len().max(1);
    let negatives = logits.chunks(width.max(1)).zip(gold).filter(|(_, label)| **label == 0);
    negatives.fold((sum, count), |(sum, count), (logits, _)| {
        (sum + uncertainty(&softmax(logits)), count + 1)
    })
}

/// The spans of each of the lesson's sentences that may be drawn.
fn candidates<'a>(lesson: &'a Lesson<'_>) -> impl Iterator<Item = Candidates> + 'a {
    lesson.sentences.iter().map(|&sentence| {
        let gold = &lesson.train.classes[sentence];
        Candidates::new(gold.len(), annotated(gold).map(|(span, _)| span))
    })
}

/// The entities of a training sentence whose annotation was masked.
pub fn missing(train: &Encoded, sentence: usize) -> Vec<Span> {
    match train.annotations.get(sentence) {
        Some(Annotation::Incomplete { masked }) => {
            masked.iter().map(|entity| Span { start: entity.start, end: entity.end }).collect()
        }
        _ => vec![],
    }
}

/// Tells the probabilities of the labels of each sentence's spans, in order. Head and states have no autodiff.
pub fn probabilities(
    head: &Head,
    states: Tensor<2>,
    sentences: &[usize],
    spans: &[Vec<Span>],
    mut tell: impl FnMut(&[f64]),
) {
    let head = head.over_spans().expect("a head over spans, as was checked");
    let places = Places::of(spans, sentences);
    let words = head.words(states, sentences, places.len());
    for chunk in places.chunks(head.chunk()) {
        let scores = head.scores(&words, sentences, &chunk);
        let labels = scores.dims()[1];
        let scores: Vec<f64> = scores.into_data().iter::<f64>().collect();
        scores.chunks(labels).for_each(|scores| tell(&softmax(scores)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::testing::part;
    use crate::method::negatives::ENTRIES;

    #[test]
    fn weights_sharpen_from_the_first_epoch_to_the_last() {
        let part = part(ENTRIES, "weighted");
        let plain = Weighting::new(&part.parameters, 3);
        let source = Source::Weighted { weighting: plain, evaluates: false };
        let mut spans = Spans::new(loss::cross_entropy(), source, Number::new(&part), (1, 12));
        for epoch in 1..=12 {
            spans.begin_epoch(epoch);
            assert_eq!(spans.of_epoch(plain), plain.in_epoch(epoch - 1, 12));
        }
        assert_eq!(spans.of_epoch(plain), plain.in_epoch(0, 1), "T is 1 in the end");
        assert_ne!(plain.in_epoch(0, 12), plain.in_epoch(11, 12));
    }
}
