//! Vectors drawn at random and trained with the rest of the model.

use crate::model::embeddings::look_up;
use burn::module::Module;
use burn::nn::{Embedding, EmbeddingConfig, Initializer};
use burn::tensor::{Device, Int, Tensor};
use parts::embeddings::random::Random as Declared;

/// A table of word vectors.
#[derive(Module, Debug)]
pub struct Random {
    table: Embedding,
    #[module(skip)]
    dimension: usize,
}

impl Random {
    /// A table of `rows` vectors, uniform in ±√(3/d): unit variance a vector, however long.
    pub fn new(declared: &Declared, rows: usize, device: &Device) -> Self {
        let dimension = declared.dimension;
        let bound = (3.0 / dimension as f64).sqrt();
        let table = EmbeddingConfig::new(rows, dimension)
            .with_initializer(Initializer::Uniform { min: -bound, max: bound })
            .init(device);
        let table = if declared.frozen { table.no_grad() } else { table };
        Self { table, dimension }
    }

    /// Numbers a word.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Places × dimension.
    pub fn forward(&self, words: Tensor<1, Int>) -> Tensor<2> {
        look_up(&self.table, words)
    }
}
