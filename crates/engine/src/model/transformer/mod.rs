//! The layers of BERT (devlin2019) and BART (lewis2020), on Burn's operations over padded rows; on
//! LibTorch each layer runs as one node of the graph, without padding (`model/torch`).
//!
//! Parameters have PyTorch's layout, so that a checkpoint's numbers are taken as they are: a linear
//! layer is output × input. Queries, keys and values of self-attention are one such layer. No piece
//! attends to padding or to another row.

mod attention;
mod bart;
mod bert;
mod embeddings;
mod layer;
mod names;
mod parts;
mod settings;
mod source;

#[cfg(test)]
mod tests;

pub use bart::Bart;
pub use bert::Bert;
#[cfg(feature = "libtorch")]
pub use settings::Activation;
pub use settings::{SettingsError, Stack, TransformerSettings};

#[cfg(feature = "libtorch")]
pub(super) use {
    attention::{Cross, Own},
    embeddings::Embeddings,
    layer::Layer,
    parts::{Linear, Norm},
};

/// Numbers in this process's memory.
fn host(numbers: burn::tensor::Tensor<1, burn::tensor::Int>) -> Vec<i64> {
    numbers.into_data().iter::<i64>().collect()
}
