//! Several columns of tags in step, a sentence at a time.

use super::column::Column;
use super::error::InputError;
use super::rows::{Rows, Step};
use super::tags::{TagError, TagReader};
use corpus::schemes::Label;
use domain::Tag;
use score::buckets::Words;
use std::path::PathBuf;

/// A file and its columns of tags.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    pub path: PathBuf,
    pub columns: Vec<Column>,
}

/// What is asked of files beside their tags.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Alignment {
    /// Where files have a token column (the first of several) the tokens must be the same.
    pub compare_tokens: bool,
    /// The words of the first file are wanted.
    pub keep_words: bool,
}

/// Files read in step. They are refused at the first line where they part.
pub struct Aligned<'s> {
    sources: Vec<(Rows<'s>, usize)>,
    sides: Vec<Side>,
    alignment: Alignment,
    /// The tokens of the sentence, a line feed after each, and where those are.
    words: String,
    word_ends: Vec<usize>,
    /// Documents of the first file before the sentence.
    documents: usize,
    starts_document: bool,
    sentences: usize,
}

/// One column of tags, with those of the sentence just read.
struct Side {
    source: usize,
    column: Column,
    labels: Vec<Label>,
    tags: Vec<Tag>,
}

impl<'s> Aligned<'s> {
    /// Opens the files; the first is the one that the others must agree with.
    pub fn open(sources: &'s [Source], alignment: Alignment) -> Result<Self, InputError> {
        let rows = |source: &'s Source| -> Result<_, InputError> {
            Ok((Rows::open(&source.path)?, source.columns.len()))
        };
        let side = |source, column| Side { source, column, labels: vec![], tags: vec![] };
        let sides = sources.iter().enumerate().flat_map(|(index, source)| {
            source.columns.iter().map(move |&column| side(index, column))
        });
        Ok(Self {
            sides: sides.collect(),
            sources: sources.iter().map(rows).collect::<Result<_, _>>()?,
            alignment,
            words: String::new(),
            word_ends: vec![],
            documents: 0,
            starts_document: false,
            sentences: 0,
        })
    }

    /// Reads the next sentence; false if there is none. Files without a sentence are an error.
    pub fn advance(&mut self, tags: &mut TagReader) -> Result<bool, InputError> {
        self.forget();
        loop {
            match self.step()? {
                Step::Token => self.take(tags)?,
                Step::SentenceEnd => {
                    self.sides
                        .iter_mut()
                        .for_each(|side| tags.convert(&side.labels, &mut side.tags));
                    self.sentences += 1;
                    return Ok(true);
                }
                Step::FileEnd if self.sentences == 0 => {
                    let path = self.sources[0].0.path().to_owned();
                    return Err(InputError::Empty { path });
                }
                Step::FileEnd => return Ok(false),
            }
        }
    }

    /// The tags of the sentence in a column: in the order of the sources and their columns.
    pub fn tags(&self, side: usize) -> &[Tag] {
        &self.sides[side].tags
    }

    /// The words of the sentence, if they were asked for.
    pub fn words(&self) -> Words<'_> {
        Words::new(&self.words, &self.word_ends)
    }

    /// Whether a document starts with the sentence.
    pub fn starts_document(&self) -> bool {
        self.starts_document
    }

    fn forget(&mut self) {
        self.sides.iter_mut().for_each(|side| side.labels.clear());
        self.words.clear();
        self.word_ends.clear();
    }

    /// Goes on in every file, to the same kind of line.
    fn step(&mut self) -> Result<Step, InputError> {
        let Some(((first, _), others)) = self.sources.split_first_mut() else {
            return Ok(Step::FileEnd);
        };
        let step = first.advance()?;
        for (other, _) in others {
            let other_step = other.advance()?;
            let differ = |(a, b)| a != b;
            let other_token = self.alignment.compare_tokens && step == Step::Token;
            if other_step != step
                || (other_token && first.token(1).zip(other.token(1)).is_some_and(differ))
            {
                return Err(InputError::Misaligned {
                    one: first.place(),
                    one_has: first.describe(step),
                    other: other.place(),
                    other_has: other.describe(other_step),
                });
            }
        }
        Ok(step)
    }

    /// Takes in the token of the lines just read.
    fn take(&mut self, tags: &mut TagReader) -> Result<(), InputError> {
        let (first, columns) = &self.sources[0];
        if self.sides[0].labels.is_empty() {
            self.starts_document = first.documents() > self.documents;
            self.documents = first.documents();
        }
        if self.alignment.keep_words {
            let token = first.token(*columns).ok_or_else(|| InputError::NoToken {
                place: first.place(),
                text: first.text().to_owned(),
            })?;
            self.words.push_str(token);
            self.word_ends.push(self.words.len());
            self.words.push('\n');
        }
        for side in &mut self.sides {
            side.labels.push(label(&self.sources[side.source].0, side.column, tags)?);
        }
        Ok(())
    }
}

/// The label in a column of the line just read.
fn label(rows: &Rows<'_>, column: Column, tags: &mut TagReader) -> Result<Label, InputError> {
    let text = rows.field(column).ok_or_else(|| InputError::Short {
        place: rows.place(),
        columns: rows.columns(),
        column: column.0,
        text: rows.text().to_owned(),
    })?;
    tags.label(text).map_err(|error| match error {
        TagError::NotInScheme => InputError::NotATag {
            place: rows.place(),
            column: column.0,
            tag: text.to_owned(),
            scheme: tags.scheme().word(),
            expected: tags.scheme().expected(),
        },
        TagError::TooManyTypes => {
            InputError::TooManyTypes { place: rows.place(), column: column.0 }
        }
    })
}
