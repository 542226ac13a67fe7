//! Every fixture under `tests/fixtures/json-spans`, and JSON that is none of it.

use super::*;
use crate::formats::standoff::testing::{self, Read, fixture, lines, message, remarks};
use proptest::prelude::*;

fn read_with(json: &[u8], set: &[(&str, &str)]) -> Read {
    let mut types = TypeSet::default();
    let content = JsonSpans::read(&testing::parameters(JsonSpans::PARAMETERS, set))
        .read_bytes(json, &mut types)?;
    Ok((content, types))
}

fn read(json: &str) -> Read {
    read_with(json.as_bytes(), &[])
}

fn file(name: &str, set: &[(&str, &str)]) -> Read {
    read_with(&std::fs::read(fixture("json-spans").join(name)).expect("the fixture"), set)
}

#[test]
fn stockmark_is_read_character_by_character() {
    let set = [("tokens", "character")];
    let (group, place) = ("その他の組織名", "地名");
    let letters = "PRiNGS".chars().map(|c| format!(" {c}/I-{group}")).collect::<String>();
    assert_eq!(
        lines(file("stockmark.json", &set)),
        [
            format!(
                "S/B-{group}{letters} と 東/B-{place} 京/I-{place}  /I-{place} 都/I-{place} 。"
            ),
            "何 も な い 。".to_owned(),
        ]
    );
    assert_eq!(remarks(file("stockmark.json", &set)), [""; 0]);
    assert_eq!(file("stockmark.json", &set).unwrap().0.documents, [0, 1]);
    let words = remarks(file("stockmark.json", &[]));
    assert!(words[0].contains("token(s) cut"), "{words:?}");
}

#[test]
fn doccano_has_lists_and_objects() {
    assert_eq!(
        lines(file("doccano.jsonl", &[])),
        [
            "Ann/B-PER met Bob/B-PER .",
            "In Rome/B-LOC .",
            "To Oslo/B-LOC .",
            "Ann/B-PER in Rome/B-LOC",
        ]
    );
}

#[test]
fn label_studio_has_sets_of_which_the_first_is_read() {
    let found = || file("label-studio.json", &[]);
    assert_eq!(lines(found()), ["Ann/B-PER met Bob/B-PER .", "In Rome/B-LOC ."]);
    assert_eq!(
        remarks(found()),
        [
            "bytes:2: the first of 1 set(s) of annotations left out because their record has one already",
            "bytes:12: the first of 1 record(s) that were rejected, ignored, cancelled or never annotated, \
         left out",
        ]
    );
}

#[test]
fn prodigy_says_what_it_accepted() {
    let found = || file("prodigy.jsonl", &[]);
    assert_eq!(lines(found()), ["Ann/B-PER met Bob .", "Nothing in it ."]);
    let [remark] = &remarks(found())[..] else { panic!("one remark") };
    assert!(remark.starts_with("bytes:2: the first of 2 record(s) that were rejected"), "{remark}");
}

#[test]
fn spacy_has_pairs_a_line_each_or_in_a_list() {
    let expected = ["Ann/B-PER met Bob/B-PER .", "In Rome/B-LOC ."];
    assert_eq!(lines(file("spacy.jsonl", &[])), expected);
    assert_eq!(lines(file("spacy.json", &[])), expected);
}

#[test]
fn offsets_may_count_as_javascript_does() {
    let utf16 = [("offsets", "utf16")];
    assert_eq!(lines(file("utf16.jsonl", &utf16)), ["\u{1f600} Ann/B-PER", "\u{1f600} Bob/B-PER"]);
    let wrong = message(file("utf16.jsonl", &[]));
    assert!(wrong.starts_with("bytes:1: record 1: the span from 3 to 6 is outside"), "{wrong}");
}

#[test]
fn the_text_may_have_another_key() {
    let json = br#"{"id": 1, "body": "Ann", "spans": [[0, 3, "PER"]]}
        {"data": {"body": "Bob", "text": "x"}, "annotations": [{"result": []}]}"#;
    assert_eq!(lines(read_with(json, &[("text", "body")])), ["Ann/B-PER", "Bob"]);
    let missing = message(read_with(json, &[]));
    assert!(missing.starts_with("bytes:1: record 1: it has no text under `text`"), "{missing}");
}

#[test]
fn a_region_with_two_labels_is_two_annotations_in_one_place() {
    let json = r#"{"text": "Ann", "label": [{"start": 0, "end": 3, "labels": ["PER", "ORG"]}]}"#;
    assert_eq!(lines(read(json)), ["Ann/B-PER"]);
    assert!(remarks(read(json))[0].contains("1 annotation(s) that overlap"));
}

#[test]
fn records_are_told_by_line_and_number() {
    let after =
        |record: &str| message(read(&format!("{{\"text\": \"ab\", \"spans\": []}}\n{record}")));
    let said = |record: &str, expected: &str| {
        let message = after(record);
        let start = "bytes:2: record 2: ";
        assert!(message.strip_prefix(start).is_some_and(|m| m.starts_with(expected)), "{message}");
    };
    said(r#"{"text": "ab"}"#, "it has no list of spans");
    said(r#"{"text": "ab", "label": "positive"}"#, "it has no list of spans");
    said(r#"{"spans": []}"#, "it has no text under `text`");
    said(
        r#"{"text": "ab", "spans": [{"end": 1, "label": "x"}]}"#,
        "a span has no `start`: a whole",
    );
    said(r#"{"text": "ab", "spans": [[0, -1, "x"]]}"#, "a span has no `end`: a whole");
    said(r#"{"text": "ab", "spans": [[0, 1]]}"#, "a span has no `label`: the name");
    said(r#"{"text": "ab", "spans": [[0, 1, null]]}"#, "a span has no `label`: the name");
    said(r#"{"text": "ab", "label": ["x"]}"#, "invalid type: string \"x\", expected a span");
    said(r#"{"text": "ab", "spans": [[0, 1, ""]]}"#, "`` cannot name an entity type");
    said(r#"{"text": "ab", "spans": [[0, 9, "x"]]}"#, "the span from 0 to 9 is outside");
    said(r#"{"text": "ab", "spans": [[1, 1, "x"]]}"#, "the span from 1 to 1 is empty");
    said(
        r#"{"text": "ab", "entities": [{"name": "b", "span": [0, 1], "type": "x"}]}"#,
        "the annotation says `b`, but the text from 0 to 1 is `a`",
    );
    said(
        r#"{"data": {"text": "ab"}, "annotations": [{"result": [{"type": "hypertextlabels", "value": {}}]}]}"#,
        "its annotations are `hypertextlabels`",
    );
    said("7", "invalid type: integer `7`, expected a record");
    said("{\"text\": \"ab\", \"spans\": [}", "expected value");
    said("{\"text\": \"ab\", \"spans\": [", "EOF while parsing");
    said("{\"text\": \"\\ud800\", \"spans\": []}", "unexpected end of hex escape");
    assert!(after("{\n\n\"text\": 7}").starts_with("bytes:4: record 2: invalid type: integer `7`"));
}

#[test]
fn lists_must_be_whole() {
    const RECORD: &str = r#"{"text": "ab", "spans": []}"#;
    assert_eq!(lines(read(&format!("\u{feff} [ {RECORD} ,\n{RECORD} ] \n"))), ["ab", "ab"]);
    let of = |json: &str| message(read(&json.replace('R', RECORD)));
    assert_eq!(of("[R"), "bytes:1: record 2: the list of records has no end");
    assert_eq!(of("[R R]"), "bytes:1: record 2: a comma is missing before it");
    assert_eq!(of("[R]\nR"), "bytes:2: record 2: there is something after the list of records");
    assert!(of("[R,]").starts_with("bytes:1: record 2: expected value"));
    assert!(of("[,R]").starts_with("bytes:1: record 1: expected value"));
    assert_eq!(of("[]"), "bytes: no sentence in it");
    assert_eq!(of(" "), "bytes: no sentence in it");
    assert_eq!(of("["), "bytes:1: record 1: the list of records has no end");
    assert!(of("\u{feff}\u{feff}R").starts_with("bytes:1: record 1: expected value"));
}

#[test]
fn what_is_not_utf_8_is_told_with_its_line() {
    let wrong = message(read_with(b"{\"text\":\n\"caf\xe9\", \"spans\": []}", &[]));
    assert!(wrong.starts_with("bytes:2: record 1: not UTF-8 in `"), "{wrong}");
    let utf16: Vec<u8> = "\u{feff}[]".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(message(read_with(&utf16, &[])).starts_with("bytes:1: record 1: not UTF-8"));
    assert!(message(read_with(b"\xef\xbbx", &[])).starts_with("bytes:1: this is neither JSON"));
}

#[test]
fn depth_does_not_exhaust_the_stack() {
    for open in [
        "[",
        "{\"a\":",
        "{\"text\":",
        "[\"a\",",
        "{\"data\":",
        "{\"label\":[",
        "{\"annotations\":[",
    ] {
        let deep = open.repeat(1_000_000);
        assert!(read(&deep).is_err(), "{open}");
        let inside = format!("{{\"text\": \"a\", \"spans\": [], \"meta\": {deep}");
        assert!(read(&inside).is_err(), "{open}");
    }
    let closed = format!(
        "{{\"text\": \"a\", \"spans\": [], \"meta\": {}{}}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    assert_eq!(lines(read(&closed)), ["a"], "what is left out may be deep");
}

/// Text that looks a little like JSON, so that records get through too.
fn json_like() -> impl Strategy<Value = Vec<u8>> {
    const PIECES: &[&str] = &[
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"text\":\"ab é\"",
        "\"spans\":[",
        "[0,2,\"x\"]",
        "\"",
        "\\",
        "\n",
        "é",
        "\"label\":",
        "{\"text\":\"ab\",\"entities\":[",
        "]}",
        "\"data\":{",
        "\"annotations\":[{\"result\":[",
        "{\"value\":{\"start\":0,\"end\":1,\"labels\":[\"y\"]}}",
        "\"start\":1",
        "null",
        "1e9",
        "\u{feff}",
    ];
    prop::collection::vec(prop::sample::select(PIECES), 0..30).prop_map(|p| p.concat().into_bytes())
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(
        bytes in prop_oneof![prop::collection::vec(any::<u8>(), 0..200), json_like()],
    ) {
        let parameters = testing::parameters(JsonSpans::PARAMETERS, &[("mismatch", "offsets")]);
        if let Ok(content) = JsonSpans::read(&parameters).read_bytes(&bytes, &mut TypeSet::default()) {
            prop_assert!(content.sentences.iter().all(|s| !s.is_empty() && s.len() == s.tags.len()));
        }
    }

    #[test]
    fn what_is_written_as_json_is_read_back(
        records in prop::collection::vec(("[a-zé東\u{1f600}\"\\\\]{1,8}", 0..8usize, 1..8usize), 1..5),
        as_list in any::<bool>(), pretty in any::<bool>(),
    ) {
        let records: Vec<serde_json::Value> = records.iter().map(|(text, start, length)| {
            let count = text.chars().count();
            let start = start % count;
            let end = (start + length).min(count);
            serde_json::json!({"text": text, "spans": [[start, end, "x"]]})
        }).collect();
        let json = match (as_list, pretty) {
            (true, true) => format!("{:#}", serde_json::Value::Array(records.clone())),
            (true, false) => serde_json::Value::Array(records.clone()).to_string(),
            (false, true) => records.iter().map(|r| format!("{r:#}\n")).collect(),
            (false, false) => records.iter().map(|r| format!("{r}\n")).collect(),
        };
        let (content, _) = read_with(json.as_bytes(), &[("tokens", "character")]).unwrap();
        prop_assert_eq!(content.sentences.len(), records.len());
        for (sentence, record) in content.sentences.iter().zip(&records) {
            let span = &record["spans"][0];
            let tagged = sentence.tags.iter().filter(|tag| tag.entity_type().is_some()).count() as u64;
            prop_assert_eq!(tagged, span[1].as_u64().unwrap() - span[0].as_u64().unwrap());
            prop_assert_eq!(sentence.tokens.iter().collect::<String>(), record["text"].as_str().unwrap());
        }
    }
}
