//! Rows of token and tag put together to sentences: what all formats with a row a token share.

use crate::CorpusError;
use crate::error::{Problems, excerpt};
use crate::load::FileContent;
use crate::remark::RemarkKind;
use crate::schemes::{Label, NotInScheme, Repair, Scheme};
use domain::{Sentence, TokensBuilder, TypeId, TypeSet};
use parts::settings;
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

/// More entity types than this are no entity types: the column is the wrong one.
pub(super) const MOST_TYPES: usize = 1000;

settings! {
    /// How tags are read.
    pub struct Tagging {
        /// how tags mark entities; bare is B, I and O without a type; other names: bio (iob2),
        /// bioes, bilou, biluo and bmewo (iobes)
        scheme: Scheme => Scheme::Iob2.or_another(),
        /// the name of the one entity type of the scheme bare
        entity_type: String = "entity",
        /// a tag that says that nobody looked (`UNK`), read as O and counted; empty for none
        unlabelled: String = "",
        /// tags that the scheme forbids: read as conlleval reads them, discard the broken entities,
        /// or refuse the file
        repair: Repair = Conlleval,
    }
}

impl Default for Tagging {
    fn default() -> Self {
        Self::read(&parts::defaults(Self::PARAMETERS))
    }
}

impl Tagging {
    /// Whether the settings can work.
    pub(super) fn check(&self) -> Result<(), CorpusError> {
        match self.entity_type.is_empty() {
            true => Err(CorpusError::setting("entity_type", "it needs a name")),
            false => Ok(()),
        }
    }
}

/// An index from the start or, if negative, from the end.
pub(super) fn place(index: i64, columns: usize) -> Option<usize> {
    let index = if index < 0 { index.checked_add_unsigned(columns as u64)? } else { index };
    usize::try_from(index).ok().filter(|&index| index < columns)
}

/// The tag of tokens in no entity, in every scheme.
const OUTSIDE: &str = "O";

/// What comes next in a file.
pub(super) enum NextLine<'l> {
    /// A line and its number.
    Line(usize, Cow<'l, str>),
    /// A line that is no text, taken down.
    NoText,
    End,
}

/// The sentences of one file as they grow row by row.
pub(super) struct Rows<'a> {
    path: &'a Path,
    tagging: &'a Tagging,
    types: &'a mut TypeSet,
    /// Labels of the tags met so far: a file has few different ones.
    known: HashMap<Box<str>, Label>,
    tokens: TokensBuilder,
    labels: Vec<Label>,
    /// The line of each token of the sentence.
    lines: Vec<usize>,
    content: FileContent,
    problems: Problems,
    /// How often each tag was met that is none.
    unknown: HashMap<Box<str>, usize>,
}

impl<'a> Rows<'a> {
    /// No sentence yet; `path` is for messages.
    pub fn new(path: &'a Path, tagging: &'a Tagging, types: &'a mut TypeSet) -> Self {
        Self {
            path,
            tagging,
            types,
            known: HashMap::new(),
            tokens: TokensBuilder::default(),
            labels: vec![],
            lines: vec![],
            content: FileContent::default(),
            problems: Problems::default(),
            unknown: HashMap::new(),
        }
    }

    /// Takes down a problem of the file and goes on to the next one: [`Rows::finish`] tells them
    /// all.
    pub fn problem(&mut self, problem: CorpusError) {
        self.problems.add(problem);
    }

    /// The next line, if it can be read; what its characters are concerns that line alone.
    pub fn checked<'l>(
        &mut self,
        line: Result<Option<(usize, Cow<'l, str>)>, CorpusError>,
    ) -> Result<NextLine<'l>, CorpusError> {
        match line {
            Ok(Some((number, text))) => Ok(NextLine::Line(number, text)),
            Ok(None) => Ok(NextLine::End),
            Err(error @ (CorpusError::Encoding { .. } | CorpusError::CarriageReturn { .. })) => {
                self.problem(error);
                Ok(NextLine::NoText)
            }
            Err(error) => Err(self.give_up(error)),
        }
    }

    /// All problems so far, where there is no going on after this one.
    pub fn give_up(&mut self, problem: CorpusError) -> CorpusError {
        self.problems.add(problem);
        self.problems.settle().err().unwrap_or(CorpusError::Empty { path: self.path.to_owned() })
    }

    /// Adds a token to the sentence.
    pub fn push(&mut self, line: usize, token: &str, tag: &str) -> Result<(), CorpusError> {
        let label = self.label(line, tag)?;
        self.push_label(line, token, label);
        Ok(())
    }

    /// Adds a token whose label is known.
    pub fn push_label(&mut self, line: usize, token: &str, label: Label) {
        self.tokens.push(token);
        self.labels.push(label);
        self.lines.push(line);
    }

    /// The file, for messages.
    pub fn path(&self) -> &'a Path {
        self.path
    }

    /// What to do with what the format forbids.
    pub fn repair(&self) -> Repair {
        self.tagging.repair
    }

    /// How many tokens the sentence has so far.
    pub fn sentence_len(&self) -> usize {
        self.tokens.len()
    }

    /// Takes the labels away from the tokens of the sentence from this one on.
    pub fn clear_labels(&mut self, from: usize) {
        self.labels.iter_mut().skip(from).for_each(|label| *label = None);
    }

    /// Counts something that the user should know.
    pub fn remark(&mut self, line: usize, kind: RemarkKind) {
        self.content.remarks.add(self.path, Some(line), kind, 1);
    }

    /// The id of a type's name.
    pub fn entity_type(&mut self, line: usize, name: &str) -> Result<TypeId, CorpusError> {
        let id = self.types.intern(name);
        match self.types.len() > MOST_TYPES {
            true => {
                let path = self.path.to_owned();
                Err(self.give_up(CorpusError::TooManyTypes { path, line, limit: MOST_TYPES }))
            }
            false => Ok(id),
        }
    }

    fn label(&mut self, line: usize, tag: &str) -> Result<Label, CorpusError> {
        let tagging = self.tagging;
        // Most tags are, and need not be looked up.
        if tag == OUTSIDE && tagging.unlabelled != OUTSIDE {
            return Ok(None);
        }
        if let Some(&label) = self.known.get(tag) {
            return Ok(label);
        }
        if tag == tagging.unlabelled && !tag.is_empty() {
            self.remark(line, RemarkKind::Unlabelled);
            return Ok(None);
        }
        let label = match tagging.scheme.parse(tag) {
            Err(NotInScheme) => {
                self.not_in_scheme(line, tag);
                return Ok(None);
            }
            Ok(None) => None,
            Ok(Some((at, ""))) => Some((at, self.entity_type(line, &tagging.entity_type)?)),
            Ok(Some((at, name))) => Some((at, self.entity_type(line, name)?)),
        };
        self.known.insert(tag.into(), label);
        Ok(label)
    }

    /// Takes down a tag that is none, a few times each: a file full of one of them has other
    /// problems that should be seen, too.
    fn not_in_scheme(&mut self, line: usize, tag: &str) {
        const MOST_ALIKE: usize = 3;
        let times = self.unknown.entry(excerpt(tag).into()).or_default();
        *times += 1;
        if *times > MOST_ALIKE {
            return self.problems.add_alike();
        }
        let scheme = self.tagging.scheme;
        self.problem(CorpusError::Tag {
            path: self.path.to_owned(),
            line,
            tag: excerpt(tag),
            scheme: scheme.word(),
            expected: scheme.expected(),
        });
    }

    /// Says that the next sentence is the first of a document.
    pub fn start_document(&mut self) {
        let next = self.content.sentences.len();
        if self.content.documents.last() != Some(&next) {
            self.content.documents.push(next);
        }
    }

    /// Closes the sentence, if it has a token.
    pub fn end_sentence(&mut self) -> Result<(), CorpusError> {
        if self.tokens.is_empty() {
            return Ok(());
        }
        let Tagging { scheme, repair, .. } = *self.tagging;
        let converted = scheme.convert(&self.labels, repair);
        for &index in &converted.invalid {
            let line = self.lines[index];
            if repair == Repair::Refuse {
                let (path, scheme) = (self.path.to_owned(), scheme.word());
                self.problem(CorpusError::Forbidden { path, line, scheme });
            } else {
                let kind = RemarkKind::Forbidden { scheme, repair };
                self.content.remarks.add(self.path, Some(line), kind, 1);
            }
        }
        self.labels.clear();
        self.lines.clear();
        let sentence = Sentence { tokens: self.tokens.take(), tags: converted.tags };
        self.content.sentences.push(sentence);
        Ok(())
    }

    /// The sentences, if there are any; a file with a problem is an error.
    pub fn into_content(mut self) -> Result<FileContent, CorpusError> {
        self.end_sentence()?;
        self.problems.settle()?;
        Ok(self.content)
    }

    /// The sentences; a file without one is an error, as is one with a problem.
    pub fn finish(self) -> Result<FileContent, CorpusError> {
        let path = self.path;
        let content = self.into_content()?;
        match content.sentences.is_empty() {
            true => Err(CorpusError::Empty { path: path.to_owned() }),
            false => Ok(content),
        }
    }
}
