//! Sentences and the splits of a corpus.

use super::tag::{Tag, TypeId, TypeSet};
use super::tokens::Tokens;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Tokens with their gold tags in IOB2; both always have the same length, at least 1.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sentence {
    pub tokens: Tokens,
    pub tags: Vec<Tag>,
}

impl Sentence {
    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether a token of it is in an entity.
    pub fn has_entity(&self) -> bool {
        self.tags.iter().any(|tag| *tag != Tag::Outside)
    }

    /// Whether there is no token (readers never give such a sentence).
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The entities that the tags mark, from left to right.
    pub fn entities(&self) -> impl Iterator<Item = EntitySpan> {
        let begins = self.tags.iter().enumerate().filter_map(|(start, tag)| match tag {
            Tag::Begin(entity_type) => Some((start, *entity_type)),
            _ => None,
        });
        begins.map(|(start, entity_type)| {
            let after = &self.tags[start + 1..];
            let inside = after.iter().take_while(|tag| matches!(tag, Tag::Inside(_)));
            EntitySpan { start, end: start + 1 + inside.count(), entity_type }
        })
    }
}

/// A typed entity: tokens `start..end`.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EntitySpan {
    pub start: usize,
    pub end: usize,
    pub entity_type: TypeId,
}

/// Some tokens in a row: `start..end`, at least one. The spans of a sentence are numbered: those
/// that begin earlier first, shorter ones before longer ones.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    /// How many spans a sentence of so many words has: n(n + 1)/2.
    pub fn count(words: usize) -> usize {
        words * (words + 1) / 2
    }

    /// All spans of a sentence, in the order of their numbers.
    pub fn all(words: usize) -> impl Iterator<Item = Span> {
        (0..words).flat_map(move |start| (start + 1..=words).map(move |end| Span { start, end }))
    }

    /// The span's number in a sentence of so many words.
    pub fn number(self, words: usize) -> usize {
        first_number(self.start, words) + self.end - self.start - 1
    }

    /// The span of a number below [`Span::count`].
    pub fn numbered(number: usize, words: usize) -> Span {
        // The larger root of first_number(start) = number, which floating point may miss by one.
        let side = (2 * words + 1) as f64;
        let root = (side - (side * side - 8.0 * number as f64).max(0.0).sqrt()) / 2.0;
        let mut start = (root as usize).min(words.saturating_sub(1));
        while first_number(start, words) > number {
            start -= 1;
        }
        while start + 1 < words && first_number(start + 1, words) <= number {
            start += 1;
        }
        Span { start, end: start + 1 + number - first_number(start, words) }
    }
}

/// The number of the first span that begins at a word.
fn first_number(start: usize, words: usize) -> usize {
    start * (2 * words + 1 - start) / 2
}

/// Which part of a corpus.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    Train,
    Dev,
    Test,
}

crate::named!(Split { Train = "train", Dev = "dev", Test = "test" });

/// How far the tags of a training sentence can be trusted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Annotation {
    /// What is `O` is no entity.
    #[default]
    Complete,
    /// Entities may hide under `O`: those that a scenario masked are known, those that a distant
    /// annotation missed are not.
    Incomplete { masked: Vec<EntitySpan> },
}

/// The three splits with one set of entity types for all of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Corpus {
    pub types: TypeSet,
    pub train: Vec<Sentence>,
    pub dev: Vec<Sentence>,
    pub test: Vec<Sentence>,
    /// Further training parts by name, as distantly annotated ones; a scenario may add one to
    /// train.
    pub parts: BTreeMap<String, Vec<Sentence>>,
    /// One for each sentence of train, or none at all where every one is complete.
    pub annotations: Vec<Annotation>,
}

impl Corpus {
    /// The sentences of a split.
    pub fn split(&self, split: Split) -> &[Sentence] {
        match split {
            Split::Train => &self.train,
            Split::Dev => &self.dev,
            Split::Test => &self.test,
        }
    }

    /// Keeps the training sentences that are marked, with what is known of them.
    pub fn keep_train(&mut self, keep: &[bool]) {
        let mut marks = keep.iter();
        self.train.retain(|_| marks.next() == Some(&true));
        let mut marks = keep.iter();
        self.annotations.retain(|_| marks.next() == Some(&true));
    }

    /// What is known of each training sentence, one for each.
    pub fn train_annotations(&mut self) -> &mut Vec<Annotation> {
        self.annotations.resize(self.train.len(), Annotation::Complete);
        &mut self.annotations
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lead_to_spans_and_back() {
        for words in [0, 1, 2, 3, 18, 257] {
            let all: Vec<Span> = Span::all(words).collect();
            assert_eq!(all.len(), Span::count(words));
            for (number, span) in all.into_iter().enumerate() {
                assert_eq!(span.number(words), number, "{words} words");
                assert_eq!(Span::numbered(number, words), span, "{words} words");
            }
        }
    }
}
