//! Texts with spans made to sentences, and no text or span that could break that.

use super::rules::{Partial, Sentences, Tokens};
use super::testing::{self, Read, lines, message, remarks};
use super::*;
use crate::CorpusError;
use crate::formats::rows::MOST_TYPES;
use domain::{Tag, TypeSet};
use proptest::prelude::*;
use std::path::Path;

/// A type with the offsets of its pieces.
type Named<'a> = (&'a str, &'a [(usize, usize)]);

/// Annotations of the same line as their number, each a type and the offsets of its pieces.
fn annotations(spans: &[Named<'_>]) -> Vec<Annotation> {
    let annotation = |(index, (entity_type, pieces)): (usize, &Named<'_>)| {
        let entity_type = entity_type.to_string();
        Annotation {
            place: AnnotationPlace::line(index + 1),
            entity_type,
            pieces: pieces.to_vec(),
            text: None,
        }
    };
    spans.iter().enumerate().map(annotation).collect()
}

fn read_annotations(text: &str, annotations: &[Annotation], set: &[(&str, &str)]) -> Read {
    let rules = SpanRules::read(&testing::parameters(SpanRules::PARAMETERS, set));
    let mut types = TypeSet::default();
    let mut documents = Documents::new(&rules, &mut types);
    documents.push(Path::new("f"), text, annotations)?;
    let content = documents.finish(Path::new("f"))?;
    Ok((content, types))
}

fn read(text: &str, spans: &[Named<'_>], set: &[(&str, &str)]) -> Read {
    read_annotations(text, &annotations(spans), set)
}

fn said(text: &str, span: (usize, usize), said: &str, set: &[(&str, &str)]) -> Read {
    let mut annotations = annotations(&[("x", &[span])]);
    annotations[0].text = Some(said.to_owned());
    read_annotations(text, &annotations, set)
}

#[test]
fn entities_have_tags_and_neighbours_are_told_apart() {
    let spans: &[Named<'_>] = &[("PER", &[(4, 7)]), ("PER", &[(0, 3)]), ("LOC", &[(8, 16)])];
    assert_eq!(
        lines(read("Ann Bob New York.", spans, &[])),
        ["Ann/B-PER Bob/B-PER New/B-LOC York/I-LOC ."]
    );
}

#[test]
fn a_token_is_cut_where_an_entity_begins_or_ends() {
    let spans: &[Named<'_>] = &[("x", &[(2, 5)]), ("y", &[(5, 7)])];
    let found = || read("anti-HIVpos", &[("x", &[(5, 8)])], &[]);
    assert_eq!(lines(found()), ["anti - HIV/B-x pos"]);
    assert_eq!(remarks(found()).len(), 1);
    assert!(remarks(found())[0].starts_with("f:1: the first of 1 token(s) cut"));
    assert_eq!(lines(read("abcdefgh ij", spans, &[])), ["ab cde/B-x fg/B-y h ij"]);
    assert!(
        remarks(read("abcdefgh ij", spans, &[]))[0].starts_with("f:1: the first of 1 token(s)")
    );
}

#[test]
fn an_entity_may_be_widened_to_whole_tokens() {
    let widen = [("partial_tokens", "widen")];
    let spans: &[Named<'_>] = &[("x", &[(4, 14)]), ("y", &[(15, 16)])];
    let found = || read("an antimicrobe ab c", spans, &widen);
    assert_eq!(lines(found()), ["an antimicrobe/B-x ab/B-y c"]);
    assert!(remarks(found())[0].starts_with("f:1: the first of 2 annotation(s) widened to whole"));
    let both: &[Named<'_>] = &[("x", &[(0, 1)]), ("y", &[(1, 4)])];
    assert_eq!(lines(read("ab c", both, &widen)), ["ab/B-y c/I-y"], "a token has one tag");
    assert!(remarks(read("ab c", both, &widen))[1].contains("1 annotation(s) that overlap"));
}

#[test]
fn no_sentence_ends_inside_of_an_entity() {
    let text = "At St. Mary. Yes\nNo";
    assert_eq!(lines(read(text, &[], &[])), ["At St .", "Mary .", "Yes", "No"]);
    let found = lines(read(text, &[("x", &[(3, 11)])], &[]));
    assert_eq!(found, ["At St/B-x ./I-x Mary/I-x .", "Yes", "No"]);
    let lines_only = lines(read(text, &[("x", &[(13, 19)])], &[("sentences", "lines")]));
    assert_eq!(lines_only, ["At St . Mary . Yes/B-x No/I-x"]);
}

#[test]
fn white_space_around_an_entity_is_not_part_of_it() {
    let set = [("tokens", "character")];
    assert_eq!(lines(read("a b. C", &[("x", &[(1, 5)])], &set)), ["a   b/B-x ./I-x", "C"]);
    let blank = || read("a  b", &[("x", &[(1, 3)]), ("y", &[(0, 1)])], &[]);
    assert_eq!(lines(blank()), ["a/B-y b"]);
    assert_eq!(
        remarks(blank()),
        ["f:1: the first of 1 annotation(s) of white space alone, left out"]
    );
}

const NESTED: &[Named<'_>] =
    &[("x", &[(4, 6)]), ("y", &[(0, 6)]), ("z", &[(0, 6)]), ("y", &[(0, 6)])];

#[test]
fn of_overlapping_annotations_one_is_kept_and_the_others_are_counted() {
    assert_eq!(lines(read("ab, cd.", NESTED, &[])), ["ab/B-y ,/I-y cd/I-y ."]);
    assert_eq!(
        remarks(read("ab, cd.", NESTED, &[])),
        [
            "f:1: the first of 2 annotation(s) that overlap a longer one and were left out: see `overlap`",
            "f:4: the first of 1 annotation(s) that occurred before, read once",
        ]
    );
    for policy in ["first", "innermost"] {
        assert_eq!(lines(read("ab, cd.", NESTED, &[("overlap", policy)])), ["ab , cd/B-x ."]);
    }
    let refused = message(read("ab, cd.", NESTED, &[("overlap", "refuse")]));
    assert!(refused.starts_with("f:2: `ab, cd` overlaps `cd`: set `overlap`"), "{refused}");
}

#[test]
fn types_of_annotations_that_are_left_out_are_no_types() {
    let (_, types) = read("ab, cd.", NESTED, &[]).unwrap();
    assert_eq!(types.names(), ["y"]);
}

#[test]
fn pieces_are_read_as_the_policy_says_and_counted() {
    let spans: &[Named<'_>] = &[("x", &[(5, 6), (0, 1)])];
    let text = "a b c d";
    let found = |policy| lines(read("a bc d", spans, &[("discontinuous", policy)]));
    assert_eq!(found("cover"), ["a/B-x bc/I-x d/I-x"]);
    assert_eq!(found("first"), ["a/B-x bc d"]);
    assert_eq!(found("parts"), ["a/B-x bc d/B-x"]);
    assert_eq!(found("drop"), ["a bc d"]);
    for policy in ["cover", "first", "parts", "drop"] {
        let said = remarks(read("a bc d", spans, &[("discontinuous", policy)]));
        assert!(
            said[0].starts_with("f:1: the first of 1 annotation(s) in several pieces"),
            "{said:?}"
        );
    }
    let refused = message(read("a bc d", spans, &[("discontinuous", "refuse")]));
    assert!(
        refused.starts_with("f:1: `d a` is in several pieces: set `discontinuous`"),
        "{refused}"
    );
    let touching: &[Named<'_>] = &[("x", &[(2, 3), (0, 1), (0, 1)])];
    assert_eq!(lines(read(text, touching, &[("discontinuous", "refuse")])), ["a/B-x b/I-x c d"]);
}

#[test]
fn the_text_that_a_file_repeats_must_be_that_of_the_offsets() {
    assert_eq!(remarks(said("a big  dog", (2, 10), "big  dog", &[])), [""; 0]);
    let spaces = remarks(said("a big  dog", (2, 10), "big dog ", &[]));
    assert!(
        spaces[0].contains("1 annotation(s) whose own text has other white space"),
        "{spaces:?}"
    );
    let wrong = message(said("a big  dog", (2, 10), "big cat", &[]));
    assert!(
        wrong.starts_with(
            "f:1: the annotation says `big cat`, but the text from 2 to 10 is `big  dog`: set `offsets`"
        ),
        "{wrong}"
    );
    let trusted = || said("a big  dog", (2, 10), "big cat", &[("mismatch", "offsets")]);
    assert_eq!(lines(trusted()), ["a big/B-x dog/I-x"]);
    assert!(remarks(trusted())[0].contains("read by their offsets"));
}

#[test]
fn offsets_count_what_they_are_said_to() {
    let text = "\u{1f600} Zoë x";
    for (unit, span) in [("characters", (2, 5)), ("utf16", (3, 6)), ("bytes", (5, 9))] {
        let found = lines(read(text, &[("p", &[span])], &[("offsets", unit)]));
        assert_eq!(found, ["\u{1f600} Zoë/B-p x"], "{unit}");
    }
    let wrong = message(read(text, &[("p", &[(1, 3)])], &[("offsets", "utf16")]));
    assert!(wrong.starts_with("f:1: offset 1, counted in UTF-16 units"), "{wrong}");
    let outside = message(read(text, &[("p", &[(5, 8)])], &[]));
    assert!(outside.starts_with("f:1: the span from 5 to 8 is outside"), "{outside}");
    assert_eq!(message(read(text, &[("p", &[(3, 3)])], &[])), "f:1: the span from 3 to 3 is empty");
}

#[test]
fn types_need_a_name_and_cannot_be_endless() {
    for name in ["", "a\tb", "\u{7f}"] {
        let wrong = message(read("a", &[(name, &[(0, 1)])], &[]));
        assert!(wrong.contains("cannot name an entity type"), "{wrong}");
    }
    let text = "a".repeat(MOST_TYPES + 1);
    let names: Vec<String> = (0..=MOST_TYPES).map(|n| n.to_string()).collect();
    let pieces: Vec<[(usize, usize); 1]> = (0..=MOST_TYPES).map(|n| [(n, n + 1)]).collect();
    let spans: Vec<Named<'_>> =
        names.iter().map(String::as_str).zip(pieces.iter().map(|p| &p[..])).collect();
    let wrong = message(read(&text, &spans, &[]));
    assert!(wrong.starts_with("f:1001: more than 1000 entity types"), "{wrong}");
}

#[test]
fn a_document_without_a_token_has_no_sentence() {
    assert_eq!(message(read(" \n", &[], &[])), "f: no sentence in it");
    let rules = SpanRules::read(&testing::parameters(SpanRules::PARAMETERS, &[]));
    let mut types = TypeSet::default();
    let mut documents = Documents::new(&rules, &mut types);
    for text in ["", "One. Two", " ", "Three"] {
        documents.push(Path::new("f"), text, &[]).unwrap();
    }
    let content = documents.finish(Path::new("f")).unwrap();
    assert_eq!((content.documents, content.sentences.len()), (vec![0, 2], 3));
}

#[test]
fn settings_that_are_none_are_refused() {
    let wrong = testing::parameters(SpanRules::PARAMETERS, &[("tokens", "morpheme")]);
    let wrong = crate::error::checked(SpanRules::PARAMETERS, &wrong).unwrap_err().to_string();
    assert_eq!(wrong, "`tokens`: `morpheme` is not one of word, character, whitespace");
}

/// Pieces of text in which sentences, tokens and characters end at different places.
fn text() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "a",
        "B",
        "1",
        ".",
        "!",
        "。",
        "'",
        "-",
        " ",
        "\n",
        "\r\n",
        "\t",
        "é",
        "e\u{301}",
        "東",
        "\u{1f600}",
        "\u{200d}",
        "\u{feff}",
        "\0",
        "\u{85}",
        "\u{3000}",
        ")",
    ];
    prop_oneof![
        prop::collection::vec(prop::sample::select(PIECES), 0..40)
            .prop_map(|pieces| pieces.concat()),
        ".{0,20}",
    ]
}

/// Ordered places of a text, cut to spans of which none touches the next.
fn disjoint(length: usize, mut places: Vec<usize>) -> Vec<(usize, usize)> {
    places.iter_mut().for_each(|place| *place %= length + 1);
    places.sort_unstable();
    places.dedup();
    places.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
}

fn dense(text: &str) -> String {
    text.chars().filter(|&c| !is_space(c)).collect()
}

proptest! {
    #[test]
    fn every_entity_and_every_character_is_in_the_sentences(
        text in text(),
        places in prop::collection::vec(0..80usize, 0..10),
        tokens in prop::sample::select(Tokens::WORDS),
        sentences in prop::sample::select(Sentences::WORDS),
    ) {
        let characters: Vec<char> = text.chars().collect();
        let spans = disjoint(characters.len(), places);
        let pieces: Vec<[(usize, usize); 1]> = spans.iter().map(|&span| [span]).collect();
        let spans: Vec<Named<'_>> = pieces.iter().map(|p| ("x", &p[..])).collect();
        let expected: Vec<String> = pieces
            .iter()
            .map(|[(start, end)]| dense(&characters[*start..*end].iter().collect::<String>()))
            .filter(|entity| !entity.is_empty())
            .collect();
        let set = [("tokens", tokens), ("sentences", sentences)];
        let Ok((content, _)) = read(&text, &spans, &set) else {
            prop_assert_eq!(dense(&text), "");
            return Ok(());
        };
        let mut entities: Vec<String> = vec![];
        let mut whole = String::new();
        for sentence in &content.sentences {
            prop_assert!(!sentence.is_empty() && sentence.len() == sentence.tags.len());
            prop_assert!(!matches!(sentence.tags[0], Tag::Inside(_)));
            for (token, tag) in sentence.tokens.iter().zip(&sentence.tags) {
                prop_assert!(!token.is_empty() && !token.contains(['\t', '\n', '\0']));
                whole.push_str(&dense(token));
                match tag {
                    Tag::Begin(_) => entities.push(dense(token)),
                    Tag::Inside(_) => entities.last_mut().unwrap().push_str(&dense(token)),
                    Tag::Outside => {}
                }
            }
        }
        prop_assert_eq!(whole, dense(&text));
        prop_assert_eq!(entities, expected);
    }

    #[test]
    fn no_spans_make_it_panic_and_each_is_an_entity_or_counted(
        text in text(),
        pieces in prop::collection::vec(
            prop::collection::vec((0..30usize, 0..30usize), 1..4), 0..6),
        unit in prop::sample::select(Unit::WORDS),
        overlap in prop::sample::select(Overlap::WORDS),
        discontinuous in prop::sample::select(Discontinuous::WORDS),
        partial in prop::sample::select(Partial::WORDS),
    ) {
        let spans: Vec<Named<'_>> = pieces.iter().map(|p| ("x", &p[..])).collect();
        let set = [
            ("offsets", unit), ("overlap", overlap), ("discontinuous", discontinuous),
            ("partial_tokens", partial),
        ];
        if let Ok((content, _)) = read(&text, &spans, &set) {
            let begun = content.sentences.iter().flat_map(|sentence| &sentence.tags);
            let entities = begun.filter(|tag| matches!(tag, Tag::Begin(_))).count();
            let counted: usize = content.remarks.into_vec().iter().map(|remark| remark.count).sum();
            prop_assert!(entities + counted >= spans.len());
        }
    }
}

#[test]
fn an_error_has_the_path_of_the_annotations() {
    let error = read("a", &[("x", &[(0, 2)])], &[]).unwrap_err();
    assert!(matches!(error, CorpusError::Annotation { ref path, .. } if path == Path::new("f")));
}
