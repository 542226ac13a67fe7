//! A table of tags with a folder of texts: LINNAEUS's `tags.tsv` with `txt/`, s800's `S800.tsv`
//! with `abstracts/`.
//!
//! Tab-separated columns: an identifier, the document (its file without `.txt`, and without what
//! may follow a colon), start, end, text. The identifier says which species it is, not a type, so
//! all entities have one type. The table under `all:` goes with every text of the folder, also
//! those without a tag; that of a split goes with the texts that it names.

use super::standoff::{
    Annotation, AnnotationError, AnnotationPlace, Documents, Sentences, SpanRules, of_one_piece,
};
use super::text::{self, ENCODING, Encoding, Lines};
use super::{CorpusFiles, FileFormat, FormatFiles, halves};
use crate::CorpusError;
use crate::digest::files_of;
use crate::distribution;
use crate::error::excerpt;
use crate::load::{FileContent, Splitting};
use domain::TypeSet;
use parts::{choice, part};
use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::{Path, PathBuf};

part! {
    /// a table of document, start, end and text, and a folder of texts (LINNAEUS, s800)
    pub struct Tags("tags") from "Gerner et al. 2010"
        reads "a table for all or one per split, and the folder of the texts under `texts:`"
    {
        /// whether the end of a span is the character after it, or its last one (s800)
        end: SpanEnd = Exclusive,
        /// the name of the one entity type
        entity_type: String = "Species",
        with rules: SpanRules as &of_one_piece(Sentences::Punctuation),
        encoding: Encoding as ENCODING,
        with splitting: Splitting,
    }
}

choice! {
    /// What the end of a span is.
    pub enum SpanEnd {
        /// The character after it.
        Exclusive = "exclusive",
        /// Its last character.
        Inclusive = "inclusive",
    }
}

/// The role of the folder of texts.
const TEXTS: &str = "texts";

impl FileFormat for Tags {
    /// Splits are files; the texts are in a folder.
    fn files(&self) -> FormatFiles {
        FormatFiles { folder: &[".txt"], roles: &[TEXTS], ..FormatFiles::ONE }
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
        let folder = files.get(TEXTS).ok_or(CorpusError::NoFile { role: TEXTS })?;
        let texts: BTreeMap<String, PathBuf> = files_of(folder, &[".txt"])?
            .into_iter()
            .map(|path| (name_of(folder, &path), path))
            .collect();
        let mut table = self.table(Lines::open(path, self.encoding)?)?;
        if distribution::whole(files).is_some_and(|whole| whole == path) {
            for name in texts.keys() {
                table.entry(name.clone()).or_default();
            }
        }
        self.documents(path, table, types, |name| {
            texts.get(name).map(|path| text::read(path, self.encoding))
        })
    }

    /// The table names its one text `bytes`.
    fn read_bytes(&self, bytes: &[u8], types: &mut TypeSet) -> Result<FileContent, CorpusError> {
        let (text, table) = halves(bytes);
        let table = self.table(Lines::of_bytes(self.encoding, table))?;
        self.documents(Path::new("bytes"), table, types, |name| {
            (name == "bytes").then(|| Lines::of_bytes(self.encoding, text).into_text())
        })
    }
}

impl Tags {
    /// Reads the documents of a table; `text_of` gives the text of a name.
    fn documents(
        &self,
        path: &Path,
        table: TagTable,
        types: &mut TypeSet,
        text_of: impl Fn(&str) -> Option<Result<String, CorpusError>>,
    ) -> Result<FileContent, CorpusError> {
        let mut documents = Documents::new(&self.rules, types);
        for (name, annotations) in table {
            let text = text_of(&name).ok_or_else(|| no_document(path, &name, &annotations))?;
            documents.push(path, &text?, &annotations)?;
        }
        documents.finish(path)
    }

    /// Reads a table.
    fn table<R: BufRead>(&self, mut lines: Lines<'_, R>) -> Result<TagTable, CorpusError> {
        let path = lines.path();
        let mut tags = TagTable::new();
        while let Some((number, line)) = lines.next_line()? {
            if line.trim_ascii().is_empty() || line.starts_with('#') {
                continue;
            }
            let place = AnnotationPlace::line(number);
            let (document, mut annotation) = tag(&line, place).ok_or_else(|| {
                let expected = "`ID<TAB>DOCUMENT<TAB>START<TAB>END<TAB>TEXT`";
                let source = AnnotationError::Line { text: excerpt(&line), expected };
                CorpusError::annotation(path, place, source)
            })?;
            annotation.entity_type = self.entity_type.clone();
            let end = &mut annotation.pieces[0].1;
            *end = end.saturating_add(usize::from(self.end == SpanEnd::Inclusive));
            tags.entry(document.to_owned()).or_default().push(annotation);
        }
        Ok(tags)
    }
}

/// What a table calls a text.
fn name_of(folder: &Path, path: &Path) -> String {
    let name = path.strip_prefix(folder).unwrap_or(path).with_extension("");
    name.to_string_lossy().into_owned()
}

fn no_document(path: &Path, name: &str, annotations: &[Annotation]) -> CorpusError {
    let place = annotations.first().map_or(AnnotationPlace::line(1), |annotation| annotation.place);
    let (name, file) = (excerpt(name), excerpt(&format!("{name}.txt")));
    CorpusError::annotation(path, place, AnnotationError::NoDocument { name, file })
}

/// The tags of each document.
type TagTable = BTreeMap<String, Vec<Annotation>>;

/// The document and the annotation of a line, without a type.
fn tag(line: &str, place: AnnotationPlace) -> Option<(&str, Annotation)> {
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
