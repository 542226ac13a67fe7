//! Words and their rows in an embedding table.

use crate::domain::Sentence;
use std::collections::HashMap;

/// The words of a training set. Row 0 is padding, row 1 every unknown word.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    rows: HashMap<String, i64>,
    /// By row: whether the word was seen just once.
    singletons: Vec<bool>,
}

impl Vocabulary {
    /// The row of padding.
    pub const PADDING: i64 = 0;
    /// The row of unknown words.
    pub const UNKNOWN: i64 = 1;

    /// The words of these sentences, in order of first appearance.
    pub fn new(sentences: &[Sentence]) -> Self {
        let mut vocabulary = Self { rows: HashMap::new(), singletons: vec![false, false] };
        for token in sentences.iter().flat_map(|sentence| sentence.tokens.iter()) {
            match vocabulary.rows.get(token) {
                Some(&row) => vocabulary.singletons[row as usize] = false,
                None => {
                    vocabulary.rows.insert(token.to_owned(), vocabulary.singletons.len() as i64);
                    vocabulary.singletons.push(true);
                }
            }
        }
        vocabulary
    }

    /// The row of a word: as written, else in lower case, else the unknown word's.
    pub fn row(&self, token: &str) -> i64 {
        let found = self.rows.get(token).or_else(|| self.rows.get(&token.to_lowercase()));
        found.copied().unwrap_or(Self::UNKNOWN)
    }

    /// Whether the word of this row was seen once. Training on such words now and then as unknown
    /// ones is what gives the unknown word's row a meaning.
    pub fn is_singleton(&self, row: i64) -> bool {
        self.singletons.get(row as usize).copied().unwrap_or(false)
    }

    /// Rows of the table.
    pub fn rows(&self) -> usize {
        self.singletons.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_as_written_then_in_lower_case() {
        let tokens = ["the", "The", "cat", "cat"].into_iter().collect();
        let vocabulary = Vocabulary::new(&[Sentence { tokens, tags: vec![] }]);
        assert_eq!(vocabulary.rows(), 5);
        assert_eq!(vocabulary.row("The"), 3);
        assert_eq!(vocabulary.row("CAT"), 4);
        assert_eq!(vocabulary.row("dog"), Vocabulary::UNKNOWN);
        assert!(vocabulary.is_singleton(2) && !vocabulary.is_singleton(4));
    }
}
