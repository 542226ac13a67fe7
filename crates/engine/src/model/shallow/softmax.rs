//! Multinomial logistic regression over word vectors (scikit-learn's, the shallow softmax of
//! wang2022): Σ loss + ‖W‖²/2C, the intercept free.
//!
//! A token's loss depends on its word and its class alone, so the sum goes over the distinct pairs
//! of them, each as often as it occurs.

use super::{Features, Sentences};
use rayon::prelude::*;

/// The loss of a token with its gradient: from the logits and the gold class, into the third.
pub type TokenLoss<'a> = dyn Fn(&[f64], usize, &mut [f64]) -> f64 + Sync + 'a;

/// Words that a thread takes at a time.
const GROUP: usize = 256;

/// The objective.
pub struct SoftmaxObjective<'a> {
    features: &'a dyn Features,
    loss: &'a TokenLoss<'a>,
    classes: usize,
    /// 1 / C.
    penalty: f64,
    /// The classes that a word has, with how often, copies counted: word after word.
    counts: Vec<(u32, f64)>,
    /// Where each word's counts begin, and the end of the last.
    starts: Vec<usize>,
}

impl<'a> SoftmaxObjective<'a> {
    /// The objective of some sentences, in which the classes of `observed` occur; `c` is
    /// scikit-learn's `C`.
    pub fn new(
        features: &'a dyn Features,
        loss: &'a TokenLoss<'a>,
        sentences: &Sentences,
        observed: &[usize],
        c: f64,
    ) -> Self {
        let places = sentences.places(observed);
        let mut pairs = Vec::with_capacity(sentences.tokens());
        for (tokens, copies) in sentences.iter() {
            let words = sentences.words(tokens.clone()).iter().zip(&places[tokens]);
            pairs.extend(words.map(|(word, class)| (*word, *class, copies)));
        }
        pairs.sort_by_key(|(word, class, _)| (*word, *class));
        pairs.dedup_by(|again, first| {
            let same = (again.0, again.1) == (first.0, first.1);
            if same {
                first.2 += again.2;
            }
            same
        });
        let words = 0..=features.words();
        let starts = words.map(|word| pairs.partition_point(|pair| (pair.0 as usize) < word));
        let starts = starts.collect();
        let counts = pairs.into_iter().map(|(_, class, count)| (class, count)).collect();
        Self { features, loss, classes: observed.len(), penalty: 1.0 / c, counts, starts }
    }

    /// How many numbers are learnt: weights (dimension × classes), then the intercept.
    pub fn parameters(&self) -> usize {
        (self.features.dimension() + 1) * self.classes
    }

    /// The value at a point; `gradient` is overwritten with the gradient there.
    pub fn evaluate(&self, point: &[f64], gradient: &mut [f64]) -> f64 {
        let classes = self.classes;
        let (weights, intercept) = point.split_at(self.features.dimension() * classes);
        let mut scores = self.features.scores(weights, classes);
        let groups = scores.par_chunks_mut(GROUP * classes).enumerate();
        let sums: Vec<(f64, Vec<f64>)> =
            groups.map(|(group, scores)| self.group(group * GROUP, scores, intercept)).collect();
        let (of_weights, of_intercept) = gradient.split_at_mut(weights.len());
        of_weights.copy_from_slice(&self.features.pull_back(scores, classes));
        of_intercept.fill(0.0);
        let mut value = 0.0;
        for (loss, intercept) in sums {
            value += loss;
            add(of_intercept, 1.0, &intercept);
        }
        add(of_weights, self.penalty, weights);
        value + 0.5 * self.penalty * weights.iter().map(|weight| weight * weight).sum::<f64>()
    }

    /// The loss of the words from `first` on; turns their scores into gradients. Also the sum of
    /// those.
    fn group(&self, first: usize, scores: &mut [f64], intercept: &[f64]) -> (f64, Vec<f64>) {
        let classes = self.classes;
        let (mut logits, mut gradient) = (vec![0.0; classes], vec![0.0; classes]);
        let (mut loss, mut sum) = (0.0, vec![0.0; classes]);
        for (word, scores) in scores.chunks_exact_mut(classes).enumerate() {
            let logit = scores.iter().zip(intercept).map(|(score, intercept)| score + intercept);
            logits.iter_mut().zip(logit).for_each(|(into, logit)| *into = logit);
            scores.fill(0.0);
            let counts = self.starts[first + word]..self.starts[first + word + 1];
            for (class, count) in &self.counts[counts] {
                loss += count * (self.loss)(&logits, *class as usize, &mut gradient);
                add(scores, *count, &gradient);
            }
            add(&mut sum, 1.0, scores);
        }
        (loss, sum)
    }
}

fn add(to: &mut [f64], times: f64, numbers: &[f64]) {
    to.iter_mut().zip(numbers).for_each(|(to, number)| *to += times * number);
}
