//! JSON with spans of characters: a list of records, or records one after the other (JSONL), each a
//! document.
//!
//! The shapes of Stockmark, Doccano, Label Studio, Prodigy and spaCy are told apart record by record;
//! see [`shapes`]. A file is read record by record, so memory holds one of them at a time, and however
//! deep a record is nested, the stack does not grow with it.

mod records;
mod shapes;
mod spans;

use super::Reads;
use super::standoff::{self, Documents, Settings};
use crate::load::{self, FileContent};
use crate::{CorpusError, Loaded, RemarkKind};
use domain::{Parameters, TypeSet};
use parts::{Entry, Need, Parameter, ParameterKind};
use records::Records;
use shapes::Shape;
use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::PathBuf;

/// What the registry says of this format.
pub(super) const ENTRY: Entry = Entry {
    name: "json-spans",
    help: "JSON or JSONL records of a text and spans (Stockmark, Doccano, Label Studio, Prodigy, spaCy)",
    parameters: PARAMETERS,
    needs: Need::Files(
        "train and test files, or one for all; dev is carved from train if there is none",
    ),
    gives: &[],
    source: "",
};

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "text",
        help: "the key of a record's text",
        kind: ParameterKind::Text { default: "text" },
    },
    standoff::TOKENS,
    standoff::sentences_by("lines"),
    standoff::PARTIAL_TOKENS,
    standoff::OFFSETS,
    standoff::OVERLAP,
    standoff::MISMATCH,
    load::SPLIT,
    load::DEV_SHARE,
    load::SEED,
];

/// Splits are files.
pub(super) const READS: Reads = Reads::FILES;

/// Whether the settings go together.
pub(super) fn check(parameters: &Parameters) -> Result<(), CorpusError> {
    load::split_parts(parameters)?;
    Settings::new(parameters).map(drop)
}

/// Loads the files of a corpus.
pub(super) fn load(
    parameters: &Parameters,
    files: &BTreeMap<String, PathBuf>,
) -> Result<Loaded, CorpusError> {
    let settings = Settings::new(parameters)?;
    load::from_files(parameters, files, |path, types| {
        read(Records::open(path)?, parameters.text("text"), &settings, types)
    })
}

/// Reads the bytes of a file.
pub(super) fn read_bytes(
    bytes: &[u8],
    parameters: &Parameters,
    types: &mut TypeSet,
) -> Result<FileContent, CorpusError> {
    let records = Records::new("bytes".as_ref(), bytes);
    read(records, parameters.text("text"), &Settings::new(parameters)?, types)
}

/// Reads one file.
fn read<R: BufRead>(
    mut records: Records<'_, R>,
    text_key: &str,
    settings: &Settings,
    types: &mut TypeSet,
) -> Result<FileContent, CorpusError> {
    let path = records.path();
    let mut documents = Documents::new(settings, types);
    while let Some((place, json)) = records.next()? {
        let shape = Shape::read(json, place, text_key)
            .map_err(|(place, source)| CorpusError::annotation(path, place, source))?;
        match shape {
            Shape::NotAccepted => documents.remark(path, place, RemarkKind::NotAccepted),
            Shape::Annotated { text, annotations, further } => {
                for _ in 0..further {
                    documents.remark(path, place, RemarkKind::FurtherAnnotators);
                }
                documents.push(path, &text, &annotations)?;
            }
        }
    }
    documents.finish(path)
}

#[cfg(test)]
mod tests;
