//! The entities of gold and prediction met side by side.

use super::entities::{Entities, Mode};
use super::tally::Tally;
use domain::{EntitySpan, Tag};

/// Who has an entity: an equal one, of the same tokens and type, is in both.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum FoundIn {
    Both,
    GoldAlone,
    PredictionAlone,
}

impl FoundIn {
    /// Adds it to a tally.
    pub fn count(self, tally: &mut Tally) {
        tally.support += u64::from(self != FoundIn::PredictionAlone);
        tally.predicted += u64::from(self != FoundIn::GoldAlone);
        tally.correct += u64::from(self == FoundIn::Both);
    }
}

/// Tells each entity of a sentence once. Entities of one side come in the order of their starts and
/// never overlap, so an equal pair is always met at the same time: nothing is stored.
pub(super) fn side_by_side(
    gold: &[Tag],
    predicted: &[Tag],
    mode: Mode,
    mut tell: impl FnMut(FoundIn, EntitySpan),
) {
    let mut predictions = Entities::new(predicted, mode).peekable();
    for entity in Entities::new(gold, mode) {
        while let Some(before) = predictions.next_if(|other| other.start < entity.start) {
            tell(FoundIn::PredictionAlone, before);
        }
        match predictions.next_if_eq(&entity) {
            Some(_) => tell(FoundIn::Both, entity),
            None => tell(FoundIn::GoldAlone, entity),
        }
    }
    predictions.for_each(|rest| tell(FoundIn::PredictionAlone, rest));
}
