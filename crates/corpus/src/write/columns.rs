//! Column files: one token and its tag per line, a blank line after each sentence.

use crate::formats::is_docstart;
use crate::schemes::Scheme;
use domain::{Sentence, TypeSet};
use std::io::{self, Write};

/// Writes sentences as `token<TAB>tag` lines in IOB2: what the format `columns` reads back with its
/// defaults. A token that such a file cannot hold is an error.
pub fn write_columns<'s>(
    sentences: impl IntoIterator<Item = &'s Sentence>,
    types: &TypeSet,
    writer: impl Write,
) -> io::Result<()> {
    write_columns_in(Scheme::Iob2, sentences, types, writer)
}

/// The same with tags of another scheme.
pub fn write_columns_in<'s>(
    scheme: Scheme,
    sentences: impl IntoIterator<Item = &'s Sentence>,
    types: &TypeSet,
    mut writer: impl Write,
) -> io::Result<()> {
    let mut is_first = true;
    for sentence in sentences {
        let labels = scheme.from_iob2(&sentence.tags);
        for (token, label) in sentence.tokens.iter().zip(labels) {
            check(token)?;
            if std::mem::take(&mut is_first) && token.starts_with('\u{feff}') {
                // A reader drops one byte order mark, which must not be the token's own.
                writer.write_all("\u{feff}".as_bytes())?;
            }
            writeln!(writer, "{token}\t{}", scheme.show(label, types))?;
        }
        writeln!(writer)?;
    }
    writer.flush()
}

fn check(token: &str) -> io::Result<()> {
    let problem = match token {
        "" => "is empty",
        token if token.contains(['\t', '\n', '\r', '\0']) => {
            "holds a tab, a line feed, a carriage return or a NUL"
        }
        token if is_docstart(token) => "reads as the start of a document",
        _ => return Ok(()),
    };
    let message = format!("token {token:?} {problem} and cannot be written in columns");
    Err(io::Error::new(io::ErrorKind::InvalidData, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{Tag, TypeId};

    fn written(tokens: &[&str]) -> io::Result<String> {
        let types = TypeSet::new(["creative-work".to_owned()]);
        let tag =
            |(index, _)| [Tag::Begin(TypeId(0)), Tag::Inside(TypeId(0)), Tag::Outside][index % 3];
        let sentence = Sentence {
            tokens: tokens.iter().collect(),
            tags: tokens.iter().enumerate().map(tag).collect(),
        };
        let mut bytes = vec![];
        write_columns([&sentence, &sentence], &types, &mut bytes)?;
        Ok(String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn a_line_a_token_and_a_blank_line_after_each_sentence() {
        let sentence = "a\tB-creative-work\n \tI-creative-work\nc\tO\n\n";
        assert_eq!(written(&["a", " ", "c"]).unwrap(), sentence.repeat(2));
    }

    #[test]
    fn tokens_that_columns_cannot_hold_are_refused() {
        for token in ["", "a\tb", "a\nb", "a\0b", "-DOCSTART-", "-DOCSTART- a"] {
            assert_eq!(written(&[token]).unwrap_err().kind(), io::ErrorKind::InvalidData);
        }
    }

    #[test]
    fn a_first_token_that_is_a_byte_order_mark_survives() {
        assert!(written(&["\u{feff}x"]).unwrap().starts_with("\u{feff}\u{feff}x\tB-"));
    }

    #[test]
    fn each_scheme_is_written_in_its_letters() {
        let types = TypeSet::new(["x".to_owned()]);
        let (begin, inside) = (Tag::Begin(TypeId(0)), Tag::Inside(TypeId(0)));
        let sentence = Sentence {
            tokens: ["a", "b", "c", "d"].iter().collect(),
            tags: vec![begin, inside, begin, Tag::Outside],
        };
        for (scheme, tags) in [
            (Scheme::Iob1, ["I-x", "I-x", "B-x", "O"]),
            (Scheme::Iob2, ["B-x", "I-x", "B-x", "O"]),
            (Scheme::Iobes, ["B-x", "E-x", "S-x", "O"]),
            (Scheme::Io, ["I-x", "I-x", "I-x", "O"]),
            (Scheme::Bare, ["B", "I", "B", "O"]),
        ] {
            let mut bytes = vec![];
            write_columns_in(scheme, [&sentence], &types, &mut bytes).unwrap();
            let [a, b, c, d] = tags;
            let expected = format!("a\t{a}\nb\t{b}\nc\t{c}\nd\t{d}\n\n");
            assert_eq!(String::from_utf8(bytes).unwrap(), expected, "{scheme:?}");
        }
    }
}
