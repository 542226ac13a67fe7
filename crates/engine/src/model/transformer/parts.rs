//! The two parts that every block is made of.

use super::source::ParameterSource;
use crate::model::checkpoints::CheckpointError;
use burn::module::{Module, Param};
use burn::tensor::Tensor;
use burn::tensor::module::layer_norm;

/// y = x·Wᵀ + b.
#[derive(Module, Debug)]
pub struct Linear {
    /// Output × input.
    pub weight: Param<Tensor<2>>,
    pub bias: Param<Tensor<1>>,
}

impl Linear {
    /// One layer out of those of these names, below each other, each input → output.
    pub fn read(
        source: &ParameterSource,
        names: &[String],
        input: usize,
        output: usize,
    ) -> Result<Self, CheckpointError> {
        let weight = |name: &String| source.matrix(&format!("{name}.weight"), [output, input]);
        let bias = |name: &String| source.vector(&format!("{name}.bias"), output, 0.0);
        let weights = names.iter().map(weight).collect::<Result<Vec<_>, _>>()?;
        let biases = names.iter().map(bias).collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            weight: Param::from_tensor(Tensor::cat(weights, 0)),
            bias: Param::from_tensor(Tensor::cat(biases, 0)),
        })
    }

    /// … × input to … × output.
    pub fn forward(&self, states: Tensor<3>) -> Tensor<3> {
        let [rows, length, input] = states.dims();
        let states = states.reshape([rows * length, input]).matmul(self.weight.val().transpose());
        let states = states + self.bias.val().unsqueeze_dim(0);
        let [_, output] = states.dims();
        states.reshape([rows, length, output])
    }
}

/// Layer normalisation (ba2016).
#[derive(Module, Debug)]
pub struct Norm {
    pub scale: Param<Tensor<1>>,
    pub shift: Param<Tensor<1>>,
    #[module(skip)]
    pub epsilon: f64,
}

impl Norm {
    /// The norm of this name.
    pub fn read(
        source: &ParameterSource,
        name: &str,
        width: usize,
        epsilon: f64,
    ) -> Result<Self, CheckpointError> {
        let scale = source.vector(&format!("{name}.weight"), width, 1.0)?;
        let shift = source.vector(&format!("{name}.bias"), width, 0.0)?;
        Ok(Self { scale: Param::from_tensor(scale), shift: Param::from_tensor(shift), epsilon })
    }

    /// Each vector with mean 0 and variance 1, then scaled and shifted.
    pub fn forward(&self, states: Tensor<3>) -> Tensor<3> {
        layer_norm(states, self.scale.val(), Some(self.shift.val()), self.epsilon)
    }
}
