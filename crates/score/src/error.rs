//! What makes gold and prediction impossible to compare.

use domain::Tag;
use thiserror::Error;

/// Why there is no score.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ScoreError {
    /// A sentence has another number of tags than its gold.
    #[error("sentence {sentence} has {gold} gold tags but {predicted} predicted ones")]
    Tags {
        /// From 1.
        sentence: usize,
        gold: usize,
        predicted: usize,
    },
    /// One side ends before the other.
    #[error(
        "the {} ends after {sentences} sentences, the {} goes on",
        if *more_gold { "prediction" } else { "gold" },
        if *more_gold { "gold" } else { "prediction" }
    )]
    Sentences {
        /// How many both have.
        sentences: usize,
        more_gold: bool,
    },
}

/// Refuses a sentence, counted from 1, whose two sides have not as many tags.
pub(super) fn check_lengths(
    sentence: usize,
    gold: &[Tag],
    predicted: &[Tag],
) -> Result<(), ScoreError> {
    match (gold.len(), predicted.len()) {
        (gold, predicted) if gold == predicted => Ok(()),
        (gold, predicted) => Err(ScoreError::Tags { sentence, gold, predicted }),
    }
}
