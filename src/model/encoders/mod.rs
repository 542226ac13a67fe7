//! Encoders: from word vectors, or from pieces of words, to what a head reads: one vector a token.

mod bart;
mod bert;
mod bilstm;
mod shallow;

use crate::domain::{Entry, Preset};

/// Whether an encoder hands on word vectors as they are: no neural network.
pub fn is_shallow(name: &str) -> bool {
    name == shallow::ENTRY.name
}

#[cfg(tensors)]
use {
    super::batch::Batch,
    super::checkpoints::CheckpointError,
    super::tokenisation::Carrier,
    super::transformer::SettingsError,
    crate::domain::{Parameters, Part, Precision},
    bart::Bart,
    bert::Bert,
    bilstm::Bilstm,
    burn::module::Module,
    burn::tensor::{Device, Tensor},
    shallow::Shallow,
    std::path::Path,
};

macro_rules! encoders {
    (words: $($module:ident => $type:ident),*; pieces: $($piece_module:ident => $piece_type:ident),*) => {
        /// Every encoder.
        pub const ENTRIES: &[Entry] = &[$($module::ENTRY,)* $($piece_module::ENTRY),*];

        /// Whether an encoder brings its own embeddings, of pieces of words if it has a checkpoint.
        pub fn reads_pieces(name: &str) -> bool {
            [$($piece_module::ENTRY.name),*].contains(&name)
        }

        /// What an encoder is usually trained with, where that is not what all are; one that reads
        /// pieces only with a checkpoint.
        pub fn training(name: &str) -> &'static [(&'static str, Preset)] {
            match name {
                $(kind if kind == $module::ENTRY.name => $module::TRAINING,)*
                $(kind if kind == $piece_module::ENTRY.name => $piece_module::TRAINING,)*
                _ => &[],
            }
        }

        /// An encoder of word vectors of any kind.
        #[cfg(tensors)]
        #[allow(clippy::large_enum_variant, reason = "a job has one")]
        #[derive(Module, Debug)]
        pub enum Encoder {
            $($type($type)),*
        }

        #[cfg(tensors)]
        impl Encoder {
            /// The encoder that a model names; `None` if there is none of that name. `alphabet` counts
            /// the characters that can be met, 0 if the model reads none.
            pub fn new(part: &Part, input: usize, alphabet: usize, device: &Device) -> Option<Self> {
                match part.kind.as_str() {
                    $(kind if kind == $module::ENTRY.name => {
                        Some(Encoder::$type($type::new(&part.parameters, input, alphabet, device)))
                    })*
                    _ => None,
                }
            }

            /// Numbers a token that come out.
            pub fn output(&self) -> usize {
                match self { $(Encoder::$type(encoder) => encoder.output()),* }
            }

            /// Places × input to places × output.
            pub fn forward(&self, vectors: Tensor<2>, batch: &Batch) -> Tensor<2> {
                match self { $(Encoder::$type(encoder) => encoder.forward(vectors, batch)),* }
            }
        }

        /// An encoder that brings its own embeddings, of any kind.
        #[cfg(tensors)]
        #[allow(clippy::large_enum_variant, reason = "a job has one")]
        #[derive(Module, Debug)]
        pub enum PieceEncoder {
            $($piece_type($piece_type)),*
        }

        #[cfg(tensors)]
        impl PieceEncoder {
            /// The encoder that a model names, with fresh parameters for so many words.
            pub fn new(part: &Part, words: usize, device: &Device) -> Option<Result<Self, SettingsError>> {
                match part.kind.as_str() {
                    $(kind if kind == $piece_module::ENTRY.name => {
                        Some($piece_type::new(&part.parameters, words, device).map(PieceEncoder::$piece_type))
                    })*
                    _ => None,
                }
            }

            /// The encoder that a model names, with the parameters of a checkpoint's folder.
            pub fn load(part: &Part, folder: &Path, device: &Device) -> Option<Result<Self, CheckpointError>> {
                match part.kind.as_str() {
                    $(kind if kind == $piece_module::ENTRY.name => {
                        Some($piece_type::load(&part.parameters, folder, device).map(PieceEncoder::$piece_type))
                    })*
                    _ => None,
                }
            }

            /// The encoder that a model names, with fresh parameters of a checkpoint's shapes.
            pub fn like(part: &Part, folder: &Path, device: &Device) -> Option<Result<Self, CheckpointError>> {
                match part.kind.as_str() {
                    $(kind if kind == $piece_module::ENTRY.name => {
                        Some($piece_type::like(&part.parameters, folder, device).map(PieceEncoder::$piece_type))
                    })*
                    _ => None,
                }
            }

            /// Computes matrix products in another precision.
            pub fn with_precision(self, precision: Precision) -> Self {
                match self {
                    $(PieceEncoder::$piece_type(encoder) => {
                        PieceEncoder::$piece_type(encoder.with_precision(precision))
                    })*
                }
            }

            /// What matrix products are computed in.
            pub fn precision(&self) -> Precision {
                match self { $(PieceEncoder::$piece_type(encoder) => encoder.precision()),* }
            }

            /// Which piece of a word carries its tag.
            pub fn carrier(name: &str, parameters: &Parameters) -> Carrier {
                match name {
                    $(kind if kind == $piece_module::ENTRY.name => $piece_type::carrier(parameters),)*
                    _ => Carrier::First,
                }
            }

            /// Numbers a token that come out.
            pub fn output(&self) -> usize {
                match self { $(PieceEncoder::$piece_type(encoder) => encoder.output()),* }
            }

            /// Places × output.
            pub fn forward(&self, batch: &Batch) -> Tensor<2> {
                match self {
                    $(PieceEncoder::$piece_type(encoder) => encoder.forward(batch),)*
                }
            }
        }
    };
}

encoders!(words: shallow => Shallow, bilstm => Bilstm; pieces: bert => Bert, bart => Bart);
