//! Vectors that others trained, read from a file.

use crate::domain::{Entry, Parameter, ParameterKind};

pub const ENTRY: Entry = Entry {
    name: "pretrained",
    help: "vectors of GloVe, word2vec or fastText, by a name of the catalogue or from a `file`, for every word of the corpus that is in it",
    parameters: &[
        Parameter {
            name: "frozen",
            help: "keep the vectors as they are",
            kind: ParameterKind::Bool { default: true },
        },
        Parameter {
            name: "digits",
            help: "words of nothing but digits are one word, with its own vector",
            kind: ParameterKind::Bool { default: true },
        },
        Parameter {
            name: "unknown",
            help: "the vector of words that are not in the file, and of that one word for digits",
            kind: ParameterKind::Choice { default: "zero", of: &["zero", "random"] },
        },
    ],
    needs: "",
    source: "wang2022, section 4.4",
};

#[cfg(tensors)]
pub use tensors::Pretrained;

#[cfg(tensors)]
mod tensors {
    use crate::domain::Parameters;
    use crate::model::embeddings::look_up;
    use burn::module::{Module, Param};
    use burn::nn::Embedding;
    use burn::tensor::{Device, Int, Tensor, TensorData};

    /// A table of word vectors.
    #[derive(Module, Debug)]
    pub struct Pretrained {
        table: Embedding,
        #[module(skip)]
        dimension: usize,
    }

    impl Pretrained {
        /// The table of these vectors, rows × dimension.
        pub fn new(parameters: &Parameters, vectors: TensorData, device: &Device) -> Self {
            let dimension = vectors.shape()[1];
            let weight = Param::from_tensor(Tensor::from_data(vectors, device));
            let table = Embedding { weight };
            let table = if parameters.flag("frozen") { table.no_grad() } else { table };
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
}
