//! A head over spans (li2022, section 2.1): every span of a sentence is one of the types, or O.
//!
//! A span from word i to word j is [h_i; h_j; h_i − h_j; h_i ⊙ h_j], through a layer of
//! `span_width` units with tanh to a number a label. The layer's weights W₁ to W₄ are those of the
//! four parts.
//!
//! Chosen spans are trained one by one: each of a span's four parts has dropout of its own, as in
//! the paper, and goes through its weights. Where all spans of a sentence are trained or looked at,
//! W₁h_i + W₂h_j + W₃(h_i − h_j) + W₄(h_i ⊙ h_j) is computed as (W₁ + W₃)h_i + (W₂ − W₃)h_j +
//! W₄(h_i ⊙ h_j), so that a word goes through a layer once and not once a span, and the four parts
//! of a span never stand side by side. Without dropout both give the same.
//!
//! Dropout is then done where that sum allows: one mask on the h_i of a word as a beginning, one on
//! it as an end, one on each span's product, and one a sentence on what differences are made of, so
//! that a difference is dropped as one number and that of a word from itself stays 0. Every number
//! is dropped with the same probability and scaled by the same factor as where spans are scored one
//! by one; spans of one word share its masks, those of a sentence that of their differences.

use super::over_spans::{OverSpans, Places, log_probability, sentence_mask};
use crate::model::dropout::drop_some;
use burn::module::{Module, Param};
use burn::nn::{Linear, LinearConfig};
use burn::tensor::activation::tanh;
use burn::tensor::{Device, Distribution, Int, Tensor};
use parts::heads::span::{Span as Declared, SpanReduction};

/// Spans that are scored at once: what they take then stays small, however long a sentence is.
const CHUNK: usize = 4096;

/// Two layers over the vector of a span. The weights of the inner one are those of the span's four
/// parts, one below the other: input × width each.
#[derive(Module, Debug)]
pub struct SpanLayers {
    pub first: Param<Tensor<2>>,
    pub last: Param<Tensor<2>>,
    pub difference: Param<Tensor<2>>,
    pub product: Param<Tensor<2>>,
    pub bias: Param<Tensor<1>>,
    pub outer: Linear,
    #[module(skip)]
    dropout: f64,
    #[module(skip)]
    sums: bool,
}

impl SpanLayers {
    /// Fresh weights, drawn as those of one layer over all four parts.
    pub fn new(declared: &Declared, input: usize, tags: usize, device: &Device) -> Self {
        let width = declared.span_width;
        let bound = 1.0 / (4.0 * input as f64).sqrt();
        let uniform = Distribution::Uniform(-bound, bound);
        let part = || Param::from_tensor(Tensor::random([input, width], uniform, device));
        Self {
            first: part(),
            last: part(),
            difference: part(),
            product: part(),
            bias: Param::from_tensor(Tensor::random([width], uniform, device)),
            outer: LinearConfig::new(width, 1 + tags / 2).init(device),
            dropout: declared.span_dropout,
            sums: declared.reduction == SpanReduction::Sum,
        }
    }

    /// Each word's share of the layer as a beginning and as an end: (W₁ + W₃)h and (W₂ − W₃)h.
    fn shares(&self, states: &Tensor<2>, sentences: &[usize]) -> [Tensor<2>; 2] {
        if !self.drops(states) {
            return [self.begin_weights(), self.end_weights()]
                .map(|weights| states.clone().matmul(weights));
        }
        let [first, last] = [&self.first, &self.last]
            .map(|part| drop_some(states.clone(), self.dropout).matmul(part.val()));
        let [_, input] = states.dims();
        let mask = sentence_mask(sentences, input, self.dropout, &states.device());
        let difference = (states.clone() * mask).matmul(self.difference.val());
        [first + difference.clone(), last - difference]
    }

    /// W₁h_i + W₂h_j + W₃(h_i − h_j), from the first and the last word of each span.
    fn linear(&self, begins: Tensor<2>, ends: Tensor<2>) -> Tensor<2> {
        if !self.drops(&begins) {
            return begins.matmul(self.begin_weights()) + ends.matmul(self.end_weights());
        }
        let difference = begins.clone() - ends.clone();
        let parts = [(begins, &self.first), (ends, &self.last), (difference, &self.difference)];
        let [first, last, difference] =
            parts.map(|(part, weights)| drop_some(part, self.dropout).matmul(weights.val()));
        first + last + difference
    }

    /// W₁ + W₃.
    fn begin_weights(&self) -> Tensor<2> {
        self.first.val() + self.difference.val()
    }

    /// W₂ − W₃.
    fn end_weights(&self) -> Tensor<2> {
        self.last.val() - self.difference.val()
    }

    /// Whether this is training, with dropout.
    fn drops(&self, states: &Tensor<2>) -> bool {
        self.dropout > 0.0 && states.device().is_autodiff()
    }
}

impl OverSpans for SpanLayers {
    fn chunk(&self) -> usize {
        CHUNK
    }

    fn sums(&self) -> bool {
        self.sums
    }

    /// The words themselves, and unless spans are scored one by one, each word's share of the layer
    /// as a beginning and as an end.
    fn words(&self, states: Tensor<2>, sentences: &[usize], one_by_one: bool) -> Vec<Tensor<2>> {
        if one_by_one {
            return vec![states];
        }
        let [begins, ends] = self.shares(&states, sentences);
        vec![states, begins, ends]
    }

    fn scores(&self, words: &[Tensor<2>], _: &[usize], places: &Places) -> Tensor<2> {
        let [states, shares @ ..] = words else { unreachable!("the words come first") };
        let (firsts, lasts) = places.words(&states.device());
        let at = |of: &Tensor<2>, places: &Tensor<1, Int>| of.clone().select(0, places.clone());
        let [begins, ends] = [at(states, &firsts), at(states, &lasts)];
        let product = drop_some(begins.clone() * ends.clone(), self.dropout);
        let product = product.matmul(self.product.val());
        let linear = match shares {
            [] => self.linear(begins, ends),
            [as_begins, as_ends] => at(as_begins, &firsts) + at(as_ends, &lasts),
            _ => unreachable!("the shares of `words`"),
        };
        let inner = linear + product + self.bias.val().unsqueeze_dim(0);
        self.outer.forward(tanh(inner))
    }

    /// Spans are taken by the log-probability of their label.
    fn rank(&self, scores: &[f32], label: usize) -> f64 {
        log_probability(scores, label)
    }
}
