//! How a line of a column file is taken apart.

use super::Columns;
use crate::error::excerpt;
use crate::formats::fields::Fields;
use crate::formats::rows::place;

impl Columns {
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
        !self.comment.is_empty() && line.starts_with(&self.comment)
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
    /// What a setting means, which is one of these words or the text itself.
    pub fn new(name: &str) -> Self {
        match name {
            "auto" => Separator::Auto,
            "whitespace" => Separator::Whitespace,
            "tab" => Separator::Text("\t".to_owned()),
            "space" => Separator::Text(" ".to_owned()),
            text => Separator::Text(text.to_owned()),
        }
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
