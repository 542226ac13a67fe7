//! KNP files, as the Kyoto corpora come: a morpheme a line under `*` (bunsetsu) and `+` (basic
//! phrase) lines, `EOS` after each sentence.
//!
//! An entity stands on the basic phrase that holds its last morpheme, `<NE:ORGANIZATION:京都大学>`, and
//! is found by its text, backwards from the phrase's end. What cannot be found, or is part of a
//! morpheme only (英 in 英語), is `O` and counted, as is `OPTIONAL`, on which the annotators were not
//! sure: both are in the corpus as it is published. Characters as tokens express parts of morphemes
//! too.
//!
//! A split is a folder of `.knp` files or one file; or a list of document ids, one a line, of files
//! in the folder `documents`.

mod entity;
mod sentence;

use super::rows::{NextLine, Tagging};
use super::text::{Encoding, Lines};
use super::{CorpusFiles, FileFormat, FormatFiles, folder};
use crate::error::excerpt;
use crate::load::{FileContent, Splitting};
use crate::{CorpusError, files_of};
use domain::TypeSet;
use parts::{choice, part};
use sentence::KnpSentences;
use std::collections::HashMap;
use std::io::BufRead;
use std::path::{Path, PathBuf};

part! {
    /// Japanese as KNP analyses it, entities on basic phrases (KWDLC)
    pub struct Knp("knp") from "Hangyo et al. 2012"
        reads "train and test folders, files, or lists of ids with the folder `documents`"
    {
        /// what a token is
        tokens: KnpTokens = Morpheme,
        with splitting: Splitting,
    }
}

choice! {
    /// What a token is.
    pub enum KnpTokens { Morpheme = "morpheme", Character = "character" }
}

const ENDING: &str = ".knp";
const ENDINGS: &[&str] = &[ENDING];

/// The role of the folder that lists of ids speak of.
const DOCUMENTS: &str = "documents";

impl FileFormat for Knp {
    /// Splits are folders, files, or lists of ids.
    fn files(&self) -> FormatFiles {
        FormatFiles { folder: ENDINGS, roles: &[DOCUMENTS], ..FormatFiles::ONE }
    }

    fn splitting(&self) -> &Splitting {
        &self.splitting
    }

    fn read_split(
        &self,
        path: &Path,
        files: &CorpusFiles,
        types: &mut TypeSet,
    ) -> Result<FileContent, CorpusError> {
        let mut read = |file: &Path| self.read_lines(Lines::open(file, Encoding::Utf8)?, types);
        match files.get(DOCUMENTS) {
            Some(folder) if !is_knp(path) => {
                let documents = KnpDocuments::of(folder)?;
                folder::read_each(path, documents.listed(path)?, &mut read)
            }
            _ => folder::read(path, ENDINGS, &mut read),
        }
    }

    fn read_bytes(&self, bytes: &[u8], types: &mut TypeSet) -> Result<FileContent, CorpusError> {
        self.read_lines(Lines::of_bytes(Encoding::Utf8, bytes), types)
    }
}

impl Knp {
    /// Reads one file, which may be without a sentence.
    fn read_lines<R: BufRead>(
        &self,
        mut lines: Lines<'_, R>,
        types: &mut TypeSet,
    ) -> Result<FileContent, CorpusError> {
        let tagging = Tagging::default();
        let mut sentences = KnpSentences::new(lines.path(), &tagging, self.tokens, types);
        loop {
            match sentences.rows.checked(lines.next_line())? {
                NextLine::Line(line, text) => sentences.push(line, &text)?,
                NextLine::NoText => {}
                NextLine::End => return sentences.finish(),
            }
        }
    }
}

/// Whether a path is documents itself, and no list of their ids.
fn is_knp(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(ENDING.as_bytes())
}

/// The files of a folder by id, which is their name without the ending.
struct KnpDocuments(HashMap<String, PathBuf>);

impl KnpDocuments {
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

#[cfg(test)]
mod tests;
