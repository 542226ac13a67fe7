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
        let weighting = self.of_epoch(weighting);
        let draw = |of: Candidates| {
            let wanted = self.number.of(of.words());
            Draw::new(of, wanted, weighting)
        };
        let draws: Vec<Draw> = candidates(lesson).map(draw).collect();
        let scorer = match evaluates {
            true => {
                let model = lesson.model.valid();
                let states = model.states(&lesson.batch.without_autodiff());
                Scorer::new(model.head().clone(), states, &lesson.batch.sentences)
            }
            false => {
                let head = lesson.model.head().valid();
                Scorer::new(head, states.clone().inner(), &lesson.batch.sentences)
            }
        };
        self.draw(draws, weighting, &scorer)
    }

    /// What weighs spans now.
    fn of_epoch(&self, weighting: Weighting) -> Weighting {
        weighting.in_epoch(self.epoch, self.epochs)
    }

    /// Draws from all sentences of the batch at once, so that the model is asked a few times a batch.
    fn draw(
        &mut self,
        mut draws: Vec<Draw>,
        weighting: Weighting,
        scorer: &Scorer,
    ) -> Vec<Vec<Span>> {
        loop {
            let asked: Vec<Vec<Span>> = draws.iter_mut().map(|d| d.ask(&mut self.rng)).collect();
            if asked.iter().all(Vec::is_empty) {
                return draws.iter().map(Draw::spans).collect();
            }
            let mut weights = Vec::with_capacity(asked.iter().map(Vec::len).sum());
            scorer.probabilities(&scorer.places(&asked), |z| weights.push(weighting.weigh(z)));
            let mut weights = weights.into_iter();
            for (draw, asked) in draws.iter_mut().zip(&asked).filter(|(_, asked)| !asked.is_empty())
            {
                draw.hear(weights.by_ref().take(asked.len()), &mut self.rng);
            }
        }
    }
}

impl Objective for Spans {
    fn begin_epoch(&mut self, epoch: usize) {
        self.epoch = epoch - 1;
    }

    fn loss(&mut self, lesson: &Lesson<'_>, _turn: usize) -> Option<Loss> {
        let states = lesson.model.states(lesson.batch);
        let negatives = self.negatives(lesson, &states);
        let (mut places, mut labels) = (Places::default(), Vec::new());
        let mut first = 0;
        for (&sentence, negatives) in lesson.sentences.iter().zip(&negatives) {
            let gold = &lesson.train.classes[sentence];
            let negatives = negatives.iter().map(|span| (*span, 0));
            for (span, label) in annotated(gold).chain(negatives) {
                places.0.push((first + span.start, first + span.end - 1));
                labels.push(label);
            }
            first += gold.len();
        }
        for (&sentence, negatives) in lesson.sentences.iter().zip(&negatives) {
            self.missampling.add(negatives, &missing(lesson.train, sentence));
        }
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

/// A model's probabilities for spans of a batch, outside of training.
pub struct Scorer {
    head: Head,
    words: Vec<Tensor<2>>,
    sentences: Vec<usize>,
}

impl Scorer {
    /// Head and states have no autodiff.
    pub fn new(head: Head, states: Tensor<2>, sentences: &[usize]) -> Self {
        let over = head.over_spans().expect("a head over spans, as was checked");
        let words = over.words(states, sentences);
        Self { head, words, sentences: sentences.to_vec() }
    }

    /// Spans of each sentence as those of the batch.
    pub fn places(&self, spans: &[Vec<Span>]) -> Places {
        let mut first = 0;
        let mut places = Places::default();
        for (spans, words) in spans.iter().zip(&self.sentences) {
            places.0.extend(spans.iter().map(|span| (first + span.start, first + span.end - 1)));
            first += words;
        }
        places
    }

    /// Tells the probabilities of each span's labels, in order.
    pub fn probabilities(&self, places: &Places, mut tell: impl FnMut(&[f64])) {
        let Some(head) = self.head.over_spans() else { return };
        for chunk in places.chunks(head.chunk()) {
            let scores = head.scores(&self.words, &self.sentences, &chunk);
            let labels = scores.dims()[1];
            let scores: Vec<f64> = scores.into_data().iter::<f64>().collect();
            scores.chunks(labels).for_each(|scores| tell(&softmax(scores)));
        }
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
