//! The lines of a KNP file put together to sentences.

use super::KnpTokens;
use super::entity::{Entity, entities};
use crate::CorpusError;
use crate::error::excerpt;
use crate::formats::rows::{Rows, Tagging};
use crate::formats::text::is_blank;
use crate::load::FileContent;
use crate::remark::RemarkKind;
use crate::schemes::{Label, Position};
use domain::{TypeId, TypeSet};
use std::cmp::Reverse;
use std::ops::Range;
use std::path::Path;

/// What a line is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Line<'t> {
    /// `# S-ID:w201106-0000060050-1 …` with its id.
    Sentence(&'t str),
    /// A bunsetsu, a note, nothing.
    Other,
    /// A basic phrase.
    Phrase,
    /// A morpheme with its surface, and how many fields it has.
    Morpheme(&'t str, usize),
    End,
}

impl<'t> Line<'t> {
    /// `is_open` says that the sentence has a phrase: a morpheme may be `#`, `*` or `+`, but none
    /// comes before a phrase.
    fn of(text: &'t str, is_open: bool) -> Self {
        if let Some(id) = text.strip_prefix("# S-ID:") {
            return Line::Sentence(id.split(' ').next().unwrap_or(id));
        }
        match text.as_bytes().first() {
            _ if text == "EOS" => Line::End,
            _ if is_blank(text) || text.starts_with(";;") => Line::Other,
            Some(b'#') if !is_open => Line::Other,
            Some(b'*') if is_dependency(&text[1..]) => Line::Other,
            Some(b'+') if is_dependency(&text[1..]) => Line::Phrase,
            _ => {
                let mut fields = text.split(' ');
                let surface = fields.next().unwrap_or("");
                Line::Morpheme(surface, 1 + fields.count())
            }
        }
    }
}

/// Whether a line goes on, after `*` or `+`, as that of a phrase: ` 2D`, ` -1P <…>`, or not at all.
fn is_dependency(rest: &str) -> bool {
    let mut parts = rest.split(' ');
    if parts.next() != Some("") {
        return false;
    }
    let Some(head) = parts.next().filter(|head| !head.is_empty()) else { return true };
    let digits =
        head.strip_prefix('-').unwrap_or(head).trim_end_matches(|c: char| c.is_ascii_uppercase());
    digits.len() < head.len() && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// A basic phrase: its line, where it starts in the sentence's text, and what stands on it.
struct Phrase {
    line: usize,
    start: usize,
    entities: Vec<Entity>,
}

/// A morpheme: where it ends in the sentence's text, and its line.
struct Morpheme {
    end: usize,
    line: usize,
}

/// An entity that was found: its bytes of the sentence's text, and the line of its phrase.
struct FoundEntity {
    bytes: Range<usize>,
    entity_type: TypeId,
    line: usize,
}

/// Sentences as they grow line by line.
pub(super) struct KnpSentences<'a> {
    pub rows: Rows<'a>,
    tokens: KnpTokens,
    document: Option<String>,
    text: String,
    morphemes: Vec<Morpheme>,
    phrases: Vec<Phrase>,
}

/// A morpheme has a surface, a reading, a lemma and a part of speech.
const FEWEST_FIELDS: usize = 4;

impl<'a> KnpSentences<'a> {
    /// No sentence yet.
    pub fn new(
        path: &'a Path,
        tagging: &'a Tagging,
        tokens: KnpTokens,
        types: &'a mut TypeSet,
    ) -> Self {
        let mut rows = Rows::new(path, tagging, types);
        rows.start_document();
        Self {
            rows,
            tokens,
            document: None,
            text: String::new(),
            morphemes: vec![],
            phrases: vec![],
        }
    }

    /// Takes in a line.
    pub fn push(&mut self, number: usize, text: &str) -> Result<(), CorpusError> {
        match Line::of(text, !self.phrases.is_empty()) {
            Line::Other => {}
            Line::End => self.end_sentence()?,
            Line::Sentence(id) => {
                self.end_sentence()?;
                self.start_document(id);
            }
            Line::Phrase => {
                let (start, entities) = (self.text.len(), entities(text));
                self.phrases.push(Phrase { line: number, start, entities });
            }
            Line::Morpheme(surface, fields) => self.push_morpheme(number, text, surface, fields),
        }
        Ok(())
    }

    fn push_morpheme(&mut self, line: usize, text: &str, surface: &str, fields: usize) {
        if fields < FEWEST_FIELDS || surface.is_empty() {
            let problem = match surface.is_empty() {
                true => "a morpheme without a surface".to_owned(),
                false => format!(
                    "a morpheme has at least {FEWEST_FIELDS} fields, this {fields} (a list of ids needs \
                     the folder `documents`)"
                ),
            };
            let (path, text) = (self.rows.path().to_owned(), excerpt(text));
            self.rows.problem(CorpusError::NotALine { path, line, format: "KNP", problem, text });
            return;
        }
        self.text.push_str(surface);
        self.morphemes.push(Morpheme { end: self.text.len(), line });
    }

    /// Sentences of one document have ids that differ after the last hyphen.
    fn start_document(&mut self, id: &str) {
        let document = id.rsplit_once('-').map_or(id, |(document, _)| document);
        if self.document.as_deref() != Some(document) {
            self.rows.start_document();
            self.document = Some(document.to_owned());
        }
    }

    fn end_sentence(&mut self) -> Result<(), CorpusError> {
        let found = self.found()?;
        let mut entities = found.iter().peekable();
        for (bytes, line) in tokens(&self.text, &self.morphemes, self.tokens) {
            while entities.next_if(|entity| entity.bytes.end <= bytes.start).is_some() {}
            let label = entities.peek().and_then(|entity| label(entity, &bytes));
            self.rows.push_label(line, &self.text[bytes], label);
        }
        self.text.clear();
        self.morphemes.clear();
        self.phrases.clear();
        self.rows.end_sentence()
    }

    /// The entities of the sentence in order, none across another; what is left out is counted.
    fn found(&mut self) -> Result<Vec<FoundEntity>, CorpusError> {
        let mut found = vec![];
        let ends = self.phrases.iter().skip(1).map(|phrase| phrase.start);
        for (phrase, end) in self.phrases.iter().zip(ends.chain([self.text.len()])) {
            let line = phrase.line;
            for Entity { name, surface } in &phrase.entities {
                let bytes =
                    find(surface, &self.text, &self.morphemes, phrase.start..end, self.tokens);
                match bytes {
                    _ if name == OPTIONAL => self.rows.remark(line, RemarkKind::Optional),
                    _ if !is_name(name) => self.rows.remark(line, RemarkKind::NotFound),
                    None => self.rows.remark(line, RemarkKind::NotFound),
                    Some(bytes) => {
                        let entity_type = self.rows.entity_type(line, name)?;
                        found.push(FoundEntity { bytes, entity_type, line });
                    }
                }
            }
        }
        found.sort_by_key(|entity| (entity.bytes.start, Reverse(entity.bytes.end)));
        let mut end = 0;
        found.retain(|entity| {
            let is_free = entity.bytes.start >= end;
            match is_free {
                true => end = entity.bytes.end,
                false => self.rows.remark(entity.line, RemarkKind::Nested),
            }
            is_free
        });
        Ok(found)
    }

    /// The sentences of the file.
    pub fn finish(mut self) -> Result<FileContent, CorpusError> {
        self.end_sentence()?;
        self.rows.into_content()
    }
}

/// The entity type that is none.
const OPTIONAL: &str = "OPTIONAL";

/// Whether a text can name an entity type.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
}

/// The last place in a sentence where a surface ends in its phrase: at the ends of morphemes or, if
/// characters are tokens and there is none, anywhere.
fn find(
    surface: &str,
    text: &str,
    morphemes: &[Morpheme],
    phrase: Range<usize>,
    tokens: KnpTokens,
) -> Option<Range<usize>> {
    if surface.is_empty() {
        return None;
    }
    let before = |at: usize| morphemes.partition_point(|morpheme| morpheme.end <= at);
    let is_boundary =
        |at: usize| at == 0 || morphemes[..before(at)].last().is_some_and(|m| m.end == at);
    let is_whole = |end: usize| text[..end].ends_with(surface) && is_boundary(end - surface.len());
    let ends =
        morphemes[before(phrase.start)..before(phrase.end)].iter().map(|morpheme| morpheme.end);
    let end = ends.rev().find(|&end| is_whole(end)).or_else(|| match tokens {
        KnpTokens::Morpheme => None,
        KnpTokens::Character => {
            let first = text.ceil_char_boundary((phrase.start + 1).saturating_sub(surface.len()));
            text[first..phrase.end].rfind(surface).map(|at| first + at + surface.len())
        }
    })?;
    Some(end - surface.len()..end)
}

/// The tokens of a sentence as bytes of its text, each with its line.
fn tokens(
    text: &str,
    morphemes: &[Morpheme],
    tokens: KnpTokens,
) -> impl Iterator<Item = (Range<usize>, usize)> {
    let starts = std::iter::once(0).chain(morphemes.iter().map(|morpheme| morpheme.end));
    starts.zip(morphemes).flat_map(move |(start, &Morpheme { end, line })| {
        let (whole, characters) = match tokens {
            KnpTokens::Morpheme => (Some(start..end), ""),
            KnpTokens::Character => (None, &text[start..end]),
        };
        let character = move |(at, c): (usize, char)| start + at..start + at + c.len_utf8();
        let all = whole.into_iter().chain(characters.char_indices().map(character));
        all.map(move |bytes| (bytes, line))
    })
}

/// The label of a token by the first entity that does not end before it.
fn label(entity: &FoundEntity, token: &Range<usize>) -> Label {
    let position = match entity.bytes.start {
        start if start == token.start => Position::Begin,
        start if start < token.start => Position::Inside,
        _ => return None,
    };
    Some((position, entity.entity_type))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_morpheme_may_look_like_another_line() {
        let of = |text| Line::of(text, true);
        assert_eq!(of("* 2D"), Line::Other);
        assert_eq!(of("*"), Line::Other);
        assert_eq!(of("+ -1P <NE:DATE:今日>"), Line::Phrase);
        assert_eq!(of("* * * 特殊 1 記号 5 * 0 * 0 NIL"), Line::Morpheme("*", 12));
        assert_eq!(of("+ + + 特殊 1 記号 5 * 0 * 0 NIL"), Line::Morpheme("+", 12));
        assert_eq!(of("# # # 特殊 1 記号 5 * 0 * 0 NIL"), Line::Morpheme("#", 12));
        assert_eq!(
            of("EOS EOS EOS 未定義語 15 アルファベット 3 * 0 * 0"),
            Line::Morpheme("EOS", 11)
        );
        assert_eq!(Line::of("# note", false), Line::Other);
        assert_eq!(of("# S-ID:w-1-2 KNP:4"), Line::Sentence("w-1-2"));
        assert_eq!(of(";; cannot open"), Line::Other);
    }
}
