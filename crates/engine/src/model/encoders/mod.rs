//! Encoders: from word vectors, or from pieces of words, to what a head reads: one vector a token.

mod bart;
mod bert;
mod bilstm;
mod shallow;

use super::batch::Batch;
use super::checkpoints::Checkpoint;
use super::tagger::ModelError;
use super::tokenisation::Carrier;
use bart::Bart;
use bert::Bert;
use bilstm::Bilstm;
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use domain::Precision;
use parts::encoders::Encoder as Declared;
use shallow::Shallow;

/// Where the parameters of an encoder that brings its own embeddings come from.
#[derive(Copy, Clone)]
pub enum Origin<'a> {
    /// Fresh ones, for so many words.
    Fresh { words: usize },
    /// A checkpoint.
    Checkpoint(&'a Checkpoint),
}

macro_rules! encoders {
    (words: $($type:ident),*; pieces: $($piece_type:ident),*) => {
        /// An encoder of word vectors of any kind.
        #[allow(clippy::large_enum_variant, reason = "a job has one")]
        #[derive(Module, Debug)]
        pub enum Encoder {
            $($type($type)),*
        }

        impl Encoder {
            /// The encoder that a model names; `None` if it brings its own embeddings. `alphabet`
            /// counts the characters that can be met, 0 if the model reads none.
            pub fn new(settings: &Declared, input: usize, alphabet: usize, device: &Device) -> Option<Self> {
                match settings {
                    $(Declared::$type(settings) => {
                        Some(Encoder::$type($type::new(settings, input, alphabet, device)))
                    })*
                    $(Declared::$piece_type(_) => None,)*
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
        #[allow(clippy::large_enum_variant, reason = "a job has one")]
        #[derive(Module, Debug)]
        pub enum PieceEncoder {
            $($piece_type($piece_type)),*
        }

        impl PieceEncoder {
            /// The encoder that a model names; `None` if it reads word vectors.
            pub fn new(
                settings: &Declared,
                origin: Origin<'_>,
                device: &Device,
            ) -> Option<Result<Self, ModelError>> {
                match settings {
                    $(Declared::$piece_type(settings) => {
                        Some($piece_type::new(settings, origin, device).map(PieceEncoder::$piece_type))
                    })*
                    $(Declared::$type(_) => None,)*
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
            pub fn carrier(settings: &Declared) -> Carrier {
                match settings {
                    $(Declared::$piece_type(settings) => $piece_type::carrier(settings),)*
                    $(Declared::$type(_) => Carrier::First,)*
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

encoders!(words: Shallow, Bilstm; pieces: Bert, Bart);
