//! What a random field learns where annotations leave tags open.

use super::{Lesson, Objective};
use crate::model::chain::Evidence;
use crate::model::heads::BatchLoss;
use method::unlabelled::Possible;

/// Annotations that may be missing (Yang et al. 2018, the partial CRF of li2022, Table 4): −log of
/// the probability of all tag sequences that agree with the annotations, the mean over sentences.
///
/// In sentences that may lack annotations, words without one may have any tag, and annotated words
/// have theirs. Sentences whose annotation is complete have one sequence, so theirs is the usual
/// loss. Where no sentence is complete nothing teaches `O`: the model has no reason to ever predict
/// it.
pub struct Partial(pub Possible);

impl Objective for Partial {
    fn loss(&mut self, lesson: &Lesson<'_>, _turn: usize) -> Option<BatchLoss> {
        let train = lesson.train;
        let possible = |&i: &usize| self.0.of(&train.classes[i], !train.is_incomplete(i));
        let possible: Vec<bool> = lesson.sentences.iter().flat_map(possible).collect();
        Some(lesson.loss_of(Evidence::Allowed(&possible)))
    }
}

/// Tags that are known by their probability (Jie et al. 2019): −log Σ p(y | x) Π q_t(y_t), the mean
/// over sentences. For each training sentence how likely each tag of each word is, words × tags.
pub struct Soft(pub Vec<Vec<f32>>);

impl Objective for Soft {
    fn loss(&mut self, lesson: &Lesson<'_>, _turn: usize) -> Option<BatchLoss> {
        let weights = lesson.sentences.iter().flat_map(|&i| &self.0[i]);
        let weights: Vec<f32> = weights.copied().collect();
        Some(lesson.loss_of(Evidence::Soft(&weights)))
    }
}
