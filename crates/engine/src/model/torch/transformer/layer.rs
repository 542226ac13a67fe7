//! A layer as one node: attention to the row itself, in a decoder to the encoder's states, then two
//! linear layers.

use super::backward::LayerGradients;
use super::{draw, dropping, norm, norms, share};
use crate::model::passes::{
    Attention, BatchRows, Buffer, Dropping, MatrixPart, Normalised, activate, activate_with_slopes,
    normalise_sum,
};
use crate::model::products::{Operand, Precision, Product, Shape, Start};
use crate::model::torch::memory::{filled, numbers};
use crate::model::torch::node::{Back, NodeInput, node, node_input};
use crate::model::torch::product::product;
use crate::model::transformer::{Activation, Cross, Layer, Linear, Own};
use burn::tensor::Tensor;
use std::sync::Arc;
use tch::Tensor as Torch;

/// Inputs of a node: the states and a layer's parameters.
const OF_ENCODER: usize = 13;
/// And the encoder's states and eight parameters of the attention to them.
const OF_DECODER: usize = OF_ENCODER + 9;

/// Where the parts of a block are among the inputs: a linear layer and a norm are two of them.
pub(super) const STATES: usize = 0;
pub(super) const OWN_INPUT: usize = 1;
const OWN_OUTPUT: usize = 3;
const OWN_NORM: usize = 5;
pub(super) const INNER: usize = 7;
pub(super) const OUTER: usize = 9;
pub(super) const NORM: usize = 11;
pub(super) const CONTEXT: usize = OF_ENCODER;
pub(super) const CROSS_QUERY: usize = CONTEXT + 1;
pub(super) const CROSS_CONTEXT: usize = CONTEXT + 3;
const CROSS_OUTPUT: usize = CONTEXT + 5;
const CROSS_NORM: usize = CONTEXT + 7;

/// The states after some layers: pieces × width. A decoder's layers read the encoder's states as
/// `context`.
pub fn layers(
    layers: &[Layer],
    states: Tensor<2>,
    context: Option<&Tensor<2>>,
    rows: &Arc<BatchRows>,
) -> Tensor<2> {
    layers.iter().fold(states, |states, part| layer(part, states, context, rows))
}

fn layer(
    layer: &Layer,
    states: Tensor<2>,
    context: Option<&Tensor<2>>,
    rows: &Arc<BatchRows>,
) -> Tensor<2> {
    let device = states.device();
    let plan = LayerPlan {
        rows: rows.clone(),
        width: states.dims()[1],
        heads: layer.heads,
        epsilon: layer.norm.epsilon,
        activation: layer.activation,
        precision: layer.precision,
        dropout: share(&layer.dropout, &device),
        attention_dropout: share(&layer.attention_dropout, &device),
        inner_dropout: share(&layer.inner_dropout, &device),
    };
    let mut inputs = vec![node_input(states)];
    inputs.extend(own(&layer.own));
    inputs.extend(
        [linear(&layer.inner), linear(&layer.outer), norm(&layer.norm)].into_iter().flatten(),
    );
    match (&layer.cross, context) {
        (Some(attention), Some(context)) => {
            inputs.push(node_input(context.clone()));
            inputs.extend(cross(attention));
            node::<OF_DECODER, 2>(inputs, move |inputs, keep| plan.forward(inputs, keep))
        }
        _ => node::<OF_ENCODER, 2>(inputs, move |inputs, keep| plan.forward(inputs, keep)),
    }
}

/// What a layer's node computes with.
pub(super) struct LayerPlan {
    rows: Arc<BatchRows>,
    pub width: usize,
    heads: usize,
    epsilon: f64,
    activation: Activation,
    pub precision: Precision,
    /// 0 where nothing is trained.
    dropout: f64,
    attention_dropout: f64,
    inner_dropout: f64,
}

/// What the way back needs of a layer.
pub(super) struct Tape {
    pub own: Attended,
    pub cross: Option<Attended>,
    pub fed: Fed,
}

/// What the way back needs of a block of attention.
pub(super) struct Attended {
    /// Queries, keys and values side by side; of a decoder's attention to its encoder the queries
    /// alone.
    pub parts: Buffer,
    /// There the keys and values.
    pub context: Option<Buffer>,
    pub dropping: Option<Dropping>,
    pub shares: Buffer,
    pub taken: Buffer,
    pub normalised: Normalised,
    /// The states after the block.
    pub states: Buffer,
}

/// What the way back needs of the two linear layers.
pub(super) struct Fed {
    pub slopes: Buffer,
    pub inner: Buffer,
    pub normalised: Normalised,
}

impl LayerPlan {
    /// The inputs are in the order of the constants above.
    fn forward(self, inputs: &[Torch], keep: bool) -> (Torch, Option<Back>) {
        let own = self.attend(numbers(&inputs[STATES]), None, inputs);
        let cross = inputs
            .get(CONTEXT)
            .map(|context| self.attend(&own.states, Some(numbers(context)), inputs));
        let states = cross.as_ref().map_or(&own.states, |cross| &cross.states);
        let (output, fed) = self.feed(states, inputs, keep);
        let back: Option<Back> = keep.then(|| -> Back {
            let tape = Tape { own, cross, fed };
            Box::new(move |gradient, inputs, wanted| {
                LayerGradients::new(&self, inputs, wanted).of(tape, numbers(gradient))
            })
        });
        (output, back)
    }

    pub fn places(&self) -> usize {
        self.rows.places()
    }

    /// A block of attention: to the row itself, or to the row of the same number in `context`.
    fn attend(&self, states: &[f32], context: Option<&[f32]>, inputs: &[Torch]) -> Attended {
        let width = self.width;
        let [output, norm] = after_attention(context.is_some());
        let (parts, context) = match context {
            None => (self.linear(states, inputs, OWN_INPUT), None),
            Some(context) => (
                self.linear(states, inputs, CROSS_QUERY),
                Some(self.linear(context, inputs, CROSS_CONTEXT)),
            ),
        };
        let dropping = dropping(self.attention_dropout);
        let attention = self.attention(context.is_some(), inputs, dropping);
        let mut shares = Buffer::of(attention.shares());
        let mut taken = Buffer::of(self.places() * width);
        let operands = self.operands(&parts, context.as_deref());
        attention.forward(operands, &mut shares, &mut taken);
        let added = self.linear(&taken, inputs, output);
        let mut after = Buffer::of(self.places() * width);
        let norms = norms(inputs, norm, self.epsilon);
        let normalised = normalise_sum(
            states,
            added,
            draw(self.dropout, self.places(), width),
            norms,
            &mut after,
        );
        Attended { parts, context, dropping, shares, taken, normalised, states: after }
    }

    /// A decoder's attention to its own row sees no place after its own.
    pub fn attention(
        &self,
        to_context: bool,
        inputs: &[Torch],
        dropping: Option<Dropping>,
    ) -> Attention<'_> {
        let (rows, heads, width) = (&*self.rows, self.heads, self.width / self.heads);
        let causal = !to_context && inputs.len() > CONTEXT;
        Attention { rows, heads, width, causal, dropping }
    }

    /// Queries, keys and values.
    pub fn operands<'a>(
        &self,
        parts: &'a [f32],
        context: Option<&'a [f32]>,
    ) -> [MatrixPart<'a>; 3] {
        let width = self.width;
        let part = |numbers, stride: usize, i: usize| MatrixPart {
            numbers,
            stride: stride * width,
            first: i * width,
        };
        match context {
            None => [0, 1, 2].map(|i| part(parts, 3, i)),
            Some(context) => [part(parts, 1, 0), part(context, 2, 0), part(context, 2, 1)],
        }
    }

    /// The two linear layers.
    fn feed(&self, states: &[f32], inputs: &[Torch], keep: bool) -> (Torch, Fed) {
        let mut slopes = self.linear(states, inputs, INNER);
        let inner = if keep || self.inner_dropout > 0.0 {
            let mut inner = Buffer::of(slopes.len());
            let width = slopes.len() / self.places().max(1);
            let drops = draw(self.inner_dropout, self.places(), width);
            activate_with_slopes(&mut slopes, self.activation, drops.as_ref(), &mut inner);
            inner
        } else {
            activate(&mut slopes, self.activation);
            std::mem::replace(&mut slopes, Buffer::of(0))
        };
        let added = self.linear(&inner, inputs, OUTER);
        let drops = draw(self.dropout, self.places(), self.width);
        let norms = norms(inputs, NORM, self.epsilon);
        let mut normalised = None;
        let output = filled(&[self.places() as i64, self.width as i64], |output| {
            normalised = Some(normalise_sum(states, added, drops, norms, output));
        });
        let normalised = normalised.expect("`filled` calls");
        (output, Fed { slopes, inner, normalised })
    }

    /// x·Wᵀ + b of the linear layer that begins at an input.
    fn linear(&self, states: &[f32], inputs: &[Torch], at: usize) -> Buffer {
        let (weight, bias) = (&inputs[at], numbers(&inputs[at + 1]));
        let shape =
            Shape { rows: self.places(), depth: weight.size()[1] as usize, columns: bias.len() };
        let mut output = Buffer::of(shape.rows * shape.columns);
        let left = Operand::Plain(states);
        let right = Operand::Turned(numbers(weight));
        let (precision, start) = (self.precision, Start::Bias(bias));
        product(Product { shape, left, right, precision, start }, &mut output);
        output
    }

    /// Writes g·W, the gradient of a linear layer's input.
    pub fn linear_back(&self, gradient: &[f32], weight: &Torch, start: Start, output: &mut [f32]) {
        let size = weight.size();
        let shape =
            Shape { rows: self.places(), depth: size[0] as usize, columns: size[1] as usize };
        let left = Operand::Plain(gradient);
        let right = Operand::Plain(numbers(weight));
        product(Product { shape, left, right, precision: self.precision, start }, output);
    }
}

/// Where the linear layer and the norm after an attention are among the inputs.
pub(super) fn after_attention(to_context: bool) -> [usize; 2] {
    if to_context { [CROSS_OUTPUT, CROSS_NORM] } else { [OWN_OUTPUT, OWN_NORM] }
}

fn own(attention: &Own) -> impl Iterator<Item = NodeInput> {
    let parts = [linear(&attention.input), linear(&attention.output), norm(&attention.norm)];
    parts.into_iter().flatten()
}

fn cross(attention: &Cross) -> impl Iterator<Item = NodeInput> {
    let Cross { query, context, output, norm: after } = attention;
    [linear(query), linear(context), linear(output), norm(after)].into_iter().flatten()
}

fn linear(part: &Linear) -> [NodeInput; 2] {
    [node_input(part.weight.val()), node_input(part.bias.val())]
}
