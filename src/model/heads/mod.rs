//! Heads: from a token's vector to its tag.

mod softmax;

use crate::domain::Entry;

#[cfg(tensors)]
use {
    crate::domain::Part,
    burn::module::Module,
    burn::tensor::{Device, Tensor},
    softmax::Softmax,
};

macro_rules! heads {
    ($($module:ident => $type:ident),*) => {
        /// Every head.
        pub const ENTRIES: &[Entry] = &[$($module::ENTRY),*];

        /// A head of any kind.
        #[cfg(tensors)]
        #[derive(Module, Debug)]
        pub enum Head {
            $($type($type)),*
        }

        #[cfg(tensors)]
        impl Head {
            /// The head that a model names; `None` if there is none of that name.
            pub fn new(part: &Part, input: usize, tags: usize, device: &Device) -> Option<Self> {
                match part.kind.as_str() {
                    $(kind if kind == $module::ENTRY.name => {
                        Some(Head::$type($type::new(&part.parameters, input, tags, device)))
                    })*
                    _ => None,
                }
            }

            /// Tokens × input to tokens × tags.
            pub fn logits(&self, states: Tensor<2>) -> Tensor<2> {
                match self { $(Head::$type(head) => head.logits(states)),* }
            }

            /// The tag of each token.
            pub fn decode(&self, logits: Tensor<2>) -> Vec<usize> {
                match self { $(Head::$type(head) => head.decode(logits)),* }
            }
        }
    };
}

heads!(softmax => Softmax);
