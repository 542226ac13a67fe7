//! One pass over gold and prediction.

use super::average::{OutsideScores, Policy};
use super::entities::Mode;
use super::side_by_side::{FoundIn, side_by_side};
use super::tally::{ByType, Tally};
use domain::{Scores, Tag, TypeSet};

/// Counts by type, filled sentence by sentence. Types may come as sentences do: whoever reads a
/// file need not know them before.
#[derive(Clone, Debug)]
pub struct Scorer {
    mode: Mode,
    spans: ByType<Tally>,
    tokens: ByType<Tally>,
    outside: Tally,
    tags: Accuracy,
    sentences: usize,
}

/// Tags that are right as they stand, B and I told apart: conlleval's accuracy.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Accuracy {
    pub tokens: u64,
    pub correct: u64,
}

impl Accuracy {
    /// The share of right tags, 0 of nothing.
    pub fn share(self) -> f64 {
        super::ZeroDivision::Zero.ratio(self.correct as f64, self.tokens)
    }
}

/// All that one pass gives.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Scored {
    pub scores: Scores,
    /// The token level with O as one class more.
    pub with_outside: OutsideScores,
    pub accuracy: Accuracy,
    pub sentences: usize,
}

impl Scorer {
    /// A scorer that has seen nothing.
    pub fn new(mode: Mode) -> Self {
        Self {
            mode,
            spans: ByType::default(),
            tokens: ByType::default(),
            outside: Tally::default(),
            tags: Accuracy::default(),
            sentences: 0,
        }
    }

    /// Counts one sentence; both sides have as many tags.
    pub fn add(&mut self, gold: &[Tag], predicted: &[Tag]) {
        debug_assert_eq!(gold.len(), predicted.len());
        self.sentences += 1;
        self.add_spans(gold, predicted);
        self.add_tokens(gold, predicted);
    }

    /// How many sentences were counted.
    pub fn sentences(&self) -> usize {
        self.sentences
    }

    /// The scores of all that was counted. The tags' types are of `types`.
    pub fn scored(&self, types: &TypeSet, policy: &Policy) -> Scored {
        let token = policy.level(self.tokens.named(types));
        let with_outside = policy.with_outside(&token, self.outside);
        let span = policy.level(self.spans.named(types));
        Scored {
            scores: Scores { span, token, outside: Some(with_outside.outside) },
            with_outside,
            accuracy: self.tags,
            sentences: self.sentences,
        }
    }

    fn add_spans(&mut self, gold: &[Tag], predicted: &[Tag]) {
        side_by_side(gold, predicted, self.mode, |found, entity| {
            found.count(self.spans.of(entity.entity_type));
        });
    }

    /// A token is right if its type is, B or I. The mode plays no part: each tag is looked at
    /// alone.
    fn add_tokens(&mut self, gold: &[Tag], predicted: &[Tag]) {
        for (&gold, &predicted) in gold.iter().zip(predicted) {
            self.tags.correct += u64::from(gold == predicted);
            if gold.entity_type() == predicted.entity_type() {
                FoundIn::Both.count(self.class(gold));
            } else {
                FoundIn::GoldAlone.count(self.class(gold));
                FoundIn::PredictionAlone.count(self.class(predicted));
            }
        }
        self.tags.tokens += gold.len() as u64;
    }

    /// The token counts of a tag's type, or of O.
    fn class(&mut self, tag: Tag) -> &mut Tally {
        match tag.entity_type() {
            Some(id) => self.tokens.of(id),
            None => &mut self.outside,
        }
    }
}
