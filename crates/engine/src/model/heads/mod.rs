//! Heads: from a token's vector to its tag.

mod biaffine;
mod binary;
mod crf;
pub mod mrc;
mod over_spans;
mod softmax;
mod span;
pub mod two_task;

use super::shallow::Solution;
use biaffine::Biaffine;
use binary::Binary;
use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::{Device, Element, Tensor, TensorData};
use domain::Part;
use method::loss::Tokens;
use mrc::Mrc;
use parts::heads as declared;
use softmax::Softmax;
use span::SpanLayers;
use two_task::TwoTask;

pub use crf::Crf;
pub use over_spans::{OverSpans, Places, annotated};

/// A loss over tokens: its value, and its gradient with respect to the logits in place of the last.
pub type PerToken<'a> = &'a dyn Fn(Tokens<'_>, &mut [f64]) -> f64;

/// What is to be learnt of a batch.
#[derive(Copy, Clone)]
pub struct Gold<'a> {
    /// The class of each token, sentence by sentence.
    pub classes: &'a [usize],
    /// The tokens of each sentence.
    pub sentences: &'a [usize],
}

/// What a batch costs.
pub struct BatchLoss {
    /// A scalar with the loss's gradient; its value may be another.
    pub tensor: Tensor<1>,
    /// The mean of the loss.
    pub value: f64,
    /// How many tokens or sentences it is the mean of.
    pub count: usize,
}

/// Decides tokens by a loss: its value, and a scalar that has its gradient. Losses are computed
/// beside the backend; what is handed to autodiff is the inner product of the logits with their
/// gradient.
pub fn weighed(logits: Tensor<2>, gold: Gold<'_>, loss: PerToken<'_>) -> (Tensor<1>, f64) {
    let numbers: Vec<f64> = numbers(logits.clone());
    let Gold { classes, sentences } = gold;
    let mut gradient = vec![0.0; numbers.len()];
    let value = loss(Tokens { logits: &numbers, gold: classes, sentences }, &mut gradient);
    (with_gradient(logits, gradient), value)
}

/// The same as what a batch costs: the mean over its tokens.
pub fn mean_over_tokens(logits: Tensor<2>, gold: Gold<'_>, loss: PerToken<'_>) -> BatchLoss {
    let (tensor, value) = weighed(logits, gold, loss);
    BatchLoss { tensor, value, count: gold.classes.len() }
}

/// A tensor's numbers in this process's memory.
pub fn numbers<E: Element, const D: usize>(tensor: Tensor<D>) -> Vec<E> {
    tensor.into_data().iter::<E>().collect()
}

/// A scalar that has this gradient with respect to the logits.
pub fn with_gradient(logits: Tensor<2>, gradient: Vec<f64>) -> Tensor<1> {
    let gradient: Vec<f32> = gradient.into_iter().map(|part| part as f32).collect();
    let data = TensorData::new(gradient, logits.dims());
    let gradient = Tensor::<2>::from_data(data, &logits.device());
    (logits * gradient).sum()
}

/// A class that training never saw is never chosen.
const NEVER: f32 = -1e4;

/// The linear layer of a solution, over `tags` classes.
fn solved(solution: &Solution, tags: usize, device: &Device) -> Linear {
    let classes = solution.observed.len().max(1);
    let dimension = solution.weights.len() / classes;
    let (mut weights, mut bias) = (vec![0.0; dimension * tags], vec![NEVER; tags]);
    for (place, class) in solution.observed.iter().enumerate() {
        bias[*class] = solution.bias.get(place).map_or(0.0, |bias| *bias as f32);
        for row in 0..dimension {
            weights[row * tags + class] = solution.weights[row * classes + place] as f32;
        }
    }
    let weight = Tensor::from_data(TensorData::new(weights, [dimension, tags]), device);
    let bias = Tensor::from_data(TensorData::new(bias, [tags]), device);
    Linear { weight: Param::from_tensor(weight), bias: Some(Param::from_tensor(bias)) }
}

macro_rules! heads {
    ($($Declared:ident => $type:ident),*) => {
        /// A head of any kind.
        #[allow(clippy::large_enum_variant, reason = "a job has one")]
        #[derive(Module, Debug)]
        pub enum Head {
            $($type($type)),*
        }

        impl Head {
            /// The head that a model names.
            pub fn new(part: &Part, input: usize, tags: usize, device: &Device) -> Self {
                match declared::Head::read(part) {
                    $(declared::Head::$Declared(settings) => {
                        Head::$type($type::new(&settings, input, tags, device))
                    })*
                }
            }

            /// Tokens × input to tokens × tags.
            pub fn logits(&self, states: Tensor<2>) -> Tensor<2> {
                match self { $(Head::$type(head) => head.logits(states)),* }
            }

            /// What to minimise, given the method's loss for heads that decide token by token.
            pub fn loss(&self, logits: Tensor<2>, gold: Gold<'_>, per_token: PerToken<'_>) -> BatchLoss {
                match self { $(Head::$type(head) => head.loss(logits, gold, per_token)),* }
            }

            /// The tag of each token.
            pub fn decode(&self, logits: Tensor<2>, sentences: &[usize]) -> Vec<usize> {
                match self { $(Head::$type(head) => head.decode(logits, sentences)),* }
            }
        }
    };
}

heads!(
    Softmax => Softmax,
    Crf => Crf,
    Mrc => Mrc,
    Binary => Binary,
    Span => SpanLayers,
    Biaffine => Biaffine,
    TwoTask => TwoTask
);

impl Head {
    /// The same head with what full-batch training found, for those that are trained so.
    pub fn with_solution(self, solution: &Solution, device: &Device) -> Self {
        match self {
            Head::Softmax(head) => Head::Softmax(head.with_solution(solution, device)),
            Head::Crf(head) => Head::Crf(head.with_solution(solution, device)),
            head => head,
        }
    }

    /// The random field, if it is one.
    pub fn field(&self) -> Option<&Crf> {
        match self {
            Head::Crf(field) => Some(field),
            _ => None,
        }
    }

    /// The head as one over spans, if it is one.
    pub fn over_spans(&self) -> Option<&dyn OverSpans> {
        match self {
            Head::SpanLayers(head) => Some(head),
            Head::Biaffine(head) => Some(head),
            _ => None,
        }
    }

    /// The loss over some spans with their labels, of a head over spans.
    pub fn loss_of_spans(
        &self,
        states: Tensor<2>,
        sentences: &[usize],
        spans: (&Places, &[usize]),
        per_token: PerToken<'_>,
    ) -> BatchLoss {
        match self {
            Head::SpanLayers(head) => head.loss_of(states, sentences, spans, per_token),
            Head::Biaffine(head) => head.loss_of(states, sentences, spans, per_token),
            _ => unreachable!("a head over spans, as was checked"),
        }
    }
}
