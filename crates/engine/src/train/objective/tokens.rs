//! A loss over tokens, or the head's own where it decides on whole sentences.

use super::{Lesson, Objective};
use crate::model::heads::Loss;
use method::loss::{self, TokenLoss};

/// The method's loss over tokens.
pub struct Tokens(pub Box<dyn TokenLoss>);

impl Objective for Tokens {
    fn loss(&mut self, lesson: &Lesson<'_>, _turn: usize) -> Option<Loss> {
        let per_token =
            |logits: &[f64], gold: &[usize], sentences: &[usize], gradient: &mut [f64]| {
                self.0.batch(loss::Tokens { logits, gold, sentences }, gradient)
            };
        Some(lesson.model.loss(lesson.batch, &lesson.gold(), &per_token))
    }
}
