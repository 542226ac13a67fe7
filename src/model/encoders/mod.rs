//! Encoders: from word vectors to what a head reads, one vector a token.

mod bilstm;
mod shallow;

use super::batch::Batch;
use crate::domain::{Entry, Part};
use bilstm::Bilstm;
#[cfg(feature = "libtorch")]
pub(super) use bilstm::Direction;
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use shallow::Shallow;

macro_rules! encoders {
    ($($module:ident => $type:ident),*) => {
        /// Every encoder.
        pub const ENTRIES: &[Entry] = &[$($module::ENTRY),*];

        /// An encoder of any kind.
        #[derive(Module, Debug)]
        pub enum Encoder {
            $($type($type)),*
        }

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
