//! BRAT standoff: folders of texts (`.txt`) with their annotations (`.ann`) beside them or in a
//! folder of their own.
//!
//! Text-bound annotations, the lines that begin with `T`, are the entities. Lines of the other
//! kinds (attributes, relations, events, normalisations, notes) say nothing about where entities
//! are and are left out; a line of no kind is an error. Each pair is a document.

use super::standoff::{Annotation, AnnotationError, AnnotationPlace, Documents, SpanRules};
use super::text::{self, ENCODING, Encoding, Lines};
use super::{CorpusFiles, FileFormat, FormatFiles, halves};
use crate::CorpusError;
use crate::digest::files_of;
use crate::error::excerpt;
use crate::load::{FileContent, Splitting};
use domain::TypeSet;
use parts::part;
use std::io::BufRead;
use std::path::{Path, PathBuf};

part! {
    /// folders of texts (.txt) with annotations (.ann) beside them, as BRAT writes them
    pub struct Brat("brat") from "Stenetorp et al. 2012"
        reads "train and test folders, or one for all; annotations elsewhere under `annotations:`"
    {
        with rules: SpanRules,
        encoding: Encoding as ENCODING,
        with splitting: Splitting,
    }
}

/// The role of a folder with the annotations of all texts.
const ANNOTATIONS: &str = "annotations";

impl FileFormat for Brat {
    /// Splits are folders.
    fn files(&self) -> FormatFiles {
        FormatFiles { folder: &[".txt", ".ann"], roles: &[ANNOTATIONS], ..FormatFiles::ONE }
    }

    fn splitting(&self) -> &Splitting {
        &self.splitting
    }

    fn read_split(
        &self,
        folder: &Path,
        files: &CorpusFiles,
        types: &mut TypeSet,
    ) -> Result<FileContent, CorpusError> {
        let pairs = pairs(folder, files.get(ANNOTATIONS))?;
        let mut documents = Documents::new(&self.rules, types);
        for (text_path, path) in pairs {
            let text = text::read(&text_path, self.encoding)?;
            push(&mut documents, &text, Lines::open(&path, self.encoding)?)?;
        }
        documents.finish(folder)
    }

    fn read_bytes(&self, bytes: &[u8], types: &mut TypeSet) -> Result<FileContent, CorpusError> {
        let (text, annotations) = halves(bytes);
        let (text_path, path) = (Path::new("bytes.txt"), Path::new("bytes.ann"));
        let text = Lines::new(text_path, self.encoding, text).into_text()?;
        let mut documents = Documents::new(&self.rules, types);
        push(&mut documents, &text, Lines::new(path, self.encoding, annotations))?;
        documents.finish(text_path)
    }
}

/// The texts of a folder with their annotations, sorted by name.
fn pairs(
    folder: &Path,
    annotations: Option<&PathBuf>,
) -> Result<Vec<(PathBuf, PathBuf)>, CorpusError> {
    if folder.is_file() {
        return Err(CorpusError::NotFolder { path: folder.to_owned() });
    }
    if annotations.is_none() {
        let lonely = files_of(folder, &[".ann"])?.into_iter().find(|path| !text_of(path).is_file());
        if let Some(path) = lonely {
            return Err(CorpusError::Unpaired { partner: text_of(&path), path });
        }
    }
    let mut pairs = vec![];
    for path in files_of(folder, &[".txt"])? {
        let name = path.strip_prefix(folder).unwrap_or(&path).with_extension("ann");
        let partner = annotations.map_or(folder, PathBuf::as_path).join(name);
        match partner.is_file() {
            true => pairs.push((path, partner)),
            false => return Err(CorpusError::Unpaired { path, partner }),
        }
    }
    Ok(pairs)
}

fn text_of(annotations: &Path) -> PathBuf {
    annotations.with_extension("txt")
}

/// Adds a document.
fn push<R: BufRead>(
    documents: &mut Documents<'_>,
    text: &str,
    mut lines: Lines<'_, R>,
) -> Result<(), CorpusError> {
    let path = lines.path();
    let mut annotations = vec![];
    while let Some((number, line)) = lines.next_line()? {
        let place = AnnotationPlace::line(number);
        match line.chars().next() {
            Some('T') => annotations.push(entity(&line, place).ok_or_else(|| {
                let expected = "`T1<TAB>TYPE START END<TAB>TEXT`";
                CorpusError::annotation(
                    path,
                    place,
                    AnnotationError::Line { text: excerpt(&line), expected },
                )
            })?),
            Some('A' | 'M' | 'R' | 'E' | 'N' | '*' | '#') => {}
            _ if line.trim_ascii().is_empty() => {}
            _ => {
                let expected =
                    "a line of a BRAT file: it should begin with T, A, M, R, E, N, * or #";
                let source = AnnotationError::Line { text: excerpt(&line), expected };
                return Err(CorpusError::annotation(path, place, source));
            }
        }
    }
    documents.push(path, text, &annotations)
}

/// The annotation of a line `T1<TAB>TYPE START END;START END<TAB>TEXT`.
fn entity(line: &str, place: AnnotationPlace) -> Option<Annotation> {
    let mut columns = line.splitn(3, '\t');
    let (_, middle) = (columns.next()?, columns.next()?);
    let (entity_type, offsets) = middle.trim_ascii().split_once(' ')?;
    let pieces = offsets.split(';').map(piece).collect::<Option<Vec<_>>>()?;
    let text = columns.next().map(str::to_owned);
    Some(Annotation { place, entity_type: entity_type.to_owned(), pieces, text })
}

fn piece(text: &str) -> Option<(usize, usize)> {
    let (start, end) = text.trim_ascii().split_once(' ')?;
    Some((start.parse().ok()?, end.trim_ascii_start().parse().ok()?))
}

#[cfg(test)]
mod tests;
