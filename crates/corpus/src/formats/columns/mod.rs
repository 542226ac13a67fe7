//! Column files, as CoNLL's: a token a line with its tag in one of the columns, a blank line after
//! each sentence.
//!
//! Only what the parameters say separates columns does: a token may be a space, a no-break space or
//! hold an invisible character. A line that is blank after trimming ASCII white space ends a
//! sentence, whatever it is made of.

mod layout;

use super::Reads;
use super::fields::Fields;
use super::rows::{self, Next, Rows};
use super::text::{self, Lines, is_blank};
use crate::error::excerpt;
use crate::load::{self, FileContent};
use crate::schemes::REPAIR;
use crate::{CorpusError, Loaded};
use domain::{Parameters, TypeSet};
use layout::Layout;
pub use layout::Separator;
use parts::{Entry, Need, Parameter, ParameterKind};
use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::{Path, PathBuf};

/// What the registry says of this format.
pub(super) const ENTRY: Entry = Entry {
    name: "columns",
    help: "a token and its tag a line, a blank line after each sentence (CoNLL)",
    parameters: PARAMETERS,
    needs: Need::Files("train and test files; dev is carved from train if there is none"),
    gives: &[],
    source: "Tjong Kim Sang and De Meulder 2003",
};

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "token",
        help: "the token's column, from 0; negative counts from the end",
        kind: ParameterKind::Integer { default: 0, min: -MOST_COLUMNS, max: MOST_COLUMNS },
    },
    Parameter {
        name: "tag",
        help: "the tag's column, from 0; negative counts from the end",
        kind: ParameterKind::Integer { default: -1, min: -MOST_COLUMNS, max: MOST_COLUMNS },
    },
    Parameter {
        name: "separator",
        help: "tab, space (each one), whitespace (runs of spaces and tabs), any other text, \
               or auto: tab if the file's first line has one, else whitespace",
        kind: ParameterKind::Text { default: "auto" },
    },
    Parameter {
        name: "header",
        help: "whether the first line names the columns",
        kind: ParameterKind::Bool { default: false },
    },
    Parameter {
        name: "comment",
        help: "lines that start with this text are left out; empty for none",
        kind: ParameterKind::Text { default: "" },
    },
    Parameter {
        name: "docstart",
        help: "-DOCSTART- lines: skip them, or count each as a sentence as some papers do",
        kind: ParameterKind::Choice { default: "skip", of: &["skip", "count"] },
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

/// No column beyond this one can be asked for.
const MOST_COLUMNS: i64 = 1000;

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
    mut lines: Lines<'_, R>,
    layout: &Layout,
    types: &mut TypeSet,
) -> Result<FileContent, CorpusError> {
    let path = lines.path();
    let mut rows = Rows::new(path, &layout.tagging, types);
    let mut separator = layout.separator.clone();
    let mut fields = Fields::default();
    let mut header = layout.has_header;
    loop {
        let (line, row) = match rows.checked(lines.next_line())? {
            Next::Line(line, row) => (line, row),
            Next::NoText => continue,
            Next::End => return rows.finish(),
        };
        let docstart = is_docstart(&row);
        if docstart {
            rows.end_sentence()?;
            rows.start_document();
        }
        if is_blank(&row) || (layout.skip_docstart && docstart) {
            rows.end_sentence()?;
        } else if !layout.is_comment(&row) && !std::mem::take(&mut header) {
            separator.settle(&row);
            separator.split(&row, &mut fields);
            match token_and_tag(&row, layout, &separator, &fields) {
                Ok((token, tag)) => rows.push(line, token, tag)?,
                Err(problem) => rows.problem(problem.at(path, line, &row)),
            }
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

/// The token and the tag of a line with these fields.
fn token_and_tag<'r>(
    row: &'r str,
    layout: &Layout,
    separator: &Separator,
    fields: &Fields,
) -> Result<(&'r str, &'r str), RowProblem> {
    let Some((token, tag)) = layout.places(fields.count()) else {
        let (found, needed) = (fields.count(), layout.needed());
        return Err(RowProblem::Columns { found, needed, separator: separator.shown() });
    };
    match fields.of(row, token) {
        "" => Err(RowProblem::EmptyToken),
        token => Ok((token, fields.of(row, tag).trim_ascii())),
    }
}

/// Whether a line only says that a document starts. `-DOCSTART-` may stand alone or with columns.
pub fn is_docstart(line: &str) -> bool {
    let rest = line.strip_prefix("-DOCSTART-");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_whitespace()))
}

#[cfg(test)]
mod tests;
