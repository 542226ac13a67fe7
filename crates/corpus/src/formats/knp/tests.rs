//! Every fixture under `tests/fixtures/knp`.

use super::*;
use crate::Loaded;
use crate::formats::testing::{self, Read};
use domain::{Part, Split};

fn fixture(name: &str, tokens: &str) -> Read {
    read_bytes(name, &testing::fixture("knp", name), tokens).unwrap()
}

fn read_bytes(name: &str, bytes: &[u8], tokens: &str) -> Result<Read, CorpusError> {
    let knp = Knp::read(&testing::parameters(Knp::PARAMETERS, &[("tokens", tokens)]));
    let lines = Lines::new(name.as_ref(), Encoding::Utf8, bytes);
    testing::read(|types| knp.read_lines(lines, types))
}

const NAME: &str = "w201106-0000000001.knp";

#[test]
fn entities_are_found_by_their_text_and_morphemes_may_look_like_other_lines() {
    let read = fixture(NAME, "morpheme");
    assert_eq!(
        read.shown(),
        [
            "太郎/B-PERSON は 京都/B-ORGANIZATION 大学/I-ORGANIZATION に 行った \\u{3002}",
            "大学 前 英語 # * +",
            "a/B-ARTIFACT >/I-ARTIFACT b/I-ARTIFACT",
        ]
    );
    assert_eq!(read.content.documents, [0, 2]);
    assert_eq!(
        read.remarks(),
        [
            "w201106-0000000001.knp:19: the first of 1 OPTIONAL entity(ies), read as O",
            "w201106-0000000001.knp:22: the first of 1 entity(ies) whose text is not made of whole \
             tokens of its phrase, read as O",
        ]
    );
}

#[test]
fn characters_are_tokens_if_asked_for() {
    let read = fixture(NAME, "character");
    let shown = read.shown();
    let start = "太/B-PERSON 郎/I-PERSON は 京/B-ORGANIZATION 都/I-ORGANIZATION 大/I-ORGANIZATION";
    assert!(shown[0].starts_with(start), "{}", shown[0]);
    assert_eq!(shown[1], "大 学 前 英/B-LOCATION 語 # * +");
    assert_eq!(read.remarks().len(), 1);
}

#[test]
fn of_two_entities_across_each_other_the_first_and_longest_stays() {
    let read = fixture("overlapping.knp", "morpheme");
    assert_eq!(read.shown(), ["京都/B-ORGANIZATION 大学/I-ORGANIZATION"]);
    let remarks = read.remarks();
    assert!(remarks[0].starts_with("overlapping.knp:3: the first of 1 entity(ies) in another"));
}

#[test]
fn a_surface_ends_in_its_own_phrase() {
    let text = "* 1D\n+ 1D\n東京 と 東京 名詞\n+ 1D <NE:LOCATION:東京>\n大阪 お 大阪 名詞\nEOS\n";
    let read = read_bytes("f", text.as_bytes(), "character").unwrap();
    assert_eq!(read.shown(), ["東 京 大 阪"]);
    assert_eq!(read.remarks().len(), 1);
}

#[test]
fn a_sentence_ends_with_the_file_or_where_another_one_begins() {
    let text = "+ -1D\n一 い 一 名詞\n# S-ID:a-2\n+ -1D\n二 に 二 名詞\n";
    assert_eq!(read_bytes("f", text.as_bytes(), "morpheme").unwrap().shown(), ["一", "二"]);
}

#[test]
fn errors_name_file_line_and_text() {
    let message =
        |text: &str| read_bytes("f", text.as_bytes(), "morpheme").unwrap_err().to_string();
    assert_eq!(
        message("w201106-0000060050\n"),
        "f:1: no line of a KNP file: a morpheme has at least 4 fields, this 1 (a list of ids needs the \
         folder `documents`): `w201106-0000060050`"
    );
    assert_eq!(
        message("+ -1D\n い 一 名詞\n"),
        "f:2: no line of a KNP file: a morpheme without a surface: ` い 一 名詞`"
    );
}

fn corpus(roles: &[(&str, &str)]) -> Result<Loaded, CorpusError> {
    let file = |&(role, name): &(&str, &str)| (role.to_owned(), testing::path("knp", name));
    let part = Part { kind: "knp".into(), parameters: testing::parameters(Knp::PARAMETERS, &[]) };
    crate::load(&part, &roles.iter().map(file).collect())
}

#[test]
fn splits_are_lists_of_ids_or_folders() {
    let lists = [("train", "train.id"), ("test", "test.id"), ("documents", "documents")];
    let loaded = corpus(&lists).unwrap().corpus;
    let first =
        |split| loaded.split(split).iter().map(|s| s.tokens[0].to_owned()).collect::<Vec<_>>();
    assert_eq!([first(Split::Train).len(), first(Split::Dev).len()], [3, 1]);
    assert_eq!(first(Split::Test), ["花子", "はい"]);
    let whole = corpus(&[("all", "documents")]).unwrap().corpus;
    assert_eq!(whole.train.len() + whole.dev.len() + whole.test.len(), 6);
    let wrong = [("train", "wrong.id"), ("test", "test.id"), ("documents", "documents")];
    let message = corpus(&wrong).unwrap_err().to_string();
    assert!(
        message.ends_with(
            "wrong.id:2: no file called `w201106-0000000009.knp` is among the documents: is \
             `documents` the right folder?"
        ),
        "{message}"
    );
}
