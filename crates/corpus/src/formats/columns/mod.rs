//! Column files, as CoNLL's: a token a line with its tag in one of the columns, a blank line after
//! each sentence.
//!
//! Only what the parameters say separates columns does: a token may be a space, a no-break space or
//! hold an invisible character. A line that is blank after trimming ASCII white space ends a
//! sentence, whatever it is made of.

mod layout;

use super::fields::Fields;
use super::rows::{NextLine, Rows, Tagging};
use super::text::{ENCODING, Encoding, Lines, is_blank};
use super::{CorpusFiles, FileFormat};
use crate::CorpusError;
use crate::error::excerpt;
use crate::load::{FileContent, Splitting};
use domain::TypeSet;
pub use layout::Separator;
use parts::{choice, part};
use std::io::BufRead;
use std::path::Path;

part! {
    /// one token and its tag per line, a blank line after each sentence (CoNLL)
    pub struct Columns("columns") from "Tjong Kim Sang and De Meulder 2003"
        reads "train and test files; dev is carved from train if there is none"
    {
        /// the token's column, from 0; negative counts from the end
        token: i64 = 0 in -1000..=1000,
        /// the tag's column, from 0; negative counts from the end
        tag: i64 = -1 in -1000..=1000,
        /// tab, space (each one), whitespace (runs of spaces and tabs), any other text,
        /// or auto: tab if the file's first line has one, else whitespace
        separator: String = "auto",
        /// whether the first line names the columns
        header: bool = false,
        /// lines that start with this text are left out; empty for none
        comment: String = "",
        /// -DOCSTART- lines: skip them, or count each as a sentence as some papers do
        docstart: Docstart = Skip,
        with tagging: Tagging,
        encoding: Encoding as ENCODING,
        with splitting: Splitting,
    }
}

choice! {
    /// What a line that says that a document starts is.
    pub enum Docstart {
        /// No sentence.
        Skip = "skip",
        /// A sentence.
        Count = "count",
    }
}

impl FileFormat for Columns {
    fn splitting(&self) -> &Splitting {
        &self.splitting
    }

    fn check(&self) -> Result<(), CorpusError> {
        if self.token == self.tag {
            return Err(CorpusError::setting("tag", "the tag cannot be in the token's column"));
        }
        if self.separator.is_empty() {
            return Err(CorpusError::setting("separator", "it cannot be empty"));
        }
        self.tagging.check()
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

impl Columns {
    fn read_lines<R: BufRead>(
        &self,
        mut lines: Lines<'_, R>,
        types: &mut TypeSet,
    ) -> Result<FileContent, CorpusError> {
        let path = lines.path();
        let mut rows = Rows::new(path, &self.tagging, types);
        let mut separator = Separator::new(&self.separator);
        let mut fields = Fields::default();
        let mut header = self.header;
        loop {
            let (line, row) = match rows.checked(lines.next_line())? {
                NextLine::Line(line, row) => (line, row),
                NextLine::NoText => continue,
                NextLine::End => return rows.finish(),
            };
            let docstart = is_docstart(&row);
            if docstart {
                rows.end_sentence()?;
                rows.start_document();
            }
            if is_blank(&row) || (self.docstart == Docstart::Skip && docstart) {
                rows.end_sentence()?;
            } else if !self.is_comment(&row) && !std::mem::take(&mut header) {
                separator.settle(&row);
                separator.split(&row, &mut fields);
                match self.token_and_tag(&row, &separator, &fields) {
                    Ok((token, tag)) => rows.push(line, token, tag)?,
                    Err(problem) => rows.problem(problem.at(path, line, &row)),
                }
            }
        }
    }

    /// The token and the tag of a line with these fields.
    fn token_and_tag<'r>(
        &self,
        row: &'r str,
        separator: &Separator,
        fields: &Fields,
    ) -> Result<(&'r str, &'r str), RowProblem> {
        let Some((token, tag)) = self.places(fields.count()) else {
            let (found, needed) = (fields.count(), self.needed());
            return Err(RowProblem::Columns { found, needed, separator: separator.shown() });
        };
        match fields.of(row, token) {
            "" => Err(RowProblem::EmptyToken),
            token => Ok((token, fields.of(row, tag).trim_ascii())),
        }
    }
}

/// Why a line has no token with a tag.
enum RowProblem {
    Columns { found: usize, needed: usize, separator: String },
    EmptyToken,
}

impl RowProblem {
    fn at(self, path: &Path, line: usize, row: &str) -> CorpusError {
        let (path, text) = (path.to_owned(), excerpt(row));
        match self {
            RowProblem::Columns { found, needed, separator } => {
                CorpusError::Columns { path, line, found, needed, separator, text }
            }
            RowProblem::EmptyToken => CorpusError::EmptyToken { path, line, text },
        }
    }
}

/// Whether a line only says that a document starts. `-DOCSTART-` may stand alone or with columns.
pub fn is_docstart(line: &str) -> bool {
    let rest = line.strip_prefix("-DOCSTART-");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_whitespace()))
}

#[cfg(test)]
mod tests;
