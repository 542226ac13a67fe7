//! A transformer's layer and its embeddings, one node each, over the pieces of all rows one after the other: nothing
//! is padded, and attention stays inside each row.

use super::dropout::seed;
use super::memory::{filled, numbers, written};
use super::node::{Back, node};
use super::product::product;
use super::region::{Operand, operand};
use crate::model::passes::{
    Attention, Buffer, Dropping, Gradients, Normalised, Norms, Part, Rows, activate,
    activate_with_slopes, add_up_columns, normalise, normalise_sum, times_slopes,
};
use crate::model::products::{self, Precision, Shape, Start};
use crate::model::transformer::{Activation, Cross, Embeddings, Layer, Linear, Norm, Own};
use burn::nn::{Dropout, Embedding};
use burn::tensor::{Device, Tensor};
use std::sync::Arc;
use tch::Tensor as Torch;

/// Inputs of a node: the states and a layer's parameters.
const OF_ENCODER: usize = 13;
/// And the encoder's states and eight parameters of the attention to them.
const OF_DECODER: usize = OF_ENCODER + 9;

/// Where the parts of a block are among the inputs: a linear layer and a norm are two of them.
const STATES: usize = 0;
const OWN_INPUT: usize = 1;
const OWN_OUTPUT: usize = 3;
const OWN_NORM: usize = 5;
const INNER: usize = 7;
const OUTER: usize = 9;
const NORM: usize = 11;
const CONTEXT: usize = OF_ENCODER;
const CROSS_QUERY: usize = CONTEXT + 1;
const CROSS_CONTEXT: usize = CONTEXT + 3;
const CROSS_OUTPUT: usize = CONTEXT + 5;
const CROSS_NORM: usize = CONTEXT + 7;

/// The states after some layers: pieces × width. A decoder's layers read the encoder's states as `context`.
pub fn layers(
    layers: &[Layer],
    states: Tensor<2>,
    context: Option<&Tensor<2>>,
    rows: &Arc<Rows>,
) -> Tensor<2> {
    layers.iter().fold(states, |states, part| layer(part, states, context, rows))
}

fn layer(
    layer: &Layer,
    states: Tensor<2>,
    context: Option<&Tensor<2>>,
    rows: &Arc<Rows>,
) -> Tensor<2> {
    let device = states.device();
    let plan = Plan {
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
    let mut inputs = vec![operand(states)];
    inputs.extend(own(&layer.own));
    inputs.extend(
        [linear(&layer.inner), linear(&layer.outer), norm(&layer.norm)].into_iter().flatten(),
    );
    match (&layer.cross, context) {
        (Some(attention), Some(context)) => {
            inputs.push(operand(context.clone()));
            inputs.extend(cross(attention));
            node(exactly::<OF_DECODER>(inputs), move |inputs, keep| plan.forward(inputs, keep))
        }
        _ => node(exactly::<OF_ENCODER>(inputs), move |inputs, keep| plan.forward(inputs, keep)),
    }
}

/// What the first layer reads: pieces × width. Positions count from the beginning of each row.
pub fn embeddings(
    tables: &Embeddings,
    pieces: &Embedding,
    ids: Vec<i64>,
    segments: Option<Vec<i64>>,
    lengths: &[usize],
) -> Tensor<2> {
    let [_, width] = pieces.weight.dims();
    let offset = tables.offset;
    let look_up = LookUp {
        width,
        ids: ids.iter().map(|&id| id as usize).collect(),
        positions: lengths.iter().flat_map(|&length| offset..offset + length).collect(),
        segments: match segments.filter(|_| tables.tells_texts_apart()) {
            Some(segments) => segments.iter().map(|&segment| segment as usize).collect(),
            None => vec![0; ids.len()],
        },
        scale: tables.scale as f32,
        epsilon: tables.norm.epsilon,
        dropout: share(&tables.dropout, &pieces.weight.device()),
    };
    assert_eq!(look_up.positions.len(), ids.len(), "the lengths are those of the rows");
    let mut inputs = vec![operand(pieces.weight.val()), operand(tables.positions.val())];
    inputs.extend(norm(&tables.norm));
    let run = move |inputs: &[Torch], keep| look_up.forward(inputs, keep);
    match &tables.types {
        Some(types) => {
            inputs.push(operand(types.val()));
            node(exactly::<5>(inputs), run)
        }
        None => node(exactly::<4>(inputs), run),
    }
}

/// What the embeddings' node computes with.
struct LookUp {
    width: usize,
    /// For each place a row of each table.
    ids: Vec<usize>,
    positions: Vec<usize>,
    segments: Vec<usize>,
    /// What a piece's vector is multiplied with.
    scale: f32,
    epsilon: f64,
    /// 0 where nothing is trained.
    dropout: f64,
}

impl LookUp {
    fn forward(self, inputs: &[Torch], keep: bool) -> (Torch, Option<Back>) {
        let (count, width) = (self.ids.len(), self.width);
        let mut sums = Buffer::of(count * width);
        let tables: Vec<&[f32]> = inputs.iter().map(numbers).collect();
        let row = |table: usize, row: usize| &tables[table][row * width..][..width];
        for (place, sum) in sums.chunks_exact_mut(width).enumerate() {
            let piece = row(0, self.ids[place]);
            let position = row(1, self.positions[place]);
            for ((sum, piece), position) in sum.iter_mut().zip(piece).zip(position) {
                *sum = piece * self.scale + position;
            }
            if tables.len() > 4 {
                let types = row(4, self.segments[place]);
                sum.iter_mut().zip(types).for_each(|(sum, number)| *sum += number);
            }
        }
        let drops = dropping(self.dropout).map(|dropping| dropping.draw(count, width));
        let mut normalised = None;
        let output = filled(&[count as i64, width as i64], |output| {
            normalised = Some(normalise(sums, drops, norms(inputs, 2, self.epsilon), output));
        });
        let normalised = normalised.expect("`filled` calls");
        let back: Option<Back> = keep.then(|| -> Back {
            Box::new(move |gradient, inputs, wanted| {
                self.back(normalised, gradient, inputs, wanted)
            })
        });
        (output, back)
    }

    fn back(
        self,
        normalised: Normalised,
        gradient: &Torch,
        inputs: &[Torch],
        wanted: &[bool],
    ) -> Vec<Option<Torch>> {
        let scale = numbers(&inputs[2]);
        let (rows, of_scale, of_shift) = normalised.back_of_dropped(numbers(gradient), scale);
        let table = |table: usize, places: &[usize], factor: f32| {
            let table = inputs.get(table).filter(|_| wanted[table])?;
            let width = self.width;
            Some(filled(&table.size(), |sums| {
                for (row, gradient) in places.iter().zip(rows.chunks_exact(width)) {
                    let sums = &mut sums[row * width..][..width];
                    sums.iter_mut().zip(gradient).for_each(|(sum, number)| *sum += number * factor);
                }
            }))
        };
        let mut found = vec![
            table(0, &self.ids, self.scale),
            table(1, &self.positions, 1.0),
            Some(Torch::from_slice(&of_scale)),
            Some(Torch::from_slice(&of_shift)),
        ];
        if inputs.len() > 4 {
            found.push(table(4, &self.segments, 1.0));
        }
        found
    }
}

/// What a layer's node computes with.
struct Plan {
    rows: Arc<Rows>,
    width: usize,
    heads: usize,
    epsilon: f64,
    activation: Activation,
    precision: Precision,
    /// 0 where nothing is trained.
    dropout: f64,
    attention_dropout: f64,
    inner_dropout: f64,
}

/// What the way back needs of a layer.
struct Tape {
    own: Attended,
    cross: Option<Attended>,
    fed: Fed,
}

/// What the way back needs of a block of attention.
struct Attended {
    /// Queries, keys and values side by side; of a decoder's attention to its encoder the queries alone.
    parts: Buffer,
    /// There the keys and values.
    context: Option<Buffer>,
    dropping: Option<Dropping>,
    shares: Buffer,
    taken: Buffer,
    normalised: Normalised,
    /// The states after the block.
    states: Buffer,
}

/// What the way back needs of the two linear layers.
struct Fed {
    slopes: Buffer,
    inner: Buffer,
    normalised: Normalised,
}

impl Plan {
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
                let mut found = Found { plan: &self, inputs, wanted, found: no_gradients(inputs) };
                found.layer(tape, numbers(gradient));
                found.found
            })
        });
        (output, back)
    }

    fn places(&self) -> usize {
        self.rows.places()
    }

    /// A block of attention: to the row itself, or to the row of the same number in `context`.
    fn attend(&self, states: &[f32], context: Option<&[f32]>, inputs: &[Torch]) -> Attended {
        let width = self.width;
        let (output, norm) = match context {
            None => (OWN_OUTPUT, OWN_NORM),
            Some(_) => (CROSS_OUTPUT, CROSS_NORM),
        };
        let (parts, context) = match context {
            None => (self.linear(states, inputs, OWN_INPUT), None),
            Some(context) => (
                self.linear(states, inputs, CROSS_QUERY),
                Some(self.linear(context, inputs, CROSS_CONTEXT)),
            ),
        };
        let dropping = dropping(self.attention_dropout);
        let attention = self.attention(context.is_none() && inputs.len() > CONTEXT, dropping);
        let mut shares = Buffer::of(attention.shares());
        let mut taken = Buffer::of(self.places() * width);
        let operands = self.operands(&parts, context.as_deref());
        attention.forward(operands, &mut shares, &mut taken);
        let added = self.linear(&taken, inputs, output);
        let mut after = Buffer::of(self.places() * width);
        let norms = norms(inputs, norm, self.epsilon);
        let normalised = normalise_sum(states, added, self.drops(width), norms, &mut after);
        Attended { parts, context, dropping, shares, taken, normalised, states: after }
    }

    fn attention(&self, causal: bool, dropping: Option<Dropping>) -> Attention<'_> {
        let (rows, heads, width) = (&*self.rows, self.heads, self.width / self.heads);
        Attention { rows, heads, width, causal, dropping }
    }

    /// Queries, keys and values.
    fn operands<'a>(&self, parts: &'a [f32], context: Option<&'a [f32]>) -> [Part<'a>; 3] {
        let width = self.width;
        let part = |numbers, stride: usize, i: usize| Part {
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
            let drops = dropping(self.inner_dropout)
                .map(|dropping| dropping.draw(self.places(), slopes.len() / self.places().max(1)));
            activate_with_slopes(&mut slopes, self.activation, drops.as_ref(), &mut inner);
            inner
        } else {
            activate(&mut slopes, self.activation);
            std::mem::replace(&mut slopes, Buffer::of(0))
        };
        let added = self.linear(&inner, inputs, OUTER);
        let drops = self.drops(self.width);
        let norms = norms(inputs, NORM, self.epsilon);
        let mut normalised = None;
        let output = filled(&[self.places() as i64, self.width as i64], |output| {
            normalised = Some(normalise_sum(states, added, drops, norms, output));
        });
        let normalised = normalised.expect("`filled` calls");
        (output, Fed { slopes, inner, normalised })
    }

    fn drops(&self, width: usize) -> Option<crate::model::passes::Drops> {
        dropping(self.dropout).map(|dropping| dropping.draw(self.places(), width))
    }

    /// x·Wᵀ + b of the linear layer that begins at an input.
    fn linear(&self, states: &[f32], inputs: &[Torch], at: usize) -> Buffer {
        let (weight, bias) = (&inputs[at], numbers(&inputs[at + 1]));
        let shape =
            Shape { rows: self.places(), depth: weight.size()[1] as usize, columns: bias.len() };
        let mut output = Buffer::of(shape.rows * shape.columns);
        let left = products::Operand::Plain(states);
        let right = products::Operand::Turned(numbers(weight));
        product(shape, left, right, self.precision, Start::Bias(bias), &mut output);
        output
    }

    /// Writes g·W, the gradient of a linear layer's input.
    fn linear_back(&self, gradient: &[f32], weight: &Torch, start: Start, output: &mut [f32]) {
        let size = weight.size();
        let shape =
            Shape { rows: self.places(), depth: size[0] as usize, columns: size[1] as usize };
        let left = products::Operand::Plain(gradient);
        let right = products::Operand::Plain(numbers(weight));
        product(shape, left, right, self.precision, start, output);
    }
}

/// The gradients that were found so far.
struct Found<'a> {
    plan: &'a Plan,
    inputs: &'a [Torch],
    wanted: &'a [bool],
    found: Vec<Option<Torch>>,
}

impl Found<'_> {
    fn layer(&mut self, tape: Tape, gradient: &[f32]) {
        let Tape { own, cross, fed } = tape;
        let before = cross.as_ref().map_or(&own.states, |cross| &cross.states);
        let gradient = self.fed(fed, before, gradient);
        let gradient = match cross {
            Some(cross) => self.attended(cross, &own.states, &gradient),
            None => gradient,
        };
        let states = numbers(&self.inputs[STATES]);
        let gradient = self.attended(own, states, &gradient);
        if self.wanted[STATES] {
            let size = self.inputs[STATES].size();
            self.found[STATES] = Some(written(&size, |to| to.write_copy_of_slice(&gradient)));
        }
    }

    /// The gradient of the states before the two linear layers.
    fn fed(&mut self, fed: Fed, states: &[f32], gradient: &[f32]) -> Buffer {
        let (inputs, plan) = (self.inputs, self.plan);
        let back = fed.normalised.back(gradient, numbers(&inputs[NORM]));
        self.vectors(NORM, &back.scale, &back.shift);
        self.linear(OUTER, &back.taken, &back.taken_sums, &fed.inner);
        let mut inner = Buffer::of(fed.inner.len());
        plan.linear_back(&back.taken, &inputs[OUTER], Start::Zero, &mut inner);
        let width = numbers(&inputs[INNER + 1]).len();
        let sums = times_slopes(&mut inner, &fed.slopes, width);
        self.linear(INNER, &inner, &sums, states);
        let mut gradient = back.states;
        plan.linear_back(&inner, &inputs[INNER], Start::Output, &mut gradient);
        gradient
    }

    /// The gradient of the states before a block of attention.
    fn attended(&mut self, block: Attended, states: &[f32], gradient: &[f32]) -> Buffer {
        let (inputs, plan) = (self.inputs, self.plan);
        let Attended { parts, context, dropping, mut shares, taken, normalised, .. } = block;
        let (output, norm) = match context {
            None => (OWN_OUTPUT, OWN_NORM),
            Some(_) => (CROSS_OUTPUT, CROSS_NORM),
        };
        let back = normalised.back(gradient, numbers(&inputs[norm]));
        self.vectors(norm, &back.scale, &back.shift);
        self.linear(output, &back.taken, &back.taken_sums, &taken);
        let mut of_taken = Buffer::of(taken.len());
        plan.linear_back(&back.taken, &inputs[output], Start::Zero, &mut of_taken);
        let attention = plan.attention(context.is_none() && inputs.len() > CONTEXT, dropping);
        let operands = plan.operands(&parts, context.as_deref());
        let mut of_parts = Buffer::of(parts.len());
        let mut gradient = back.states;
        match &context {
            None => {
                let gradients = Gradients::Own(&mut of_parts);
                attention.back(operands, &mut shares, &of_taken, gradients);
                let sums = add_up_columns(&of_parts, 3 * plan.width);
                self.linear(OWN_INPUT, &of_parts, &sums, states);
                if self.wanted[STATES] || inputs.len() > CONTEXT {
                    let weight = &inputs[OWN_INPUT];
                    plan.linear_back(&of_parts, weight, Start::Output, &mut gradient);
                }
            }
            Some(context) => {
                let mut of_context = Buffer::of(context.len());
                let gradients = Gradients::Cross([&mut of_parts, &mut of_context]);
                attention.back(operands, &mut shares, &of_taken, gradients);
                let sums = add_up_columns(&of_parts, plan.width);
                self.linear(CROSS_QUERY, &of_parts, &sums, states);
                let weight = &inputs[CROSS_QUERY];
                plan.linear_back(&of_parts, weight, Start::Output, &mut gradient);
                let sums = add_up_columns(&of_context, 2 * plan.width);
                self.linear(CROSS_CONTEXT, &of_context, &sums, numbers(&inputs[CONTEXT]));
                if self.wanted[CONTEXT] {
                    let size = inputs[CONTEXT].size();
                    self.found[CONTEXT] = Some(filled(&size, |output| {
                        let weight = &inputs[CROSS_CONTEXT];
                        plan.linear_back(&of_context, weight, Start::Zero, output);
                    }));
                }
            }
        }
        gradient
    }

    /// Of a linear layer's weight, gᵀ·x, and of its bias.
    fn linear(&mut self, at: usize, gradient: &[f32], sums: &[f32], states: &[f32]) {
        if self.wanted[at] {
            let size = self.inputs[at].size();
            let shape = Shape {
                rows: size[0] as usize,
                depth: self.plan.places(),
                columns: size[1] as usize,
            };
            self.found[at] = Some(filled(&size, |output| {
                let left = products::Operand::Turned(gradient);
                let right = products::Operand::Plain(states);
                product(shape, left, right, self.plan.precision, Start::Zero, output);
            }));
        }
        self.found[at + 1] = Some(Torch::from_slice(sums));
    }

    fn vectors(&mut self, at: usize, first: &[f32], second: &[f32]) {
        self.found[at] = Some(Torch::from_slice(first));
        self.found[at + 1] = Some(Torch::from_slice(second));
    }
}

fn no_gradients(inputs: &[Torch]) -> Vec<Option<Torch>> {
    inputs.iter().map(|_| None).collect()
}

/// The norm that begins at an input.
fn norms(inputs: &[Torch], at: usize, epsilon: f64) -> Norms<'_> {
    Norms { scale: numbers(&inputs[at]), shift: numbers(&inputs[at + 1]), epsilon }
}

/// What is dropped of a share; nothing where it is 0.
fn dropping(share: f64) -> Option<Dropping> {
    (share > 0.0).then(|| Dropping::new(share, seed()))
}

/// The share that a dropout drops on this device now.
fn share(dropout: &Dropout, device: &Device) -> f64 {
    if dropout.training.is_enabled() && device.is_autodiff() { dropout.prob } else { 0.0 }
}

fn own(attention: &Own) -> impl Iterator<Item = Operand> {
    let parts = [linear(&attention.input), linear(&attention.output), norm(&attention.norm)];
    parts.into_iter().flatten()
}

fn cross(attention: &Cross) -> impl Iterator<Item = Operand> {
    let Cross { query, context, output, norm: after } = attention;
    [linear(query), linear(context), linear(output), norm(after)].into_iter().flatten()
}

fn linear(part: &Linear) -> [Operand; 2] {
    [operand(part.weight.val()), operand(part.bias.val())]
}

fn norm(part: &Norm) -> [Operand; 2] {
    [operand(part.scale.val()), operand(part.shift.val())]
}

fn exactly<const N: usize>(inputs: Vec<Operand>) -> [Operand; N] {
    inputs.try_into().ok().expect("as many inputs as the node has")
}
