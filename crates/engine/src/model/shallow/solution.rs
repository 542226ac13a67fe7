//! What a shallow model has learnt, and what it says of other words.

#[cfg(test)]
use {
    super::Features,
    crate::model::chain::{Chain, Evidence, best_paths},
};

/// The parameters of a shallow model.
#[derive(Clone, PartialEq, Debug)]
pub struct Solution {
    /// The classes that occur in training, in ascending order; it can tell no others.
    pub observed: Vec<usize>,
    /// dimension × observed.
    pub weights: Vec<f64>,
    /// By observed class; empty for a chain, which has none.
    pub bias: Vec<f64>,
    /// observed × observed, from × to; empty where tokens are decided on their own.
    pub transitions: Vec<f64>,
}

#[cfg(test)]
impl Solution {
    /// The class of each token of some sentences, given as rows of `features`, one after the other.
    pub fn predict(&self, features: &dyn Features, words: &[u32], lengths: &[usize]) -> Vec<usize> {
        let classes = self.observed.len();
        let scores = features.scores(&self.weights, classes);
        let row = |word: &u32| &scores[*word as usize * classes..][..classes];
        let place = |place: usize| self.observed[place];
        if self.transitions.is_empty() {
            let decided = words.iter().map(|word| best(row(word), &self.bias));
            return decided.map(place).collect();
        }
        let emissions = words.iter().flat_map(row).map(|score| *score as f32);
        let emissions: Vec<f32> = emissions.collect();
        let chain = Chain::new(classes, &self.transitions);
        let paths = best_paths(&chain, &emissions, lengths, Evidence::None);
        paths.into_iter().map(place).collect()
    }
}

#[cfg(test)]
/// The place of the highest logit, the first of equals.
fn best(scores: &[f64], bias: &[f64]) -> usize {
    let logits = scores.iter().zip(bias).map(|(score, bias)| score + bias).enumerate();
    let higher =
        |found: (usize, f64), logit: (usize, f64)| if logit.1 > found.1 { logit } else { found };
    logits.fold((0, f64::NEG_INFINITY), higher).0
}
