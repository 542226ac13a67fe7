//! Words by their characters: the last states of an LSTM over them in either direction.

use super::batch::{Spellings, indices};
use super::embeddings::{drawn, look_up};
use super::lstm::Lstm;
use burn::module::Module;
use burn::nn::Embedding;
use burn::tensor::{Device, Tensor};

/// Numbers a character.
const DIMENSION: usize = 100;

/// The encoder of spellings.
#[derive(Module, Debug)]
pub struct Characters {
    table: Embedding,
    lstm: Lstm,
}

impl Characters {
    /// Fresh weights for `hidden` units per direction.
    pub fn new(alphabet: usize, hidden: usize, device: &Device) -> Self {
        let table = drawn(alphabet, DIMENSION, device);
        Self { table, lstm: Lstm::new(DIMENSION, hidden, 0.0, device) }
    }

    /// Numbers a word.
    pub fn output(&self) -> usize {
        self.lstm.output()
    }

    /// The batch's places × output.
    pub fn forward(&self, spellings: &Spellings) -> Tensor<2> {
        let vectors = look_up(&self.table, spellings.characters.clone());
        let states = self.lstm.states(vectors, &spellings.lengths);
        let ([count, width], device) = (states.dims(), states.device());
        if count == 0 {
            return states;
        }
        // Ahead, the last character has seen the whole word; backwards, the first one has.
        let ends = spellings.lengths.iter().scan(0, |end, &length| {
            *end += length;
            Some((*end - length, *end - 1))
        });
        let (first, last): (Vec<usize>, Vec<usize>) = ends.unzip();
        let ahead = states.clone().select(0, indices(last, &device)).narrow(1, 0, width / 2);
        let back = states.select(0, indices(first, &device)).narrow(1, width / 2, width / 2);
        Tensor::cat(vec![ahead, back], 1).select(0, spellings.of_places.clone())
    }
}
