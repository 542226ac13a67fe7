//! What a step minimises: the model's head and the method decide.
//!
//! An objective remembers what lasts from step to step. It is asked batch by batch in the order of
//! training, so what it draws depends on the job's seed alone.

mod random_field;
pub mod spans;
mod two_task;

pub use random_field::{Partial, Soft};
pub use two_task::TwoTask;

use crate::model::chain::Evidence;
use crate::model::heads::{BatchLoss, Gold};
use crate::model::{Batch, Tagger};
use crate::prepare::Encoded;
use method::loss::{self, TokenLoss};
use std::collections::BTreeMap;

/// Some training sentences, as the model in training sees them.
pub struct Lesson<'a> {
    pub model: &'a Tagger,
    pub batch: &'a Batch,
    /// Which of the training sentences.
    pub sentences: &'a [usize],
    pub train: &'a Encoded,
}

impl Lesson<'_> {
    /// The class of each word, sentence by sentence.
    pub fn gold(&self) -> Vec<usize> {
        self.sentences.iter().flat_map(|&i| self.train.classes[i].iter().copied()).collect()
    }

    /// What a random field loses on what is known of the tags. Objectives that ask for it are only
    /// made for such a head.
    fn loss_of(&self, known: Evidence<'_>) -> BatchLoss {
        let field = self.model.field().expect("the head is a random field");
        field.loss_of(self.model.logits(self.batch), &self.batch.sentences, known)
    }
}

/// What a step minimises.
pub trait Objective {
    /// Steps over each batch, one after the other, each with an optimiser of its own.
    fn turns(&self) -> usize {
        1
    }

    /// Hears that a share of the course begins, counted from 1, and of how many.
    fn begin_share(&mut self, _share: usize, _shares: usize) {}

    /// What the batch costs in a turn, counted from 0. `None` where it teaches nothing: then there
    /// is no step.
    fn loss(&mut self, lesson: &Lesson<'_>, turn: usize) -> Option<BatchLoss>;

    /// What is to be reported since it was asked last: names of [`ADDED`](domain::ADDED).
    fn added(&mut self) -> BTreeMap<String, f64> {
        BTreeMap::new()
    }
}

/// The method's loss over tokens, or the head's own where it decides on whole sentences.
pub struct Tokens(pub Box<dyn TokenLoss>);

impl Objective for Tokens {
    fn loss(&mut self, lesson: &Lesson<'_>, _turn: usize) -> Option<BatchLoss> {
        let classes = lesson.gold();
        let gold = Gold { classes: &classes, sentences: &lesson.batch.sentences };
        let loss = |tokens: loss::Tokens<'_>, gradient: &mut [f64]| self.0.batch(tokens, gradient);
        Some(lesson.model.head().loss(lesson.model.logits(lesson.batch), gold, &loss))
    }
}
