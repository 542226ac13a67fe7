//! Every fixture under `tests/fixtures/ontonotes`.

use super::*;
use crate::formats::testing::{self, Read};
use domain::Part;

fn fixture(name: &str, repair: &str) -> Result<Read, CorpusError> {
    read_bytes(name, &testing::fixture("ontonotes", name), repair)
}

fn read_bytes(name: &str, bytes: &[u8], repair: &str) -> Result<Read, CorpusError> {
    let format =
        Ontonotes::read(&testing::parameters(Ontonotes::PARAMETERS, &[("repair", repair)]));
    let lines = Lines::new(name.as_ref(), Encoding::Utf8, bytes);
    testing::read(|types| format.read_lines(lines, types))
}

fn message(name: &str) -> String {
    fixture(name, "refuse").unwrap_err().to_string()
}

#[test]
fn entities_are_in_brackets_and_parts_of_a_name_are_one_document() {
    let read = fixture("made.gold_conll", "refuse").unwrap();
    assert_eq!(
        read.shown(),
        [
            "Ada/B-PERSON Maria/I-PERSON Lovelace/I-PERSON visited Turin/B-GPE /.",
            "The Swedish/B-NORP Academy/B-ORG met in late/B-DATE 2,000/I-DATE",
            "-LRB- Rome/B-GPE -RRB-",
            "Yes #",
        ]
    );
    assert_eq!(read.content.documents, [0, 3]);
    assert_eq!(read.remarks(), [""; 0]);
}

#[test]
fn an_inner_entity_is_left_out_and_counted() {
    let read = fixture("nested.gold_conll", "refuse").unwrap();
    assert_eq!(read.shown(), ["Bank/B-ORG of/I-ORG England/I-ORG shares/I-ORG fell"]);
    assert_eq!(
        read.remarks(),
        ["nested.gold_conll:4: the first of 1 entity(ies) in another or across one, left out: \
          tags have room for one"]
    );
}

#[test]
fn brackets_without_a_partner_are_refused_or_repaired() {
    let name = "unbalanced.gold_conll";
    let refused = message(name);
    let lines: Vec<&str> = refused.lines().collect();
    assert!(lines[0].starts_with("unbalanced.gold_conll:2: a bracket that opens"), "{refused}");
    assert!(lines[1].starts_with("unbalanced.gold_conll:5: a bracket that closes"), "{refused}");
    assert_eq!(lines.len(), 2);
    let ended = fixture(name, "conlleval").unwrap();
    assert_eq!(ended.shown(), ["Ada/B-PERSON Lovelace/I-PERSON", "said Turin/B-GPE"]);
    let remarks = ended.remarks();
    assert!(
        remarks[0].starts_with("unbalanced.gold_conll:2: the first of 2 bracket(s) without"),
        "{remarks:?}"
    );
    let discarded = fixture(name, "discard").unwrap();
    assert_eq!(discarded.shown(), ["Ada Lovelace", "said Turin/B-GPE"]);
    let closing = "x 0 0 said VBD * - - - - *) -\n";
    let refused = read_bytes("f", closing.as_bytes(), "refuse").unwrap_err().to_string();
    assert!(refused.starts_with("f:1: a bracket that closes an entity"), "{refused}");
}

#[test]
fn errors_name_file_line_text_and_remedy() {
    let skeleton = message("skeleton.gold_conll");
    assert!(skeleton.starts_with("skeleton.gold_conll:2: `[WORD]` in place of"), "{skeleton}");
    let refused = |text: &str| read_bytes("f", text.as_bytes(), "refuse").unwrap_err().to_string();
    assert_eq!(
        refused("\nx 0 0 said\n"),
        "f:2: no line of a gold_conll file: 4 columns of at least 11: `x 0 0 said`"
    );
    let other = refused("x 0 0 said VBD * - - - - O -\n");
    assert!(other.starts_with("f:1: `O` is not an entity in brackets"), "{other}");
}

#[test]
fn a_folder_is_read_file_by_file_with_its_documents() {
    let files =
        ["train", "test"].map(|role| (role.to_owned(), testing::path("ontonotes", "folder")));
    let part = Part {
        kind: "ontonotes".into(),
        parameters: testing::parameters(Ontonotes::PARAMETERS, &[]),
    };
    let loaded = crate::load(&part, &files.into()).unwrap();
    let words: Vec<&str> =
        loaded.corpus.test.iter().flat_map(|sentence| sentence.tokens.iter()).collect();
    assert_eq!(words, ["Bonn", "Oslo", "is", "cold"]);
    assert_eq!(loaded.corpus.types.names(), ["GPE"]);
    let folder = testing::path("ontonotes", "folder");
    let format = Ontonotes::read(&part.parameters);
    let read = testing::read(|types| {
        folder::read(&folder, ENDINGS, |file| {
            format.read_lines(Lines::open(file, Encoding::Utf8)?, types)
        })
    });
    assert_eq!(read.unwrap().content.documents, [0, 1]);
}
