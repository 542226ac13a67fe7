//! A random field on annotations that may be missing (Yang et al. 2018, the partial CRF of li2022, Table 4):
//! −log of the probability of all tag sequences that agree with the annotations, the mean over sentences.
//!
//! In sentences that may lack annotations, words without one may have any tag, and annotated words have theirs.
//! Sentences whose annotation is complete have one sequence, so theirs is the usual loss. Where no sentence is
//! complete nothing teaches `O`: the model has no reason to ever predict it.

use super::{Lesson, Objective};
use crate::model::chain::Evidence;
use crate::model::heads::Loss;
use method::unlabelled::Possible;

/// What annotations leave open is as good as they are.
pub struct Partial(pub Possible);

impl Objective for Partial {
    fn loss(&mut self, lesson: &Lesson<'_>, _turn: usize) -> Option<Loss> {
        let train = lesson.train;
        let possible = |&i: &usize| self.0.of(&train.classes[i], !train.is_incomplete(i));
        let possible: Vec<bool> = lesson.sentences.iter().flat_map(possible).collect();
        Some(lesson.loss_of(Evidence::Allowed(&possible)))
    }
}
