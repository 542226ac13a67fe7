//! The training sentences as distinct words and classes, each with the number of its copies.

use std::collections::HashMap;
use std::ops::Range;

/// Sentences, each distinct one once.
///
/// A sentence that is given again adds to the copies of the first, so copies that are written out
/// and copies that are counted are the same data, to the bit.
#[derive(Clone, Debug, Default)]
pub struct Sentences {
    /// Rows of the features, sentence after sentence.
    words: Vec<u32>,
    /// The class of each token.
    classes: Vec<u32>,
    /// Where each sentence ends.
    ends: Vec<usize>,
    copies: Vec<f64>,
    known: HashMap<Vec<(u32, u32)>, usize>,
}

impl Sentences {
    /// Adds so many copies of a sentence of (row of the features, class).
    pub fn push(&mut self, tokens: Vec<(u32, u32)>, copies: u32) {
        if copies == 0 || tokens.is_empty() {
            return;
        }
        if let Some(place) = self.known.get(&tokens) {
            self.copies[*place] += f64::from(copies);
            return;
        }
        self.words.extend(tokens.iter().map(|(word, _)| word));
        self.classes.extend(tokens.iter().map(|(_, class)| class));
        self.ends.push(self.words.len());
        self.copies.push(f64::from(copies));
        self.known.insert(tokens, self.ends.len() - 1);
    }

    /// The classes that occur, in ascending order: what a model can learn to tell apart.
    pub fn observed(&self) -> Vec<usize> {
        let mut observed: Vec<usize> = self.classes.iter().map(|class| *class as usize).collect();
        observed.sort_unstable();
        observed.dedup();
        observed
    }

    /// The words that occur, in ascending order.
    pub fn occurring(&self) -> Vec<u32> {
        let mut occurring = self.words.clone();
        occurring.sort_unstable();
        occurring.dedup();
        occurring
    }

    /// The same sentences with each word as its place in `occurring`.
    pub fn renumbered(&self, occurring: &[u32]) -> Self {
        let place = |word: &u32| occurring.partition_point(|other| other < word) as u32;
        Self {
            words: self.words.iter().map(place).collect(),
            classes: self.classes.clone(),
            ends: self.ends.clone(),
            copies: self.copies.clone(),
            // Nothing is added to what was renumbered, so nothing has to be known again.
            known: HashMap::new(),
        }
    }

    /// The class of each token, as its place in `observed`.
    pub(super) fn places(&self, observed: &[usize]) -> Vec<u32> {
        let place = |class: &u32| observed.partition_point(|other| *other < *class as usize) as u32;
        self.classes.iter().map(place).collect()
    }

    /// Tokens, copies not counted.
    pub(super) fn tokens(&self) -> usize {
        self.words.len()
    }

    /// The words of some places.
    pub(super) fn words(&self, places: Range<usize>) -> &[u32] {
        &self.words[places]
    }

    /// Each sentence's places and copies.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Range<usize>, f64)> + '_ {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let sentences = starts.zip(&self.ends).map(|(start, end)| start..*end);
        sentences.zip(self.copies.iter().copied())
    }
}
