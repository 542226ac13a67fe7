//! Encoders: from word vectors, or from pieces of words, to what a head reads: one vector a token.

mod bilstm;
mod shallow;

use crate::domain::{Entry, Preset};

#[cfg(tensors)]
use {
    super::batch::Batch,
    crate::domain::Part,
    bilstm::Bilstm,
    burn::module::Module,
    burn::tensor::{Device, Tensor},
    shallow::Shallow,
};

/// What an encoder that reads pieces of words says that it needs.
pub const CHECKPOINT: &str = "a checkpoint";

/// Whether an encoder reads pieces of words, with a checkpoint that brings its own embeddings.
pub fn reads_pieces(name: &str) -> bool {
    ENTRIES.iter().any(|entry| entry.name == name && entry.needs == CHECKPOINT)
}

macro_rules! encoders {
    ($($module:ident => $type:ident),*) => {
        /// Every encoder.
        pub const ENTRIES: &[Entry] = &[$($module::ENTRY),*];

        /// What an encoder is usually trained with, where that is not what all are.
        pub fn training(name: &str) -> &'static [(&'static str, Preset)] {
            match name {
                $(kind if kind == $module::ENTRY.name => $module::TRAINING,)*
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

            /// Rows × tokens × input to rows × tokens × output.
            pub fn forward(&self, vectors: Tensor<3>, batch: &Batch) -> Tensor<3> {
                match self { $(Encoder::$type(encoder) => encoder.forward(vectors, batch)),* }
            }
        }
    };
}

encoders!(shallow => Shallow, bilstm => Bilstm);
