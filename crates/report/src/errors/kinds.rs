//! Kinds of errors: every entity of gold is right or one of them, and so is every prediction that
//! no entity of gold explains.

use domain::EntitySpan;

/// How an entity is wrong.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ErrorKind {
    /// Nothing was predicted on any of its tokens.
    Missed,
    /// Predicted where gold has nothing.
    Spurious,
    /// The right tokens, another type.
    WrongType,
    /// Other tokens, some of them in common; whatever the type.
    WrongBoundary,
}

impl ErrorKind {
    /// All, in the order of tables.
    pub const ALL: [ErrorKind; 4] =
        [ErrorKind::Missed, ErrorKind::Spurious, ErrorKind::WrongType, ErrorKind::WrongBoundary];

    /// In words.
    pub fn title(self) -> &'static str {
        match self {
            ErrorKind::Missed => "missed",
            ErrorKind::Spurious => "spurious",
            ErrorKind::WrongType => "wrong type",
            ErrorKind::WrongBoundary => "wrong boundary",
        }
    }
}

/// How one entity fared.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Fate {
    Correct,
    /// With what was predicted instead, where that was something.
    Wrong(ErrorKind, Option<EntitySpan>),
}

/// The fate of every entity of gold, then of every prediction that overlaps none. Both lists are in
/// the order of their tokens and overlap nothing within themselves.
pub fn fates(gold: &[EntitySpan], predicted: &[EntitySpan]) -> Vec<(EntitySpan, Fate)> {
    let of_gold = gold.iter().map(|entity| (*entity, fate(entity, predicted)));
    let unexplained = predicted.iter().filter(|p| !gold.iter().any(|g| overlap(g, p)));
    of_gold
        .chain(unexplained.map(|entity| (*entity, Fate::Wrong(ErrorKind::Spurious, None))))
        .collect()
}

fn fate(entity: &EntitySpan, predicted: &[EntitySpan]) -> Fate {
    let Some(met) = predicted.iter().find(|p| overlap(entity, p)) else {
        return Fate::Wrong(ErrorKind::Missed, None);
    };
    match (met.start, met.end) == (entity.start, entity.end) {
        true if met.entity_type == entity.entity_type => Fate::Correct,
        true => Fate::Wrong(ErrorKind::WrongType, Some(*met)),
        false => Fate::Wrong(ErrorKind::WrongBoundary, Some(*met)),
    }
}

fn overlap(a: &EntitySpan, b: &EntitySpan) -> bool {
    a.start < b.end && b.start < a.end
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::TypeId;

    fn span(start: usize, end: usize, of: u16) -> EntitySpan {
        EntitySpan { start, end, entity_type: TypeId(of) }
    }

    #[test]
    fn every_kind_is_told_apart() {
        let gold = [span(0, 2, 0), span(3, 4, 0), span(5, 7, 1), span(8, 9, 1), span(10, 12, 0)];
        let predicted =
            [span(0, 2, 0), span(3, 4, 1), span(5, 6, 1), span(9, 10, 0), span(11, 13, 1)];
        let found = fates(&gold, &predicted);
        use ErrorKind::{Missed, Spurious, WrongBoundary, WrongType};
        assert_eq!(
            found,
            [
                (gold[0], Fate::Correct),
                (gold[1], Fate::Wrong(WrongType, Some(predicted[1]))),
                (gold[2], Fate::Wrong(WrongBoundary, Some(predicted[2]))),
                (gold[3], Fate::Wrong(Missed, None)),
                (gold[4], Fate::Wrong(WrongBoundary, Some(predicted[4]))),
                (predicted[3], Fate::Wrong(Spurious, None)),
            ]
        );
    }

    #[test]
    fn one_prediction_over_two_entities_is_a_wrong_boundary_of_both() {
        let found = fates(&[span(0, 1, 0), span(1, 2, 0)], &[span(0, 2, 0)]);
        assert_eq!(found.len(), 2);
        let wrong =
            |(_, fate): &(_, Fate)| matches!(fate, Fate::Wrong(ErrorKind::WrongBoundary, _));
        assert!(found.iter().all(wrong));
        assert!(fates(&[], &[]).is_empty());
    }
}
