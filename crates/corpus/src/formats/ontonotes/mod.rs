//! OntoNotes 5 as the CoNLL-2012 scripts make it: `*.gold_conll`, a word a line with its entity in
//! brackets, `#begin document` and `#end document` around what belongs together.
//!
//! Columns are aligned with spaces, and how many there are differs from sentence to sentence: there is
//! one for each predicate. The word is always the fourth, its entity the eleventh.

mod brackets;

use super::fields::between_blanks;
use super::rows::{Next, Rows, Tagging};
use super::text::{Encoding, Lines, is_blank};
use super::{Reads, folder};
use crate::error::excerpt;
use crate::load::{self, FileContent};
use crate::schemes::Repair;
use crate::{CorpusError, Loaded};
use brackets::Brackets;
use domain::{Parameters, TypeSet};
use parts::{Entry, Need, Parameter, ParameterKind};
use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::{Path, PathBuf};

/// What the registry says of this format.
pub(super) const ENTRY: Entry = Entry {
    name: "ontonotes",
    help: "OntoNotes 5 in the columns of CoNLL-2012, entities in brackets (.gold_conll)",
    parameters: PARAMETERS,
    needs: Need::Files(
        "train and test folders or files; dev is carved from train if there is none",
    ),
    gives: &[],
    source: "Pradhan et al. 2012",
};

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "repair",
        help: "brackets without a partner: refuse the file, end the entity with its sentence \
               (conlleval), or discard it",
        kind: ParameterKind::Choice { default: "refuse", of: Repair::NAMES },
    },
    load::SPLIT,
    load::DEV_SHARE,
    load::SEED,
];

const ENDINGS: &[&str] = &[".gold_conll"];

/// Splits are folders, or files.
pub(super) const READS: Reads = Reads { folder: ENDINGS, ..Reads::FILES };

/// The columns of the word and of its entity, from 0, and how many a line needs for them.
const WORD: usize = 3;
const ENTITY: usize = 10;
const NEEDED: usize = ENTITY + 1;

/// Whether the settings go together.
pub(super) fn check(parameters: &Parameters) -> Result<(), CorpusError> {
    load::split_parts(parameters)?;
    Tagging::new(parameters).map(drop)
}

/// Loads the files of a corpus.
pub(super) fn load(
    parameters: &Parameters,
    files: &BTreeMap<String, PathBuf>,
) -> Result<Loaded, CorpusError> {
    let tagging = Tagging::new(parameters)?;
    load::from_files(parameters, files, |path, types| {
        folder::read(path, ENDINGS, |file| {
            read(Lines::open(file, Encoding::Utf8)?, &tagging, types)
        })
    })
}

/// Reads a file of these bytes.
pub(super) fn read_bytes(
    bytes: &[u8],
    parameters: &Parameters,
    types: &mut TypeSet,
) -> Result<FileContent, CorpusError> {
    let tagging = Tagging::new(parameters)?;
    read(Lines::new(Path::new("bytes"), Encoding::Utf8, bytes), &tagging, types)
}

/// Reads one file, which may be without a sentence.
fn read<R: BufRead>(
    mut lines: Lines<'_, R>,
    tagging: &Tagging,
    types: &mut TypeSet,
) -> Result<FileContent, CorpusError> {
    let mut rows = Rows::new(lines.path(), tagging, types);
    let mut brackets = Brackets::default();
    let mut document = None;
    loop {
        let (line, row) = match rows.checked(lines.next_line())? {
            Next::Line(line, row) => (line, row),
            Next::NoText => continue,
            Next::End => break,
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

/// The name in `#begin document (bc/cctv/00/cctv_0000); part 000`. Parts of one name are one document:
/// a split must not part them.
fn document_name(row: &str) -> Option<&str> {
    let rest = row.strip_prefix("#begin document ")?;
    Some(rest.split_once(';').map_or(rest, |(name, _)| name).trim())
}

#[cfg(test)]
mod tests;
