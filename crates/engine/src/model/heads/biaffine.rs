//! A biaffine head over spans (Yu et al. 2020, *Named Entity Recognition as Dependency Parsing*):
//! each word is projected once as a beginning and once as an end, and a bilinear form with bias
//! gives a number a label for each pair.
//!
//! As in the authors' code: the form begins at zero, dropout takes the same numbers of all words of
//! a sentence, the loss is a sum over all spans, and of entities that overlap the one with the
//! highest score stays.

use super::over_spans::{OverSpans, Places, sentence_mask};
use crate::model::batch::indices;
use burn::module::{Module, Param};
use burn::nn::{Linear, LinearConfig};
use burn::tensor::{Device, Tensor};
use parts::heads::biaffine::{Biaffine as Declared, BiaffineReduction};

/// Two projections and the form over both.
#[derive(Module, Debug)]
pub struct Biaffine {
    begins: Linear,
    ends: Linear,
    /// (width + 1) × labels·(width + 1): the last of either side is the bias.
    pub form: Param<Tensor<2>>,
    #[module(skip)]
    width: usize,
    #[module(skip)]
    dropout: f64,
    #[module(skip)]
    sums: bool,
}

impl Biaffine {
    pub fn new(declared: &Declared, input: usize, tags: usize, device: &Device) -> Self {
        let width = declared.span_width;
        let form = [width + 1, (1 + tags / 2) * (width + 1)];
        Self {
            begins: LinearConfig::new(input, width).init(device),
            ends: LinearConfig::new(input, width).init(device),
            form: Param::from_tensor(Tensor::zeros(form, device)),
            width,
            dropout: declared.span_dropout,
            sums: declared.reduction == BiaffineReduction::Sum,
        }
    }
}

/// The same rows with a 1 behind each.
fn with_one(rows: Tensor<2>) -> Tensor<2> {
    let ones = Tensor::ones([rows.dims()[0], 1], &rows.device());
    Tensor::cat(vec![rows, ones], 1)
}

impl OverSpans for Biaffine {
    /// The form is cheap, and all pairs go through it at once.
    fn chunk(&self) -> usize {
        usize::MAX
    }

    fn sums(&self) -> bool {
        self.sums
    }

    /// Each word as a beginning and as an end.
    fn words(&self, states: Tensor<2>, sentences: &[usize], _: bool) -> Vec<Tensor<2>> {
        let device = states.device();
        let masked = |projected: Tensor<2>| match self.dropout > 0.0 && device.is_autodiff() {
            true => projected * sentence_mask(sentences, self.width, self.dropout, &device),
            false => projected,
        };
        let begins = masked(self.begins.forward(states.clone()));
        let ends = masked(self.ends.forward(states));
        vec![begins, ends]
    }

    fn scores(&self, words: &[Tensor<2>], sentences: &[usize], places: &Places) -> Tensor<2> {
        let [begins, ends] = words else { unreachable!("the two of `words`") };
        let device = begins.device();
        let longest = sentences.iter().copied().max().unwrap_or(0);
        let (all, side) = (sentences.len(), self.width + 1);
        let labels = self.form.dims()[1] / side;
        // Words to places of padded sentences; what stands in padding is never read.
        let mut first = 0;
        let mut padded = Vec::with_capacity(all * longest);
        let mut sentence_of = Vec::new();
        for (sentence, &words) in sentences.iter().enumerate() {
            let last = (first + words).max(1) - 1;
            padded.extend((0..longest).map(|place| (first + place).min(last)));
            sentence_of.extend(std::iter::repeat_n((sentence * longest, first), words));
            first += words;
        }
        let padded = indices(padded, &device);
        let begins = with_one(begins.clone()).matmul(self.form.val()).select(0, padded.clone());
        let begins = begins.reshape([all, longest * labels, side]);
        let ends = with_one(ends.clone()).select(0, padded);
        let ends = ends.reshape([all, longest, side]).swap_dims(1, 2);
        let scores = begins.matmul(ends).reshape([all * longest, labels, longest]);
        let scores = scores.swap_dims(1, 2).reshape([all * longest * longest, labels]);
        let pairs = places.0.iter().map(|&(begin, end)| {
            let (row, first) = sentence_of[begin];
            (row + begin - first) * longest + end - first
        });
        scores.select(0, indices(pairs, &device))
    }

    /// Spans are taken by the score of their label as it is.
    fn rank(&self, scores: &[f32], label: usize) -> f64 {
        f64::from(scores[label])
    }
}
