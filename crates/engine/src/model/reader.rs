//! How a model reads sentences: as words of a vocabulary, or as pieces of words.

use super::questions::Questions;
use super::row::Row;
use super::tokenisation::{Carrier, Coverage, Tokeniser, split};
use super::vocabulary::Vocabulary;
use domain::{ModelSettings, Sentence, Tokens, TypeSet};
use parts::Capability;

/// Turns sentences into rows.
#[derive(Debug)]
pub enum Reader {
    /// Whole words, one row a sentence.
    Words(Vocabulary),
    /// Whole words, for an encoder that reads at most so many at a time.
    Windows { vocabulary: Vocabulary, longest: usize },
    /// Pieces of a checkpoint's vocabulary.
    Pieces(Pieces),
    /// Any of these, behind a question for each type.
    Questions(Questions),
}

/// A checkpoint's vocabulary, and how it is used.
#[derive(Debug)]
pub struct Pieces {
    pub tokeniser: Tokeniser,
    /// Pieces a row, at most.
    pub longest: usize,
    pub carrier: Carrier,
    /// What it made of the words read so far.
    pub coverage: Coverage,
}

impl Pieces {
    /// A sentence's rows behind a question.
    pub fn read_after(&mut self, question: usize, asked: &Tokens, sentence: &Sentence) -> Vec<Row> {
        let (rows, seen) =
            self.tokeniser.rows_after(question, asked, &sentence.tokens, self.longest);
        // The sentence is the same for every question.
        if question == 0 {
            self.coverage.add(seen);
        }
        rows
    }
}

impl Reader {
    /// A sentence's rows, in order.
    pub fn read(&mut self, sentence: &Sentence) -> Vec<Row> {
        match self {
            Reader::Words(vocabulary) => vec![vocabulary.read(sentence)],
            Reader::Windows { vocabulary, longest } => split(vocabulary.read(sentence), *longest),
            Reader::Pieces(pieces) => {
                let Pieces { tokeniser, longest, carrier, coverage } = pieces;
                let (mut rows, seen) = tokeniser.rows([&sentence.tokens], *longest, *carrier);
                coverage.add(seen);
                rows.pop().unwrap_or_default()
            }
            Reader::Questions(questions) => questions.read(sentence),
        }
    }

    /// The same reader, asking first where the model's head needs it.
    pub fn for_head(self, settings: &ModelSettings, types: &TypeSet) -> Self {
        match parts::heads::can(&settings.head.kind, Capability::Questions) {
            true => Reader::Questions(Questions::new(settings, types, self)),
            false => self,
        }
    }

    /// What reads the sentence behind a question.
    pub fn plain(&self) -> &Reader {
        match self {
            Reader::Questions(questions) => &questions.of,
            reader => reader,
        }
    }

    /// The words that it knows, unless it cuts them into pieces.
    pub fn vocabulary(&self) -> Option<&Vocabulary> {
        match self {
            Reader::Words(vocabulary) | Reader::Windows { vocabulary, .. } => Some(vocabulary),
            Reader::Pieces(_) => None,
            Reader::Questions(questions) => questions.of.vocabulary(),
        }
    }

    /// The same, to change it.
    pub fn vocabulary_mut(&mut self) -> Option<&mut Vocabulary> {
        match self {
            Reader::Words(vocabulary) | Reader::Windows { vocabulary, .. } => Some(vocabulary),
            Reader::Pieces(_) => None,
            Reader::Questions(questions) => questions.of.vocabulary_mut(),
        }
    }

    /// The characters of every spelling met so far; empty if the model reads none.
    pub fn characters(&self) -> &[Vec<i64>] {
        self.vocabulary().map_or(&[], Vocabulary::characters)
    }

    /// Different characters; 0 if the model reads none.
    pub fn alphabet(&self) -> usize {
        self.vocabulary().map_or(0, Vocabulary::character_count)
    }

    /// Whether the word of this row is one that may be trained as the unknown word.
    pub fn is_singleton(&self, row: i64) -> bool {
        self.vocabulary().is_some_and(|vocabulary| vocabulary.is_singleton(row))
    }
}
