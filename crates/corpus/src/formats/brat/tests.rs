//! Every fixture under `tests/fixtures/brat`, and bytes that are no annotations.

use super::*;
use crate::Loaded;
use crate::formats::standoff::testing::{self, Read, fixture, lines, message, shown};
use domain::{Split, TypeSet};
use proptest::prelude::*;

fn load_fixture(name: &str, set: &[(&str, &str)]) -> Result<Loaded, CorpusError> {
    let parameters = testing::parameters(Brat::PARAMETERS, set);
    testing::load("brat", parameters, &[("train", name), ("dev", name), ("test", name)])
}

fn train(loaded: &Loaded) -> Vec<String> {
    shown(loaded.corpus.split(Split::Train), &loaded.corpus.types)
}

fn read(text: &str, annotations: &str) -> Read {
    let mut types = TypeSet::default();
    let parameters = testing::parameters(Brat::PARAMETERS, &[]);
    let bytes = [text, annotations].join("\0");
    let content = Brat::read(&parameters).read_bytes(bytes.as_bytes(), &mut types)?;
    Ok((content, types))
}

#[test]
fn a_folder_is_read_by_name_with_its_folders_and_only_entities_count() {
    let loaded = load_fixture("brat/pairs", &[]).unwrap();
    let structure = "Multi-tissue_structure";
    assert_eq!(
        train(&loaded),
        [
            format!("Urinary/B-{structure} tract/I-{structure} infection"),
            format!("The urinary/B-{structure} tract/I-{structure} of E . coli carriers ."),
            "In meats/B-Organism_subdivision , none .".to_owned(),
            "No entity here .".to_owned(),
            "The heart/B-Organ .".to_owned(),
        ]
    );
    assert_eq!(loaded.remarks, []);
}

#[test]
fn a_pair_is_a_document() {
    let settings = testing::parameters(Brat::PARAMETERS, &[("split", "1:1:1")]);
    let loaded = testing::load("brat", settings, &[("all", "brat/pairs")]).unwrap();
    let mut sizes = [Split::Train, Split::Dev, Split::Test].map(|s| loaded.corpus.split(s).len());
    sizes.sort_unstable();
    assert_eq!(sizes, [1, 1, 3]);
}

#[test]
fn annotations_may_be_in_a_folder_of_their_own() {
    let roles = ["train", "dev", "test"].map(|role| (role, "brat/apart/text"));
    let roles = [&roles[..], &[("annotations", "brat/apart/original")]].concat();
    let read = |set: &[(&str, &str)]| {
        testing::load("brat", testing::parameters(Brat::PARAMETERS, set), &roles).unwrap()
    };
    let loaded = read(&[]);
    assert_eq!(
        train(&loaded),
        [
            "bit/B-ADR drowsy/I-ADR , pain/B-ADR in/I-ADR arms/I-ADR and/I-ADR legs/I-ADR .",
            "no stomach/B-ADR upset/I-ADR",
        ]
    );
    let remarks: Vec<String> = loaded.remarks.iter().take(2).map(ToString::to_string).collect();
    let path = fixture("brat/apart/original/LIPITOR.1.ann").display().to_string();
    assert_eq!(
        remarks,
        [
            format!(
                "{path}:3: the first of 1 annotation(s) in several pieces, \
             read from their first to their last character: see `discontinuous`"
            ),
            format!(
                "{path}:2: the first of 2 annotation(s) that overlap a longer one \
             and were left out: see `overlap`"
            ),
        ]
    );
    let innermost = read(&[("overlap", "innermost"), ("discontinuous", "parts")]);
    assert_eq!(
        train(&innermost)[0],
        "bit/B-ADR drowsy/I-ADR , pain/B-Symptom in arms and legs/B-ADR ."
    );
}

#[test]
fn a_span_over_a_line_end_is_one_entity() {
    let loaded = load_fixture("brat/line-ends", &[("discontinuous", "refuse")]).unwrap();
    assert_eq!(
        train(&loaded),
        ["severe joint/B-Reason pain/I-Reason .", "Then heart/B-Reason failure/I-Reason",]
    );
    let [remark, ..] = &loaded.remarks[..] else { panic!("a remark") };
    assert!(
        remark.to_string().contains(":2: the first of 1 annotation(s) whose own text has other")
    );
}

#[test]
fn offsets_are_code_points_and_count_both_characters_of_a_line_end() {
    let loaded = load_fixture("brat/code-points", &[]).unwrap();
    assert_eq!(train(&loaded), ["\u{1f600} Zoë/B-PER met 東京/B-LOC", "and Ann/B-PER"]);
    let wrong = load_fixture("brat/code-points", &[("offsets", "utf16")]).unwrap_err().to_string();
    assert!(
        wrong.contains("a.ann:1: the annotation says `Zoë`, but the text from 2 to 5"),
        "{wrong}"
    );
}

#[test]
fn a_file_without_its_partner_is_named() {
    let without = |name| load_fixture(name, &[]).unwrap_err().to_string();
    let said = without("brat/no-annotations");
    assert!(said.contains("b.txt: there is no ") && said.contains("b.ann with it"), "{said}");
    let said = without("brat/no-text");
    assert!(said.contains("b.ann: there is no ") && said.contains("b.txt with it"), "{said}");
    assert!(without("brat/README.md").ends_with("this is a file, and a folder is needed"));
    let said = without("brat/none");
    assert!(said.ends_with("there is no such file"), "{said}");
    assert!(without("columns").contains("no file that ends in .ann"));
}

#[test]
fn lines_that_cannot_be_read_are_told() {
    let of = |line: &str| message(read("abc def", &format!("A1\tx T1\n{line}\n")));
    for line in ["T1\tx 0 3;", "T1\tx 0", "T1\tx a b\tabc", "T1 x 0 3 abc", "T1\tx -1 3\tabc", "T1"]
    {
        let said = of(line);
        assert!(
            said.starts_with("bytes.ann:2: `T1") && said.contains("is not `T1<TAB>TYPE"),
            "{said}"
        );
    }
    assert!(of("x").starts_with("bytes.ann:2: `x` is not a line of a BRAT file"));
    assert!(of("T1\tx 5 9\tef").starts_with("bytes.ann:2: the span from 5 to 9 is outside"));
    assert!(of("T1\tx 2 2\t").starts_with("bytes.ann:2: the span from 2 to 2 is empty"));
    assert!(of("T1\tx 0 99999999999999999999\tabc").contains("is not `T1<TAB>TYPE"));
    assert_eq!(lines(read("abc def", "T1\tx 0 3\n")), ["abc/B-x def"], "the text may be missing");
}

/// Bytes that look a little like annotations, so that spans get through too.
fn annotation_like() -> impl Strategy<Value = Vec<u8>> {
    const PIECES: &[&str] =
        &["\n", "T1\tx ", "0 1", "2 5", "1 7", ";", "\t", "abc", "é", "A1\t", "#", "99", " "];
    prop::collection::vec(prop::sample::select(PIECES), 0..30).prop_map(|p| p.concat().into_bytes())
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(
        text in prop_oneof![prop::collection::vec(any::<u8>(), 0..50), "[a-cé. \n]{0,20}".prop_map(String::into_bytes)],
        annotations in prop_oneof![prop::collection::vec(any::<u8>(), 0..100), annotation_like()],
    ) {
        let parameters = testing::parameters(Brat::PARAMETERS, &[("mismatch", "offsets")]);
        let bytes = [text, annotations].join(&0);
        if let Ok(content) = Brat::read(&parameters).read_bytes(&bytes, &mut TypeSet::default()) {
            prop_assert!(content.sentences.iter().all(|s| !s.is_empty() && s.len() == s.tags.len()));
        }
    }
}
