//! How often an entity whose annotation is missing is taken for a negative (li2022, equation 2).
//!
//! The rate is the share of a sentence's negatives that are such entities, as the paper's text has
//! it, and its mean is taken over sentences. (The equation as it is printed has one minus that.)

use domain::Span;

/// What was drawn in an epoch.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Missampling {
    sentences: usize,
    /// The sum of the sentences' rates.
    rates: f64,
    hits: usize,
    unlabelled: usize,
}

impl Missampling {
    /// Counts a sentence: what was drawn from it, and its entities without an annotation.
    pub fn add(&mut self, drawn: &[Span], unlabelled: &[Span]) {
        let hits = drawn.iter().filter(|span| unlabelled.contains(span)).count();
        self.sentences += 1;
        self.rates += hits as f64 / drawn.len().max(1) as f64;
        self.hits += hits;
        self.unlabelled += unlabelled.len();
    }

    /// γ: of the negatives, those that are entities; the mean over sentences.
    pub fn rate(&self) -> f64 {
        self.rates / self.sentences.max(1) as f64
    }

    /// Of the entities without an annotation, those that were drawn; `None` where there is none.
    pub fn entities(&self) -> Option<f64> {
        (self.unlabelled > 0).then(|| self.hits as f64 / self.unlabelled as f64)
    }
}
