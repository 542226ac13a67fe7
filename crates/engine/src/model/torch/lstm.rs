//! An LSTM in both directions as one node, by the project's own recurrence.

use super::dropout::drop_while_training;
use super::memory::{InPlace, memory, room};
use super::node::{Backwards, NodeInput, by_hand, node_input};
use crate::model::lstm::{Direction, Lstm};
use crate::model::recurrence::{self, ForwardTape, RecurrenceShape, Targets, Weights};
use burn::backend::libtorch::TchTensor;
use burn::tensor::Tensor;

/// Vectors, then four parameters of each direction.
const INPUTS: usize = 9;

/// The hidden states of both directions, side by side: places × input to places × output, the rows
/// of these lengths one after the other.
pub fn lstm(vectors: Tensor<2>, lstm: &Lstm, lengths: &[usize]) -> Tensor<2> {
    let ([places, input], output) = (vectors.dims(), lstm.output());
    if places == 0 {
        return Tensor::zeros([0, output], &vectors.device());
    }
    let shape = RecurrenceShape::here(input, output / 2);
    let states = by_hand(operands(vectors, lstm), |inputs, is_trained| {
        let inputs = inputs.map(memory);
        let mut states = room(&[places as i64, output as i64]);
        let kept = recurrence::forward(
            shape,
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
                let after = [held, gradient].map(memory);
                gradients(kept, shape, &inputs, after.each_ref().map(InPlace::numbers), wanted[0])
            })
        });
        (states, backwards)
    });
    drop_while_training(states, lstm.dropout)
}

/// A node's inputs: the vectors with dropout, and the parameters.
fn operands(vectors: Tensor<2>, lstm: &Lstm) -> [NodeInput; INPUTS] {
    let vectors = node_input(drop_while_training(vectors, lstm.dropout));
    let parameters = [&lstm.forward, &lstm.backward].map(|direction| {
        let Direction { input, hidden, input_bias, hidden_bias } = direction;
        let matrices = [input, hidden].map(|matrix| node_input(matrix.val()));
        let biases = [input_bias, hidden_bias].map(|bias| node_input(bias.val()));
        matrices.into_iter().chain(biases)
    });
    let mut inputs = std::iter::once(vectors).chain(parameters.into_iter().flatten());
    std::array::from_fn(|_| inputs.next().expect("four parameters of each direction"))
}

/// The gradients of a node's inputs, given the states and their gradient; those of the vectors
/// where they are wanted.
fn gradients(
    kept: ForwardTape,
    shape: RecurrenceShape,
    inputs: &[InPlace; INPUTS],
    [states, gradient]: [&[f32]; 2],
    of_vectors: bool,
) -> [Option<TchTensor>; INPUTS] {
    let [input, hidden] = [shape.input, shape.hidden].map(|size| size as i64);
    let gates = 4 * hidden;
    let shapes = [&[gates, input][..], &[gates, hidden], &[gates]];
    let mut of_weights = [(); 2].map(|()| shapes.map(room));
    let places = (states.len() / (2 * shape.hidden)) as i64;
    let mut of_vectors = of_vectors.then(|| room(&[places, input]));
    let targets = of_weights.each_mut().map(|[input, hidden, bias]| Targets {
        input: input.numbers_mut(),
        hidden: hidden.numbers_mut(),
        bias: bias.numbers_mut(),
    });
    let into = of_vectors.as_mut().map(InPlace::numbers_mut);
    let vectors = inputs[0].numbers();
    recurrence::backward(kept, vectors, weights(inputs), states, gradient, targets, into);
    let of_parameters = of_weights.into_iter().flat_map(|found| {
        let [input, hidden, bias] = found.map(InPlace::into_inner);
        [input, hidden, bias.clone(), bias].map(Some)
    });
    let mut found = std::iter::once(of_vectors.map(InPlace::into_inner)).chain(of_parameters);
    std::array::from_fn(|_| found.next().flatten())
}

/// The weights of both directions among a node's inputs.
fn weights(inputs: &[InPlace; INPUTS]) -> [Weights<'_>; 2] {
    [1, 5].map(|first| {
        let [input, hidden, input_bias, hidden_bias] =
            [0, 1, 2, 3].map(|place| inputs[first + place].numbers());
        Weights { input, hidden, input_bias, hidden_bias }
    })
}
