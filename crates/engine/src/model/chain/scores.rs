//! The scores between tags, and which tags may follow each other at all.

use domain::Tag;

/// The scores of a chain: of a tag after another, of a first tag, of a last one.
#[derive(Clone, PartialEq, Debug)]
pub struct Chain {
    tags: usize,
    /// from × to.
    transitions: Vec<f64>,
    start: Vec<f64>,
    end: Vec<f64>,
}

/// Which tags may begin a sentence, and which may follow which.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mask {
    start: Vec<bool>,
    /// from × to.
    pairs: Vec<bool>,
}

impl Chain {
    /// A chain of `transitions` (from × to) in which every tag may begin and end for nothing.
    pub fn new<T: Copy + Into<f64>>(tags: usize, transitions: &[T]) -> Self {
        assert!(tags > 0, "a chain of some tags");
        assert_eq!(transitions.len(), tags * tags, "a score for every pair of tags");
        let transitions = transitions.iter().map(|score| (*score).into()).collect();
        Self { tags, transitions, start: vec![0.0; tags], end: vec![0.0; tags] }
    }

    /// The same with scores for the first and the last tag of a sentence.
    #[cfg(test)]
    pub fn with_ends<T: Copy + Into<f64>>(self, start: &[T], end: &[T]) -> Self {
        assert_eq!((start.len(), end.len()), (self.tags, self.tags), "a score for every tag");
        let scores = |scores: &[T]| scores.iter().map(|score| (*score).into()).collect();
        Self { start: scores(start), end: scores(end), ..self }
    }

    /// The same without the paths that the mask forbids: they count for nothing, in sums as in
    /// decoding, and an annotation that is one of them has an infinite loss.
    pub fn masked(mut self, mask: &Mask) -> Self {
        assert_eq!(mask.pairs.len(), self.transitions.len(), "a mask of as many tags");
        let forbid = |scores: &mut [f64], allowed: &[bool]| {
            let forbidden = scores.iter_mut().zip(allowed).filter(|(_, allowed)| !**allowed);
            forbidden.for_each(|(score, _)| *score = f64::NEG_INFINITY);
        };
        forbid(&mut self.transitions, &mask.pairs);
        forbid(&mut self.start, &mask.start);
        self
    }

    /// How many tags there are.
    pub fn tags(&self) -> usize {
        self.tags
    }

    /// The scores of pairs, from × to.
    pub fn transitions(&self) -> &[f64] {
        &self.transitions
    }

    /// The scores of first tags.
    pub fn start(&self) -> &[f64] {
        &self.start
    }

    /// The scores of last tags.
    pub fn end(&self) -> &[f64] {
        &self.end
    }
}

impl Mask {
    /// IOB2 over `tags` classes: I only after B or I of the same type.
    pub fn bio(tags: usize) -> Self {
        let follows = |from: Tag, to: Tag| match to {
            Tag::Inside(_) => from.entity_type() == to.entity_type(),
            Tag::Outside | Tag::Begin(_) => true,
        };
        let all = || (0..tags).map(Tag::from_index);
        let start = all().map(|to| follows(Tag::Outside, to)).collect();
        let pairs = all().flat_map(|from| all().map(move |to| follows(from, to))).collect();
        Self { start, pairs }
    }
}
