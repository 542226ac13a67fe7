//! Which tags agree with annotations that may be missing.

use super::{Partial, Unlabelled, WeightedPartial};
use domain::{Part, Tag};
use parts::{Parameter, choice};

/// The class of `O`.
const OUTSIDE: usize = 0;

/// What annotations leave open.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Possible {
    /// How many tags there are.
    pub tags: usize,
    /// Whether an annotated entity may go on in the words behind it.
    pub grows: bool,
}

impl Possible {
    pub fn new(part: &Part, tags: usize) -> Self {
        let (Unlabelled::Partial(Partial { ends })
        | Unlabelled::WeightedPartial(WeightedPartial { ends, .. })) = Unlabelled::read(part);
        Self { tags, grows: ends == Ends::Open }
    }

    /// For each word of a sentence and each tag whether the word may have it, words × tags. A word
    /// with an annotation has its tag; one without is `O` in a sentence whose annotation is
    /// complete.
    pub fn of(self, classes: &[usize], complete: bool) -> Vec<bool> {
        let mut possible = vec![false; classes.len() * self.tags];
        for (place, row) in possible.chunks_exact_mut(self.tags).enumerate() {
            if complete || classes[place] != OUTSIDE {
                row[classes[place]] = true;
                continue;
            }
            row.fill(true);
            let before = place
                .checked_sub(1)
                .and_then(|before| Tag::from_index(classes[before]).entity_type());
            if let Some(entity_type) = before.filter(|_| !self.grows) {
                row[Tag::Inside(entity_type).index()] = false;
            }
        }
        possible
    }
}

choice! {
    /// What is known of where annotated entities end.
    pub enum Ends { Open = "open", Kept = "kept" }
}

/// The parameter that says so.
pub const fn ends(default: Ends) -> Parameter {
    Parameter {
        name: "ends",
        help: "where annotated entities end is known (`kept`), or they may go on in words without an annotation (`open`)",
        kind: default.kind(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// O, then B and I of two types.
    const TAGS: usize = 5;

    fn rows(possible: &[bool]) -> Vec<Vec<usize>> {
        let row = |row: &[bool]| (0..TAGS).filter(|tag| row[*tag]).collect();
        possible.chunks(TAGS).map(row).collect()
    }

    #[test]
    fn words_without_an_annotation_are_open_only_where_some_may_be_missing() {
        let open = Possible { tags: TAGS, grows: true };
        let any = || (0..TAGS).collect::<Vec<usize>>();
        let classes = [0, 3, 4, 0, 1];
        let expected = [any(), vec![3], vec![4], any(), vec![1]];
        assert_eq!(rows(&open.of(&classes, false)), expected);
        assert_eq!(rows(&open.of(&classes, true)), [[0], [3], [4], [0], [1]]);
    }

    #[test]
    fn an_entity_whose_end_is_known_does_not_go_on() {
        let kept = Possible { tags: TAGS, grows: false };
        let found = rows(&kept.of(&[3, 0, 0, 1], false));
        assert_eq!(found, [vec![3], vec![0, 1, 2, 3], vec![0, 1, 2, 3, 4], vec![1]]);
    }
}
