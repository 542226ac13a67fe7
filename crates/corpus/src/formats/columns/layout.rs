//! The parameters of a column file as meant, and how a line is taken apart.

use super::MOST_COLUMNS;
use crate::CorpusError;
use crate::error::excerpt;
use crate::formats::fields::Fields;
use crate::formats::rows::{Tagging, place};
use crate::formats::text::Encoding;
use domain::Parameters;

/// The parameters as meant.
pub struct Layout {
    token: i64,
    tag: i64,
    pub separator: Separator,
    pub has_header: bool,
    /// What a comment starts with, if there are comments.
    pub comment: Option<String>,
    pub skip_docstart: bool,
    pub encoding: Encoding,
    pub tagging: Tagging,
}

impl Layout {
    pub fn new(parameters: &Parameters) -> Result<Self, CorpusError> {
        let within = |name| parameters.integer(name).clamp(-MOST_COLUMNS, MOST_COLUMNS);
        let (token, tag) = (within("token"), within("tag"));
        if token == tag {
            return Err(CorpusError::setting("tag", "the tag cannot be in the token's column"));
        }
        Ok(Self {
            token,
            tag,
            separator: Separator::new(parameters.text("separator"))?,
            has_header: parameters.flag("header"),
            comment: Some(parameters.text("comment").to_owned()).filter(|text| !text.is_empty()),
            skip_docstart: parameters.text("docstart") != "count",
            encoding: Encoding::from_name(parameters.text("encoding")),
            tagging: Tagging::new(parameters)?,
        })
    }

    /// Where the token and the tag of a line with so many columns are.
    pub fn places(&self, columns: usize) -> Option<(usize, usize)> {
        let (token, tag) = (place(self.token, columns)?, place(self.tag, columns)?);
        (token != tag).then_some((token, tag))
    }

    /// How many columns a line needs at least.
    pub fn needed(&self) -> usize {
        let alone = |index: i64| if index < 0 { -index } else { index + 1 };
        let columns = alone(self.token).max(alone(self.tag)) as usize;
        if self.places(columns).is_some() { columns } else { columns + 1 }
    }

    /// Whether a line is a comment.
    pub fn is_comment(&self, line: &str) -> bool {
        self.comment.as_deref().is_some_and(|start| line.starts_with(start))
    }
}

/// What stands between columns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Separator {
    /// Tabs if the file's first line with a token has one, else white space.
    Auto,
    Whitespace,
    Text(String),
}

impl Separator {
    fn new(name: &str) -> Result<Self, CorpusError> {
        Ok(match name {
            "" => return Err(CorpusError::setting("separator", "it cannot be empty")),
            "auto" => Separator::Auto,
            "whitespace" => Separator::Whitespace,
            "tab" => Separator::Text("\t".to_owned()),
            "space" => Separator::Text(" ".to_owned()),
            text => Separator::Text(text.to_owned()),
        })
    }

    /// Settles `Auto` by a file's first line that holds a token.
    pub fn settle(&mut self, line: &str) {
        if *self == Separator::Auto {
            *self = match line.contains('\t') {
                true => Separator::Text("\t".to_owned()),
                false => Separator::Whitespace,
            };
        }
    }

    /// The columns of a line.
    pub fn split(&self, line: &str, fields: &mut Fields) {
        match self {
            Separator::Text(text) => fields.split(line, text),
            Separator::Whitespace | Separator::Auto => fields.split_at_blanks(line),
        }
    }

    /// In words, for messages.
    pub fn shown(&self) -> String {
        match self {
            Separator::Text(text) if text == "\t" => "tabs".to_owned(),
            Separator::Text(text) if text == " " => "each space".to_owned(),
            Separator::Text(text) => format!("`{}`", excerpt(text)),
            Separator::Whitespace | Separator::Auto => "spaces and tabs".to_owned(),
        }
    }
}
