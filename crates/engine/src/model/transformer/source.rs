//! Where a model's parameters come from.

use crate::model::checkpoints::{CheckpointError, Weights};
use burn::tensor::{Device, Distribution, Tensor};

/// Fresh numbers, or those of a checkpoint.
pub enum ParameterSource<'a> {
    /// Normal with mean 0 and this standard deviation; vectors as they are asked for.
    Fresh { range: f64, device: &'a Device },
    /// By name.
    Stored { weights: &'a Weights, device: &'a Device },
}

impl ParameterSource<'_> {
    /// A matrix.
    pub fn matrix(&self, name: &str, shape: [usize; 2]) -> Result<Tensor<2>, CheckpointError> {
        match self {
            ParameterSource::Fresh { range, device } => {
                Ok(Tensor::random(shape, Distribution::Normal(0.0, *range), *device))
            }
            ParameterSource::Stored { weights, device } => weights.tensor(name, shape, device),
        }
    }

    /// A vector, which is `fill` everywhere where it is fresh.
    pub fn vector(&self, name: &str, n: usize, fill: f64) -> Result<Tensor<1>, CheckpointError> {
        match self {
            ParameterSource::Fresh { device, .. } => Ok(Tensor::full([n], fill, *device)),
            ParameterSource::Stored { weights, device } => weights.tensor(name, [n], device),
        }
    }
}
