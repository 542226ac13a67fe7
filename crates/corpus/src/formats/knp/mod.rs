//! KNP files, as the Kyoto corpora come: a morpheme a line under `*` (bunsetsu) and `+` (basic phrase)
//! lines, `EOS` after each sentence.
//!
//! An entity stands on the basic phrase that holds its last morpheme, `<NE:ORGANIZATION:京都大学>`, and
//! is found by its text, backwards from the phrase's end. What cannot be found, or is part of a morpheme
//! only (英 in 英語), is `O` and counted, as is `OPTIONAL`, on which the annotators were not sure: both
//! are in the corpus as it is published. Characters as tokens express parts of morphemes too.
//!
//! A split is a folder of `.knp` files or one file; or a list of document ids, one a line, of files in
//! the folder `documents`.

mod entity;
mod sentence;

use super::rows::{Next, Tagging};
use super::text::{Encoding, Lines};
use super::{Reads, folder};
use crate::error::excerpt;
use crate::load::{self, FileContent};
use crate::{CorpusError, Loaded, files_of};
use domain::{Parameters, TypeSet};
use parts::{Entry, Need, Parameter, ParameterKind};
use sentence::{Builder, Unit};
use std::collections::{BTreeMap, HashMap};
use std::io::BufRead;
use std::path::{Path, PathBuf};

/// What the registry says of this format.
pub(super) const ENTRY: Entry = Entry {
    name: "knp",
    help: "Japanese as KNP analyses it, entities on basic phrases (KWDLC)",
    parameters: PARAMETERS,
    needs: Need::Files(
        "train and test folders, files, or lists of ids with the folder `documents`",
    ),
    gives: &[],
    source: "Hangyo et al. 2012",
};

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "tokens",
        help: "what a token is",
        kind: ParameterKind::Choice { default: "morpheme", of: &["morpheme", "character"] },
    },
    load::SPLIT,
    load::DEV_SHARE,
    load::SEED,
];

const ENDING: &str = ".knp";
const ENDINGS: &[&str] = &[ENDING];

/// The role of the folder that lists of ids speak of.
const DOCUMENTS: &str = "documents";

/// Splits are folders, files, or lists of ids.
pub(super) const READS: Reads = Reads { folder: ENDINGS, roles: &[DOCUMENTS], ..Reads::FILES };

/// Whether the settings go together.
pub(super) fn check(parameters: &Parameters) -> Result<(), CorpusError> {
    load::split_parts(parameters)?;
    Settings::new(parameters).map(drop)
}

/// The parameters as meant.
struct Settings {
    tagging: Tagging,
    unit: Unit,
}

impl Settings {
    /// The parameters as meant.
    pub fn new(parameters: &Parameters) -> Result<Self, CorpusError> {
        let unit = match parameters.text("tokens") {
            "character" => Unit::Character,
            _ => Unit::Morpheme,
        };
        Ok(Self { tagging: Tagging::new(parameters)?, unit })
    }
}

/// Loads the files of a corpus.
pub(super) fn load(
    parameters: &Parameters,
    files: &BTreeMap<String, PathBuf>,
) -> Result<Loaded, CorpusError> {
    let settings = Settings::new(parameters)?;
    let documents = files.get(DOCUMENTS).map(|folder| Documents::of(folder)).transpose()?;
    load::from_files(parameters, files, |path, types| {
        let mut read = |file: &Path| read(Lines::open(file, Encoding::Utf8)?, &settings, types);
        match &documents {
            Some(documents) if !is_knp(path) => {
                folder::read_each(path, documents.listed(path)?, &mut read)
            }
            _ => folder::read(path, ENDINGS, &mut read),
        }
    })
}

/// Whether a path is documents itself, and no list of their ids.
fn is_knp(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(ENDING.as_bytes())
}

/// The files of a folder by id, which is their name without the ending.
struct Documents(HashMap<String, PathBuf>);

impl Documents {
    fn of(folder: &Path) -> Result<Self, CorpusError> {
        let id = |path: &Path| path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned);
        let files = files_of(folder, ENDINGS)?.into_iter();
        Ok(Self(files.filter_map(|path| Some((id(&path)?, path))).collect()))
    }

    /// The files whose ids are in a list.
    fn listed(&self, list: &Path) -> Result<Vec<&Path>, CorpusError> {
        let mut lines = Lines::open(list, Encoding::Utf8)?;
        let mut files = vec![];
        while let Some((line, id)) = lines.next_line()? {
            let id = id.trim_ascii();
            match self.0.get(id) {
                _ if id.is_empty() => {}
                Some(file) => files.push(file.as_path()),
                None => {
                    let name = excerpt(id) + ENDING;
                    return Err(CorpusError::NoDocument { path: list.to_owned(), line, name });
                }
            }
        }
        Ok(files)
    }
}

/// Reads a file of these bytes.
pub(super) fn read_bytes(
    bytes: &[u8],
    parameters: &Parameters,
    types: &mut TypeSet,
) -> Result<FileContent, CorpusError> {
    let settings = Settings::new(parameters)?;
    read(Lines::new(Path::new("bytes"), Encoding::Utf8, bytes), &settings, types)
}

/// Reads one file, which may be without a sentence.
fn read<R: BufRead>(
    mut lines: Lines<'_, R>,
    settings: &Settings,
    types: &mut TypeSet,
) -> Result<FileContent, CorpusError> {
    let mut sentences = Builder::new(lines.path(), &settings.tagging, settings.unit, types);
    loop {
        match sentences.rows.checked(lines.next_line())? {
            Next::Line(line, text) => sentences.push(line, &text)?,
            Next::NoText => {}
            Next::End => return sentences.finish(),
        }
    }
}

#[cfg(test)]
mod tests;
