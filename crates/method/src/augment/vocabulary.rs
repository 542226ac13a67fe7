//! The words of training data as numbers, so that tables are built and asked without comparing
//! texts.

use super::stop_words::is_stop_word;
use domain::Sentence;
use std::collections::HashMap;
use std::ops::Range;

/// Every distinct word in the order of its first occurrence, and the words of all sentences.
pub struct Vocabulary<'a> {
    texts: Vec<&'a str>,
    is_stop_word: Vec<bool>,
    /// The words of all sentences one after the other.
    words: Vec<u32>,
    /// Where each sentence starts in `words`.
    starts: Vec<usize>,
}

impl<'a> Vocabulary<'a> {
    /// The words of training data.
    pub fn new(train: &'a [Sentence]) -> Self {
        let mut texts: Vec<&str> = Vec::new();
        let mut words = Vec::with_capacity(train.iter().map(Sentence::len).sum());
        let mut starts = Vec::with_capacity(train.len());
        let mut known: HashMap<&str, u32> = HashMap::new();
        for sentence in train {
            starts.push(words.len());
            words.extend(sentence.tokens.iter().map(|token| {
                *known.entry(token).or_insert_with(|| {
                    texts.push(token);
                    (texts.len() - 1) as u32
                })
            }));
        }
        let is_stop_word = texts.iter().map(|text| is_stop_word(text)).collect();
        Self { texts, is_stop_word, words, starts }
    }

    /// How many distinct words there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// A word as it is written.
    pub fn text(&self, word: u32) -> &'a str {
        self.texts[word as usize]
    }

    /// Whether it is a stop word.
    pub fn is_stop_word(&self, word: u32) -> bool {
        self.is_stop_word[word as usize]
    }

    /// The words at places of the running text.
    pub fn words(&self, places: Range<usize>) -> &[u32] {
        &self.words[places]
    }

    /// Each sentence with its words.
    pub fn originals<'v>(&'v self, train: &'a [Sentence]) -> impl Iterator<Item = Original<'v>> {
        train.iter().zip(&self.starts).map(move |(sentence, &start)| Original {
            sentence,
            start,
            words: &self.words[start..start + sentence.len()],
            vocabulary: self,
        })
    }
}

/// A sentence of the training data, and its words as numbers.
#[derive(Copy, Clone)]
pub struct Original<'v> {
    pub sentence: &'v Sentence,
    /// Where it starts in the running text.
    pub start: usize,
    pub words: &'v [u32],
    pub vocabulary: &'v Vocabulary<'v>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Tag;

    #[test]
    fn words_are_numbered_as_they_come() {
        let sentence = |text: &str| Sentence {
            tokens: text.split(' ').collect(),
            tags: vec![Tag::Outside; text.split(' ').count()],
        };
        let train = [sentence("The cat"), sentence("saw The dog")];
        let vocabulary = Vocabulary::new(&train);
        let words: Vec<&[u32]> = vocabulary.originals(&train).map(|o| o.words).collect();
        assert_eq!(words, [&[0, 1][..], &[2, 0, 3]]);
        assert_eq!((vocabulary.len(), vocabulary.text(3)), (4, "dog"));
        assert_eq!((vocabulary.is_stop_word(0), vocabulary.is_stop_word(1)), (true, false));
        assert_eq!(vocabulary.words(1..4), [1, 2, 0]);
    }
}
