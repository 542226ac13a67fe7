//! Every fixture under `tests/fixtures/tags`, and bytes that are no table.

use super::*;
use crate::Loaded;
use crate::formats::standoff::testing::{self, fixture, shown};
use domain::{Part, Split, TypeSet};
use proptest::prelude::*;

fn load_fixture(roles: &[(&str, &str)], set: &[(&str, &str)]) -> Result<Loaded, CorpusError> {
    testing::load("tags", testing::parameters(Tags::PARAMETERS, set), roles)
}

const LINNAEUS: (&str, &str) = ("texts", "tags/linnaeus/txt");
const TABLE: &str = "tags/linnaeus/tags.tsv";

#[test]
fn a_table_of_all_goes_with_every_text() {
    let set = [("split", "1:0:1"), ("sentences", "document")];
    let error = load_fixture(&[LINNAEUS, ("all", TABLE)], &set).unwrap_err();
    assert!(matches!(error, CorpusError::TooSmallToCarve { .. }), "{error}");
    let parts = [("train", TABLE), ("dev", TABLE), ("test", TABLE), LINNAEUS];
    let loaded = load_fixture(&parts, &[]).unwrap();
    let train = shown(loaded.corpus.split(Split::Train), &loaded.corpus.types);
    assert_eq!(train, ["Human/B-Species and E/B-Species ./I-Species coli/I-Species cells ."]);
    let said = loaded.remarks[0].to_string();
    assert!(
        said.ends_with("tags.tsv:4: the first of 1 annotation(s) that occurred before, read once")
    );
}

#[test]
fn texts_without_a_tag_are_counted_as_they_are_distributed_too() {
    let parameters = testing::parameters(Tags::PARAMETERS, &[("sentences", "document")]);
    let format = Part { kind: "tags".into(), parameters };
    let files = [LINNAEUS, ("all", TABLE)].map(|(role, path)| (role.to_owned(), fixture(path)));
    let found = crate::as_distributed(&format, &files.into()).unwrap();
    assert_eq!(found.splits.len(), 1);
    assert_eq!(found.splits[0].sentences.len(), 2, "one of the two texts has no tag");
}

#[test]
fn an_end_may_be_the_last_character() {
    let table = "tags/s800/S800.tsv";
    let roles =
        [("train", table), ("dev", table), ("test", table), ("texts", "tags/s800/abstracts")];
    let loaded = load_fixture(&roles, &[("end", "inclusive"), ("entity_type", "taxon")]).unwrap();
    let train = shown(loaded.corpus.split(Split::Train), &loaded.corpus.types);
    assert_eq!(train, ["Human/B-taxon and E/B-taxon ./I-taxon coli/I-taxon cells ."]);
    let wrong = load_fixture(&roles, &[]).unwrap_err().to_string();
    assert!(wrong.contains("S800.tsv:1: the annotation says `Human`, but the text"), "{wrong}");
}

#[test]
fn what_cannot_be_found_is_told() {
    let missing = load_fixture(&[("all", TABLE)], &[]).unwrap_err().to_string();
    assert!(missing.contains("no texts file"), "{missing}");
    let elsewhere = [("all", TABLE), ("texts", "tags/s800/abstracts")];
    let wrong = load_fixture(&elsewhere, &[]).unwrap_err().to_string();
    assert!(wrong.contains("tags.tsv:2: there is no document `pmcA1`: `pmcA1.txt`"), "{wrong}");
    let read = |table: &str| {
        let parameters = testing::parameters(Tags::PARAMETERS, &[]);
        let read = Tags::read(&parameters)
            .read_bytes(format!("abc\0{table}").as_bytes(), &mut TypeSet::default());
        read.unwrap_err().to_string()
    };
    assert!(read("1\tbytes\t0\n").starts_with("bytes:1: `1\\tbytes\\t0` is not `ID<TAB>DOCUMENT"));
    assert!(read("1\t../../secret\t0\t1\ta\n").contains("there is no document `../../secret`"));
    assert!(read("1\tbytes\t0\t18446744073709551615\ta\n").contains("is outside of the text"));
    assert!(fixture(TABLE).is_file());
}

/// Bytes that look a little like a table, so that tags get through too.
fn table_like() -> impl Strategy<Value = Vec<u8>> {
    const PIECES: &[&str] = &["\n", "1\tbytes:2\t", "0\t", "2\t", "ab", "#", "é", "\t", "9\tx"];
    prop::collection::vec(prop::sample::select(PIECES), 0..30).prop_map(|p| p.concat().into_bytes())
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(
        text in "[a-cé. \n]{0,20}",
        bytes in prop_oneof![prop::collection::vec(any::<u8>(), 0..100), table_like()],
        end in prop::sample::select(&["exclusive", "inclusive"][..]),
    ) {
        let parameters = testing::parameters(Tags::PARAMETERS, &[("mismatch", "offsets"), ("end", end)]);
        let read = Tags::read(&parameters)
            .read_bytes(&[text.as_bytes(), &bytes].join(&0), &mut TypeSet::default());
        if let Ok(content) = read {
            prop_assert!(content.sentences.iter().all(|s| !s.is_empty() && s.len() == s.tags.len()));
        }
    }
}
