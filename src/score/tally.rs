//! Counting what is in gold, what was predicted and what is both.

use super::average::level;
use super::entities::{Entities, Mode};
use super::error::ScoreError;
use crate::domain::{Scores, Tag, TypeId, TypeSet};

/// The counts of one type at one level.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Tally {
    pub support: u64,
    pub predicted: u64,
    pub correct: u64,
}

/// Counts by type, filled sentence by sentence.
pub(super) struct Scorer<'a> {
    types: &'a TypeSet,
    mode: Mode,
    spans: Vec<Tally>,
    tokens: Vec<Tally>,
    sentences: usize,
}

impl<'a> Scorer<'a> {
    /// A scorer that has seen nothing.
    pub fn new(types: &'a TypeSet, mode: Mode) -> Self {
        let empty = vec![Tally::default(); types.len()];
        Self { types, mode, spans: empty.clone(), tokens: empty, sentences: 0 }
    }

    /// Counts one sentence.
    pub fn add(&mut self, gold: &[Tag], predicted: &[Tag]) -> Result<(), ScoreError> {
        self.sentences += 1;
        if gold.len() != predicted.len() {
            return Err(ScoreError::Tags {
                sentence: self.sentences,
                gold: gold.len(),
                predicted: predicted.len(),
            });
        }
        self.add_spans(gold, predicted);
        self.add_tokens(gold, predicted);
        Ok(())
    }

    /// How many sentences were counted.
    pub fn sentences(&self) -> usize {
        self.sentences
    }

    /// The scores of all that was counted.
    pub fn scores(self) -> Scores {
        let named = |tallies: Vec<Tally>| self.types.names().iter().cloned().zip(tallies);
        Scores { span: level(named(self.spans)), token: level(named(self.tokens)) }
    }

    /// Entities of both sides come in the order of their starts and never overlap, so an equal pair
    /// is always met side by side.
    fn add_spans(&mut self, gold: &[Tag], predicted: &[Tag]) {
        let mut predictions = Entities::new(predicted, self.mode).peekable();
        for entity in Entities::new(gold, self.mode) {
            while let Some(before) = predictions.next_if(|other| other.start < entity.start) {
                tally_of(&mut self.spans, before.entity_type).predicted += 1;
            }
            let tally = tally_of(&mut self.spans, entity.entity_type);
            tally.support += 1;
            if predictions.next_if_eq(&entity).is_some() {
                tally.predicted += 1;
                tally.correct += 1;
            }
        }
        for rest in predictions {
            tally_of(&mut self.spans, rest.entity_type).predicted += 1;
        }
    }

    /// A token is right if its type is, B or I; O is no type. The mode plays no part: each tag is
    /// looked at alone.
    fn add_tokens(&mut self, gold: &[Tag], predicted: &[Tag]) {
        for (gold, predicted) in gold.iter().zip(predicted) {
            let (gold, predicted) = (gold.entity_type(), predicted.entity_type());
            if let Some(id) = gold {
                let tally = tally_of(&mut self.tokens, id);
                tally.support += 1;
                tally.correct += u64::from(gold == predicted);
            }
            if let Some(id) = predicted {
                tally_of(&mut self.tokens, id).predicted += 1;
            }
        }
    }
}

/// The tally of a type. Ids come from the scorer's types, so they are in range.
fn tally_of(tallies: &mut [Tally], id: TypeId) -> &mut Tally {
    &mut tallies[id.0 as usize]
}
