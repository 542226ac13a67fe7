//! The spans of a sentence that may be drawn: all but the annotated ones.

use domain::Span;

/// The candidates of one sentence, in the order of their numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidates {
    words: usize,
    /// The numbers of the annotated spans, ascending, each once.
    annotated: Vec<usize>,
}

impl Candidates {
    pub fn new(words: usize, annotated: impl IntoIterator<Item = Span>) -> Self {
        let numbers = annotated.into_iter().map(|span| span.number(words));
        let mut annotated: Vec<usize> = numbers.collect();
        annotated.sort_unstable();
        annotated.dedup();
        Self { words, annotated }
    }

    /// Words of the sentence.
    pub fn words(&self) -> usize {
        self.words
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        Span::count(self.words) - self.annotated.len()
    }

    /// One of them, by its place among them.
    pub fn span(&self, place: usize) -> Span {
        let skip = |number: usize, annotated: &usize| number + usize::from(*annotated <= number);
        Span::numbered(self.annotated.iter().fold(place, skip), self.words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotated_spans_are_left_out() {
        let annotated = [Span { start: 3, end: 4 }, Span { start: 0, end: 2 }];
        let candidates = Candidates::new(4, annotated.into_iter().chain(annotated));
        let all: Vec<Span> = Span::all(4).filter(|span| !annotated.contains(span)).collect();
        let found: Vec<Span> = (0..candidates.count()).map(|i| candidates.span(i)).collect();
        assert_eq!(found, all);
    }
}
