//! Entities that train never marks: what a model cannot have learnt by heart.

use domain::{Sentence, TypeId};
use serde::Serialize;
use std::collections::HashSet;

/// Entities of one split, and how many of them another never marks. Each mention counts.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Unseen {
    pub entities: u64,
    /// The words of the entity are no entity of the other split, of whatever type.
    pub surface: u64,
    /// The words are no entity of this type there.
    pub surface_and_type: u64,
}

/// The entities of `later` that `earlier` never marks.
pub fn unseen(earlier: &[Sentence], later: &[Sentence]) -> Unseen {
    let typed: HashSet<(Vec<&str>, TypeId)> = mentions(earlier).collect();
    let surfaces: HashSet<&[&str]> = typed.iter().map(|(words, _)| words.as_slice()).collect();
    let mut found = Unseen::default();
    for mention in mentions(later) {
        found.entities += 1;
        found.surface += u64::from(!surfaces.contains(mention.0.as_slice()));
        found.surface_and_type += u64::from(!typed.contains(&mention));
    }
    found
}

/// The words and the type of every entity.
fn mentions(sentences: &[Sentence]) -> impl Iterator<Item = (Vec<&str>, TypeId)> {
    sentences.iter().flat_map(|sentence| {
        sentence.entities().map(|span| {
            let words = (span.start..span.end).map(|index| &sentence.tokens[index]).collect();
            (words, span.entity_type)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Tag::{self, Begin, Inside, Outside};

    fn sentence(rows: &[(&str, Tag)]) -> Sentence {
        Sentence {
            tokens: rows.iter().map(|(token, _)| token).collect(),
            tags: rows.iter().map(|(_, tag)| *tag).collect(),
        }
    }

    #[test]
    fn words_and_types_are_compared() {
        let (a, b) = (TypeId(0), TypeId(1));
        let train = [sentence(&[("New", Begin(a)), ("York", Inside(a)), ("Rome", Outside)])];
        let test = [
            sentence(&[("New", Begin(a)), ("York", Inside(a))]),
            sentence(&[("New", Begin(b)), ("York", Inside(b))]),
            sentence(&[("New", Begin(a)), ("York", Begin(a)), ("Rome", Begin(a))]),
            sentence(&[("new", Begin(a)), ("York", Inside(a))]),
        ];
        let found = unseen(&train, &test);
        assert_eq!(found, Unseen { entities: 6, surface: 4, surface_and_type: 5 });
        assert_eq!(unseen(&train, &[]), Unseen::default());
    }
}
