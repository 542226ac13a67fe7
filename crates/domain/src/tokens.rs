//! The tokens of a sentence.
//!
//! A corpus holds millions of short words. They are kept as one text a sentence with the places
//! where tokens end, so a token costs its bytes and four more, and a sentence two allocations.

use std::fmt;
use std::ops::Index;

/// The tokens of a sentence, in order. Never changed once made: see [`TokensBuilder`].
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Tokens {
    text: Box<str>,
    ends: Box<[u32]>,
}

impl Tokens {
    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The token at a place, from 0.
    pub fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.text[start as usize..end as usize])
    }

    /// The tokens one after the other.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + DoubleEndedIterator + Clone {
        (0..self.len()).map(|index| &self[index])
    }
}

impl Index<usize> for Tokens {
    type Output = str;

    /// # Panics
    /// If there is no such token.
    fn index(&self, index: usize) -> &str {
        self.get(index).expect("a place of a token")
    }
}

impl<S: AsRef<str>> FromIterator<S> for Tokens {
    fn from_iter<I: IntoIterator<Item = S>>(tokens: I) -> Self {
        let mut builder = TokensBuilder::default();
        tokens.into_iter().for_each(|token| builder.push(token.as_ref()));
        builder.take()
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Tokens being put together; the same builder serves one sentence after the other.
#[derive(Clone, Debug, Default)]
pub struct TokensBuilder {
    text: String,
    ends: Vec<u32>,
}

impl TokensBuilder {
    /// The longest text of a sentence in bytes; nobody writes one of four gigabytes.
    const LONGEST: usize = u32::MAX as usize;

    /// Adds a token at the end. What does not fit into four gigabytes is cut off.
    pub fn push(&mut self, token: &str) {
        let room = Self::LONGEST - self.text.len();
        self.text.push_str(&token[..token.floor_char_boundary(room)]);
        self.ends.push(self.text.len() as u32);
    }

    /// How many tokens there are so far.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none so far.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The tokens so far; the builder is empty afterwards.
    pub fn take(&mut self) -> Tokens {
        let tokens = Tokens { text: self.text.as_str().into(), ends: self.ends.as_slice().into() };
        self.text.clear();
        self.ends.clear();
        tokens
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_back_as_they_were_given() {
        let words = ["München", " ", "", "東京", "\u{feff}"];
        let tokens: Tokens = words.iter().collect();
        assert_eq!((tokens.len(), tokens.is_empty()), (5, false));
        assert!(tokens.iter().eq(words));
        assert_eq!((&tokens[3], tokens.get(5)), ("東京", None));
        assert_eq!(format!("{tokens:?}"), format!("{words:?}"));
        assert!(tokens.iter().rev().eq(words.into_iter().rev()));
    }

    #[test]
    fn the_same_text_cut_elsewhere_is_another_sentence() {
        let tokens = |words: &[&str]| words.iter().collect::<Tokens>();
        assert_ne!(tokens(&["ab", "c"]), tokens(&["a", "bc"]));
        assert_ne!(tokens(&["a"]), tokens(&["a", ""]));
    }

    #[test]
    fn a_builder_starts_anew_after_each_sentence() {
        let mut builder = TokensBuilder::default();
        builder.push("a");
        assert_eq!((builder.len(), builder.is_empty()), (1, false));
        assert!(builder.take().iter().eq(["a"]));
        builder.push("b");
        assert!(builder.take().iter().eq(["b"]));
        assert!(builder.is_empty() && builder.take().is_empty());
    }
}
