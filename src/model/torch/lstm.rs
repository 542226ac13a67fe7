//! LibTorch's LSTM kernel, one call a direction.

use super::region::{operand, region};
use crate::model::encoders::Direction;
use burn::tensor::Tensor;

/// The hidden states of both directions, side by side; see [`crate::model::encoders`] for what
/// `reversal` is.
pub fn bilstm(
    vectors: Tensor<3>,
    forward: &Direction,
    backward: &Direction,
    reversal: &[i64],
) -> Tensor<3> {
    let [sentences, length, _] = vectors.dims();
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
            let flat = states.reshape([(sentences * length) as i64, size[2]]);
            flat.index_select(0, &reversal).reshape(&size)
        };
        let ahead = lstm(&inputs[0], &inputs[1..5]);
        let back = turn_around(&lstm(&turn_around(&inputs[0]), &inputs[5..9]));
        tch::Tensor::cat(&[ahead, back], 2)
    })
}

/// One direction over sentences × tokens × input.
fn lstm(vectors: &tch::Tensor, weights: &[tch::Tensor]) -> tch::Tensor {
    let hidden = weights[1].size()[1];
    let start =
        tch::Tensor::zeros([1, vectors.size()[0], hidden], (tch::Kind::Float, tch::Device::Cpu));
    let weights: Vec<&tch::Tensor> = weights.iter().collect();
    vectors.lstm(&[&start, &start], &weights, true, 1, 0.0, true, false, true).0
}
