//! Precision, recall and F1 of predicted tags, on entities and on tokens.
//!
//! An entity is right if its type and both its ends are; which tags make an entity is the [`Mode`].
//! What a ratio of nothing counts, and which types are averaged, is the [`Policy`]. Softer ways to
//! match are in [`matching`], the same counts by length, frequency and rareness in [`buckets`], and
//! by sentence or document, for tests of two predictions, in [`units`].
//!
//! Averages are summed in the order of the types' names, so the same predictions give the same bits
//! however their types are numbered. No I/O, and one pass over the tags without an allocation a
//! sentence. No ratio is ever `NaN`.

mod average;
pub mod buckets;
mod entities;
mod error;
pub mod matching;
mod scorer;
mod side_by_side;
mod tally;
pub mod units;

pub use average::{OutsideScores, Policy};
pub use entities::{Entities, Mode, entities};
pub use error::ScoreError;
pub use scorer::{Accuracy, Scored, Scorer};
pub use tally::{Tally, ZeroDivision};

use domain::{Scores, Tag, TypeSet};

/// Scores predictions sentence by sentence, as every job's are. The tags' types are of `types`.
pub fn score<G, P>(types: &TypeSet, gold: G, predicted: P, mode: Mode) -> Result<Scores, ScoreError>
where
    G: IntoIterator<Item: AsRef<[Tag]>>,
    P: IntoIterator<Item: AsRef<[Tag]>>,
{
    let mut scorer = Scorer::new(mode);
    let (mut gold, mut predicted) = (gold.into_iter(), predicted.into_iter());
    for sentences in 0.. {
        match (gold.next(), predicted.next()) {
            (Some(gold), Some(predicted)) => {
                let (gold, predicted) = (gold.as_ref(), predicted.as_ref());
                error::check_lengths(sentences + 1, gold, predicted)?;
                scorer.add(gold, predicted);
            }
            (None, None) => break,
            (more, _) => {
                return Err(ScoreError::Sentences { sentences, more_gold: more.is_some() });
            }
        }
    }
    Ok(scorer.scored(types, &Policy::default()).scores)
}

#[cfg(test)]
mod tests;
