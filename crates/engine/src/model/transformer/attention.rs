//! Multi-head attention (vaswani2017).

use super::names::AttentionNames;
use super::parts::{Linear, Norm};
use super::settings::TransformerSettings;
use super::source::ParameterSource;
use crate::model::checkpoints::CheckpointError;
use burn::module::Module;
use burn::nn::Dropout;
use burn::tensor::Tensor;
use burn::tensor::activation::softmax;

/// A piece's attention to the pieces of its own row.
#[derive(Module, Debug)]
pub struct Own {
    /// Queries, keys and values below each other.
    pub input: Linear,
    pub output: Linear,
    pub norm: Norm,
}

/// A decoder's attention to the encoder's states.
#[derive(Module, Debug)]
pub struct Cross {
    pub query: Linear,
    /// Keys and values below each other.
    pub context: Linear,
    pub output: Linear,
    pub norm: Norm,
}

impl Own {
    /// The attention below `layer`.
    pub fn read(
        source: &ParameterSource,
        layer: &str,
        names: &AttentionNames,
        settings: &TransformerSettings,
    ) -> Result<Self, CheckpointError> {
        let name = |part: &str| format!("{layer}.{part}");
        let width = settings.width;
        let input = [name(names.query), name(names.key), name(names.value)];
        Ok(Self {
            input: Linear::read(source, &input, width, width)?,
            output: Linear::read(source, &[name(names.output)], width, width)?,
            norm: Norm::read(source, &name(names.norm), width, settings.epsilon)?,
        })
    }

    /// What the pieces take from each other; `bias` is added to the scores.
    pub fn forward(&self, states: Tensor<3>, bias: Option<Tensor<4>>, how: &Heads) -> Tensor<3> {
        let [query, key, value] = how.split(self.input.forward(states));
        self.output.forward(how.attend(query, key, value, bias))
    }
}

impl Cross {
    /// The attention below `layer`.
    pub fn read(
        source: &ParameterSource,
        layer: &str,
        names: &AttentionNames,
        settings: &TransformerSettings,
    ) -> Result<Self, CheckpointError> {
        let name = |part: &str| format!("{layer}.{part}");
        let width = settings.width;
        let context = [name(names.key), name(names.value)];
        Ok(Self {
            query: Linear::read(source, &[name(names.query)], width, width)?,
            context: Linear::read(source, &context, width, width)?,
            output: Linear::read(source, &[name(names.output)], width, width)?,
            norm: Norm::read(source, &name(names.norm), width, settings.epsilon)?,
        })
    }

    /// What the pieces take from `context`.
    pub fn forward(
        &self,
        states: Tensor<3>,
        context: Tensor<3>,
        bias: Option<Tensor<4>>,
        how: &Heads,
    ) -> Tensor<3> {
        let [query] = how.split(self.query.forward(states));
        let [key, value] = how.split(self.context.forward(context));
        self.output.forward(how.attend(query, key, value, bias))
    }
}

/// How attention is computed.
pub struct Heads<'a> {
    pub heads: usize,
    pub dropout: &'a Dropout,
}

impl Heads<'_> {
    /// Rows × pieces × (N·width) to N times rows × heads × pieces × width of a head.
    fn split<const N: usize>(&self, states: Tensor<3>) -> [Tensor<4>; N] {
        let [rows, length, widths] = states.dims();
        let width = widths / N / self.heads;
        let states = states.reshape([rows, length, N, self.heads, width]);
        let part = |i| states.clone().narrow(2, i, 1).squeeze_dim::<4>(2).swap_dims(1, 2);
        std::array::from_fn(part)
    }

    /// softmax(QKᵀ/√d + bias)·V, the heads side by side.
    fn attend(
        &self,
        query: Tensor<4>,
        key: Tensor<4>,
        value: Tensor<4>,
        bias: Option<Tensor<4>>,
    ) -> Tensor<3> {
        let [rows, heads, length, width] = query.dims();
        let scores = query.matmul(key.swap_dims(2, 3)) / (width as f64).sqrt();
        let scores = match bias {
            Some(bias) => scores + bias,
            None => scores,
        };
        let shares = self.dropout.forward(softmax(scores, 3));
        shares.matmul(value).swap_dims(1, 2).reshape([rows, length, heads * width])
    }
}
