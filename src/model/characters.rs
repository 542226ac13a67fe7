//! Words by their characters: the last states of an LSTM over them in either direction.

use super::batch::Spellings;
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

    /// The flattened batch's places × output.
    pub fn forward(&self, spellings: &Spellings) -> Tensor<2> {
        let states =
            self.lstm.states(self.table.forward(spellings.characters.clone()), &spellings.reversal);
        let [count, longest, width] = states.dims();
        let device = states.device();
        let flat = states.reshape([count * longest, width]);
        // Ahead, the last character has seen the whole word; backwards, the first one has.
        let last =
            spellings.lengths.iter().enumerate().map(|(i, n)| (i * longest + n.max(&1) - 1) as i64);
        let first = (0..count).map(|i| (i * longest) as i64);
        let at = |places: Vec<i64>| {
            Tensor::<1, Int>::from_data(TensorData::new(places, [count]), &device)
        };
        let ahead = flat.clone().select(0, at(last.collect())).narrow(1, 0, width / 2);
        let back = flat.select(0, at(first.collect())).narrow(1, width / 2, width / 2);
        Tensor::cat(vec![ahead, back], 1).select(0, spellings.of_places.clone())
    }
}
