//! The entities of gold and prediction met side by side.

use super::entities::{Entities, Mode};
use super::tally::Tally;
use domain::{EntitySpan, Tag};

/// Who has an entity: an equal one, of the same tokens and type, is in both.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Found {
    Both,
    GoldAlone,
    PredictionAlone,
}

impl Found {
    /// Adds it to a tally.
    pub fn count(self, tally: &mut Tally) {
        tally.support += u64::from(self != Found::PredictionAlone);
        tally.predicted += u64::from(self != Found::GoldAlone);
        tally.correct += u64::from(self == Found::Both);
    }
}

/// Tells each entity of a sentence once. Entities of one side come in the order of their starts and
/// never overlap, so an equal pair is always met at the same time: nothing is stored.
pub(super) fn side_by_side(
    gold: &[Tag],
    predicted: &[Tag],
    mode: Mode,
    mut tell: impl FnMut(Found, EntitySpan),
) {
    let mut predictions = Entities::new(predicted, mode).peekable();
    for entity in Entities::new(gold, mode) {
        while let Some(before) = predictions.next_if(|other| other.start < entity.start) {
            tell(Found::PredictionAlone, before);
        }
        match predictions.next_if_eq(&entity) {
            Some(_) => tell(Found::Both, entity),
            None => tell(Found::GoldAlone, entity),
        }
    }
    predictions.for_each(|rest| tell(Found::PredictionAlone, rest));
}
