//! Dropout between a model's parts.

use burn::nn::DropoutConfig;
use burn::tensor::Tensor;

/// The numbers with a share of them dropped and the others scaled to keep the mean, while training:
/// on a device with autodiff. LibTorch's own way draws on one thread; see `torch/dropout.rs`.
pub fn drop_some<const D: usize>(numbers: Tensor<D>, share: f64) -> Tensor<D> {
    #[cfg(feature = "libtorch")]
    if super::device::is_libtorch(&numbers.device()) {
        return super::torch::drop_while_training(numbers, share);
    }
    DropoutConfig::new(share).init().forward(numbers)
}
