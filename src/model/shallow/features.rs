//! The vectors of the distinct words, and the two products that training needs of them.

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
}

/// What the products are computed in.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Precision {
    Single,
    Double,
}

/// Features as a tensor, multiplied on its backend.
pub struct Matrix {
    /// words × dimension.
    vectors: Tensor<2>,
    dtype: DType,
    device: Device,
}

impl Matrix {
    /// The features of words × dimension numbers.
    pub fn new(vectors: &[f32], dimension: usize, precision: Precision, device: &Device) -> Self {
        let dtype = match precision {
            Precision::Single => DType::F32,
            Precision::Double => DType::F64,
        };
        let shape = [vectors.len() / dimension.max(1), dimension];
        let data = TensorData::new(vectors.to_vec(), shape).convert_dtype(dtype);
        Self { vectors: Tensor::from_data(data, (device, dtype)), dtype, device: device.clone() }
    }

    fn tensor(&self, numbers: Vec<f64>, columns: usize) -> Tensor<2> {
        let shape = [numbers.len() / columns.max(1), columns];
        let data = TensorData::new(numbers, shape).convert_dtype(self.dtype);
        Tensor::from_data(data, (&self.device, self.dtype))
    }
}

fn numbers(product: Tensor<2>) -> Vec<f64> {
    product.into_data().iter::<f64>().collect()
}

impl Features for Matrix {
    fn words(&self) -> usize {
        self.vectors.dims()[0]
    }

    fn dimension(&self) -> usize {
        self.vectors.dims()[1]
    }

    fn scores(&self, weights: &[f64], columns: usize) -> Vec<f64> {
        numbers(self.vectors.clone().matmul(self.tensor(weights.to_vec(), columns)))
    }

    fn pull_back(&self, scores: Vec<f64>, columns: usize) -> Vec<f64> {
        numbers(self.vectors.clone().transpose().matmul(self.tensor(scores, columns)))
    }
}
