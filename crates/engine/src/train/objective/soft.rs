//! A random field on tags that are known by their probability (Jie et al. 2019): −log Σ p(y | x) Π q_t(y_t), the mean
//! over sentences.

use super::{Lesson, Objective};
use crate::model::chain::Evidence;
use crate::model::heads::Loss;

/// For each training sentence how likely each tag of each word is, words × tags.
pub struct Soft(pub Vec<Vec<f32>>);

impl Objective for Soft {
    fn loss(&mut self, lesson: &Lesson<'_>, _turn: usize) -> Option<Loss> {
        let weights = lesson.sentences.iter().flat_map(|&i| &self.0[i]);
        let weights: Vec<f32> = weights.copied().collect();
        Some(lesson.loss_of(Evidence::Soft(&weights)))
    }
}
