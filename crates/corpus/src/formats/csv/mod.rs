//! CSV and TSV: a token a row, its columns by name or place, quoted as spreadsheets do, and a column
//! that says which sentence a token belongs to.
//!
//! A sentence's id stands on each of its rows (GMB) or on the first one only (the Kaggle form of GMB,
//! which leaves the others empty). Where there is no such column, rows without content part sentences.

mod layout;
mod records;

use super::Reads;
use super::rows::{self, Rows};
use super::text::{self, Lines};
use crate::error::excerpt;
use crate::load::{self, FileContent};
use crate::schemes::REPAIR;
use crate::{CorpusError, Loaded};
use domain::{Parameters, TypeSet};
use layout::{Columns, Layout, Row};
use parts::{Entry, Need, Parameter, ParameterKind};
use records::Record;
use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::{Path, PathBuf};

/// What the registry says of this format.
pub(super) const ENTRY: Entry = Entry {
    name: "csv",
    help: "a token a row with quoted fields and a column of sentence ids (CSV, TSV; GMB)",
    parameters: PARAMETERS,
    needs: Need::Files(
        "train and test files, or one for all; dev is carved from train if there is none",
    ),
    gives: &[],
    source: "RFC 4180; Bos et al. 2017",
};

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "token",
        help: "the token's column: its name, or its place from 0, negative from the end",
        kind: ParameterKind::Column { default: "Word" },
    },
    Parameter {
        name: "tag",
        help: "the tag's column",
        kind: ParameterKind::Column { default: "Tag" },
    },
    Parameter {
        name: "sentence",
        help: "the column of the sentence's id, on each of its rows or on the first one; \
               empty if there is none, and rows without content part sentences",
        kind: ParameterKind::Column { default: "Sentence #" },
    },
    Parameter {
        name: "header",
        help: "whether the first row names the columns",
        kind: ParameterKind::Bool { default: true },
    },
    Parameter {
        name: "separator",
        help: "what stands between fields; auto is what the first row has most of, a tab first",
        kind: ParameterKind::Choice { default: "auto", of: layout::SEPARATORS },
    },
    Parameter {
        name: "quoting",
        help: "whether a quotation mark at a field's start opens a quoted field",
        kind: ParameterKind::Bool { default: true },
    },
    rows::SCHEME,
    rows::ENTITY_TYPE,
    rows::UNLABELLED,
    REPAIR,
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
    Layout::new(parameters).map(drop)
}

/// Loads the files of a corpus.
pub(super) fn load(
    parameters: &Parameters,
    files: &BTreeMap<String, PathBuf>,
) -> Result<Loaded, CorpusError> {
    let layout = Layout::new(parameters)?;
    load::from_files(parameters, files, |path, types| {
        read(Lines::open(path, layout.encoding)?, &layout, types)
    })
}

/// Reads a file of these bytes.
pub(super) fn read_bytes(
    bytes: &[u8],
    parameters: &Parameters,
    types: &mut TypeSet,
) -> Result<FileContent, CorpusError> {
    let layout = Layout::new(parameters)?;
    read(Lines::new(Path::new("bytes"), layout.encoding, bytes), &layout, types)
}

/// Reads one file.
fn read<R: BufRead>(
    lines: Lines<'_, R>,
    layout: &Layout,
    types: &mut TypeSet,
) -> Result<FileContent, CorpusError> {
    let path = lines.path();
    let mut rows = Rows::new(path, &layout.tagging, types);
    let mut columns = layout.columns_without_header();
    let mut sentence = SentenceId::default();
    records::each(lines, layout.separator, layout.quoting, |record| {
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
                let found = layout.columns(path, &record).map_err(|error| rows.give_up(error))?;
                columns = Some(found);
                Ok(())
            }
        }
    })?;
    rows.finish()
}

/// Adds the token of a row, to a new sentence if its id says so.
fn push(
    rows: &mut Rows<'_>,
    sentence: &mut SentenceId,
    record: &Record<'_>,
    columns: &Columns,
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
    columns: &Columns,
) -> Result<Row<'r>, CorpusError> {
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
    /// Whether rows without an id came after it: then ids stand on first rows only, and the same one
    /// again is another sentence.
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
