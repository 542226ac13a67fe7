//! What to do with tags that their scheme forbids.

use super::{Converted, Label, Position, Scheme, is_open, starts};
use domain::Tag;
use parts::choice;
use serde::{Deserialize, Serialize};

choice! {
    /// What to do with tags that their scheme forbids; they are counted in any case.
    #[derive(PartialOrd, Ord, Default, Serialize, Deserialize)]
    pub enum Repair {
        /// An entity begins wherever one can, as the CoNLL scorer reads it.
        #[default]
        Conlleval = "conlleval",
        /// Entities with a forbidden beginning or no end become `O` (SeqScore's rule of this name).
        Discard = "discard",
        /// A file that has one is an error.
        Refuse = "refuse",
    }
}

impl Scheme {
    /// A sentence's labels in IOB2, its broken entities taken out.
    pub fn to_iob2_discarding(self, labels: &[Label]) -> Converted {
        let mut converted = self.to_iob2(labels);
        if converted.invalid.is_empty() {
            return converted;
        }
        let mut start = 0;
        while start < labels.len() {
            let end = end_of_entity(&converted.tags, start);
            if self.is_broken(labels, start, end) {
                converted.tags[start..end].fill(Tag::Outside);
            }
            start = end;
        }
        converted
    }

    /// Whether the entity at `start..end` begins where the scheme forbids it, or is left open.
    fn is_broken(self, labels: &[Label], start: usize, end: usize) -> bool {
        let Some((position, _)) = labels[start] else { return false };
        let previous = start.checked_sub(1).and_then(|before| labels[before]);
        let begins_wrong = match self {
            Scheme::Iobes => matches!(position, Position::Inside | Position::End),
            _ => self.forbids(previous, labels[start]),
        };
        let next = labels.get(end).copied().flatten();
        let left_open =
            is_open(labels[end - 1]) && (next.is_none() || starts(labels[end - 1], next));
        begins_wrong || (self == Scheme::Iobes && left_open)
    }
}

/// Where the run that starts at `start` ends: an entity, or one token outside of all.
fn end_of_entity(tags: &[Tag], start: usize) -> usize {
    let goes_on = |tag: &&Tag| matches!(tag, Tag::Inside(_)) && tags[start] != Tag::Outside;
    start + 1 + tags[start + 1..].iter().take_while(goes_on).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{TypeId, TypeSet};

    fn discarded(scheme: Scheme, text: &str) -> String {
        let types = TypeSet::new(["X", "Y"].map(String::from));
        let label = |tag| {
            let mark = scheme.parse(tag).unwrap();
            mark.map(|(position, name)| (position, types.id(name).unwrap_or(TypeId(0))))
        };
        let labels: Vec<Label> = text.split(' ').map(label).collect();
        let tags = scheme.to_iob2_discarding(&labels).tags;
        tags.iter().map(|&tag| types.show(tag).to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn broken_entities_go_and_whole_ones_stay() {
        for (scheme, written, meant) in [
            (Scheme::Iob2, "I-X I-X O B-Y I-Y", "O O O B-Y I-Y"),
            (Scheme::Iob2, "B-X I-Y I-Y B-Y", "B-X O O B-Y"),
            (Scheme::Iob1, "I-X I-X O B-Y", "B-X I-X O O"),
            (Scheme::Bare, "O I I B", "O O O B-X"),
            (Scheme::Iobes, "B-X E-X B-X O S-Y", "B-X I-X O O B-Y"),
            (Scheme::Iobes, "B-X I-X", "O O"),
            (Scheme::Iobes, "S-X I-X E-X S-X", "B-X O O B-X"),
            (Scheme::Iobes, "B-X E-Y", "O O"),
            (Scheme::Io, "I-X I-Y", "B-X B-Y"),
        ] {
            assert_eq!(discarded(scheme, written), meant, "{scheme:?} {written}");
        }
    }

    #[test]
    fn names_are_inverse() {
        for name in Repair::WORDS {
            assert_eq!(Repair::from_word(name).map(Repair::word), Some(*name));
        }
        assert_eq!(Repair::from_word(""), None);
    }
}
