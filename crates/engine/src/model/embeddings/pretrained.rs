//! Vectors that others trained, read from a file.

use crate::model::embeddings::look_up;
use burn::module::{Module, Param};
use burn::nn::Embedding;
use burn::tensor::{Device, Int, Tensor, TensorData};
use parts::embeddings::pretrained::Pretrained as Declared;

/// A table of word vectors.
#[derive(Module, Debug)]
pub struct Pretrained {
    table: Embedding,
    #[module(skip)]
    dimension: usize,
}

impl Pretrained {
    /// The table of these vectors, rows × dimension.
    pub fn new(declared: &Declared, vectors: TensorData, device: &Device) -> Self {
        let dimension = vectors.shape()[1];
        let weight = Param::from_tensor(Tensor::from_data(vectors, device));
        let table = Embedding { weight };
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
