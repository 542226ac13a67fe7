//! Which positions of a batch are padding.

use burn::tensor::{Device, Tensor, TensorData};

/// What is added to the score of a position that must not be attended to: its weight becomes 0 exactly.
const NEVER: f32 = -1e9;

/// The lengths of a batch's rows.
#[derive(Clone, Debug)]
pub struct Padding {
    lengths: Vec<usize>,
    longest: usize,
}

impl Padding {
    /// Rows of these lengths, padded to the longest.
    pub fn new(lengths: &[usize]) -> Self {
        Self { lengths: lengths.to_vec(), longest: lengths.iter().copied().max().unwrap_or(0) }
    }

    /// What is added to the scores of each row's positions; `None` where nothing is padding.
    fn scores(&self) -> Option<Vec<f32>> {
        if self.lengths.iter().all(|&length| length >= self.longest) {
            return None;
        }
        let score = |length, at| if at < length { 0.0 } else { NEVER };
        let row = |&length: &usize| (0..self.longest).map(move |at| score(length.max(1), at));
        Some(self.lengths.iter().flat_map(row).collect())
    }

    /// The same for Burn: rows × heads × queries × keys.
    pub fn on_burn(&self, device: &Device) -> Option<Tensor<4>> {
        let shape = [self.lengths.len(), 1, 1, self.longest];
        self.scores().map(|scores| Tensor::from_data(TensorData::new(scores, shape), device))
    }
}

/// What is added to the scores of positions after one's own: rows × heads × queries × keys.
pub fn causal(length: usize, device: &Device) -> Tensor<4> {
    let score = |i: usize| if i % length > i / length { NEVER } else { 0.0 };
    let scores: Vec<f32> = (0..length * length).map(score).collect();
    Tensor::from_data(TensorData::new(scores, [1, 1, length, length]), device)
}
