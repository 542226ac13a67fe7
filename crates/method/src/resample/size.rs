//! How much training data grows or shrinks by a method (Table 6 of wang2022).

use domain::Sentence;

/// How large the training data is after a method, and how many times as large as before.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Size {
    pub sentences: u64,
    pub tokens: u64,
    pub sentence_factor: f64,
    pub token_factor: f64,
}

impl Size {
    /// The size of what became of training data: sentences that are each used so many times.
    pub fn new(before: &[Sentence], after: &[Sentence], copies: &[u32]) -> Self {
        let tokens_before: u64 = before.iter().map(|sentence| sentence.len() as u64).sum();
        let sentences: u64 = copies.iter().map(|&n| u64::from(n)).sum();
        let tokens = after.iter().zip(copies).map(|(s, &n)| s.len() as u64 * u64::from(n)).sum();
        Self {
            sentences,
            tokens,
            sentence_factor: sentences as f64 / before.len().max(1) as f64,
            token_factor: tokens as f64 / tokens_before.max(1) as f64,
        }
    }

    /// The size of a part of so many sentences and tokens, as large as before by the same measure.
    pub fn of_part(self, sentences: u64, tokens: u64) -> Self {
        let share = |of: u64, all: u64| of as f64 / all.max(1) as f64;
        Self {
            sentences,
            tokens,
            sentence_factor: self.sentence_factor * share(sentences, self.sentences),
            token_factor: self.token_factor * share(tokens, self.tokens),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Tag;

    #[test]
    fn sentences_and_tokens_grow_by_their_own_factors() {
        let sentence = |length: usize| Sentence {
            tokens: (0..length).map(|_| "w").collect(),
            tags: vec![Tag::Outside; length],
        };
        let before = [sentence(1), sentence(3)];
        let size = Size::new(&before, &before, &[1, 3]);
        let expected = Size { sentences: 4, tokens: 10, sentence_factor: 2.0, token_factor: 2.5 };
        assert_eq!(size, expected);
        let halved = Size::new(&before, &[sentence(2), sentence(5)], &[1, 0]);
        assert_eq!((halved.sentences, halved.tokens, halved.token_factor), (1, 2, 0.5));
        assert_eq!(Size::new(&[], &[], &[]).token_factor, 0.0);
        let part = Size { sentences: 2, tokens: 2, sentence_factor: 1.0, token_factor: 0.5 };
        assert_eq!(size.of_part(2, 2), part);
    }
}
