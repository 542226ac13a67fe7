//! Where operators draw from and put what they make.

use domain::{Sentence, Tag, TokensBuilder};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Sentences being made. One builder serves them all, so that a sentence costs no more than itself.
pub struct Draft<'r> {
    rng: &'r mut ChaCha8Rng,
    tokens: TokensBuilder,
    made: Vec<Sentence>,
}

impl<'r> Draft<'r> {
    /// Nothing yet, with room for so many sentences.
    pub fn new(rng: &'r mut ChaCha8Rng, sentences: usize) -> Self {
        Self { rng, tokens: TokensBuilder::default(), made: Vec::with_capacity(sentences) }
    }

    /// A number from 0 to 1, 1 excluded.
    pub fn share(&mut self) -> f64 {
        self.rng.random()
    }

    /// Whether something of this probability happens.
    pub fn happens(&mut self, probability: f64) -> bool {
        self.share() < probability
    }

    /// A whole number below `n`, each equally likely; 0 where there is no choice.
    pub fn below(&mut self, n: usize) -> usize {
        if n < 2 { 0 } else { self.rng.random_range(0..n) }
    }

    /// Brings items into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        items.shuffle(self.rng);
    }

    /// Adds a token to the sentence that is being made.
    pub fn push(&mut self, token: &str) {
        self.tokens.push(token);
    }

    /// Ends the sentence that is being made.
    pub fn finish(&mut self, tags: Vec<Tag>) {
        self.made.push(Sentence { tokens: self.tokens.take(), tags });
    }

    /// Adds a sentence as it is.
    pub fn keep(&mut self, sentence: &Sentence) {
        self.made.push(sentence.clone());
    }

    /// All sentences, in the order in which they were made.
    pub fn into_sentences(self) -> Vec<Sentence> {
        self.made
    }
}
