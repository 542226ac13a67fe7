//! Words by their characters: the last states of an LSTM over them in either direction.

use super::batch::Spellings;
use super::embeddings::look_up;
use super::lstm::Lstm;
use burn::module::Module;
use burn::nn::{Embedding, EmbeddingConfig, Initializer};
use burn::tensor::{Device, Int, Tensor, TensorData};

/// Numbers a character.
const DIMENSION: usize = 100;

/// The encoder of spellings.
#[derive(Module, Debug)]
pub struct Characters {
    table: Embedding,
    lstm: Lstm,
}

impl Characters {
    /// Fresh weights for `hidden` units a direction.
    pub fn new(alphabet: usize, hidden: usize, device: &Device) -> Self {
        let bound = (3.0 / DIMENSION as f64).sqrt();
        let table = EmbeddingConfig::new(alphabet, DIMENSION)
            .with_initializer(Initializer::Uniform { min: -bound, max: bound })
            .init(device);
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
        let (first, last): (Vec<i64>, Vec<i64>) =
            ends.map(|(first, last)| (first as i64, last as i64)).unzip();
        let at = |places: Vec<i64>| {
            let count = places.len();
            Tensor::<1, Int>::from_data(TensorData::new(places, [count]), &device)
        };
        let ahead = states.clone().select(0, at(last)).narrow(1, 0, width / 2);
        let back = states.select(0, at(first)).narrow(1, width / 2, width / 2);
        Tensor::cat(vec![ahead, back], 1).select(0, spellings.of_places.clone())
    }
}
