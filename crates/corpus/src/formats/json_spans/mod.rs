//! JSON with spans of characters: a list of records, or records one after the other (JSONL), each a
//! document.
//!
//! The shapes of Stockmark, Doccano, Label Studio, Prodigy and spaCy are told apart record by
//! record; see [`shapes`]. A file is read record by record, so memory holds one of them at a time,
//! and however deep a record is nested, the stack does not grow with it.

mod records;
mod shapes;
mod spans;

use super::standoff::{Documents, Sentences, SpanRules, of_one_piece};
use super::{CorpusFiles, FileFormat};
use crate::load::{FileContent, Splitting};
use crate::{CorpusError, RemarkKind};
use domain::TypeSet;
use parts::part;
use records::Records;
use shapes::Shape;
use std::io::BufRead;
use std::path::Path;

part! {
    /// JSON or JSONL records of a text and spans (Stockmark, Doccano, Label Studio, Prodigy, spaCy)
    pub struct JsonSpans("json-spans")
        reads "train and test files, or one for all; dev is carved from train if there is none"
    {
        /// the key of a record's text
        text: String = "text",
        with rules: SpanRules as &of_one_piece(Sentences::Lines),
        with splitting: Splitting,
    }
}

impl FileFormat for JsonSpans {
    fn splitting(&self) -> &Splitting {
        &self.splitting
    }

    fn read_split(
        &self,
        path: &Path,
        _: &CorpusFiles,
        types: &mut TypeSet,
    ) -> Result<FileContent, CorpusError> {
        self.read_records(Records::open(path)?, types)
    }

    fn read_bytes(&self, bytes: &[u8], types: &mut TypeSet) -> Result<FileContent, CorpusError> {
        self.read_records(Records::new(Path::new("bytes"), bytes), types)
    }
}

impl JsonSpans {
    fn read_records<R: BufRead>(
        &self,
        mut records: Records<'_, R>,
        types: &mut TypeSet,
    ) -> Result<FileContent, CorpusError> {
        let path = records.path();
        let mut documents = Documents::new(&self.rules, types);
        while let Some((place, json)) = records.next()? {
            let shape = Shape::read(json, place, &self.text)
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
}

#[cfg(test)]
mod tests;
