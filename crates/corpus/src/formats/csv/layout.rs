//! The parameters of a CSV file as meant, and where its header says that columns are.

use super::records::{Record, Separator};
use crate::CorpusError;
use crate::error::excerpt;
use crate::formats::rows::{Tagging, place};
use crate::formats::text::Encoding;
use domain::{ParameterValue, Parameters};
use std::path::Path;

/// What the parameter `separator` may be.
pub(super) const SEPARATORS: &[&str] = &["auto", "comma", "tab", "semicolon"];

/// The parameters as meant.
pub struct Layout {
    token: Column,
    tag: Column,
    sentence: Option<Column>,
    has_header: bool,
    /// `None` to find out.
    pub separator: Option<Separator>,
    pub quoting: bool,
    pub encoding: Encoding,
    pub tagging: Tagging,
}

/// How a column is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Column {
    Name(String),
    /// From 0; negative counts from the end.
    Place(i64),
}

impl Layout {
    /// The parameters as meant; an error says which of them cannot work.
    pub fn new(parameters: &Parameters) -> Result<Self, CorpusError> {
        let column = |name| match parameters.get(name) {
            Some(ParameterValue::Integer(place)) => Some(Column::Place(*place)),
            Some(ParameterValue::Text(name)) if !name.is_empty() => {
                Some(Column::Name(name.clone()))
            }
            _ => None,
        };
        let needed = |name| {
            let missing = || CorpusError::setting(name, "a column's name or place is needed");
            column(name).ok_or_else(missing)
        };
        let layout = Self {
            token: needed("token")?,
            tag: needed("tag")?,
            sentence: column("sentence"),
            has_header: parameters.flag("header"),
            separator: Separator::from_name(parameters.text("separator")),
            quoting: parameters.flag("quoting"),
            encoding: Encoding::from_name(parameters.text("encoding")),
            tagging: Tagging::new(parameters)?,
        };
        layout.check_columns()?;
        Ok(layout)
    }

    fn asked(&self) -> impl Iterator<Item = (&'static str, &Column)> {
        let sentence = self.sentence.as_ref().map(|column| ("sentence", column));
        [("token", &self.token), ("tag", &self.tag)].into_iter().chain(sentence)
    }

    fn check_columns(&self) -> Result<(), CorpusError> {
        let mut seen = vec![];
        for (parameter, column) in self.asked() {
            if let (Column::Name(name), false) = (column, self.has_header) {
                let problem = format!(
                    "without a header no column is called `{}`: give its place, from 0",
                    excerpt(name)
                );
                return Err(CorpusError::setting(parameter, problem));
            }
            if seen.contains(&column) {
                return Err(CorpusError::setting(parameter, "another part is in that column"));
            }
            seen.push(column);
        }
        Ok(())
    }

    /// Where columns are in a file without a header; `None` if the first row is one.
    pub fn columns_without_header(&self) -> Option<Columns> {
        let place = |column: &Column| match column {
            Column::Place(place) => Some(*place),
            Column::Name(_) => None,
        };
        let sentence = self.sentence.as_ref().and_then(place);
        match self.has_header {
            true => None,
            false => Some(Columns { token: place(&self.token)?, tag: place(&self.tag)?, sentence }),
        }
    }

    /// Where columns are in a file with this header.
    pub fn columns(&self, path: &Path, header: &Record<'_>) -> Result<Columns, CorpusError> {
        let find = |parameter, column: &Column| match column {
            Column::Place(place) => Ok(*place),
            Column::Name(name) => find(header, name).ok_or_else(|| CorpusError::NoColumn {
                path: path.to_owned(),
                line: header.line,
                parameter,
                name: excerpt(name),
                known: shown(header),
            }),
        };
        Ok(Columns {
            token: find("token", &self.token)?,
            tag: find("tag", &self.tag)?,
            sentence: self.sentence.as_ref().map(|column| find("sentence", column)).transpose()?,
        })
    }
}

/// The place of a name in a header: as it is written, else whatever its case.
fn find(header: &Record<'_>, name: &str) -> Option<i64> {
    let titles = || header.fields.all(header.text).map(str::trim_ascii);
    let exact = titles().position(|title| title == name);
    let place = exact.or_else(|| titles().position(|title| title.eq_ignore_ascii_case(name)));
    place.map(|place| place as i64)
}

/// The columns that a header names, for a message.
fn shown(header: &Record<'_>) -> String {
    const MOST: usize = 20;
    let titles = header.fields.all(header.text).take(MOST);
    let shown: Vec<String> = titles.map(|title| format!("`{}`", excerpt(title))).collect();
    let more = if header.fields.count() > MOST { ", …" } else { "" };
    shown.join(", ") + more
}

/// Where the columns of a file are, from 0 or, if negative, from the end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Columns {
    token: i64,
    tag: i64,
    sentence: Option<i64>,
}

/// What a row says.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Row<'r> {
    pub token: &'r str,
    pub tag: &'r str,
    /// Empty where there is no id.
    pub sentence: &'r str,
}

impl Columns {
    /// What a record says, if it has every column.
    pub fn of<'r>(&self, record: &Record<'r>) -> Option<Row<'r>> {
        let count = record.fields.count();
        let (token, tag) = (place(self.token, count)?, place(self.tag, count)?);
        let sentence = match self.sentence {
            Some(sentence) => record.fields.of(record.text, place(sentence, count)?),
            None => "",
        };
        let field = |place| record.fields.of(record.text, place);
        (token != tag).then(|| Row { token: field(token), tag: field(tag), sentence })
    }

    /// How many columns a row needs at least.
    pub fn needed(&self) -> usize {
        let alone = |index: i64| match index < 0 {
            true => index.unsigned_abs(),
            false => index.unsigned_abs() + 1,
        };
        let all = [Some(self.token), Some(self.tag), self.sentence];
        all.into_iter().flatten().map(alone).max().unwrap_or(0).max(2) as usize
    }
}
