//! The fixture under `tests/fixtures/pubtator`, and bytes that are no articles.

use super::*;
use crate::formats::standoff::testing::{self, Read, fixture, lines, message, remarks};
use proptest::prelude::*;

fn read(text: &str) -> Read {
    let mut types = TypeSet::default();
    let parameters = testing::parameters(Pubtator::PARAMETERS, &[]);
    let content = Pubtator::read(&parameters).read_bytes(text.as_bytes(), &mut types)?;
    Ok((content, types))
}

fn ncbi() -> Read {
    read(&std::fs::read_to_string(fixture("pubtator/ncbi.txt")).unwrap())
}

#[test]
fn title_and_abstract_are_one_text_with_a_character_between() {
    let (composite, disease) = ("CompositeMention", "SpecificDisease");
    assert_eq!(
        lines(ncbi()),
        [
            format!(
                "BRCA1 in breast/B-{composite} and/I-{composite} ovarian/I-{composite} \
             cancer/I-{composite} ."
            ),
            format!(
                "Seizures/B-{disease} \"/I-{disease} plus/I-{disease} \"/I-{disease} ( GEFS ) ."
            ),
            "HH/B-Modifier | t | is rare .".to_owned(),
            "A title alone with HFE/B-Gene .".to_owned(),
        ]
    );
    assert_eq!(ncbi().unwrap().0.documents, [0, 3]);
}

#[test]
fn an_article_that_is_there_already_is_read_once_and_counted() {
    assert_eq!(
        remarks(ncbi()),
        [
            "bytes:5: the first of 1 annotation(s) whose own text has other white space than the document",
            "bytes:13: the first of 1 document(s) that occurred before, read once",
        ]
    );
    let other = read("1|t|a\n\n1|t|b\n");
    assert_eq!(lines(other), ["a", "b"], "the same id is not the same article");
}

#[test]
fn a_title_starts_an_article_without_a_blank_line() {
    assert_eq!(
        lines(read("1|t|a b\n1\t2\t3\tb\tx\n2|t|c\r\n2|a|d\r\n2\t2\t3\td\ty\r\n")),
        ["a b/B-x", "c", "d/B-y"]
    );
}

#[test]
fn what_cannot_be_read_is_told_with_its_line() {
    let after = |line: &str| message(read(&format!("1|t|a b\n{line}\n")));
    assert!(after("2|a|c").starts_with("bytes:2: document `2` in the middle of document `1`"));
    assert!(
        after("2\t0\t1\ta\tx").starts_with("bytes:2: document `2` in the middle of document `1`")
    );
    assert!(after("1\t0\t1\ta").starts_with("bytes:2: `1\\t0\\t1\\ta` is not `ID|t|TITLE`"));
    assert!(after("1\t0\t1.5\ta\tx").contains("is not `ID|t|TITLE`"));
    assert!(after("1\t0\t9\ta\tx").starts_with("bytes:2: the span from 0 to 9 is outside"));
    assert!(after("1\t0\t1\tb\tx").starts_with("bytes:2: the annotation says `b`, but"));
    assert!(after("1\t0\t1\ta\t").contains("cannot name an entity type"));
    assert!(after("1|a|c\n1|a|d").starts_with("bytes:3: `d` is not the only abstract"));
    assert!(
        message(read("1|a|c")).starts_with("bytes:1: `1|a|c` is not a title, which comes first")
    );
    assert_eq!(message(read("\n\n")), "bytes: no sentence in it");
}

/// Bytes that look a little like articles, so that mentions get through too.
fn article_like() -> impl Strategy<Value = Vec<u8>> {
    const PIECES: &[&str] = &[
        "\n",
        "1|t|ab cd\n",
        "1|a|ef. Gé\n",
        "1\t",
        "0\t2\t",
        "ab\tx",
        "3\t9\t",
        "é",
        "|",
        "CID\t",
    ];
    prop::collection::vec(prop::sample::select(PIECES), 0..30).prop_map(|p| p.concat().into_bytes())
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(
        bytes in prop_oneof![prop::collection::vec(any::<u8>(), 0..200), article_like()],
    ) {
        let parameters = testing::parameters(Pubtator::PARAMETERS, &[("mismatch", "offsets")]);
        if let Ok(content) = Pubtator::read(&parameters).read_bytes(&bytes, &mut TypeSet::default()) {
            prop_assert!(content.sentences.iter().all(|s| !s.is_empty() && s.len() == s.tags.len()));
        }
    }
}
