//! A node of Burn's graph that computes on its inputs' memory.

use super::region::{Backwards, Operand, by_hand};
use burn::backend::libtorch::TchTensor;
use burn::tensor::Tensor;

/// The way back: from the output's gradient and the inputs to the inputs' gradients, of those that are
/// wanted.
pub type Back =
    Box<dyn FnOnce(&tch::Tensor, &[tch::Tensor], &[bool]) -> Vec<Option<tch::Tensor>> + Send>;

/// Runs `forward` on the inputs, each contiguous; as one node of Burn's graph if the inputs are part of
/// it. Its second argument says whether the way back is wanted.
pub fn node<const N: usize, const D: usize>(
    inputs: [Operand; N],
    forward: impl FnOnce(&[tch::Tensor], bool) -> (tch::Tensor, Option<Back>),
) -> Tensor<D> {
    by_hand(inputs, |held: [TchTensor; N], keep| {
        let values: Vec<tch::Tensor> = held.iter().map(|value| value.tensor.contiguous()).collect();
        let (output, back) = forward(&values, keep);
        let backwards = back.map(|back| -> Backwards<N> {
            Box::new(move |gradient, wanted| {
                let mut found = back(&gradient.tensor.contiguous(), &values, &wanted).into_iter();
                // Burn changes a tensor in place only while nobody else holds it: so the inputs are held.
                drop(held);
                std::array::from_fn(|_| found.next().flatten().map(TchTensor::new))
            })
        });
        (TchTensor::new(output), backwards)
    })
}
