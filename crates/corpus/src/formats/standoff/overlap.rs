//! Which annotations of a text are kept where several overlap: tags have room for one.

use super::Overlap;
use super::annotation::Span;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

/// Spans, none of which overlaps another, and what had to go for that.
#[derive(Debug)]
pub struct Apart<'a> {
    /// In the order of the text.
    pub kept: Vec<Span<'a>>,
    /// With the kept span that each overlaps.
    pub left_out: Vec<(Span<'a>, Span<'a>)>,
    /// The same characters with the same type as a span before.
    pub repeated: Vec<Span<'a>>,
}

/// Keeps spans, given in the order of the file, as the policy says.
pub fn apart<'a>(spans: Vec<Span<'a>>, policy: Overlap) -> Apart<'a> {
    let mut seen = HashSet::new();
    let (mut once, repeated): (Vec<_>, Vec<_>) = spans
        .into_iter()
        .partition(|span| seen.insert((span.bytes.start, span.bytes.end, span.entity_type)));
    match policy {
        Overlap::Longest => once.sort_by_key(|span| (Reverse(span.bytes.len()), span.bytes.start)),
        Overlap::Innermost => once.sort_by_key(|span| (span.bytes.len(), span.bytes.start)),
        Overlap::First | Overlap::Refuse => {}
    }
    let mut kept: BTreeMap<usize, Span> = BTreeMap::new();
    let mut left_out = vec![];
    for span in once {
        // What is kept is apart, so only the last one that begins before the end can be in the way.
        let before = kept.range(..span.bytes.end).next_back();
        match before.filter(|(_, kept)| kept.bytes.end > span.bytes.start) {
            Some((_, other)) => left_out.push((span, other.clone())),
            None => drop(kept.insert(span.bytes.start, span)),
        }
    }
    left_out.sort_by_key(|(span, _)| span.place.line);
    Apart { kept: kept.into_values().collect(), left_out, repeated }
}

#[cfg(test)]
mod tests {
    use super::super::AnnotationPlace;
    use super::*;

    /// Start and end.
    type Ends = (usize, usize);

    /// Which of spans of one type, in the order of a file, are kept; how many are left out and how
    /// many are repeated.
    fn kept(spans: &[Ends], policy: Overlap) -> (Vec<Ends>, usize, usize) {
        let span = |(index, &(start, end)): (usize, &Ends)| Span {
            bytes: start..end,
            entity_type: "x",
            place: AnnotationPlace::line(index + 1),
        };
        let found = apart(spans.iter().enumerate().map(span).collect(), policy);
        let kept = found.kept.into_iter().map(|span| (span.bytes.start, span.bytes.end)).collect();
        (kept, found.left_out.len(), found.repeated.len())
    }

    #[test]
    fn of_nested_spans_the_policy_chooses() {
        let nested = [(4, 6), (0, 9), (3, 8)];
        assert_eq!(kept(&nested, Overlap::Longest), (vec![(0, 9)], 2, 0));
        assert_eq!(kept(&nested, Overlap::First), (vec![(4, 6)], 2, 0));
        assert_eq!(kept(&nested, Overlap::Innermost), (vec![(4, 6)], 2, 0));
        let crossing = [(4, 8), (0, 5), (7, 9)];
        assert_eq!(kept(&crossing, Overlap::Longest), (vec![(0, 5), (7, 9)], 1, 0));
        assert_eq!(kept(&crossing, Overlap::First), (vec![(4, 8)], 2, 0));
        assert_eq!(kept(&[(4, 8), (0, 5)], Overlap::Innermost), (vec![(4, 8)], 1, 0));
    }

    #[test]
    fn of_equally_long_spans_the_one_that_begins_first_is_kept() {
        assert_eq!(kept(&[(2, 5), (0, 3)], Overlap::Longest), (vec![(0, 3)], 1, 0));
        assert_eq!(kept(&[(2, 5), (0, 3)], Overlap::First), (vec![(2, 5)], 1, 0));
    }

    #[test]
    fn neighbours_do_not_overlap() {
        assert_eq!(
            kept(&[(5, 6), (0, 3), (3, 5)], Overlap::Longest),
            (vec![(0, 3), (3, 5), (5, 6)], 0, 0)
        );
    }

    #[test]
    fn the_same_span_twice_is_read_once_unless_the_type_differs() {
        assert_eq!(kept(&[(0, 3), (0, 3)], Overlap::Refuse), (vec![(0, 3)], 0, 1));
        let span = |entity_type| Span { bytes: 0..3, entity_type, place: AnnotationPlace::line(1) };
        let found = apart(vec![span("x"), span("y")], Overlap::Longest);
        assert_eq!((found.kept[0].entity_type, found.left_out.len()), ("x", 1));
    }
}
