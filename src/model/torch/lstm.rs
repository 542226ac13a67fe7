//! LibTorch's LSTM kernel, one call a direction, with its dropout.

use super::dropout::drop_some;
use super::region::{operand, region};
use crate::model::lstm::Lstm;
use burn::tensor::Tensor;

/// The hidden states of both directions, side by side; see [`crate::model::Batch`] for what
/// `reversal` is.
pub fn lstm(vectors: Tensor<3>, weights: &Lstm, reversal: &[i64]) -> Tensor<3> {
    let [rows, length, _] = vectors.dims();
    let dropout = if vectors.device().is_autodiff() { weights.dropout } else { 0.0 };
    let Lstm { forward, backward, .. } = weights;
    let inputs = [
        operand(vectors),
        operand(forward.input.val()),
        operand(forward.hidden.val()),
        operand(forward.input_bias.val()),
        operand(forward.hidden_bias.val()),
        operand(backward.input.val()),
        operand(backward.hidden.val()),
        operand(backward.input_bias.val()),
        operand(backward.hidden_bias.val()),
    ];
    let reversal = tch::Tensor::from_slice(reversal);
    region(inputs, move |inputs| {
        let turn_around = |states: &tch::Tensor| {
            let size = states.size();
            let flat = states.reshape([(rows * length) as i64, size[2]]);
            flat.index_select(0, &reversal).reshape(&size)
        };
        let vectors = drop_some(inputs[0].shallow_clone(), dropout);
        let ahead = direction(&vectors, &inputs[1..5]);
        let back = turn_around(&direction(&turn_around(&vectors), &inputs[5..9]));
        drop_some(tch::Tensor::cat(&[ahead, back], 2), dropout)
    })
}

/// One direction over rows × places × input.
fn direction(vectors: &tch::Tensor, weights: &[tch::Tensor]) -> tch::Tensor {
    let hidden = weights[1].size()[1];
    let start =
        tch::Tensor::zeros([1, vectors.size()[0], hidden], (tch::Kind::Float, vectors.device()));
    let weights: Vec<&tch::Tensor> = weights.iter().collect();
    vectors.lstm(&[&start, &start], &weights, true, 1, 0.0, true, false, true).0
}
