//! CSV and TSV: a token a row, its columns by name or place, quoted as spreadsheets do, and a
//! column that says which sentence a token belongs to.
//!
//! A sentence's id stands on each of its rows (GMB) or on the first one only (the Kaggle form of
//! GMB, which leaves the others empty). Where there is no such column, rows without content part
//! sentences.

mod layout;
mod records;

use super::rows::{Rows, Tagging};
use super::text::{ENCODING, Encoding, Lines};
use super::{CorpusFiles, FileFormat};
use crate::CorpusError;
use crate::error::excerpt;
use crate::load::{FileContent, Splitting};
use domain::TypeSet;
use layout::{CsvColumns, CsvRow};
use parts::{Column, choice, part};
use records::{Record, Separator};
use std::io::BufRead;
use std::path::Path;

part! {
    /// one token per row with quoted fields and a column of sentence ids (CSV, TSV; GMB)
    pub struct Csv("csv") from "RFC 4180; Bos et al. 2017"
        reads "train and test files, or one for all; dev is carved from train if there is none"
    {
        /// the token's column: its name, or its place from 0, negative from the end
        token: Column => Column::kind("Word"),
        /// the tag's column
        tag: Column => Column::kind("Tag"),
        /// the column of the sentence's id, on each of its rows or on the first one;
        /// empty if there is none, and rows without content part sentences
        sentence: Column => Column::kind("Sentence #"),
        /// whether the first row names the columns
        header: bool = true,
        /// what stands between fields; auto is what the first row has most of, a tab first
        separator: GivenSeparator = Auto,
        /// whether a quotation mark at a field's start opens a quoted field
        quoting: bool = true,
        with tagging: Tagging,
        encoding: Encoding as ENCODING,
        with splitting: Splitting,
    }
}

choice! {
    /// The separator of fields, as a grid gives it.
    pub enum GivenSeparator { Auto = "auto", Comma = "comma", Tab = "tab", Semicolon = "semicolon" }
}

impl GivenSeparator {
    /// `None` to find out.
    fn known(self) -> Option<Separator> {
        match self {
            GivenSeparator::Auto => None,
            GivenSeparator::Comma => Some(Separator::Comma),
            GivenSeparator::Tab => Some(Separator::Tab),
            GivenSeparator::Semicolon => Some(Separator::Semicolon),
        }
    }
}

impl FileFormat for Csv {
    fn splitting(&self) -> &Splitting {
        &self.splitting
    }

    fn check(&self) -> Result<(), CorpusError> {
        self.check_needed()?;
        self.tagging.check()?;
        self.check_columns()
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

impl Csv {
    fn read_lines<R: BufRead>(
        &self,
        lines: Lines<'_, R>,
        types: &mut TypeSet,
    ) -> Result<FileContent, CorpusError> {
        let path = lines.path();
        let mut rows = Rows::new(path, &self.tagging, types);
        let mut columns = self.columns_without_header();
        let mut sentence = SentenceId::default();
        records::each(lines, self.separator.known(), self.quoting, |record| {
            let record = match record {
                Ok(record) => record,
                Err(error @ CorpusError::Encoding { .. }) => {
                    rows.problem(error);
                    return Ok(());
                }
                Err(error) => return Err(rows.give_up(error)),
            };
            if record.is_blank() {
                sentence = SentenceId::default();
                return rows.end_sentence();
            }
            match &columns {
                Some(columns) => push(&mut rows, &mut sentence, &record, columns),
                None => {
                    let found = self.columns(path, &record).map_err(|error| rows.give_up(error))?;
                    columns = Some(found);
                    Ok(())
                }
            }
        })?;
        rows.finish()
    }
}

/// Adds the token of a row, to a new sentence if its id says so.
fn push(
    rows: &mut Rows<'_>,
    sentence: &mut SentenceId,
    record: &Record<'_>,
    columns: &CsvColumns,
) -> Result<(), CorpusError> {
    let row = match checked(rows.path(), record, columns) {
        Ok(row) => row,
        Err(problem) => {
            rows.problem(problem);
            return Ok(());
        }
    };
    if sentence.starts(row.sentence.trim_ascii()) {
        rows.end_sentence()?;
    }
    rows.push(record.line, row.token, row.tag.trim_ascii())
}

/// What a record says, if it has every column and none with a line break.
fn checked<'r>(
    path: &Path,
    record: &Record<'r>,
    columns: &CsvColumns,
) -> Result<CsvRow<'r>, CorpusError> {
    let (path, line, text) = (|| path.to_owned(), record.line, || excerpt(record.text));
    let row = columns.of(record).ok_or_else(|| CorpusError::Columns {
        path: path(),
        line,
        found: record.fields.count(),
        needed: columns.needed(),
        separator: record.separator.shown().to_owned(),
        text: text(),
    })?;
    let fields = [("token", row.token), ("tag", row.tag), ("sentence's id", row.sentence)];
    if let Some((field, text)) = fields.into_iter().find(|(_, text)| text.contains('\n')) {
        let text = excerpt(text);
        return Err(CorpusError::LineBreak { path: path(), line, field, text });
    }
    match row.token.is_empty() {
        true => Err(CorpusError::EmptyToken { path: path(), line, text: text() }),
        false => Ok(row),
    }
}

/// The id of the sentence that rows are added to.
#[derive(Debug, Default)]
struct SentenceId {
    id: String,
    /// Whether rows without an id came after it: then ids stand on first rows only, and the same
    /// one again is another sentence.
    is_left_out: bool,
}

impl SentenceId {
    /// Whether a row with this id begins a sentence.
    fn starts(&mut self, id: &str) -> bool {
        if id.is_empty() {
            self.is_left_out = true;
            return false;
        }
        let starts = std::mem::take(&mut self.is_left_out) || self.id != id;
        if starts {
            self.id.clear();
            self.id.push_str(id);
        }
        starts
    }
}

#[cfg(test)]
mod tests;
