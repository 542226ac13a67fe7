//! Checkpoints: folders of the form that Hugging Face's libraries write, `config.json` beside
//! `model.safetensors`.
//!
//! Only safetensors is read: a pickle may run whatever it likes when it is opened. A tensor that is
//! missing or of another shape than the configuration says is an error that names it; what a model
//! does not need is left alone. Numbers of 16 bits become 32-bit ones.

mod weights;

#[cfg(test)]
mod tests;

pub use weights::{CheckpointError, Weights, config, json, text};

use std::path::PathBuf;

/// The folder of a pretrained encoder.
pub struct Checkpoint {
    pub folder: PathBuf,
    /// Whether its weights are there, or only what they are to be like.
    pub has_weights: bool,
}
