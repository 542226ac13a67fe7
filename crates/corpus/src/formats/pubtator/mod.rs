//! PubTator: articles of a title, an abstract and mentions with offsets into both, a blank line
//! between articles.
//!
//! The text that offsets count in is the title, one separating character and the abstract. Mentions
//! keep their types, whatever concepts they are linked to; relations (a word in the place of the
//! start) are left out. An article that is there a second time, line by line, is read once: the
//! NCBI disease corpus has one.

use super::standoff::{
    Annotation, AnnotationError, AnnotationPlace, Documents, Sentences, SpanRules, of_one_piece,
};
use super::text::{ENCODING, Encoding, Lines};
use super::{CorpusFiles, FileFormat};
use crate::error::excerpt;
use crate::load::{FileContent, Splitting};
use crate::{CorpusError, RemarkKind};
use domain::TypeSet;
use parts::part;
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::io::BufRead;
use std::path::Path;

part! {
    /// titles (`id|t|`), abstracts (`id|a|`) and tab-separated mentions, as PubTator has them
    pub struct Pubtator("pubtator") from "Wei et al. 2013"
        reads "train and test files; dev is carved from train if there is none"
    {
        with rules: SpanRules as &of_one_piece(Sentences::Punctuation),
        encoding: Encoding as ENCODING,
        with splitting: Splitting,
    }
}

impl FileFormat for Pubtator {
    fn splitting(&self) -> &Splitting {
        &self.splitting
    }

    fn read_split(
        &self,
        path: &Path,
        _: &CorpusFiles,
        types: &mut TypeSet,
    ) -> Result<FileContent, CorpusError> {
        self.read_lines(Lines::open(path, self.encoding)?, types)
    }

    fn read_bytes(&self, bytes: &[u8], types: &mut TypeSet) -> Result<FileContent, CorpusError> {
        self.read_lines(Lines::of_bytes(self.encoding, bytes), types)
    }
}

impl Pubtator {
    fn read_lines<R: BufRead>(
        &self,
        mut lines: Lines<'_, R>,
        types: &mut TypeSet,
    ) -> Result<FileContent, CorpusError> {
        let path = lines.path();
        let mut articles = Articles {
            path,
            documents: Documents::new(&self.rules, types),
            seen: HashSet::new(),
            current: None,
        };
        while let Some((number, line)) = lines.next_line()? {
            articles.add(&line, AnnotationPlace::line(number))?;
        }
        articles.end()?;
        articles.documents.finish(path)
    }
}

const EXPECTED: &str =
    "`ID|t|TITLE`, `ID|a|ABSTRACT` or `ID<TAB>START<TAB>END<TAB>MENTION<TAB>TYPE`";

fn no_title(line: &str) -> impl FnOnce() -> AnnotationError + '_ {
    move || AnnotationError::Line { text: excerpt(line), expected: "a title, which comes first" }
}

/// A line as it is meant.
enum ArticleLine<'l> {
    Blank,
    Title { id: &'l str, text: &'l str },
    Abstract { id: &'l str, text: &'l str },
    Mention { id: &'l str, annotation: Annotation },
    Relation { id: &'l str },
}

impl<'l> ArticleLine<'l> {
    fn new(line: &'l str, place: AnnotationPlace) -> Option<Self> {
        if line.trim_ascii().is_empty() {
            return Some(ArticleLine::Blank);
        }
        let mut parts = line.splitn(3, '|');
        match (parts.next(), parts.next(), parts.next()) {
            (Some(id), Some("t"), Some(text)) if is_id(id) => Some(ArticleLine::Title { id, text }),
            (Some(id), Some("a"), Some(text)) if is_id(id) => {
                Some(ArticleLine::Abstract { id, text })
            }
            _ => Self::of_columns(line, place),
        }
    }

    fn of_columns(line: &'l str, place: AnnotationPlace) -> Option<Self> {
        let columns: Vec<&str> = line.split('\t').collect();
        match columns[..] {
            [id, start, end, mention, entity_type, ..] if !starts_with_letter(start) => {
                let annotation = Annotation {
                    place,
                    entity_type: entity_type.trim_ascii().to_owned(),
                    pieces: vec![(start.parse().ok()?, end.parse().ok()?)],
                    text: Some(mention.to_owned()),
                };
                Some(ArticleLine::Mention { id, annotation })
            }
            [id, relation, _, ..] if starts_with_letter(relation) => {
                Some(ArticleLine::Relation { id })
            }
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
    place: AnnotationPlace,
    text: String,
    has_abstract: bool,
    annotations: Vec<Annotation>,
    /// Of its lines.
    rows: Sha256,
}

impl Article {
    fn new(id: &str, title: &str, place: AnnotationPlace) -> Self {
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
    fn add(&mut self, row: ArticleLine<'_>) -> Result<(), AnnotationError> {
        let id = match row {
            ArticleLine::Abstract { id, .. }
            | ArticleLine::Mention { id, .. }
            | ArticleLine::Relation { id } => id,
            ArticleLine::Blank | ArticleLine::Title { .. } => return Ok(()),
        };
        if id != self.id {
            let (found, current) = (excerpt(id), excerpt(&self.id));
            return Err(AnnotationError::Document { found, current });
        }
        match row {
            ArticleLine::Abstract { text, .. } if self.has_abstract => {
                let expected = "the only abstract of its article";
                return Err(AnnotationError::Line { text: excerpt(text), expected });
            }
            ArticleLine::Abstract { text, .. } => {
                // A line's end, so that no sentence is made of a title and an abstract.
                self.text.push('\n');
                self.text.push_str(text);
                self.has_abstract = true;
            }
            ArticleLine::Mention { annotation, .. } => self.annotations.push(annotation),
            ArticleLine::Relation { .. } | ArticleLine::Blank | ArticleLine::Title { .. } => {}
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
    /// Adds a line.
    fn add(&mut self, line: &str, place: AnnotationPlace) -> Result<(), CorpusError> {
        let path = self.path;
        let failed = |source| CorpusError::annotation(path, place, source);
        let row = ArticleLine::new(line, place)
            .ok_or_else(|| AnnotationError::Line { text: excerpt(line), expected: EXPECTED });
        match row.map_err(failed)? {
            ArticleLine::Blank => self.end()?,
            ArticleLine::Title { id, text } => {
                self.end()?;
                self.current = Some(Article::new(id, text, place));
            }
            row => self
                .current
                .as_mut()
                .ok_or_else(no_title(line))
                .and_then(|article| article.add(row))
                .map_err(failed)?,
        }
        if let Some(article) = &mut self.current {
            article.rows.update(line.as_bytes());
            article.rows.update(b"\n");
        }
        Ok(())
    }

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
