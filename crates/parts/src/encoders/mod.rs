//! Encoders: from word vectors, or from pieces of words, to what a head reads: one vector a token.

pub mod bart;
pub mod bert;
pub mod bilstm;
pub mod shallow;

use crate::{Preset, registry};

registry! {
    /// The settings of any encoder.
    pub enum Encoder { shallow::Shallow, bilstm::Bilstm, bert::Bert, bart::Bart }
}

/// What an encoder is usually trained with, where that is not what all are; one that reads pieces
/// only with a checkpoint.
pub fn training(name: &str) -> &'static [(&'static str, Preset)] {
    match name {
        bilstm::Bilstm::NAME => bilstm::TRAINING,
        bert::Bert::NAME | bart::Bart::NAME => bert::TRAINING,
        _ => &[],
    }
}
