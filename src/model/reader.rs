//! How a model reads sentences: as words of a vocabulary, or as pieces of words.

use super::row::Row;
use super::vocabulary::Vocabulary;
use crate::domain::Sentence;

/// Turns sentences into rows.
#[derive(Clone, Debug)]
pub enum Reader {
    Words(Vocabulary),
}

impl Reader {
    /// A sentence's rows, in order.
    pub fn read(&mut self, sentence: &Sentence) -> Vec<Row> {
        match self {
            Reader::Words(vocabulary) => vec![vocabulary.read(sentence)],
        }
    }

    /// The characters of every spelling met so far; empty if the model reads none.
    pub fn characters(&self) -> &[Vec<i64>] {
        match self {
            Reader::Words(vocabulary) => vocabulary.characters(),
        }
    }

    /// Different characters; 0 if the model reads none.
    pub fn alphabet(&self) -> usize {
        match self {
            Reader::Words(vocabulary) => vocabulary.character_count(),
        }
    }

    /// Whether the word of this row is one that may be trained as the unknown word.
    pub fn is_singleton(&self, row: i64) -> bool {
        match self {
            Reader::Words(vocabulary) => vocabulary.is_singleton(row),
        }
    }
}
