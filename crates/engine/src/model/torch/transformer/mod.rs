//! A transformer's layer and its embeddings, one node each, over the pieces of all rows one after
//! the other: nothing is padded, and attention stays inside each row.

mod backward;
mod embeddings;
mod layer;

pub use embeddings::embeddings;
pub use layer::layers;

use super::dropout::seed;
use super::memory::numbers;
use super::node::{NodeInput, node_input};
use crate::model::passes::{Dropping, Drops, Norms};
use crate::model::transformer::Norm;
use burn::nn::Dropout;
use burn::tensor::Device;
use tch::Tensor as Torch;

/// The norm that begins at an input.
fn norms(inputs: &[Torch], at: usize, epsilon: f64) -> Norms<'_> {
    Norms { scale: numbers(&inputs[at]), shift: numbers(&inputs[at + 1]), epsilon }
}

/// What is dropped of a share; nothing where it is 0.
fn dropping(share: f64) -> Option<Dropping> {
    (share > 0.0).then(|| Dropping::new(share, seed()))
}

/// What is dropped of the numbers of some places.
fn draw(share: f64, places: usize, width: usize) -> Option<Drops> {
    dropping(share).map(|dropping| dropping.draw(places, width))
}

/// The share that a dropout drops on this device now.
fn share(dropout: &Dropout, device: &Device) -> f64 {
    if dropout.training.is_enabled() && device.is_autodiff() { dropout.prob } else { 0.0 }
}

fn norm(part: &Norm) -> [NodeInput; 2] {
    [node_input(part.scale.val()), node_input(part.shift.val())]
}
