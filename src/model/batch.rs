//! A batch of sentences, padded to the longest.

use super::vocabulary::Vocabulary;
use burn::tensor::{Device, Int, Tensor, TensorData};

/// Rows of words, padded at the end.
pub struct Batch {
    /// Sentences × longest.
    pub words: Tensor<2, Int>,
    /// The positions of real tokens in the flattened batch, sentence by sentence.
    pub real: Tensor<1, Int>,
    /// For each position of the flattened batch, the one that takes its place when every sentence
    /// is turned around within its own length; padding stays. It is its own inverse.
    pub reversal: Vec<i64>,
}

impl Batch {
    /// A batch from each sentence's rows in the embedding table.
    pub fn new(sentences: &[&[i64]], device: &Device) -> Self {
        let longest = sentences.iter().map(|rows| rows.len()).max().unwrap_or(0);
        Self::padded_to(longest, sentences, device)
    }

    /// A batch padded to at least `width`.
    fn padded_to(width: usize, sentences: &[&[i64]], device: &Device) -> Self {
        let size = sentences.len() * width;
        let mut words = vec![Vocabulary::PADDING; size];
        let mut real = Vec::with_capacity(size);
        let mut reversal: Vec<i64> = (0..size as i64).collect();
        for (i, rows) in sentences.iter().enumerate() {
            let positions = i * width..i * width + rows.len();
            words[positions.clone()].copy_from_slice(rows);
            real.extend(positions.clone().map(|position| position as i64));
            reversal[positions].reverse();
        }
        let real_count = real.len();
        let shape = [sentences.len(), width];
        Self {
            words: Tensor::from_data(TensorData::new(words, shape), device),
            real: Tensor::from_data(TensorData::new(real, [real_count]), device),
            reversal,
        }
    }

    /// The same sentences with `more` columns of padding, to test that it changes nothing.
    #[cfg(test)]
    pub fn with_more_padding(more: usize, sentences: &[&[i64]], device: &Device) -> Self {
        let longest = sentences.iter().map(|rows| rows.len()).max().unwrap_or(0);
        Self::padded_to(longest + more, sentences, device)
    }
}
