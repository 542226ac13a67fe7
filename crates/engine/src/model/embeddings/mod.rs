//! Word vectors: what an encoder reads.

mod pretrained;
mod random;

use burn::module::Module;
use burn::nn::Embedding;
use burn::tensor::{Device, Int, Tensor, TensorData};
use domain::Part;
use parts::embeddings::Embeddings as Declared;
use pretrained::Pretrained;
use random::Random;

/// The rows of a table for these numbers: places × dimension.
pub fn look_up(table: &Embedding, places: Tensor<1, Int>) -> Tensor<2> {
    let ([count], [_, width]) = (places.dims(), table.weight.dims());
    // Burn does not reshape tensors without numbers.
    match count {
        0 => Tensor::zeros([0, width], &places.device()),
        _ => table.forward(places.unsqueeze_dim(0)).squeeze_dim(0),
    }
}

/// Embeddings of any kind.
#[derive(Module, Debug)]
pub enum Embeddings {
    Random(Random),
    Pretrained(Pretrained),
}

impl Embeddings {
    /// The embeddings that a model names, with `rows` words; `vectors` are those of its file. `None` if
    /// there should be a file and is none.
    pub fn new(
        part: &Part,
        rows: usize,
        vectors: Option<TensorData>,
        device: &Device,
    ) -> Option<Self> {
        match Declared::read(part) {
            Declared::Random(declared) => {
                Some(Embeddings::Random(Random::new(&declared, rows, device)))
            }
            Declared::Pretrained(declared) => {
                Some(Embeddings::Pretrained(Pretrained::new(&declared, vectors?, device)))
            }
        }
    }

    /// Numbers a word.
    pub fn dimension(&self) -> usize {
        match self {
            Embeddings::Random(table) => table.dimension(),
            Embeddings::Pretrained(table) => table.dimension(),
        }
    }

    /// Places × dimension.
    pub fn forward(&self, words: Tensor<1, Int>) -> Tensor<2> {
        match self {
            Embeddings::Random(table) => table.forward(words),
            Embeddings::Pretrained(table) => table.forward(words),
        }
    }
}
