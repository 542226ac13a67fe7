//! A table of tags with a folder of texts: LINNAEUS's `tags.tsv` with `txt/`, s800's `S800.tsv` with
//! `abstracts/`.
//!
//! Tab-separated columns: an identifier, the document (its file without `.txt`, and without what may
//! follow a colon), start, end, text. The identifier says which species it is, not a type, so all
//! entities have one type. The table under `all:` goes with every text of the folder, also those
//! without a tag; that of a split goes with the texts that it names.

use super::Reads;
use super::standoff::{self, Annotation, AnnotationError, Documents, Place, Settings};
use super::text::{self, Encoding, Lines};
use crate::digest::files_of;
use crate::distribution;
use crate::error::excerpt;
use crate::load::{self, FileContent};
use crate::{CorpusError, Loaded};
use domain::Parameters;
use parts::{Entry, Need, Parameter, ParameterKind};
use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::{Path, PathBuf};

/// What the registry says of this format.
pub(super) const ENTRY: Entry = Entry {
    name: "tags",
    help: "a table of document, start, end and text, and a folder of texts (LINNAEUS, s800)",
    parameters: PARAMETERS,
    needs: Need::Files(
        "a table for all or one a split, and the folder of the texts under `texts:`",
    ),
    gives: &[],
    source: "Gerner et al. 2010",
};

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "end",
        help: "whether the end of a span is the character after it, or its last one (s800)",
        kind: ParameterKind::Choice { default: "exclusive", of: &["exclusive", "inclusive"] },
    },
    Parameter {
        name: "entity_type",
        help: "the name of the one entity type",
        kind: ParameterKind::Text { default: "Species" },
    },
    standoff::TOKENS,
    standoff::sentences_by("punctuation"),
    standoff::PARTIAL_TOKENS,
    standoff::OFFSETS,
    standoff::OVERLAP,
    standoff::MISMATCH,
    text::ENCODING,
    load::SPLIT,
    load::DEV_SHARE,
    load::SEED,
];

/// The role of the folder of texts.
const TEXTS: &str = "texts";

/// Splits are files; the texts are in a folder.
pub(super) const READS: Reads = Reads { files: true, folder: &[".txt"], roles: &[TEXTS] };

/// Whether the settings go together.
pub(super) fn check(parameters: &Parameters) -> Result<(), CorpusError> {
    load::split_parts(parameters)?;
    Settings::new(parameters).map(drop)
}

/// Loads the tables of a corpus.
pub(super) fn load(
    parameters: &Parameters,
    files: &BTreeMap<String, PathBuf>,
) -> Result<Loaded, CorpusError> {
    let settings = Settings::new(parameters)?;
    let encoding = Encoding::from_name(parameters.text("encoding"));
    let folder = files.get(TEXTS).ok_or(CorpusError::NoFile { role: TEXTS })?;
    let texts: BTreeMap<String, PathBuf> = files_of(folder, &[".txt"])?
        .into_iter()
        .map(|path| (name_of(folder, &path), path))
        .collect();
    load::from_files(parameters, files, |path, types| {
        let mut tags = table(Lines::open(path, encoding)?, parameters)?;
        if distribution::whole(files).is_some_and(|whole| whole == path) {
            for name in texts.keys() {
                tags.entry(name.clone()).or_default();
            }
        }
        read(path, tags, Documents::new(&settings, types), |name| {
            texts.get(name).map(|path| text::read(path, encoding))
        })
    })
}

/// Reads the documents of a table; `text_of` gives the text of a name.
fn read(
    path: &Path,
    tags: Tags,
    mut documents: Documents<'_>,
    text_of: impl Fn(&str) -> Option<Result<String, CorpusError>>,
) -> Result<FileContent, CorpusError> {
    for (name, annotations) in tags {
        let text = text_of(&name).ok_or_else(|| no_document(path, &name, &annotations))?;
        documents.push(path, &text?, &annotations)?;
    }
    documents.finish(path)
}

/// Reads a table with the one text that it names `bytes`.
pub(super) fn read_bytes(
    text: &[u8],
    bytes: &[u8],
    parameters: &Parameters,
    types: &mut domain::TypeSet,
) -> Result<FileContent, CorpusError> {
    let settings = Settings::new(parameters)?;
    let encoding = Encoding::from_name(parameters.text("encoding"));
    let path = Path::new("bytes");
    let tags = table(Lines::new(path, encoding, bytes), parameters)?;
    read(path, tags, Documents::new(&settings, types), |name| {
        (name == "bytes").then(|| Lines::new(path, encoding, text).into_text())
    })
}

/// What a table calls a text.
fn name_of(folder: &Path, path: &Path) -> String {
    let name = path.strip_prefix(folder).unwrap_or(path).with_extension("");
    name.to_string_lossy().into_owned()
}

fn no_document(path: &Path, name: &str, annotations: &[Annotation]) -> CorpusError {
    let place = annotations.first().map_or(Place::line(1), |annotation| annotation.place);
    let (name, file) = (excerpt(name), excerpt(&format!("{name}.txt")));
    CorpusError::annotation(path, place, AnnotationError::NoDocument { name, file })
}

/// The tags of each document.
type Tags = BTreeMap<String, Vec<Annotation>>;

/// Reads a table.
fn table<R: BufRead>(
    mut lines: Lines<'_, R>,
    parameters: &Parameters,
) -> Result<Tags, CorpusError> {
    let path = lines.path();
    let (entity_type, is_inclusive) =
        (parameters.text("entity_type"), parameters.text("end") == "inclusive");
    let mut tags = Tags::new();
    while let Some((number, line)) = lines.next_line()? {
        if line.trim_ascii().is_empty() || line.starts_with('#') {
            continue;
        }
        let place = Place::line(number);
        let (document, mut annotation) = tag(&line, place).ok_or_else(|| {
            let expected = "`ID<TAB>DOCUMENT<TAB>START<TAB>END<TAB>TEXT`";
            let source = AnnotationError::Line { text: excerpt(&line), expected };
            CorpusError::annotation(path, place, source)
        })?;
        annotation.entity_type = entity_type.to_owned();
        let end = &mut annotation.pieces[0].1;
        *end = end.saturating_add(usize::from(is_inclusive));
        tags.entry(document.to_owned()).or_default().push(annotation);
    }
    Ok(tags)
}

/// The document and the annotation of a line, without a type.
fn tag(line: &str, place: Place) -> Option<(&str, Annotation)> {
    let mut columns = line.split('\t').skip(1);
    let document = columns.next()?.split(':').next()?;
    let (start, end) = (columns.next()?.parse().ok()?, columns.next()?.parse().ok()?);
    let text = Some(columns.next()?.to_owned());
    let annotation =
        Annotation { place, entity_type: String::new(), pieces: vec![(start, end)], text };
    (!document.is_empty()).then_some((document, annotation))
}

#[cfg(test)]
mod tests;
