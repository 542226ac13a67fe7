//! The vectors of the distinct words, and the two products that training needs of them.

use crate::model::batch::indices;
use burn::tensor::{DType, Device, Tensor, TensorData};

/// Rows of numbers, one a distinct word.
pub trait Features: Sync {
    /// Distinct words.
    fn words(&self) -> usize;
    /// Numbers a word.
    fn dimension(&self) -> usize;
    /// The vectors (words × dimension) times weights (dimension × columns): words × columns.
    fn scores(&self, weights: &[f64], columns: usize) -> Vec<f64>;
    /// The vectors turned around times `scores` (words × columns): dimension × columns.
    fn pull_back(&self, scores: Vec<f64>, columns: usize) -> Vec<f64>;
    /// The features of some of the words alone.
    fn only(&self, words: &[u32]) -> Box<dyn Features>;
}

/// Features as a tensor, multiplied on its backend in double precision.
pub struct Matrix {
    /// words × dimension.
    vectors: Tensor<2>,
}

impl Matrix {
    /// The features of words × dimension numbers.
    pub fn new(vectors: &[f32], dimension: usize, device: &Device) -> Self {
        let numbers = vectors.iter().map(|number| f64::from(*number)).collect();
        Self { vectors: tensor(numbers, dimension, device) }
    }

    fn tensor(&self, numbers: Vec<f64>, columns: usize) -> Tensor<2> {
        tensor(numbers, columns, &self.vectors.device())
    }

    fn numbers(product: Tensor<2>) -> Vec<f64> {
        product.into_data().try_into_vec().expect("a product has the type of its factors")
    }
}

fn tensor(numbers: Vec<f64>, columns: usize, device: &Device) -> Tensor<2> {
    let shape = [numbers.len() / columns.max(1), columns];
    Tensor::from_data(TensorData::new(numbers, shape), (device, DType::F64))
}

impl Features for Matrix {
    fn words(&self) -> usize {
        self.vectors.dims()[0]
    }

    fn dimension(&self) -> usize {
        self.vectors.dims()[1]
    }

    fn scores(&self, weights: &[f64], columns: usize) -> Vec<f64> {
        let weights = self.tensor(weights.to_vec(), columns);
        // Turned around: with few columns LibTorch multiplies wide matrices twice as fast as tall
        // ones.
        let turned = weights.transpose().matmul(self.vectors.clone().transpose());
        Self::numbers(turned.transpose())
    }

    fn pull_back(&self, scores: Vec<f64>, columns: usize) -> Vec<f64> {
        let turned = self.tensor(scores, columns).transpose().matmul(self.vectors.clone());
        Self::numbers(turned.transpose())
    }

    fn only(&self, words: &[u32]) -> Box<dyn Features> {
        let rows = indices(words.iter().map(|word| *word as usize), &self.vectors.device());
        Box::new(Self { vectors: self.vectors.clone().select(0, rows) })
    }
}
