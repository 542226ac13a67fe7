//! Where the columns of a CSV file are, by its settings and its header.

use super::Csv;
use super::records::Record;
use crate::CorpusError;
use crate::error::excerpt;
use crate::formats::rows::place;
use parts::Column;
use std::path::Path;

impl Csv {
    /// The column of sentence ids, if there is one.
    fn sentence(&self) -> Option<&Column> {
        Some(&self.sentence).filter(|column| !is_none(column))
    }

    fn asked(&self) -> impl Iterator<Item = (&'static str, &Column)> {
        let sentence = self.sentence().map(|column| ("sentence", column));
        [("token", &self.token), ("tag", &self.tag)].into_iter().chain(sentence)
    }

    /// Whether the columns that are needed are asked for.
    pub fn check_needed(&self) -> Result<(), CorpusError> {
        match self.asked().find(|(_, column)| is_none(column)) {
            Some((name, _)) => {
                Err(CorpusError::setting(name, "a column's name or place is needed"))
            }
            None => Ok(()),
        }
    }

    /// Whether columns can be had together, and by these names.
    pub fn check_columns(&self) -> Result<(), CorpusError> {
        let mut seen = vec![];
        for (parameter, column) in self.asked() {
            if let (Column::Name(name), false) = (column, self.header) {
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
    pub fn columns_without_header(&self) -> Option<CsvColumns> {
        let place = |column: &Column| match column {
            Column::Place(place) => Some(*place),
            Column::Name(_) => None,
        };
        let sentence = self.sentence().and_then(place);
        match self.header {
            true => None,
            false => {
                Some(CsvColumns { token: place(&self.token)?, tag: place(&self.tag)?, sentence })
            }
        }
    }

    /// Where columns are in a file with this header.
    pub fn columns(&self, path: &Path, header: &Record<'_>) -> Result<CsvColumns, CorpusError> {
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
        Ok(CsvColumns {
            token: find("token", &self.token)?,
            tag: find("tag", &self.tag)?,
            sentence: self.sentence().map(|column| find("sentence", column)).transpose()?,
        })
    }
}

/// Whether a column is asked for by no name.
fn is_none(column: &Column) -> bool {
    matches!(column, Column::Name(name) if name.is_empty())
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
pub struct CsvColumns {
    token: i64,
    tag: i64,
    sentence: Option<i64>,
}

/// What a row says.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CsvRow<'r> {
    pub token: &'r str,
    pub tag: &'r str,
    /// Empty where there is no id.
    pub sentence: &'r str,
}

impl CsvColumns {
    /// What a record says, if it has every column.
    pub fn of<'r>(&self, record: &Record<'r>) -> Option<CsvRow<'r>> {
        let count = record.fields.count();
        let (token, tag) = (place(self.token, count)?, place(self.tag, count)?);
        let sentence = match self.sentence {
            Some(sentence) => record.fields.of(record.text, place(sentence, count)?),
            None => "",
        };
        let field = |place| record.fields.of(record.text, place);
        (token != tag).then(|| CsvRow { token: field(token), tag: field(tag), sentence })
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
