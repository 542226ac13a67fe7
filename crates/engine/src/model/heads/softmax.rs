//! One independent choice a token.

use super::{BatchLoss, Gold, PerToken, mean_over_tokens, solved};
use crate::model::shallow::Solution;
use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::tensor::{Device, Tensor};
use parts::heads::softmax::Softmax as Declared;

/// A linear layer to one number a tag.
#[derive(Module, Debug)]
pub struct Softmax {
    pub linear: Linear,
}

impl Softmax {
    pub fn new(_: &Declared, input: usize, tags: usize, device: &Device) -> Self {
        Self { linear: LinearConfig::new(input, tags).init(device) }
    }

    /// Tokens × input to tokens × tags.
    pub fn logits(&self, states: Tensor<2>) -> Tensor<2> {
        self.linear.forward(states)
    }

    /// What the method's loss says of the tokens.
    pub fn loss(&self, logits: Tensor<2>, gold: Gold<'_>, loss: PerToken<'_>) -> BatchLoss {
        mean_over_tokens(logits, gold, loss)
    }

    /// The same head with what full-batch training found.
    pub fn with_solution(self, solution: &Solution, device: &Device) -> Self {
        let tags = self.linear.weight.dims()[1];
        Self { linear: solved(solution, tags, device) }
    }

    /// The likeliest tag of each token.
    pub fn decode(&self, logits: Tensor<2>, _: &[usize]) -> Vec<usize> {
        logits.argmax(1).into_data().iter::<i64>().map(|class| class as usize).collect()
    }
}
