//! Word vectors: what an encoder reads.

mod random;

use crate::domain::Entry;

#[cfg(tensors)]
use {
    crate::domain::Part,
    burn::module::Module,
    burn::tensor::{Device, Int, Tensor},
    random::Random,
};

macro_rules! embeddings {
    ($($module:ident => $type:ident),*) => {
        /// Every kind of embeddings.
        pub const ENTRIES: &[Entry] = &[$($module::ENTRY),*];

        /// Embeddings of any kind.
        #[cfg(tensors)]
        #[derive(Module, Debug)]
        pub enum Embeddings {
            $($type($type)),*
        }

        #[cfg(tensors)]
        impl Embeddings {
            /// The embeddings that a model names, with `rows` words; `None` if there are none of that
            /// name.
            pub fn new(part: &Part, rows: usize, device: &Device) -> Option<Self> {
                match part.kind.as_str() {
                    $(kind if kind == $module::ENTRY.name => {
                        Some(Embeddings::$type($type::new(&part.parameters, rows, device)))
                    })*
                    _ => None,
                }
            }

            /// Numbers a word.
            pub fn dimension(&self) -> usize {
                match self { $(Embeddings::$type(table) => table.dimension()),* }
            }

            /// Sentences × tokens × dimension.
            pub fn forward(&self, words: Tensor<2, Int>) -> Tensor<3> {
                match self { $(Embeddings::$type(table) => table.forward(words)),* }
            }
        }
    };
}

embeddings!(random => Random);
