//! What heads over spans have in common: all spans of a batch, their labels, the loss over some of
//! them, and tags from what they found.
//!
//! Label 0 is O, then come the types. A span is a pair of words among all words of a batch. Scores
//! of many spans are made chunk by chunk, while training too: a chunk's gradients are taken at once
//! and what it needed is let go.

use super::{BatchLoss, Gold, PerToken, numbers, weighed};
use crate::model::batch::indices;
use crate::model::dropout::drop_some;
use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::{GradientsAccumulator, GradientsParams};
use burn::tensor::{Device, Int, Tensor};
use domain::{Span, Tag, TypeId};

/// Spans as the first and the last word of each, counted over the batch.
#[derive(PartialEq, Debug)]
pub struct Places(pub Vec<(usize, usize)>);

/// A head over spans. What it says for itself is a number for each span and label, and which spans
/// come first; the rest follows.
pub trait OverSpans {
    /// How many spans are to be scored at once at most.
    fn chunk(&self) -> usize;

    /// Whether the loss is the sum over spans, not the mean.
    fn sums(&self) -> bool;

    /// What spans are scored by: some tensors with a row a word. Dropout is on where the device has
    /// autodiff. One by one is for chosen spans: what is dropped of one is then its own, and little
    /// is made of the words that few spans need.
    fn words(&self, states: Tensor<2>, sentences: &[usize], one_by_one: bool) -> Vec<Tensor<2>>;

    /// Spans × labels, from [`OverSpans::words`].
    fn scores(&self, words: &[Tensor<2>], sentences: &[usize], places: &Places) -> Tensor<2>;

    /// By what a span with that label comes before others.
    fn rank(&self, scores: &[f32], label: usize) -> f64;

    /// Words as they are: what is scored are spans.
    fn logits(&self, states: Tensor<2>) -> Tensor<2> {
        states
    }

    /// The loss over every span: O for those that are not annotated.
    fn loss(&self, states: Tensor<2>, gold: Gold<'_>, per_token: PerToken<'_>) -> BatchLoss
    where
        Self: Module,
    {
        let Gold { classes, sentences } = gold;
        let (places, labels) = (Places::all(sentences), labels(classes, sentences));
        loss_over(self, (states, sentences), (&places, &labels), false, per_token)
    }

    /// The loss over some spans with their labels.
    fn loss_of(
        &self,
        states: Tensor<2>,
        sentences: &[usize],
        spans: (&Places, &[usize]),
        per_token: PerToken<'_>,
    ) -> BatchLoss
    where
        Self: Module,
    {
        loss_over(self, (states, sentences), spans, true, per_token)
    }

    /// The tag of each word: of the spans that are no O, those that come first by the head's rank
    /// and overlap none before.
    fn decode(&self, states: Tensor<2>, sentences: &[usize]) -> Vec<usize> {
        let words = sentences.iter().sum();
        if words == 0 {
            return vec![];
        }
        let rows = self.words(states, sentences, false);
        let mut found = Vec::new();
        for chunk in Places::all(sentences).chunks(self.chunk()) {
            let scores = self.scores(&rows, sentences, &chunk);
            let labels = scores.dims()[1];
            for (&place, scores) in chunk.0.iter().zip(numbers(scores).chunks(labels)) {
                let label = highest(scores);
                if label > 0 {
                    found.push((self.rank(scores, label), place, label));
                }
            }
        }
        flat(found, words)
    }
}

impl Places {
    /// Every span of every sentence.
    pub fn all(sentences: &[usize]) -> Self {
        Self::counted(sentences.iter().map(|&words| (words, Span::all(words))))
    }

    /// Some spans of each sentence.
    pub fn of(spans: &[Vec<Span>], sentences: &[usize]) -> Self {
        Self::counted(
            sentences.iter().copied().zip(spans.iter().map(|spans| spans.iter().copied())),
        )
    }

    /// The spans of each sentence of so many words, their words counted over the batch.
    fn counted<S: Iterator<Item = Span>>(sentences: impl Iterator<Item = (usize, S)>) -> Self {
        let (mut places, mut first) = (Vec::new(), 0);
        for (words, spans) in sentences {
            places.extend(spans.map(|span| (first + span.start, first + span.end - 1)));
            first += words;
        }
        Self(places)
    }

    /// The first words and the last words.
    pub fn words(&self, device: &Device) -> (Tensor<1, Int>, Tensor<1, Int>) {
        let firsts = indices(self.0.iter().map(|place| place.0), device);
        (firsts, indices(self.0.iter().map(|place| place.1), device))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The same, some at a time.
    pub fn chunks(&self, size: usize) -> impl Iterator<Item = Places> {
        self.0.chunks(size).map(|chunk| Places(chunk.to_vec()))
    }
}

/// What keeps, or drops, each of a word's numbers: the same for all words of a sentence.
pub fn sentence_mask(
    sentences: &[usize],
    numbers: usize,
    share: f64,
    device: &Device,
) -> Tensor<2> {
    let masks = drop_some(Tensor::ones([sentences.len(), numbers], device), share);
    let of = |(sentence, &words): (usize, &usize)| std::iter::repeat_n(sentence, words);
    masks.select(0, indices(sentences.iter().enumerate().flat_map(of), device))
}

/// The logarithm of the softmax of a label.
pub fn log_probability(scores: &[f32], label: usize) -> f64 {
    let highest = scores.iter().fold(f32::NEG_INFINITY, |highest, score| highest.max(*score));
    let sum: f64 = scores.iter().map(|score| f64::from(score - highest).exp()).sum();
    f64::from(scores[label] - highest) - sum.ln()
}

/// The annotated spans of a sentence with their labels; `gold` has the tag of each word.
pub fn annotated(gold: &[usize]) -> impl Iterator<Item = (Span, usize)> {
    let begins = gold.iter().enumerate().filter_map(|(start, tag)| match Tag::from_index(*tag) {
        Tag::Begin(TypeId(id)) => Some((start, 1 + usize::from(id))),
        _ => None,
    });
    begins.map(|(start, label)| {
        let inside = |tag: &&usize| matches!(Tag::from_index(**tag), Tag::Inside(_));
        let end = start + 1 + gold[start + 1..].iter().take_while(inside).count();
        (Span { start, end }, label)
    })
}

/// The label of each span of every sentence, in the order of [`Places::all`].
fn labels(gold: &[usize], sentences: &[usize]) -> Vec<usize> {
    let mut labels = Vec::new();
    let mut first = 0;
    for &words in sentences {
        let before = labels.len();
        labels.resize(before + Span::count(words), 0);
        for (span, label) in annotated(&gold[first..first + words]) {
            labels[before + span.number(words)] = label;
        }
        first += words;
    }
    labels
}

/// The loss over spans with their labels.
fn loss_over<H: OverSpans + Module>(
    head: &H,
    (states, sentences): (Tensor<2>, &[usize]),
    (places, labels): (&Places, &[usize]),
    one_by_one: bool,
    per_token: PerToken<'_>,
) -> BatchLoss {
    let count = places.len();
    if count == 0 {
        return BatchLoss { tensor: states.sum() * 0.0, value: 0.0, count };
    }
    let words = head.words(states, sentences, one_by_one);
    let (tensor, value) = match count <= head.chunk() {
        true => {
            let gold = Gold { classes: labels, sentences: &[count] };
            weighed(head.scores(&words, sentences, places), gold, per_token)
        }
        false => in_chunks(head, &words, sentences, (places, labels), per_token),
    };
    let tensor = if head.sums() { tensor * count as f64 } else { tensor };
    BatchLoss { tensor, value, count }
}

/// The mean loss over spans, and a scalar that has its gradient: the inner product of everything
/// that the chunks' scores depend on with the sum of the chunks' gradients.
fn in_chunks<H: OverSpans + Module>(
    head: &H,
    words: &[Tensor<2>],
    sentences: &[usize],
    (places, labels): (&Places, &[usize]),
    per_token: PerToken<'_>,
) -> (Tensor<1>, f64) {
    let leaves: Vec<_> = words.iter().map(|part| part.clone().detach().require_grad()).collect();
    let mut of_words: Vec<Option<Tensor<2>>> = vec![None; words.len()];
    let mut of_head = GradientsAccumulator::new();
    let mut value = 0.0;
    for (chunk, classes) in places.chunks(head.chunk()).zip(labels.chunks(head.chunk())) {
        let scores = head.scores(&leaves, sentences, &chunk);
        let share = chunk.len() as f64 / places.len() as f64;
        let gold = Gold { classes, sentences: &[chunk.len()] };
        let (tensor, mean) = weighed(scores, gold, per_token);
        value += mean * share;
        let mut gradients = (tensor * share).backward();
        for (sum, leaf) in of_words.iter_mut().zip(&leaves) {
            let gradient = leaf.grad_remove(&mut gradients);
            *sum = match (sum.take(), gradient) {
                (Some(sum), Some(gradient)) => Some(sum + gradient),
                (sum, gradient) => sum.or(gradient),
            };
        }
        of_head.accumulate(head, GradientsParams::from_grads(gradients, head));
    }
    let mut products = Products { gradients: of_head.grads(), sums: vec![] };
    head.visit(&mut products);
    for (part, gradient) in words.iter().zip(of_words) {
        let product = |gradient| (part.clone() * Tensor::from_inner(gradient)).sum();
        products.sums.extend(gradient.map(product));
    }
    (Tensor::cat(products.sums, 0).sum(), value)
}

/// The inner products of a module's parameters with gradients.
struct Products {
    gradients: GradientsParams,
    sums: Vec<Tensor<1>>,
}

impl ModuleVisitor for Products {
    fn visit_float<const D: usize>(&mut self, parameter: &Param<Tensor<D>>) {
        if let Some(gradient) = self.gradients.remove::<D>(parameter.id) {
            self.sums.push((parameter.val() * Tensor::from_inner(gradient)).sum());
        }
    }
}

/// The first label of the highest score.
fn highest(scores: &[f32]) -> usize {
    let better =
        |best: usize, label: usize| if scores[label] > scores[best] { label } else { best };
    (0..scores.len()).fold(0, better)
}

/// Tags from spans with their ranks and labels, without any overlap.
fn flat(mut found: Vec<(f64, (usize, usize), usize)>, words: usize) -> Vec<usize> {
    found.sort_by(|(a, one, _), (b, other, _)| b.total_cmp(a).then(one.cmp(other)));
    let mut tags = vec![Tag::Outside; words];
    for (_, (first, last), label) in found {
        mark(&mut tags[first..=last], TypeId((label - 1) as u16));
    }
    tags.into_iter().map(Tag::index).collect()
}

/// Tags words as an entity, unless one of them is in another.
pub fn mark(words: &mut [Tag], id: TypeId) {
    if words.iter().all(|tag| *tag == Tag::Outside) {
        words.fill(Tag::Inside(id));
        words[0] = Tag::Begin(id);
    }
}

#[cfg(test)]
mod tests;
