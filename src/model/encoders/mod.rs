//! Encoders: from word vectors to what a head reads, one vector a token.

#[cfg(tensors)]
pub mod bart;
#[cfg(tensors)]
pub mod bert;
mod bilstm;
mod shallow;

use crate::domain::Entry;

#[cfg(tensors)]
use {
    super::batch::Batch,
    crate::domain::Part,
    bilstm::Bilstm,
    burn::module::Module,
    burn::tensor::{Device, Tensor},
    shallow::Shallow,
};

#[cfg(all(tensors, feature = "libtorch"))]
pub(super) use bilstm::Direction;

macro_rules! encoders {
    ($($module:ident => $type:ident),*) => {
        /// Every encoder.
        pub const ENTRIES: &[Entry] = &[$($module::ENTRY),*];

        /// An encoder of any kind.
        #[cfg(tensors)]
        #[allow(clippy::large_enum_variant, reason = "a job has one")]
        #[derive(Module, Debug)]
        pub enum Encoder {
            $($type($type)),*
        }

        #[cfg(tensors)]
        impl Encoder {
            /// The encoder that a model names; `None` if there is none of that name.
            pub fn new(part: &Part, input: usize, device: &Device) -> Option<Self> {
                match part.kind.as_str() {
                    $(kind if kind == $module::ENTRY.name => {
                        Some(Encoder::$type($type::new(&part.parameters, input, device)))
                    })*
                    _ => None,
                }
            }

            /// Numbers a token that come out.
            pub fn output(&self) -> usize {
                match self { $(Encoder::$type(encoder) => encoder.output()),* }
            }

            /// Sentences × tokens × input to sentences × tokens × output.
            pub fn forward(&self, vectors: Tensor<3>, batch: &Batch) -> Tensor<3> {
                match self { $(Encoder::$type(encoder) => encoder.forward(vectors, batch)),* }
            }
        }
    };
}

encoders!(shallow => Shallow, bilstm => Bilstm);
