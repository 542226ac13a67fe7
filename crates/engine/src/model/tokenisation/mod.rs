//! Sentences to the pieces that a checkpoint knows.
//!
//! Every token is cut on its own, so a word's pieces never depend on its neighbours; a token of
//! which nothing is left becomes the unknown piece. Nothing is ever cut off in silence: a long
//! sentence becomes several windows, and a single word that fits into none is shortened and
//! counted. Text is text: a token that spells a special piece (`[SEP]`) is cut like any other.
//!
//! WordPiece and byte-level BPE are written out here: the two kinds that BERT and BART need.

mod byte_pairs;
mod folder;
mod windows;
mod word_piece;

#[cfg(test)]
mod tests;

use super::row::{Asked, Row};
use byte_pairs::BytePairs;
use domain::Tokens;
use std::collections::HashMap;
use windows::{Window, windows};

pub use folder::TokeniserError;
pub use windows::split;
use word_piece::WordPiece;

/// Which piece of a word carries its tag.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// The first, as everyone does with BERT.
    First,
    /// The last: the only one at which a decoder has read the whole word.
    Last,
}

/// The way in which words are cut.
#[derive(Debug)]
enum Cutter {
    WordPiece(WordPiece),
    BytePairs(BytePairs),
}

impl Cutter {
    fn pieces(&self, word: &str, unknown: i64) -> Vec<i64> {
        match self {
            Cutter::WordPiece(cutter) => cutter.pieces(word, unknown),
            Cutter::BytePairs(cutter) => cutter.pieces(word, unknown),
        }
    }
}

/// The pieces that stand for no text.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Special {
    /// Before the first word: `[CLS]`, `<s>`.
    pub start: i64,
    /// After the last word: `[SEP]`, `</s>`.
    pub end: i64,
    /// For what the vocabulary cannot spell.
    pub unknown: i64,
    /// Behind short rows of a batch.
    pub padding: i64,
}

/// What a vocabulary made of a corpus.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Words seen.
    pub words: usize,
    /// Those with an unknown piece.
    pub unknown_words: usize,
    /// Those with more pieces than a window holds, which were shortened.
    pub shortened_words: usize,
    /// Pieces, special ones left out.
    pub pieces: usize,
    /// Sentences that became more than one window.
    pub windowed_sentences: usize,
}

impl Coverage {
    /// Adds what was seen of more sentences.
    pub fn add(&mut self, more: Coverage) {
        self.words += more.words;
        self.unknown_words += more.unknown_words;
        self.shortened_words += more.shortened_words;
        self.pieces += more.pieces;
        self.windowed_sentences += more.windowed_sentences;
    }

    /// The share of words with an unknown piece.
    pub fn unknown_share(&self) -> f64 {
        self.unknown_words as f64 / self.words.max(1) as f64
    }
}

/// The vocabulary of a checkpoint.
#[derive(Debug)]
pub struct Tokeniser {
    cutter: Cutter,
    special: Special,
    /// Words that were cut before.
    known: HashMap<String, Vec<i64>>,
}

impl Tokeniser {
    /// The pieces that stand for no text.
    #[cfg(test)]
    pub fn special(&self) -> Special {
        self.special
    }

    /// Each sentence as rows of at most `longest` pieces (at least 3: the special two and one
    /// more).
    pub fn rows<'a>(
        &mut self,
        sentences: impl IntoIterator<Item = &'a Tokens>,
        longest: usize,
        carrier: Carrier,
    ) -> (Vec<Vec<Row>>, Coverage) {
        let mut coverage = Coverage::default();
        let opening = [self.special.start];
        let rows = sentences
            .into_iter()
            .map(|tokens| self.windowed(tokens, &opening, longest.max(3), carrier, &mut coverage))
            .collect();
        (rows, coverage)
    }

    /// A sentence as rows of at most `longest` pieces (at least 8), each behind the pieces of a
    /// question, which take half of them at most.
    pub fn rows_after(
        &mut self,
        question: usize,
        asked: &Tokens,
        sentence: &Tokens,
        longest: usize,
    ) -> (Vec<Row>, Coverage) {
        let longest = longest.max(8);
        let mut opening = vec![self.special.start];
        asked.iter().for_each(|word| opening.extend(self.cut(word)));
        opening.truncate(longest / 2);
        opening.push(self.special.end);
        let (mut coverage, text) = (Coverage::default(), opening.len());
        let first = self.windowed(sentence, &opening, longest, Carrier::First, &mut coverage);
        let last =
            self.windowed(sentence, &opening, longest, Carrier::Last, &mut Coverage::default());
        let both = first.into_iter().zip(last).map(|(first, last)| Row {
            asked: Some(Asked { question, text, lasts: last.words }),
            ..first
        });
        (both.collect(), coverage)
    }

    /// The windows of a sentence, each behind the same pieces.
    fn windowed(
        &mut self,
        tokens: &Tokens,
        opening: &[i64],
        longest: usize,
        carrier: Carrier,
        coverage: &mut Coverage,
    ) -> Vec<Row> {
        let room = longest - opening.len() - 1;
        let mut words: Vec<Vec<i64>> = tokens.iter().map(|token| self.cut(token)).collect();
        self.count(coverage, &words, room);
        words.iter_mut().for_each(|pieces| pieces.truncate(room));
        let row = |window: &Window| window.row(&words, opening, self.special.end, carrier);
        let rows: Vec<Row> = windows(&words, room).iter().map(row).collect();
        coverage.windowed_sentences += usize::from(rows.len() > 1);
        rows
    }

    /// The pieces of a word; at least one.
    fn cut(&mut self, word: &str) -> Vec<i64> {
        if let Some(pieces) = self.known.get(word) {
            return pieces.clone();
        }
        let mut pieces = self.cutter.pieces(word, self.special.unknown);
        if pieces.is_empty() {
            pieces.push(self.special.unknown);
        }
        self.known.insert(word.to_owned(), pieces.clone());
        pieces
    }

    fn count(&self, coverage: &mut Coverage, words: &[Vec<i64>], room: usize) {
        let unknown = |pieces: &&Vec<i64>| pieces.contains(&self.special.unknown);
        coverage.words += words.len();
        coverage.unknown_words += words.iter().filter(unknown).count();
        coverage.shortened_words += words.iter().filter(|pieces| pieces.len() > room).count();
        coverage.pieces += words.iter().map(Vec::len).sum::<usize>();
    }
}
