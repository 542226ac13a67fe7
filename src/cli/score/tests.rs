//! The command from files to text and JSON, and every way in which files can be wrong.

use super::*;
use crate::domain::LevelScores;
use clap::Parser;
use std::fs;
use tempfile::TempDir;

#[derive(Parser)]
struct Command {
    #[command(flatten)]
    args: Args,
}

fn parse(line: &[&str]) -> Args {
    Command::try_parse_from([&["score"], line].concat()).unwrap().args
}

/// A folder with the given files.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

/// Scores the files with these arguments, or gives the message without the folder's path.
fn score_files(files: &[(&str, &[u8])], line: &[&str]) -> Result<Scores, String> {
    let folder = folder(files);
    let mut args = parse(line);
    args.gold = folder.path().join(&args.gold);
    args.predicted = args.predicted.map(|path| folder.path().join(path));
    let without_folder =
        |message: String| message.replace(&format!("{}/", folder.path().display()), "");
    let tagged = read(&args).map_err(|error| without_folder(error.to_string()))?;
    let mut scores = score(&tagged.types, tagged.gold(), tagged.predicted(), args.mode).unwrap();
    fix_types(&mut scores, &args.types, true);
    Ok(scores)
}

const GOLD: &[u8] = b"John\tB-PER\nSmith\tI-PER\nof\tO\n\nParis\tB-LOC\n";
const PREDICTED: &[u8] = b"John\tB-PER\nSmith\tI-PER\nof\tO\n\nParis\tB-ORG\n\n\n";

fn counts(level: &LevelScores) -> (u64, u64, u64) {
    (level.micro.support, level.micro.predicted, level.micro.correct)
}

#[test]
fn two_files_and_one_file_give_the_same() {
    let two = score_files(&[("g", GOLD), ("p", PREDICTED)], &["g", "p"]).unwrap();
    assert_eq!((counts(&two.span), counts(&two.token)), ((2, 2, 1), (3, 3, 2)));
    let both = b"John NNP B-PER B-PER\nSmith NNP I-PER I-PER\nof IN O O\n\nParis NNP B-LOC B-ORG\n";
    assert_eq!(score_files(&[("b", both)], &["b"]).unwrap(), two);
    let columns = ["b", "--gold-column", "2", "--pred-column", "-1"];
    assert_eq!(score_files(&[("b", both)], &columns).unwrap(), two);
}

#[test]
fn windows_line_ends_a_byte_order_mark_and_document_lines_change_nothing() {
    let dressed =
        "\u{feff}-DOCSTART-\tO\r\n\r\nJohn\tB-PER\r\nSmith\tI-PER\r\nof\tO \r\n \r\nParis\tB-LOC";
    let plain = score_files(&[("g", GOLD), ("p", PREDICTED)], &["g", "p"]).unwrap();
    let found = score_files(&[("g", dressed.as_bytes()), ("p", PREDICTED)], &["g", "p"]);
    assert_eq!(found.unwrap(), plain);
}

#[test]
fn a_token_may_be_a_space_and_need_not_be_there() {
    let spaces = "a\tB-x\n \tI-x\n\u{a0}\tI-x\n".as_bytes();
    let bare = b"B-x\nI-x\nI-x\n";
    let found = score_files(&[("g", spaces), ("p", bare)], &["g", "p"]).unwrap();
    assert_eq!(counts(&found.span), (1, 1, 1));
}

#[test]
fn tags_without_a_type_are_one_type() {
    let found = score_files(&[("b", b"a B B\nb I I\nc O B\n")], &["b"]).unwrap();
    assert_eq!(counts(&found.span), (1, 2, 1));
    assert!(found.span.types.contains_key("_"));
}

#[test]
fn modes_and_types_reach_the_scorer() {
    let stray: &[(&str, &[u8])] = &[("b", b"a B-x I-x\n")];
    assert_eq!(counts(&score_files(stray, &["b"]).unwrap().span), (1, 1, 1));
    for mode in ["strict", "discard"] {
        assert_eq!(counts(&score_files(stray, &["b", "--mode", mode]).unwrap().span), (1, 0, 0));
    }
    let fixed = score_files(stray, &["b", "--types", "x,y"]).unwrap();
    assert_eq!((fixed.span.macro_fixed.f1, fixed.token.macro_fixed.f1), (0.5, 0.5));
    assert!(Command::try_parse_from(["score", "b", "--mode", "lenient"]).is_err());
}

#[test]
fn wrong_files_are_refused_with_their_line() {
    let cases: &[(&[u8], &str)] = &[
        (b"", "p: no tokens in this file"),
        (b"\n \n", "p: no tokens in this file"),
        (b"John O B-PER\nJo\xffhn O O\n", "p:2: not a text file in UTF-8"),
        (b"\x7fELF\0\0\n", "p:1: not a text file in UTF-8"),
        (b"a O O\n\nb\n", "p:3: 1 column here, but a tag was expected in column -2: \"b\""),
        (
            b"a O O\nb O S-PER\n",
            "p:2: \"S-PER\" in column -1 is not an IOB2 tag (O, B-type or I-type)",
        ),
        (b"a O B-\n", "p:1: \"B-\" in column -1 is not an IOB2 tag (O, B-type or I-type)"),
        (b"a\tO\t\n", "p:1: \"\" in column -1 is not an IOB2 tag (O, B-type or I-type)"),
    ];
    for (bytes, expected) in cases {
        assert_eq!(&score_files(&[("p", bytes)], &["p"]).unwrap_err(), expected);
    }
    let missing = score_files(&[], &["p"]).unwrap_err();
    assert!(missing.starts_with("p: cannot be read: No such file"), "{missing}");
}

#[test]
fn files_that_part_are_refused_where_they_do() {
    let cases: &[(&[u8], &str)] = &[
        (
            b"John\tB-PER\n\nSmith\tI-PER\nof\tO\n\nParis\tB-ORG\n",
            "the files part: g:2 has the token \"Smith\", p:2 ends the sentence",
        ),
        (
            b"John\tB-PER\nof\tO\n\nParis\tB-ORG\n",
            "the files part: g:2 has the token \"Smith\", p:2 has the token \"of\"",
        ),
        (
            b"\nJohn\tB-PER\nSmith\tI-PER\nof\tO\n",
            "the files part: g:5 has the token \"Paris\", p:6 is the end of the file",
        ),
    ];
    for (bytes, expected) in cases {
        let message = score_files(&[("g", GOLD), ("p", bytes)], &["g", "p"]).unwrap_err();
        assert_eq!(&message, expected);
    }
    let renamed = b"w1\tB-PER\nw2\tI-PER\nw3\tO\n\nw4\tB-ORG\n";
    let found = score_files(&[("g", GOLD), ("p", renamed)], &["g", "p", "--ignore-tokens"]);
    assert_eq!(counts(&found.unwrap().span), (2, 2, 1));
}

#[test]
fn any_bytes_are_scored_or_refused() {
    use proptest::prelude::*;
    let piece = prop::sample::select(vec![
        &b"a"[..],
        b" ",
        b"\t",
        b"\n",
        b"\r",
        b"O",
        b"B-x",
        b"I-x",
        b"\0",
        b"\xff",
        b"-",
        b"\n\n",
    ]);
    let file = prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat());
    proptest!(|(gold in file.clone(), predicted in file, column in -4isize..4)| {
        let column = format!("--gold-column={column}");
        let _ = score_files(&[("g", &gold), ("p", &predicted)], &["g", "p", &column]);
        let _ = score_files(&[("g", &gold)], &["g", &column]);
    });
}

#[test]
fn json_has_the_keys_that_other_programs_read() {
    let scores = score_files(&[("g", GOLD), ("p", PREDICTED)], &["g", "p"]).unwrap();
    let json = as_json(&scores, Mode::Conlleval);
    let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["macro", "macro_fixed", "micro", "mode", "token", "types", "weighted"]);
    assert_eq!(json["mode"], "conlleval");
    let per = json!({"precision": 1.0, "recall": 1.0, "f1": 1.0,
        "support": 1, "predicted": 1, "correct": 1});
    assert_eq!(json["types"]["PER"], per);
    assert_eq!(json["micro"]["f1"], 0.5);
    assert_eq!(json["token"]["micro"]["correct"], 2);
}

#[test]
fn the_table_is_aligned_and_names_its_rules() {
    let scores = score_files(&[("g", GOLD), ("p", PREDICTED)], &["g", "p"]).unwrap();
    let expected = "\
spans          precision     recall         f1    support  predicted    correct
LOC               0.0000     0.0000     0.0000          1          0          0
ORG               0.0000     0.0000     0.0000          0          1          0
PER               1.0000     1.0000     1.0000          1          1          1

micro             0.5000     0.5000     0.5000          2          2          1
macro             0.3333     0.3333     0.3333          2          2          1
macro_fixed       0.5000     0.5000     0.5000          2          1          1
weighted          0.5000     0.5000     0.5000          2          2          1

tokens, B = I  precision     recall         f1    support  predicted    correct
micro             0.6667     0.6667     0.6667          3          3          2
macro             0.3333     0.3333     0.3333          3          3          2
macro_fixed       0.5000     0.5000     0.5000          3          2          2
weighted          0.6667     0.6667     0.6667          3          3          2

mode conlleval: an I that continues nothing begins an entity (seqeval's default)
macro: mean over the types in gold or prediction, those without support included, as 0;
macro_fixed: mean over the types in gold. A ratio of nothing is 0.
";
    assert_eq!(table::render(&scores, Mode::Conlleval, &[]), expected);
}
