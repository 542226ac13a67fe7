//! Rows of several lengths as one block that is padded to the longest, for operations without a
//! kernel that leaves padding out.

use super::batch::indices;
use burn::tensor::{Device, Int, Tensor, TensorData};

/// The lengths of rows whose places follow each other.
pub struct Padded<'a> {
    lengths: &'a [usize],
    longest: usize,
}

impl<'a> Padded<'a> {
    /// Rows of these lengths.
    pub fn new(lengths: &'a [usize]) -> Self {
        Self { lengths, longest: lengths.iter().copied().max().unwrap_or(0) }
    }

    /// Places × width to rows × longest × width, zeros behind the end of a row.
    pub fn block(&self, vectors: Tensor<2>) -> Tensor<3> {
        let ([_, width], device) = (vectors.dims(), vectors.device());
        let shape = [self.lengths.len(), self.longest, width];
        if self.is_full() {
            return vectors.reshape(shape);
        }
        let zeros = Tensor::zeros([1, width], &device);
        let vectors = Tensor::cat(vec![zeros, vectors], 0);
        vectors.select(0, indices(self.sources(), &device)).reshape(shape)
    }

    /// The same for numbers: 0 behind the end of a row.
    pub fn block_of_numbers(&self, numbers: Tensor<1, Int>) -> Tensor<2, Int> {
        let device = numbers.device();
        let shape = [self.lengths.len(), self.longest];
        if self.is_full() {
            return numbers.reshape(shape);
        }
        let numbers = Tensor::cat(vec![Tensor::zeros([1], &device), numbers], 0);
        numbers.select(0, indices(self.sources(), &device)).reshape(shape)
    }

    /// Rows × longest × width back to places × width.
    pub fn places(&self, block: Tensor<3>) -> Tensor<2> {
        let ([rows, longest, width], device) = (block.dims(), block.device());
        let block = block.reshape([rows * longest, width]);
        if self.is_full() {
            return block;
        }
        let rows = self.lengths.iter().enumerate();
        let places = rows.flat_map(|(row, length)| row * longest..row * longest + length);
        block.select(0, indices(places, &device))
    }

    /// What is added to the scores of attention, rows × heads × queries × keys: no row attends to
    /// what is behind its end. `None` where nothing is padding.
    pub fn scores(&self, device: &Device) -> Option<Tensor<4>> {
        if self.is_full() {
            return None;
        }
        let score = |length, at| if at < length { 0.0 } else { NEVER };
        let row = |&length: &usize| (0..self.longest).map(move |at| score(length.max(1), at));
        let scores: Vec<f32> = self.lengths.iter().flat_map(row).collect();
        let shape = [self.lengths.len(), 1, 1, self.longest];
        Some(Tensor::from_data(TensorData::new(scores, shape), device))
    }

    fn is_full(&self) -> bool {
        self.lengths.iter().all(|&length| length == self.longest)
    }

    /// For each place of the block its place in the rows, counted from 1; 0 for padding.
    fn sources(&self) -> Vec<usize> {
        let mut start = 0;
        let mut sources = Vec::with_capacity(self.lengths.len() * self.longest);
        for &length in self.lengths {
            sources.extend(start + 1..=start + length);
            sources.extend(std::iter::repeat_n(0, self.longest - length));
            start += length;
        }
        sources
    }
}

/// What is added to the score of a position that must not be attended to: its weight becomes 0
/// exactly.
const NEVER: f32 = -1e9;

/// What is added to the scores of positions after one's own: rows × heads × queries × keys.
pub fn causal(length: usize, device: &Device) -> Tensor<4> {
    let score = |i: usize| if i % length > i / length { NEVER } else { 0.0 };
    let scores: Vec<f32> = (0..length * length).map(score).collect();
    Tensor::from_data(TensorData::new(scores, [1, 1, length, length]), device)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::batch::integers;

    #[test]
    fn rows_are_padded_and_come_back() {
        let device = Device::flex();
        for lengths in [&[2, 0, 3, 1][..], &[2, 2], &[3], &[1]] {
            let padded = Padded::new(lengths);
            let count: usize = lengths.iter().sum();
            let numbers: Vec<i64> = (1..=count as i64).collect();
            let numbers = integers(numbers, &device);
            let longest = lengths.iter().copied().max().unwrap_or(0);
            let block = padded.block_of_numbers(numbers.clone());
            assert_eq!(block.dims(), [lengths.len(), longest]);
            let vectors = numbers.float().reshape([count, 1]);
            let wide = padded.block(vectors.clone());
            assert_eq!(wide.clone().squeeze_dim::<2>(2).int().into_data(), block.into_data());
            assert_eq!(padded.places(wide).into_data(), vectors.into_data());
        }
        let block = Padded::new(&[1, 2]).block_of_numbers(integers(vec![7, 8, 9], &device));
        assert_eq!(block.into_data().iter::<i64>().collect::<Vec<_>>(), [7, 0, 8, 9]);
    }
}
