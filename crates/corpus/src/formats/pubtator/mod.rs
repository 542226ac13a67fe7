//! PubTator: articles of a title, an abstract and mentions with offsets into both, a blank line
//! between articles.
//!
//! The text that offsets count in is the title, one separating character and the abstract. Mentions
//! keep their types, whatever concepts they are linked to; relations (a word in the place of the
//! start) are left out. An article that is there a second time, line by line, is read once: the NCBI
//! disease corpus has one.

use super::Reads;
use super::standoff::{self, Annotation, AnnotationError, Documents, Place, Settings};
use super::text::{self, Encoding, Lines};
use crate::error::excerpt;
use crate::load::{self, FileContent};
use crate::{CorpusError, Loaded, RemarkKind};
use domain::{Parameters, TypeSet};
use parts::{Entry, Need, Parameter};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashSet};
use std::io::BufRead;
use std::path::{Path, PathBuf};

/// What the registry says of this format.
pub(super) const ENTRY: Entry = Entry {
    name: "pubtator",
    help: "titles (`id|t|`), abstracts (`id|a|`) and tab-separated mentions, as PubTator has them",
    parameters: PARAMETERS,
    needs: Need::Files("train and test files; dev is carved from train if there is none"),
    gives: &[],
    source: "Wei et al. 2013",
};

const PARAMETERS: &[Parameter] = &[
    standoff::TOKENS,
    standoff::sentences_by("punctuation"),
    standoff::PARTIAL_TOKENS,
    standoff::OFFSETS,
    standoff::OVERLAP,
    standoff::MISMATCH,
    text::ENCODING,
    load::SPLIT,
    load::DEV_SHARE,
    load::SEED,
];

/// Splits are files.
pub(super) const READS: Reads = Reads::FILES;

/// Whether the settings go together.
pub(super) fn check(parameters: &Parameters) -> Result<(), CorpusError> {
    load::split_parts(parameters)?;
    Settings::new(parameters).map(drop)
}

/// Loads the files of a corpus.
pub(super) fn load(
    parameters: &Parameters,
    files: &BTreeMap<String, PathBuf>,
) -> Result<Loaded, CorpusError> {
    let settings = Settings::new(parameters)?;
    let encoding = Encoding::from_name(parameters.text("encoding"));
    load::from_files(parameters, files, |path, types| {
        read(Lines::open(path, encoding)?, &settings, types)
    })
}

/// Reads the bytes of a file.
pub(super) fn read_bytes(
    bytes: &[u8],
    parameters: &Parameters,
    types: &mut TypeSet,
) -> Result<FileContent, CorpusError> {
    let encoding = Encoding::from_name(parameters.text("encoding"));
    let lines = Lines::new(Path::new("bytes"), encoding, bytes);
    read(lines, &Settings::new(parameters)?, types)
}

/// Reads one file.
fn read<R: BufRead>(
    mut lines: Lines<'_, R>,
    settings: &Settings,
    types: &mut TypeSet,
) -> Result<FileContent, CorpusError> {
    let path = lines.path();
    let mut articles = Articles {
        path,
        documents: Documents::new(settings, types),
        seen: HashSet::new(),
        current: None,
    };
    while let Some((number, line)) = lines.next_line()? {
        let place = Place::line(number);
        let row = Row::new(&line, place)
            .ok_or_else(|| AnnotationError::Line { text: excerpt(&line), expected: EXPECTED });
        let failed = |source| CorpusError::annotation(path, place, source);
        match row.map_err(failed)? {
            Row::Blank => articles.end()?,
            Row::Title { id, text } => {
                articles.end()?;
                articles.current = Some(Article::new(id, text, place));
            }
            row => articles
                .current
                .as_mut()
                .ok_or_else(no_title(&line))
                .and_then(|article| article.add(row))
                .map_err(failed)?,
        }
        if let Some(article) = &mut articles.current {
            article.rows.update(line.as_bytes());
            article.rows.update(b"\n");
        }
    }
    articles.end()?;
    articles.documents.finish(path)
}

const EXPECTED: &str =
    "`ID|t|TITLE`, `ID|a|ABSTRACT` or `ID<TAB>START<TAB>END<TAB>MENTION<TAB>TYPE`";

fn no_title(line: &str) -> impl FnOnce() -> AnnotationError + '_ {
    move || AnnotationError::Line { text: excerpt(line), expected: "a title, which comes first" }
}

/// A line as it is meant.
enum Row<'l> {
    Blank,
    Title { id: &'l str, text: &'l str },
    Abstract { id: &'l str, text: &'l str },
    Mention { id: &'l str, annotation: Annotation },
    Relation { id: &'l str },
}

impl<'l> Row<'l> {
    fn new(line: &'l str, place: Place) -> Option<Self> {
        if line.trim_ascii().is_empty() {
            return Some(Row::Blank);
        }
        let mut parts = line.splitn(3, '|');
        match (parts.next(), parts.next(), parts.next()) {
            (Some(id), Some("t"), Some(text)) if is_id(id) => Some(Row::Title { id, text }),
            (Some(id), Some("a"), Some(text)) if is_id(id) => Some(Row::Abstract { id, text }),
            _ => Self::of_columns(line, place),
        }
    }

    fn of_columns(line: &'l str, place: Place) -> Option<Self> {
        let columns: Vec<&str> = line.split('\t').collect();
        match columns[..] {
            [id, start, end, mention, entity_type, ..] if !starts_with_letter(start) => {
                let annotation = Annotation {
                    place,
                    entity_type: entity_type.trim_ascii().to_owned(),
                    pieces: vec![(start.parse().ok()?, end.parse().ok()?)],
                    text: Some(mention.to_owned()),
                };
                Some(Row::Mention { id, annotation })
            }
            [id, relation, _, ..] if starts_with_letter(relation) => Some(Row::Relation { id }),
            _ => None,
        }
    }
}

fn is_id(text: &str) -> bool {
    !text.is_empty() && !text.contains('\t')
}

fn starts_with_letter(text: &str) -> bool {
    text.starts_with(char::is_alphabetic)
}

/// An article as its lines come.
struct Article {
    id: String,
    place: Place,
    text: String,
    has_abstract: bool,
    annotations: Vec<Annotation>,
    /// Of its lines.
    rows: Sha256,
}

impl Article {
    fn new(id: &str, title: &str, place: Place) -> Self {
        Self {
            id: id.to_owned(),
            place,
            text: title.to_owned(),
            has_abstract: false,
            annotations: vec![],
            rows: Sha256::new(),
        }
    }

    /// Adds what comes after the title.
    fn add(&mut self, row: Row<'_>) -> Result<(), AnnotationError> {
        let id = match row {
            Row::Abstract { id, .. } | Row::Mention { id, .. } | Row::Relation { id } => id,
            Row::Blank | Row::Title { .. } => return Ok(()),
        };
        if id != self.id {
            let (found, current) = (excerpt(id), excerpt(&self.id));
            return Err(AnnotationError::Document { found, current });
        }
        match row {
            Row::Abstract { text, .. } if self.has_abstract => {
                let expected = "the only abstract of its article";
                return Err(AnnotationError::Line { text: excerpt(text), expected });
            }
            Row::Abstract { text, .. } => {
                // A line's end, so that no sentence is made of a title and an abstract.
                self.text.push('\n');
                self.text.push_str(text);
                self.has_abstract = true;
            }
            Row::Mention { annotation, .. } => self.annotations.push(annotation),
            Row::Relation { .. } | Row::Blank | Row::Title { .. } => {}
        }
        Ok(())
    }
}

/// The articles of a file.
struct Articles<'a> {
    path: &'a Path,
    documents: Documents<'a>,
    /// Digests of the articles so far.
    seen: HashSet<[u8; 32]>,
    current: Option<Article>,
}

impl Articles<'_> {
    /// Closes the article, if there is one.
    fn end(&mut self) -> Result<(), CorpusError> {
        let Some(article) = self.current.take() else { return Ok(()) };
        if !self.seen.insert(article.rows.finalize().into()) {
            self.documents.remark(self.path, article.place, RemarkKind::RepeatedDocuments);
            return Ok(());
        }
        self.documents.push(self.path, &article.text, &article.annotations)
    }
}

#[cfg(test)]
mod tests;
