//! Every fixture under `tests/fixtures/csv`.

use super::*;
use crate::formats::testing::{self, Read};

fn fixture(name: &str, set: &[(&str, &str)]) -> Result<Read, CorpusError> {
    read_bytes(&testing::fixture("csv", name), name, set)
}

fn read_bytes(bytes: &[u8], name: &str, set: &[(&str, &str)]) -> Result<Read, CorpusError> {
    let csv = Csv::read(&testing::parameters(Csv::PARAMETERS, set));
    csv.check()?;
    let lines = Lines::new(name.as_ref(), csv.encoding, bytes);
    testing::read(|types| csv.read_lines(lines, types))
}

fn shown(name: &str, set: &[(&str, &str)]) -> Vec<String> {
    fixture(name, set).unwrap().shown()
}

fn message(name: &str, set: &[(&str, &str)]) -> String {
    fixture(name, set).unwrap_err().to_string()
}

fn message_of(bytes: &[u8], set: &[(&str, &str)]) -> String {
    read_bytes(bytes, "f", set).unwrap_err().to_string()
}

const WINDOWS: (&str, &str) = ("encoding", "windows-1252");

#[test]
fn gmb_has_an_id_on_every_row_an_empty_title_and_windows_1252() {
    assert_eq!(
        shown("gmb.tsv", &[WINDOWS]),
        [
            "Thousands of \\u{2026} London/B-geo",
            "20 \\u{b0} in New/B-geo York/I-geo",
            "Iraqi/B-gpe"
        ]
    );
    assert!(message("gmb.tsv", &[]).starts_with("gmb.tsv:4: not UTF-8"));
}

#[test]
fn kaggle_has_an_id_on_first_rows_quotes_and_carriage_returns() {
    assert_eq!(
        shown("kaggle.csv", &[]),
        ["\\\" They marched , \\\"", "1,000 in London/B-geo", "1,000"]
    );
}

#[test]
fn columns_are_found_by_place_or_by_name_in_any_case() {
    let expected = shown("gmb.tsv", &[WINDOWS]);
    let names = [WINDOWS, ("token", "word"), ("tag", "TAG"), ("sentence", "sentence #")];
    assert_eq!(shown("gmb.tsv", &names), expected);
    let places = [WINDOWS, ("token", "2"), ("tag", "-1"), ("sentence", "1")];
    assert_eq!(shown("gmb.tsv", &places), expected);
    let missing = message("gmb.tsv", &[WINDOWS, ("token", "form")]);
    assert_eq!(
        missing,
        "gmb.tsv:1: no column is called `form`; there are ``, `Sentence #`, `Word`, `POS`, `Tag`: \
         set `token` to one of them, or to a column's place from 0"
    );
}

#[test]
fn rows_without_content_part_sentences_where_there_is_no_id() {
    let set = [("header", "false"), ("token", "0"), ("tag", "1"), ("sentence", "")];
    assert_eq!(shown("blank-rows.csv", &set), ["Ada/B-per said", "a; b \\\"", "Bonn/B-geo"]);
}

#[test]
fn the_same_id_again_after_rows_without_one_is_another_sentence() {
    let rows = b"s,w,t\n1,a,O\n1,b,O\n2,c,O\n,d,O\n2,e,O\n,f,O\n";
    let set = [("sentence", "s"), ("token", "w"), ("tag", "t")];
    assert_eq!(read_bytes(rows, "f", &set).unwrap().shown(), ["a b", "c d", "e f"]);
}

#[test]
fn line_breaks_are_refused_where_they_matter_alone() {
    let set = [("sentence", "s"), ("token", "w"), ("tag", "t")];
    let note = b"s,w,t,note\n1,a,O,\"two\nlines\"\n1,b,O,\n";
    assert_eq!(read_bytes(note, "f", &set).unwrap().shown(), ["a b"]);
    let token = message_of(b"s,w,t\n1,a,O\n1,\"b\nc\",O\n", &set);
    assert!(token.starts_with("f:3: a line break in the token `b\\nc`: if a quot"), "{token}");
    let stray = message_of(b"s,w,t\n1,\",O\n1,a,O\n1,\",O\n", &set);
    assert!(stray.starts_with("f:2: a line break in the token `,O\\n1,a,O\\n1,`"), "{stray}");
    let plain = [set[0], set[1], set[2], ("quoting", "false")];
    let read = read_bytes(b"s,w,t\n1,\",O\n1,a,O\n1,\",O\n", "f", &plain).unwrap();
    assert_eq!(read.shown(), ["\\\" a \\\""]);
}

#[test]
fn errors_name_file_line_text_and_remedy() {
    let set = [("sentence", "s"), ("token", "w"), ("tag", "t")];
    assert_eq!(
        message_of(b"s,w,t\n1,a\n", &set),
        "f:2: only 2 column(s) when splitting at commas, at least 3 are needed: `1,a`; \
         set `separator`, `token` and `tag` to fit the file"
    );
    assert!(message_of(b"s,w,t\n1,,O\n", &set).starts_with("f:2: the token is empty: `1,,O`"));
    assert!(message_of(b"s,w,t\n1,a,X\n", &set).starts_with("f:2: `X` is not a tag of"));
    assert!(message_of(b"s,w,t\n1,a,\"O\n", &set).starts_with("f:2: a quotation mark opens"));
    assert_eq!(message_of(b"s,w,t\n", &set), "f: no sentence in it");
    assert_eq!(message_of(b"", &set), "f: no sentence in it");
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let refused = |set| message_of(b"", set);
    assert_eq!(
        refused(&[("header", "false")]),
        "`token`: without a header no column is called `Word`: give its place, from 0"
    );
    assert!(refused(&[("tag", "")]).starts_with("`tag`: a column's name or place is needed"));
    assert!(refused(&[("tag", "Word")]).starts_with("`tag`: another part is in that column"));
}
