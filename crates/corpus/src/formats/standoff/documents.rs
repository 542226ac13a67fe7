//! Documents put together to the sentences of a file.

use super::annotation::{Annotation, Span};
use super::offsets::Offsets;
use super::overlap::{Apart, apart};
use super::rules::Partial;
use super::{AnnotationError, AnnotationPlace, Overlap, SpanRules, sentences, tokens};
use crate::error::excerpt;
use crate::formats::rows::MOST_TYPES;
use crate::load::FileContent;
use crate::{CorpusError, RemarkKind};
use domain::{Sentence, Tag, TokensBuilder, TypeId, TypeSet};
use std::ops::Range;
use std::path::Path;

/// The sentences of a file or folder as they grow document by document.
pub struct Documents<'a> {
    rules: &'a SpanRules,
    types: &'a mut TypeSet,
    tokens: TokensBuilder,
    content: FileContent,
}

/// An entity whose type has its id.
struct Entity {
    bytes: Range<usize>,
    id: TypeId,
    place: AnnotationPlace,
}

impl<'a> Documents<'a> {
    /// No document yet.
    pub fn new(rules: &'a SpanRules, types: &'a mut TypeSet) -> Self {
        let (tokens, content) = (TokensBuilder::default(), FileContent::default());
        Self { rules, types, tokens, content }
    }

    /// Adds a document; `path` is the file of its annotations, for messages.
    pub fn push(
        &mut self,
        path: &Path,
        text: &str,
        annotations: &[Annotation],
    ) -> Result<(), CorpusError> {
        let next = self.content.sentences.len();
        if self.content.documents.last() != Some(&next) {
            self.content.documents.push(next);
        }
        let mut spans = self.locate(path, text, annotations)?;
        if self.rules.partial_tokens == Partial::Widen {
            self.widen(path, text, &mut spans);
        }
        let spans = self.untangle(path, text, spans)?;
        let bounds = sentences::split(text, self.rules.sentences, &spans);
        let entities = self.entities(path, spans)?;
        let mut rest = &entities[..];
        for bounds in bounds {
            let inside = rest.partition_point(|entity| entity.bytes.start < bounds.end);
            let (here, after) = rest.split_at(inside);
            self.push_sentence(path, text, bounds, here);
            rest = after;
        }
        Ok(())
    }

    /// Counts something that a reader met.
    pub fn remark(&mut self, path: &Path, place: AnnotationPlace, kind: RemarkKind) {
        self.content.remarks.add(path, Some(place.line), kind, 1);
    }

    /// The sentences; a file or folder without one is an error.
    pub fn finish(self, path: &Path) -> Result<FileContent, CorpusError> {
        match self.content.sentences.is_empty() {
            true => Err(CorpusError::Empty { path: path.to_owned() }),
            false => Ok(self.content),
        }
    }

    /// The spans of annotations, in their order.
    fn locate<'t>(
        &mut self,
        path: &Path,
        text: &str,
        annotations: &'t [Annotation],
    ) -> Result<Vec<Span<'t>>, CorpusError> {
        let offsets = Offsets::new(text, self.rules.offsets);
        let mut spans = vec![];
        for annotation in annotations {
            let Annotation { place, entity_type, .. } = annotation;
            let located = annotation.locate(text, &offsets, self.rules);
            let located =
                located.map_err(|source| CorpusError::annotation(path, *place, source))?;
            located.remarks.into_iter().for_each(|kind| self.remark(path, *place, kind));
            spans.extend(located.ranges.into_iter().map(|bytes| Span {
                bytes,
                entity_type,
                place: *place,
            }));
        }
        Ok(spans)
    }

    /// Moves the ends of spans to the edges of the tokens that they are in.
    fn widen(&mut self, path: &Path, text: &str, spans: &mut [Span<'_>]) {
        let tokens = tokens::split(text, 0..text.len(), self.rules.tokens);
        for Span { bytes, place, .. } in spans {
            let first = tokens.partition_point(|token| token.end <= bytes.start);
            let after = tokens.partition_point(|token| token.start < bytes.end);
            let Some(within) = tokens.get(first..after) else { continue };
            let start = within.first().map_or(bytes.start, |token| token.start.min(bytes.start));
            let end = within.last().map_or(bytes.end, |token| token.end.max(bytes.end));
            if *bytes != (start..end) {
                *bytes = start..end;
                self.remark(path, *place, RemarkKind::Widened);
            }
        }
    }

    /// Spans in the order of the text, none of which overlaps another.
    fn untangle<'t>(
        &mut self,
        path: &Path,
        text: &str,
        spans: Vec<Span<'t>>,
    ) -> Result<Vec<Span<'t>>, CorpusError> {
        let policy = self.rules.overlap;
        let Apart { kept, left_out, repeated } = apart(spans, policy);
        if let (Overlap::Refuse, Some((span, other))) = (policy, left_out.first()) {
            let shown = |span: &Span| excerpt(&text[span.bytes.clone()]);
            let source = AnnotationError::Overlap { text: shown(span), other: shown(other) };
            return Err(CorpusError::annotation(path, span.place, source));
        }
        for (span, _) in left_out {
            self.remark(path, span.place, RemarkKind::Overlapping { policy });
        }
        for span in repeated {
            self.remark(path, span.place, RemarkKind::Repeated);
        }
        Ok(kept)
    }

    fn entities(&mut self, path: &Path, spans: Vec<Span<'_>>) -> Result<Vec<Entity>, CorpusError> {
        let mut entities = Vec::with_capacity(spans.len());
        for Span { bytes, entity_type, place } in spans {
            let id = self.types.intern(entity_type);
            if self.types.len() > MOST_TYPES {
                let (path, line) = (path.to_owned(), place.line);
                return Err(CorpusError::TooManyTypes { path, line, limit: MOST_TYPES });
            }
            entities.push(Entity { bytes, id, place });
        }
        Ok(entities)
    }

    /// Adds a sentence with the entities in it. A token is cut where an entity begins or ends.
    fn push_sentence(
        &mut self,
        path: &Path,
        text: &str,
        bounds: Range<usize>,
        entities: &[Entity],
    ) {
        let mut tags = vec![];
        let mut entities = entities.iter().peekable();
        let mut begun = false;
        for token in tokens::split(text, bounds, self.rules.tokens) {
            let mut at = token.start;
            let mut cut = None;
            while at < token.end {
                while entities.next_if(|entity| entity.bytes.end <= at).is_some() {
                    begun = false;
                }
                let (end, tag) = match entities.peek() {
                    Some(entity) if entity.bytes.start <= at => {
                        let begin = !std::mem::replace(&mut begun, true);
                        let tag = if begin { Tag::Begin } else { Tag::Inside };
                        (entity.bytes.end.min(token.end), tag(entity.id))
                    }
                    Some(entity) => (entity.bytes.start.min(token.end), Tag::Outside),
                    None => (token.end, Tag::Outside),
                };
                if end < token.end {
                    cut = cut.or(entities.peek().map(|entity| entity.place));
                }
                self.tokens.push(&text[at..end]);
                tags.push(tag);
                at = end;
            }
            if let Some(place) = cut {
                self.remark(path, place, RemarkKind::CutTokens);
            }
        }
        if !tags.is_empty() {
            self.content.sentences.push(Sentence { tokens: self.tokens.take(), tags });
        }
    }
}
