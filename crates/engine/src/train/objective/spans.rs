//! The loss over annotated spans and some negatives, which are drawn each time a sentence is
//! visited, or are always the same.
//!
//! What is drawn depends on the job's seed, and for weighted negatives on the model in training.
//! The model's probabilities for them come from the vectors of the pass that is trained on, with
//! the head's own dropout off, or from one more pass without any; nothing of that is part of the
//! graph.

use super::{Lesson, Objective};
use crate::model::heads::{BatchLoss, Head, Places, annotated, numbers};
use crate::prepare::Encoded;
use crate::random::{Purpose, stream};
use burn::module::Module;
use burn::tensor::Tensor;
use domain::{Annotation, Span};
use method::loss::{TokenLoss, Tokens};
use method::negatives::{
    Candidates, Draw, Missampling, Number, Weighting, draw_uniformly, softmax, uncertainty,
};
use rand_chacha::ChaCha8Rng;
use std::cell::Cell;
use std::collections::BTreeMap;

/// Where negatives come from.
pub enum NegativesSource {
    Uniform {
        /// Whether entities whose annotation was masked are never drawn.
        excludes_masked: bool,
    },
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
    source: NegativesSource,
    number: Number,
    rng: ChaCha8Rng,
    /// From 0, and of how many.
    share: (usize, usize),
    missampling: Missampling,
    /// Of the epoch's negatives: the sum of the model's entropies, and how many there are.
    uncertainty: Cell<(f64, usize)>,
}

impl Spans {
    /// Needs a head over spans.
    pub fn new(
        loss: Box<dyn TokenLoss>,
        source: NegativesSource,
        number: Number,
        seed: u64,
    ) -> Self {
        let rng = stream(seed, Purpose::Negatives);
        let (missampling, uncertainty) = (Missampling::default(), Cell::default());
        Self { loss, source, number, rng, share: (0, 1), missampling, uncertainty }
    }

    /// The negatives of each sentence of the batch.
    fn negatives(&mut self, lesson: &Lesson<'_>, states: &Tensor<2>) -> Vec<Vec<Span>> {
        let (weighting, evaluates) = match &self.source {
            NegativesSource::Fixed(fixed) => {
                return lesson.sentences.iter().map(|&i| fixed[i].clone()).collect();
            }
            NegativesSource::Uniform { excludes_masked } => {
                let (number, rng) = (self.number, &mut self.rng);
                let draw = |of: Candidates| draw_uniformly(&of, number.of(of.words()), rng);
                return candidates(lesson, *excludes_masked).map(draw).collect();
            }
            NegativesSource::Weighted { weighting, evaluates } => (*weighting, *evaluates),
        };
        let (head, states) = match evaluates {
            true => {
                let model = lesson.model.valid();
                (model.head().clone(), model.states(&lesson.batch.without_autodiff()))
            }
            false => (lesson.model.head().valid(), states.clone().inner()),
        };
        self.draw(lesson, self.of_share(weighting), &head, states)
    }

    /// What weighs spans now.
    fn of_share(&self, weighting: Weighting) -> Weighting {
        let (share, shares) = self.share;
        weighting.in_epoch(share, shares)
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
        let draws: Vec<Draw> = candidates(lesson, false).map(draw).collect();
        let asked: Vec<Vec<Span>> = draws.iter().map(Draw::asked).collect();
        let sentences = &lesson.batch.sentences;
        let weights = by_probabilities(head, states, sentences, &asked, |z| weighting.weigh(z));
        let decide = |(draw, weights): (Draw, Vec<f64>)| draw.decide(weights, &mut self.rng);
        draws.into_iter().zip(weights).map(decide).collect()
    }
}

impl Objective for Spans {
    fn begin_share(&mut self, share: usize, shares: usize) {
        self.share = (share - 1, shares);
    }

    fn loss(&mut self, lesson: &Lesson<'_>, _turn: usize) -> Option<BatchLoss> {
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
        let loss = |tokens: Tokens<'_>, gradient: &mut [f64]| {
            self.uncertainty.set(added_uncertainty(self.uncertainty.get(), tokens));
            self.loss.batch(tokens, gradient)
        };
        let (head, sentences) = (lesson.model.head(), &lesson.batch.sentences);
        Some(head.loss_of_spans(states, sentences, (&places, &labels), &loss))
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
fn added_uncertainty((sum, count): (f64, usize), tokens: Tokens<'_>) -> (f64, usize) {
    let Tokens { logits, gold, .. } = tokens;
    let width = logits.len() / gold.len().max(1);
    let negatives = logits.chunks(width.max(1)).zip(gold).filter(|(_, label)| **label == 0);
    negatives.fold((sum, count), |(sum, count), (logits, _)| {
        (sum + uncertainty(&softmax(logits)), count + 1)
    })
}

/// The spans of each of the lesson's sentences that may be drawn, masked entities among them or
/// not.
fn candidates<'a>(
    lesson: &'a Lesson<'_>,
    excludes_masked: bool,
) -> impl Iterator<Item = Candidates> + 'a {
    lesson.sentences.iter().map(move |&sentence| {
        let gold = &lesson.train.classes[sentence];
        let masked = if excludes_masked { missing(lesson.train, sentence) } else { vec![] };
        Candidates::new(gold.len(), annotated(gold).map(|(span, _)| span).chain(masked))
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

/// What `measure` makes of the probabilities of the labels of each sentence's spans. Head and
/// states have no autodiff.
pub fn by_probabilities(
    head: &Head,
    states: Tensor<2>,
    sentences: &[usize],
    spans: &[Vec<Span>],
    measure: impl Fn(&[f64]) -> f64,
) -> Vec<Vec<f64>> {
    let head = head.over_spans().expect("a head over spans, as was checked");
    let places = Places::of(spans, sentences);
    // Without dropout both ways give the same, and this is where one of them costs less.
    let one_by_one = places.len() <= sentences.iter().sum();
    let words = head.words(states, sentences, one_by_one);
    let mut measured = Vec::with_capacity(places.len());
    for chunk in places.chunks(head.chunk()) {
        let scores = head.scores(&words, sentences, &chunk);
        let labels = scores.dims()[1];
        let scores: Vec<f64> = numbers(scores);
        measured.extend(scores.chunks(labels).map(|scores| measure(&softmax(scores))));
    }
    let mut measured = measured.into_iter();
    spans.iter().map(|own| measured.by_ref().take(own.len()).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::part;
    use method::loss;
    use method::negatives::{ENTRIES, Way};

    use burn::tensor::{Device, Distribution};

    #[test]
    fn every_span_keeps_its_own_number() {
        let device = Device::flex();
        let sentences = [3, 1, 5];
        let states: Tensor<2> = Tensor::random([9, 6], Distribution::Normal(0.0, 1.0), &device);
        let span = |start, end| Span { start, end };
        let few = [vec![span(1, 2), span(0, 3)], vec![], vec![span(3, 5)]];
        let all = sentences.map(|words| Span::all(words).collect::<Vec<Span>>());
        let head = Head::new(&part(parts::heads::ENTRIES, "span"), 6, 7, &device);
        let entropies = |states: Tensor<2>, sentences: &[usize], spans: &[Vec<Span>]| {
            by_probabilities(&head, states, sentences, spans, uncertainty)
        };
        for spans in [few, all] {
            let found = entropies(states.clone(), &sentences, &spans);
            let mut first = 0;
            for ((words, own), found) in sentences.into_iter().zip(&spans).zip(found) {
                assert_eq!(found.len(), own.len());
                for (span, found) in own.iter().zip(found) {
                    let states = states.clone().narrow(0, first, words);
                    let alone = entropies(states, &[words], &[vec![*span]])[0][0];
                    assert!((found - alone).abs() < 1e-5, "{found} is not {alone}");
                }
                first += words;
            }
        }
    }

    #[test]
    fn weights_sharpen_from_the_first_epoch_to_the_last() {
        let part = part(ENTRIES, "weighted");
        let Way::Weighted { weighting: plain, .. } = Way::new(&part, 3) else { panic!("another") };
        let source = NegativesSource::Weighted { weighting: plain, evaluates: false };
        let mut spans = Spans::new(loss::cross_entropy(), source, Number::new(&part), 1);
        for epoch in 1..=12 {
            spans.begin_share(epoch, 12);
            assert_eq!(spans.of_share(plain), plain.in_epoch(epoch - 1, 12));
        }
        assert_eq!(spans.of_share(plain), plain.in_epoch(0, 1), "T is 1 in the end");
        assert_ne!(plain.in_epoch(0, 12), plain.in_epoch(11, 12));
    }
}
