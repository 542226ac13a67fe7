//! The layers of BERT (devlin2019) and BART (lewis2020), on Burn's operations; on LibTorch each layer runs
//! as one node of the graph (`model/torch`).
//!
//! Parameters have PyTorch's layout, so that a checkpoint's numbers are taken as they are: a linear layer
//! is output × input. Queries, keys and values of self-attention are one such layer. Padding behind a row
//! changes nothing: no piece attends to it.

mod attention;
mod bart;
mod bert;
mod embeddings;
mod layer;
mod names;
mod padding;
mod parts;
mod settings;
mod source;

#[cfg(test)]
mod tests;

pub use bart::Bart;
pub use bert::Bert;
#[cfg(feature = "libtorch")]
pub use settings::Activation;
pub use settings::{Settings, SettingsError, Stack};

#[cfg(feature = "libtorch")]
pub(super) use {
    attention::{Cross, Own},
    embeddings::Embeddings,
    layer::Layer,
    parts::{Linear, Norm},
};
