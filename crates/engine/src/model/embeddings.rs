//! Word vectors: what an encoder reads.

use burn::module::{Module, Param};
use burn::nn::{Embedding, EmbeddingConfig, Initializer};
use burn::tensor::{Device, Int, Tensor, TensorData};
use domain::Part;
use parts::embeddings::Embeddings as Declared;

/// The rows of a table for these numbers: places × dimension.
pub fn look_up(table: &Embedding, places: Tensor<1, Int>) -> Tensor<2> {
    let ([count], [_, width]) = (places.dims(), table.weight.dims());
    // Burn does not reshape tensors without numbers.
    match count {
        0 => Tensor::zeros([0, width], &places.device()),
        _ => table.forward(places.unsqueeze_dim(0)).squeeze_dim(0),
    }
}

/// A table of `rows` vectors, uniform in ±√(3/d): unit variance a vector, however long.
pub fn drawn(rows: usize, dimension: usize, device: &Device) -> Embedding {
    let bound = (3.0 / dimension as f64).sqrt();
    EmbeddingConfig::new(rows, dimension)
        .with_initializer(Initializer::Uniform { min: -bound, max: bound })
        .init(device)
}

/// A table of word vectors.
#[derive(Module, Debug)]
pub struct WordVectors {
    table: Embedding,
    /// Not asked of the table, whose numbers would be drawn then: before those of the encoder.
    #[module(skip)]
    dimension: usize,
}

/// Embeddings of any kind.
#[derive(Module, Debug)]
pub enum Embeddings {
    /// Drawn at random and trained with the rest of the model.
    Random(WordVectors),
    /// Vectors that others trained, read from a file.
    Pretrained(WordVectors),
}

impl Embeddings {
    /// The embeddings that a model names, with `rows` words; `vectors` are those of its file.
    /// `None` if there should be a file and is none.
    pub fn new(
        part: &Part,
        rows: usize,
        vectors: Option<TensorData>,
        device: &Device,
    ) -> Option<Self> {
        let words = |table: Embedding, dimension, frozen| {
            let table = if frozen { table.no_grad() } else { table };
            WordVectors { table, dimension }
        };
        Some(match Declared::read(part) {
            Declared::Random(declared) => {
                let table = drawn(rows, declared.dimension, device);
                Embeddings::Random(words(table, declared.dimension, declared.frozen))
            }
            Declared::Pretrained(declared) => {
                let vectors = vectors?;
                let dimension = vectors.shape()[1];
                let weight = Param::from_tensor(Tensor::from_data(vectors, device));
                Embeddings::Pretrained(words(Embedding { weight }, dimension, declared.frozen))
            }
        })
    }

    fn vectors(&self) -> &WordVectors {
        match self {
            Embeddings::Random(vectors) | Embeddings::Pretrained(vectors) => vectors,
        }
    }

    /// Numbers a word.
    pub fn dimension(&self) -> usize {
        self.vectors().dimension
    }

    /// Places × dimension.
    pub fn forward(&self, words: Tensor<1, Int>) -> Tensor<2> {
        look_up(&self.vectors().table, words)
    }
}
