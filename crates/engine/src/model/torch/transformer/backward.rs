//! The way back through a layer.

use super::layer::{
    Attended, CONTEXT, CROSS_CONTEXT, CROSS_QUERY, Fed, INNER, LayerPlan, NORM, OUTER, OWN_INPUT,
    STATES, Tape, after_attention,
};
use crate::model::passes::{Buffer, Gradients, add_up_columns, times_slopes};
use crate::model::products::{Operand, Product, Shape, Start};
use crate::model::torch::memory::{filled, numbers, written};
use crate::model::torch::product::product;
use tch::Tensor as Torch;

/// The gradients of a layer's inputs that were found so far.
pub(super) struct LayerGradients<'a> {
    plan: &'a LayerPlan,
    inputs: &'a [Torch],
    wanted: &'a [bool],
    found: Vec<Option<Torch>>,
}

impl<'a> LayerGradients<'a> {
    /// None found so far.
    pub fn new(plan: &'a LayerPlan, inputs: &'a [Torch], wanted: &'a [bool]) -> Self {
        Self { plan, inputs, wanted, found: inputs.iter().map(|_| None).collect() }
    }

    /// The gradients of the inputs, given that of the layer's states.
    pub fn of(mut self, tape: Tape, gradient: &[f32]) -> Vec<Option<Torch>> {
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
        self.found
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
        let [output, norm] = after_attention(context.is_some());
        let back = normalised.back(gradient, numbers(&inputs[norm]));
        self.vectors(norm, &back.scale, &back.shift);
        self.linear(output, &back.taken, &back.taken_sums, &taken);
        let mut of_taken = Buffer::of(taken.len());
        plan.linear_back(&back.taken, &inputs[output], Start::Zero, &mut of_taken);
        let attention = plan.attention(context.is_some(), inputs, dropping);
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
                let left = Operand::Turned(gradient);
                let right = Operand::Plain(states);
                let (precision, start) = (self.plan.precision, Start::Zero);
                product(Product { shape, left, right, precision, start }, output);
            }));
        }
        self.found[at + 1] = Some(Torch::from_slice(sums));
    }

    fn vectors(&mut self, at: usize, first: &[f32], second: &[f32]) {
        self.found[at] = Some(Torch::from_slice(first));
        self.found[at + 1] = Some(Torch::from_slice(second));
    }
}
