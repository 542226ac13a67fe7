//! An annotation as a file has it, and the places of the text that it means.

use super::offsets::Offsets;
use super::rules::Mismatch;
use super::{AnnotationError, AnnotationPlace, Discontinuous, SpanRules, is_space, trimmed};
use crate::RemarkKind;
use crate::error::excerpt;
use std::ops::Range;

/// An annotation as a file has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Annotation {
    pub place: AnnotationPlace,
    pub entity_type: String,
    /// Start and end, exclusive, of each piece, in the file's unit and order. At least one.
    pub pieces: Vec<(usize, usize)>,
    /// The annotated text, if the file repeats it.
    pub text: Option<String>,
}

/// Characters of a text that are an entity.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span<'a> {
    pub bytes: Range<usize>,
    pub entity_type: &'a str,
    pub place: AnnotationPlace,
}

/// Where an annotation is in its text.
#[derive(Default)]
pub struct Located {
    /// In the order of the text, without white space around them, none empty, none touching
    /// another.
    pub ranges: Vec<Range<usize>>,
    /// What had to be decided.
    pub remarks: Vec<RemarkKind>,
}

impl Annotation {
    /// The places that the annotation means.
    pub fn locate(
        &self,
        text: &str,
        offsets: &Offsets<'_>,
        rules: &SpanRules,
    ) -> Result<Located, AnnotationError> {
        if self.entity_type.is_empty() || self.entity_type.contains(char::is_control) {
            return Err(AnnotationError::Type { name: excerpt(&self.entity_type) });
        }
        let pieces = self.pieces.iter().map(|&piece| offsets.range(piece));
        let pieces = pieces.collect::<Result<Vec<_>, _>>()?;
        let joined = joined(text, &pieces);
        let mut remarks = vec![];
        match self.agreement(text, &pieces, &joined) {
            Agreement::Same => {}
            Agreement::Spaces => remarks.push(RemarkKind::SpacesDiffer),
            Agreement::None if rules.mismatch == Mismatch::Offsets => {
                remarks.push(RemarkKind::TextDiffers);
            }
            Agreement::None => return Err(self.differs(text, &pieces)),
        }
        let mut ranges = joined;
        if ranges.len() > 1 {
            let policy = rules.discontinuous;
            if policy == Discontinuous::Refuse {
                return Err(AnnotationError::Discontinuous { text: shown(text, &pieces) });
            }
            remarks.push(RemarkKind::Discontinuous { policy });
            ranges = made_continuous(ranges, policy);
        }
        ranges.iter_mut().for_each(|range| *range = trimmed(text, range.clone()));
        if ranges.extract_if(.., |range| range.start == range.end).count() > 0 {
            remarks.push(RemarkKind::Blank);
        }
        Ok(Located { ranges, remarks })
    }

    /// Whether the annotated text is that of the pieces, in the file's order or in the text's.
    fn agreement(&self, text: &str, pieces: &[Range<usize>], joined: &[Range<usize>]) -> Agreement {
        let Some(annotated) = &self.text else { return Agreement::Same };
        let orders = [pieces, joined];
        let is_same = |order: &[Range<usize>]| with_spaces(text, order).eq(annotated.chars());
        let dense = |c: &char| !is_space(*c);
        let is_alike = |order: &[Range<usize>]| {
            with_spaces(text, order).filter(dense).eq(annotated.chars().filter(dense))
        };
        match orders {
            _ if orders.iter().any(|order| is_same(order)) => Agreement::Same,
            _ if orders.iter().any(|order| is_alike(order)) => Agreement::Spaces,
            _ => Agreement::None,
        }
    }

    fn differs(&self, text: &str, pieces: &[Range<usize>]) -> AnnotationError {
        AnnotationError::Text {
            start: self.pieces.iter().map(|piece| piece.0).min().unwrap_or(0),
            end: self.pieces.iter().map(|piece| piece.1).max().unwrap_or(0),
            annotated: excerpt(self.text.as_deref().unwrap_or("")),
            found: shown(text, pieces),
        }
    }
}

/// How the text that a file repeats compares with the text itself.
enum Agreement {
    Same,
    /// But for white space.
    Spaces,
    None,
}

/// Pieces in the order of the text. Those that overlap or have nothing but white space between them
/// are one: a span over a line's end is written as two by some tools.
fn joined(text: &str, pieces: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut sorted = pieces.to_vec();
    sorted.sort_unstable_by_key(|piece| (piece.start, piece.end));
    let mut joined: Vec<Range<usize>> = vec![];
    for piece in sorted {
        match joined.last_mut() {
            Some(last) if piece.start <= last.end => last.end = last.end.max(piece.end),
            Some(last) if text[last.end..piece.start].chars().all(is_space) => last.end = piece.end,
            _ => joined.push(piece),
        }
    }
    joined
}

fn made_continuous(mut ranges: Vec<Range<usize>>, policy: Discontinuous) -> Vec<Range<usize>> {
    let end = ranges.last().map_or(0, |last| last.end);
    match policy {
        Discontinuous::Cover => {
            ranges.truncate(1);
            ranges.iter_mut().for_each(|first| first.end = end);
        }
        Discontinuous::First => ranges.truncate(1),
        Discontinuous::Parts => {}
        Discontinuous::Drop | Discontinuous::Refuse => ranges.clear(),
    }
    ranges
}

/// The characters of pieces with a space between one and the next.
fn with_spaces<'t>(text: &'t str, pieces: &'t [Range<usize>]) -> impl Iterator<Item = char> + 't {
    pieces.iter().enumerate().flat_map(move |(index, piece)| {
        let space = if index == 0 { "" } else { " " };
        space.chars().chain(text[piece.clone()].chars())
    })
}

/// Pieces for a message.
fn shown(text: &str, pieces: &[Range<usize>]) -> String {
    excerpt(&with_spaces(text, pieces).take(100).collect::<String>())
}
