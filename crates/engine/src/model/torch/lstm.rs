//! An LSTM in both directions as one node, by the project's own recurrence.

use super::dropout::drop_while_training;
use super::memory::{InPlace, memory, room};
use super::region::{Backwards, by_hand, operand};
use crate::model::lstm::Lstm;
use crate::model::recurrence::{self, Sizes, Targets, Weights};
use burn::tensor::Tensor;

/// Vectors, then four parameters of each direction.
const INPUTS: usize = 9;

/// The hidden states of both directions, side by side: places × input to places × output, the rows of
/// these lengths one after the other.
pub fn lstm(vectors: Tensor<2>, lstm: &Lstm, lengths: &[usize]) -> Tensor<2> {
    let ([places, input], output) = (vectors.dims(), lstm.output());
    if places == 0 {
        return Tensor::zeros([0, output], &vectors.device());
    }
    let Lstm { forward, backward, .. } = lstm;
    let inputs = [
        operand(drop_while_training(vectors, lstm.dropout)),
        operand(forward.input.val()),
        operand(forward.hidden.val()),
        operand(forward.input_bias.val()),
        operand(forward.hidden_bias.val()),
        operand(backward.input.val()),
        operand(backward.hidden.val()),
        operand(backward.input_bias.val()),
        operand(backward.hidden_bias.val()),
    ];
    let sizes = Sizes { input, hidden: output / 2 };
    let states = by_hand(inputs, |inputs, is_trained| {
        let inputs = inputs.map(memory);
        let mut states = room(&[places as i64, output as i64]);
        let kept = recurrence::forward(
            sizes,
            lengths,
            inputs[0].numbers(),
            weights(&inputs),
            states.numbers_mut(),
            is_trained,
        );
        let states = states.into_inner();
        let held = states.clone();
        let backwards = kept.map(|kept| -> Backwards<INPUTS> {
            Box::new(move |gradient, wanted| {
                let (states, gradient) = (memory(held), memory(gradient));
                let (gates, hidden) = (4 * sizes.hidden as i64, sizes.hidden as i64);
                let shapes = [&[gates, input as i64][..], &[gates, hidden], &[gates]];
                let mut of_weights = [(); 2].map(|()| shapes.map(room));
                let mut of_vectors = wanted[0].then(|| room(&[places as i64, input as i64]));
                let targets = of_weights.each_mut().map(|[input, hidden, bias]| Targets {
                    input: input.numbers_mut(),
                    hidden: hidden.numbers_mut(),
                    bias: bias.numbers_mut(),
                });
                recurrence::backward(
                    kept,
                    inputs[0].numbers(),
                    weights(&inputs),
                    states.numbers(),
                    gradient.numbers(),
                    targets,
                    of_vectors.as_mut().map(InPlace::numbers_mut),
                );
                let mut gradients = [const { None }; INPUTS];
                gradients[0] = of_vectors.map(InPlace::into_inner);
                for (direction, found) in of_weights.into_iter().enumerate() {
                    let [input, hidden, bias] = found.map(InPlace::into_inner);
                    let found = [input, hidden, bias.clone(), bias];
                    for (place, found) in found.into_iter().enumerate() {
                        gradients[1 + 4 * direction + place] = Some(found);
                    }
                }
                gradients
            })
        });
        (states, backwards)
    });
    drop_while_training(states, lstm.dropout)
}

/// The weights of both directions among a node's inputs.
fn weights(inputs: &[InPlace; INPUTS]) -> [Weights<'_>; 2] {
    [1, 5].map(|first| {
        let [input, hidden, input_bias, hidden_bias] =
            [0, 1, 2, 3].map(|place| inputs[first + place].numbers());
        Weights { input, hidden, input_bias, hidden_bias }
    })
}
