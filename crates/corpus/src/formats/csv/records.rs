//! The records of a CSV file. A line without a quotation mark is a record by itself and is split
//! where it stands; any other goes through `csv-core`, with the lines after it until its quotes are
//! closed.

use crate::CorpusError;
use crate::formats::fields::Fields;
use crate::formats::text::{Lines, is_blank};
use csv_core::{ReadRecordResult, Reader, ReaderBuilder, Terminator};
use std::io::BufRead;

/// What stands between fields.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Separator {
    Comma,
    Tab,
    Semicolon,
}

impl Separator {
    /// The separator of a file that begins with this line.
    fn of(line: &str) -> Self {
        let count = |sign: char| line.matches(sign).count();
        match line.contains('\t') {
            true => Separator::Tab,
            false if count(';') > count(',') => Separator::Semicolon,
            false => Separator::Comma,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Separator::Comma => ",",
            Separator::Tab => "\t",
            Separator::Semicolon => ";",
        }
    }

    /// In words, for messages.
    pub fn shown(self) -> &'static str {
        match self {
            Separator::Comma => "commas",
            Separator::Tab => "tabs",
            Separator::Semicolon => "semicolons",
        }
    }
}

/// A record: one line, or several where a quoted field holds line breaks.
#[derive(Copy, Clone, Debug)]
pub struct Record<'r> {
    /// Its first line.
    pub line: usize,
    pub text: &'r str,
    /// The fields of `text`.
    pub fields: &'r Fields,
    pub separator: Separator,
}

impl Record<'_> {
    /// Whether no field has content.
    pub fn is_blank(&self) -> bool {
        self.fields.all(self.text).all(is_blank)
    }
}

/// Hands out the records of a file one after the other, or why there is none where one should be.
/// `separator` is found out if it is `None`.
pub(super) fn each<R: BufRead>(
    mut lines: Lines<'_, R>,
    separator: Option<Separator>,
    quoting: bool,
    mut take: impl FnMut(Result<Record<'_>, CorpusError>) -> Result<(), CorpusError>,
) -> Result<(), CorpusError> {
    let path = lines.path();
    let open = |line| CorpusError::OpenQuote { path: path.to_owned(), line };
    let mut settled = separator;
    let mut quoted: Option<Quoted> = None;
    let mut fields = Fields::default();
    loop {
        let (line, text) = match lines.next_line() {
            Ok(Some(line)) => line,
            Ok(None) => break,
            Err(error) => {
                take(Err(error))?;
                continue;
            }
        };
        if settled.is_none() && is_blank(&text) {
            continue;
        }
        let separator = *settled.get_or_insert_with(|| Separator::of(&text));
        let pending = quoted.as_ref().and_then(|quoted| quoted.first_line);
        if pending.is_none() && !(quoting && text.contains('"')) {
            fields.split(&text, separator.text());
            take(Ok(Record { line, text: &text, fields: &fields, separator }))?;
            continue;
        }
        let quoted = quoted.get_or_insert_with(|| Quoted::new(separator));
        let first = pending.unwrap_or(line);
        match quoted.feed(line, &text) {
            Fed::Record => {
                let text = quoted.take(&mut fields);
                take(Ok(Record { line: first, text, fields: &fields, separator }))?;
            }
            Fed::Open => {}
            Fed::TooLong => return take(Err(open(first))),
        }
    }
    match quoted.and_then(|quoted| quoted.first_line) {
        Some(line) => take(Err(open(line))),
        None => Ok(()),
    }
}

/// A record with quoted fields as its lines come in.
struct Quoted {
    reader: Reader,
    /// The line where the record begins, as long as it is open.
    first_line: Option<usize>,
    /// The fields one after the other, then room for more.
    text: Vec<u8>,
    text_len: usize,
    ends: Vec<usize>,
    ends_len: usize,
}

/// What a line did to a record.
enum Fed {
    Record,
    Open,
    TooLong,
}

/// No record is longer, in bytes: a quotation mark that nothing closes must not take in the file.
const LONGEST_RECORD: usize = 1 << 20;

impl Quoted {
    fn new(separator: Separator) -> Self {
        let mut reader = ReaderBuilder::new()
            .delimiter(separator.text().as_bytes()[0])
            .terminator(Terminator::Any(b'\n'))
            .build();
        // It would take a byte order mark from the first record that it sees, which is the file's
        // first one by chance only.
        reader.read_record(b"\n", &mut [0], &mut [0]);
        Self { reader, first_line: None, text: vec![], text_len: 0, ends: vec![], ends_len: 0 }
    }

    /// Adds a line of the file to the record.
    fn feed(&mut self, number: usize, line: &str) -> Fed {
        if self.text_len + line.len() > LONGEST_RECORD {
            return Fed::TooLong;
        }
        self.first_line.get_or_insert(number);
        match self.parse(line.as_bytes()) || self.parse(b"\n") {
            true => {
                self.first_line = None;
                Fed::Record
            }
            false => Fed::Open,
        }
    }

    /// Whether these bytes end the record.
    fn parse(&mut self, mut bytes: &[u8]) -> bool {
        // To `csv-core`, no bytes mean the end of the file.
        while !bytes.is_empty() {
            self.text.resize(self.text.len().max(self.text_len + bytes.len()), 0);
            self.ends.resize(self.ends.len().max(self.ends_len + 1), 0);
            let (result, read, written, ended) = self.reader.read_record(
                bytes,
                &mut self.text[self.text_len..],
                &mut self.ends[self.ends_len..],
            );
            bytes = &bytes[read..];
            self.text_len += written;
            self.ends_len += ended;
            if result == ReadRecordResult::Record {
                return true;
            }
        }
        false
    }

    /// The text of a whole record, and where its fields are; the next line begins another.
    fn take(&mut self, fields: &mut Fields) -> &str {
        let (text, ends) = (self.text_len, self.ends_len);
        (self.text_len, self.ends_len) = (0, 0);
        fields.set_ends(&self.ends[..ends]);
        // Whole lines of text without some ASCII characters are text.
        std::str::from_utf8(&self.text[..text]).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::text::Encoding;
    use proptest::prelude::*;
    use std::path::Path;

    fn records(text: &str, quoting: bool) -> Result<Vec<(usize, Vec<String>)>, String> {
        separated(text, None, quoting)
    }

    fn separated(
        text: &str,
        separator: Option<Separator>,
        quoting: bool,
    ) -> Result<Vec<(usize, Vec<String>)>, String> {
        let lines = Lines::new(Path::new("f"), Encoding::Utf8, text.as_bytes());
        let mut found = vec![];
        let ended = each(lines, separator, quoting, |record| {
            let record = record?;
            let fields = record.fields.all(record.text).map(str::to_owned).collect();
            found.push((record.line, fields));
            Ok(())
        });
        ended.map(|()| found).map_err(|error| error.to_string())
    }

    fn fields(text: &str) -> Vec<Vec<String>> {
        records(text, true).unwrap().into_iter().map(|(_, fields)| fields).collect()
    }

    #[test]
    fn quoted_fields_hold_separators_quotes_and_line_breaks() {
        let found = records("a,\"b,\"\"c\"\"\"\r\n\"d\r\ne\",f\ng,h\n", true).unwrap();
        let expected: [(usize, [&str; 2]); 3] =
            [(1, ["a", "b,\"c\""]), (2, ["d\ne", "f"]), (4, ["g", "h"])];
        let expected = expected.map(|(line, fields)| (line, fields.map(String::from).to_vec()));
        assert_eq!(found, expected);
    }

    #[test]
    fn the_first_row_settles_the_separator() {
        assert_eq!(fields("a\tb,c,d\n"), [["a", "b,c,d"]]);
        assert_eq!(fields("\na;b;c,d\n"), [["a", "b", "c,d"]]);
        assert_eq!(fields("a;b,c,d"), [["a;b", "c", "d"]]);
        assert_eq!(fields("a"), [["a"]]);
    }

    #[test]
    fn a_quotation_mark_inside_a_field_or_without_quoting_is_ordinary() {
        assert_eq!(fields("5\" disk,O\n"), [["5\" disk", "O"]]);
        let found = records("\",O\n", false).unwrap();
        assert_eq!(found, [(1, vec!["\"".to_owned(), "O".to_owned()])]);
    }

    #[test]
    fn a_quote_that_nothing_closes_is_told_by_its_line() {
        let error = records("a,b\n\",O\nc,d\n", true).unwrap_err();
        assert!(error.starts_with("f:2: a quotation mark opens a field"), "{error}");
        let long = format!("a,b\n\",O\n{}", "c,d\n".repeat(LONGEST_RECORD / 3));
        assert_eq!(records(&long, true).unwrap_err(), error);
    }

    #[test]
    fn a_byte_order_mark_is_taken_from_the_file_alone() {
        assert_eq!(fields("a,b\n\u{feff}c,\"d\"\n"), [["a", "b"], ["\u{feff}c", "d"]]);
    }

    proptest! {
        #[test]
        fn what_is_quoted_is_read_back(
            rows in prop::collection::vec(prop::collection::vec("[a\",;\n\u{feff}é ]{0,5}", 2..4), 1..5)
        ) {
            let quoted = |field: &String| format!("\"{}\"", field.replace('"', "\"\""));
            let row = |row: &Vec<String>| row.iter().map(quoted).collect::<Vec<_>>().join("\t") + "\n";
            let text: String = rows.iter().map(row).collect();
            let found = separated(&text, Some(Separator::Tab), true).unwrap();
            let found: Vec<_> = found.into_iter().map(|(_, fields)| fields).collect();
            prop_assert_eq!(found, rows);
        }

        #[test]
        fn both_ways_to_split_agree(line in "[ab,é ]{1,12}") {
            // An ordinary quotation mark in a further field sends the line the other way.
            let plain = fields(&format!("{line},c\n"));
            let mut other = fields(&format!("{line},c\"\n"));
            other[0].last_mut().unwrap().pop();
            prop_assert_eq!(plain, other);
        }
    }
}
