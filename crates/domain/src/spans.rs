//! The spans of a sentence, numbered: those that begin earlier first, shorter ones before longer ones.

/// Some tokens in a row: `start..end`, at least one.
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
