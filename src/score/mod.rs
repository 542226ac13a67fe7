//! Precision, recall and F1 of predicted tags, on entities and on tokens.
//!
//! An entity is right if its type and both its ends are; which tags make an entity is the [`Mode`].
//! A ratio with nothing below the line is 0. Averages are summed in the order of the types' names, so
//! the same predictions give the same bits however their types are numbered. No I/O, and one pass
//! over the tags without an allocation a sentence.

mod average;
mod entities;
mod error;
mod tally;

pub use average::macro_over;
pub use entities::{Entities, Mode, entities};
pub use error::ScoreError;

use crate::domain::{Scores, Tag, TypeSet};
use tally::Scorer;

/// Scores predictions sentence by sentence. The tags' types are of `types`.
pub fn score<G, P>(types: &TypeSet, gold: G, predicted: P, mode: Mode) -> Result<Scores, ScoreError>
where
    G: IntoIterator<Item: AsRef<[Tag]>>,
    P: IntoIterator<Item: AsRef<[Tag]>>,
{
    let mut scorer = Scorer::new(types, mode);
    let (mut gold, mut predicted) = (gold.into_iter(), predicted.into_iter());
    loop {
        match (gold.next(), predicted.next()) {
            (Some(gold), Some(predicted)) => scorer.add(gold.as_ref(), predicted.as_ref())?,
            (None, None) => return Ok(scorer.scores()),
            (more, _) => {
                let sentences = scorer.sentences();
                return Err(ScoreError::Sentences { sentences, more_gold: more.is_some() });
            }
        }
    }
}

#[cfg(test)]
mod tests;
