//! Word vectors: what an encoder reads.

mod pretrained;
mod random;

use crate::domain::Entry;

#[cfg(tensors)]
use {
    crate::domain::Part,
    burn::module::Module,
    burn::tensor::{Device, Int, Tensor, TensorData},
    pretrained::Pretrained,
    random::Random,
};

/// Every kind of embeddings.
pub const ENTRIES: &[Entry] = &[random::ENTRY, pretrained::ENTRY];

/// The kind that is read from a file.
pub const PRETRAINED: &str = pretrained::ENTRY.name;

/// The role of that file among a model's files.
pub const ROLE: &str = "embeddings";

/// Embeddings of any kind.
#[cfg(tensors)]
#[derive(Module, Debug)]
pub enum Embeddings {
    Random(Random),
    Pretrained(Pretrained),
}

#[cfg(tensors)]
impl Embeddings {
    /// The embeddings that a model names, with `rows` words; `vectors` are those of its file. `None` if
    /// there are none of that name.
    pub fn new(
        part: &Part,
        rows: usize,
        vectors: Option<TensorData>,
        device: &Device,
    ) -> Option<Self> {
        let parameters = &part.parameters;
        match (part.kind.as_str(), vectors) {
            (kind, _) if kind == random::ENTRY.name => {
                Some(Embeddings::Random(Random::new(parameters, rows, device)))
            }
            (PRETRAINED, Some(vectors)) => {
                Some(Embeddings::Pretrained(Pretrained::new(parameters, vectors, device)))
            }
            _ => None,
        }
    }

    /// Numbers a word.
    pub fn dimension(&self) -> usize {
        match self {
            Embeddings::Random(table) => table.dimension(),
            Embeddings::Pretrained(table) => table.dimension(),
        }
    }

    /// Rows × tokens × dimension.
    pub fn forward(&self, words: Tensor<2, Int>) -> Tensor<3> {
        match self {
            Embeddings::Random(table) => table.forward(words),
            Embeddings::Pretrained(table) => table.forward(words),
        }
    }
}
