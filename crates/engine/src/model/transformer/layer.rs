//! One layer: attention, then two linear layers, each added to its input and normalised.

use super::attention::{Cross, Heads, Own};
use super::names::Names;
use super::parts::{Linear, Norm};
use super::settings::{Activation, Stack, TransformerSettings};
use super::source::ParameterSource;
use crate::model::checkpoints::CheckpointError;
use crate::model::padded::{Padded, causal};
use burn::module::Module;
use burn::nn::{Dropout, DropoutConfig};
use burn::tensor::Tensor;
use burn::tensor::activation::{gelu, gelu_approximate, relu};
use domain::Precision;

/// A layer of an encoder, or of a decoder if it has `cross`.
#[derive(Module, Debug)]
pub struct Layer {
    pub own: Own,
    pub cross: Option<Cross>,
    pub inner: Linear,
    pub outer: Linear,
    pub norm: Norm,
    /// Of what is added to a block's input.
    pub dropout: Dropout,
    /// Of attention.
    pub attention_dropout: Dropout,
    /// Of the inner numbers.
    pub inner_dropout: Dropout,
    #[module(skip)]
    pub heads: usize,
    #[module(skip)]
    pub activation: Activation,
    /// Of the matrix products; Burn's operations have 32 bits alone.
    #[module(skip)]
    pub precision: Precision,
}

impl Layer {
    /// The layers of a stack.
    pub fn read_all(
        source: &ParameterSource,
        names: &Names,
        settings: &TransformerSettings,
        stack: Stack,
        decodes: bool,
    ) -> Result<Vec<Self>, CheckpointError> {
        let layer = |i| {
            Self::read(source, &format!("{}.{i}", names.layers), names, settings, stack, decodes)
        };
        (0..stack.layers).map(layer).collect()
    }

    fn read(
        source: &ParameterSource,
        layer: &str,
        names: &Names,
        settings: &TransformerSettings,
        stack: Stack,
        decodes: bool,
    ) -> Result<Self, CheckpointError> {
        let width = settings.width;
        let name = |part: &str| format!("{layer}.{part}");
        let cross = || Cross::read(source, layer, &names.cross, settings);
        let dropout = |share| DropoutConfig::new(share).init();
        Ok(Self {
            own: Own::read(source, layer, &names.own, settings)?,
            cross: decodes.then(cross).transpose()?,
            inner: Linear::read(source, &[name(names.inner)], width, stack.inner)?,
            outer: Linear::read(source, &[name(names.outer)], stack.inner, width)?,
            norm: Norm::read(source, &name(names.norm), width, settings.epsilon)?,
            dropout: dropout(settings.dropout),
            attention_dropout: dropout(settings.attention_dropout),
            inner_dropout: dropout(settings.activation_dropout),
            heads: stack.heads,
            activation: settings.activation,
            precision: Precision::F32,
        })
    }

    /// The states after this layer, on Burn's operations. A decoder's layer reads the encoder's
    /// states as `context`, whose rows `rows` then are.
    pub fn forward_on_burn(
        &self,
        states: Tensor<3>,
        context: Option<&Tensor<3>>,
        rows: &Padded<'_>,
    ) -> Tensor<3> {
        let (device, [_, length, _]) = (states.device(), states.dims());
        let how = Heads { heads: self.heads, dropout: &self.attention_dropout };
        let padded = rows.scores(&device);
        let bias = match self.cross {
            Some(_) => Some(causal(length, &device)),
            None => padded.clone(),
        };
        let taken = self.own.forward(states.clone(), bias, &how);
        let mut states = self.own.norm.forward(states + self.dropout.forward(taken));
        if let (Some(cross), Some(context)) = (&self.cross, context) {
            let taken = cross.forward(states.clone(), context.clone(), padded, &how);
            states = cross.norm.forward(states + self.dropout.forward(taken));
        }
        let inner = self.inner_dropout.forward(self.activate(self.inner.forward(states.clone())));
        let outer = self.dropout.forward(self.outer.forward(inner));
        self.norm.forward(states + outer)
    }

    fn activate(&self, states: Tensor<3>) -> Tensor<3> {
        match self.activation {
            Activation::Gelu => gelu(states),
            Activation::GeluTanh => gelu_approximate(states),
            Activation::Relu => relu(states),
        }
    }
}
