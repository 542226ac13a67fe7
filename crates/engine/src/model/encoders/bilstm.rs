//! A bidirectional LSTM over a sentence's words (the BiLSTM of wang2022), optionally with one over
//! the characters of each word beside the word's vector.

use crate::model::Batch;
use crate::model::characters::Characters;
use crate::model::lstm::Lstm;
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use parts::encoders::bilstm::Bilstm as Declared;

/// The encoder.
#[derive(Module, Debug)]
pub struct Bilstm {
    words: Lstm,
    characters: Option<Characters>,
}

impl Bilstm {
    /// Over vectors of `input` numbers; `alphabet` counts the characters that can be met.
    pub fn new(declared: &Declared, input: usize, alphabet: usize, device: &Device) -> Self {
        let characters =
            (alphabet > 0).then(|| Characters::new(alphabet, declared.characters, device));
        let input = input + characters.as_ref().map_or(0, Characters::output);
        let words = Lstm::new(input, declared.hidden, declared.dropout, device);
        Self { words, characters }
    }

    pub fn output(&self) -> usize {
        self.words.output()
    }

    pub fn forward(&self, vectors: Tensor<2>, batch: &Batch) -> Tensor<2> {
        let vectors = match (&self.characters, &batch.spellings) {
            (Some(characters), Some(spellings)) => {
                Tensor::cat(vec![vectors, characters.forward(spellings)], 1)
            }
            _ => vectors,
        };
        self.words.states(vectors, &batch.lengths)
    }
}
