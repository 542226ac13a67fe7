//! OntoNotes 5 as the CoNLL-2012 scripts make it: `*.gold_conll`, a word a line with its entity in
//! brackets, `#begin document` and `#end document` around what belongs together.
//!
//! Columns are aligned with spaces, and how many there are differs from sentence to sentence: there
//! is one for each predicate. The word is always the fourth, its entity the eleventh.

mod brackets;

use super::fields::between_blanks;
use super::rows::{NextLine, Rows, Tagging};
use super::text::{Encoding, Lines, is_blank};
use super::{CorpusFiles, FileFormat, FormatFiles, folder};
use crate::CorpusError;
use crate::error::excerpt;
use crate::load::{FileContent, Splitting};
use crate::schemes::Repair;
use brackets::Brackets;
use domain::TypeSet;
use parts::part;
use std::io::BufRead;
use std::path::Path;

part! {
    /// OntoNotes 5 in the columns of CoNLL-2012, entities in brackets (.gold_conll)
    pub struct Ontonotes("ontonotes") from "Pradhan et al. 2012"
        reads "train and test folders or files; dev is carved from train if there is none"
    {
        /// brackets without a partner: refuse the file, end the entity with its sentence
        /// (conlleval), or discard it
        repair: Repair = Refuse,
        with splitting: Splitting,
    }
}

const ENDINGS: &[&str] = &[".gold_conll"];

/// The columns of the word and of its entity, from 0, and how many a line needs for them.
const WORD: usize = 3;
const ENTITY: usize = 10;
const NEEDED: usize = ENTITY + 1;

impl FileFormat for Ontonotes {
    /// Splits are folders, or files.
    fn files(&self) -> FormatFiles {
        FormatFiles { folder: ENDINGS, ..FormatFiles::ONE }
    }

    fn splitting(&self) -> &Splitting {
        &self.splitting
    }

    fn read_split(
        &self,
        path: &Path,
        _: &CorpusFiles,
        types: &mut TypeSet,
    ) -> Result<FileContent, CorpusError> {
        folder::read(path, ENDINGS, |file| {
            self.read_lines(Lines::open(file, Encoding::Utf8)?, types)
        })
    }

    fn read_bytes(&self, bytes: &[u8], types: &mut TypeSet) -> Result<FileContent, CorpusError> {
        self.read_lines(Lines::of_bytes(Encoding::Utf8, bytes), types)
    }
}

impl Ontonotes {
    /// Reads one file, which may be without a sentence.
    fn read_lines<R: BufRead>(
        &self,
        mut lines: Lines<'_, R>,
        types: &mut TypeSet,
    ) -> Result<FileContent, CorpusError> {
        let tagging = Tagging { repair: self.repair, ..Tagging::default() };
        let mut rows = Rows::new(lines.path(), &tagging, types);
        let mut brackets = Brackets::default();
        let mut document = None;
        loop {
            let (line, row) = match rows.checked(lines.next_line())? {
                NextLine::Line(line, row) => (line, row),
                NextLine::NoText => continue,
                NextLine::End => break,
            };
            if let Some(name) = document_name(&row) {
                brackets.end_sentence(&mut rows)?;
                if document.as_deref() != Some(name) {
                    rows.start_document();
                    document = Some(name.to_owned());
                }
            } else if is_blank(&row) || row.starts_with("#end document") {
                brackets.end_sentence(&mut rows)?;
            } else if !row.starts_with('#') {
                push(&mut rows, &mut brackets, line, &row)?;
            }
        }
        brackets.end_sentence(&mut rows)?;
        rows.into_content()
    }
}

/// Adds the word of a row.
fn push(
    rows: &mut Rows<'_>,
    brackets: &mut Brackets,
    line: usize,
    row: &str,
) -> Result<(), CorpusError> {
    let path = || rows.path().to_owned();
    match columns(row) {
        // There is none in the rest of the file either.
        Some((PLACEHOLDER, _)) => {
            let problem = CorpusError::Skeleton { path: path(), line };
            Err(rows.give_up(problem))
        }
        Some((word, entity)) => brackets.push(rows, line, word, entity),
        None => {
            let problem = format!("{} columns of at least {NEEDED}", between_blanks(row).count());
            let (path, text) = (path(), excerpt(row));
            rows.problem(CorpusError::NotALine { path, line, format: "gold_conll", problem, text });
            Ok(())
        }
    }
}

/// What stands for every word until the words are put in from the treebank.
const PLACEHOLDER: &str = "[WORD]";

/// The word and its entity.
fn columns(row: &str) -> Option<(&str, &str)> {
    let mut places = between_blanks(row);
    let word = places.nth(WORD)?;
    let entity = places.nth(ENTITY - WORD - 1)?;
    Some((&row[word], &row[entity]))
}

/// The name in `#begin document (bc/cctv/00/cctv_0000); part 000`. Parts of one name are one
/// document: a split must not part them.
fn document_name(row: &str) -> Option<&str> {
    let rest = row.strip_prefix("#begin document ")?;
    Some(rest.split_once(';').map_or(rest, |(name, _)| name).trim())
}

#[cfg(test)]
mod tests;
