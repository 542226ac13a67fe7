//! The command from files to text and JSON, and every way in which files can be wrong.

mod paired;

use super::*;
use clap::Parser;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

#[derive(Parser)]
struct Command {
    #[command(flatten)]
    args: Args,
}

fn parse(line: &[&str]) -> Args {
    Command::try_parse_from([&["score"], line].concat()).unwrap().args
}

/// A file: its name and bytes.
type File<'a> = (&'a str, &'a [u8]);

/// A folder with the given files.
fn folder(files: &[File]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

/// What the command prints, or its message; without the folder's path.
fn printed(files: &[File], line: &[&str], as_json: bool) -> Result<String, String> {
    let folder = folder(files);
    let mut args = parse(line);
    let place = |path: &mut PathBuf| {
        if path.as_path() != Path::new("-") {
            *path = folder.path().join(&path);
        }
    };
    place(&mut args.gold);
    args.predicted.iter_mut().for_each(place);
    args.train.iter_mut().for_each(place);
    let without_folder =
        |message: String| message.replace(&format!("{}/", folder.path().display()), "");
    let asked = Asked::new(&args)?;
    let shown = answer(&asked, as_json, true).map_err(|error| without_folder(error.to_string()))?;
    Ok(without_folder(shown))
}

fn text(files: &[File], line: &[&str]) -> String {
    printed(files, line, false).unwrap()
}

fn scores(files: &[File], line: &[&str]) -> Value {
    serde_json::from_str(&printed(files, line, true).unwrap()).unwrap()
}

fn refused(files: &[File], line: &[&str]) -> String {
    printed(files, line, true).unwrap_err()
}

const GOLD: &[u8] = b"John\tB-PER\nSmith\tI-PER\nof\tO\n\nParis\tB-LOC\n";
const PREDICTED: &[u8] = b"John\tB-PER\nSmith\tI-PER\nof\tO\n\nParis\tB-ORG\n\n\n";
const TWO: &[File] = &[("g", GOLD), ("p", PREDICTED)];

/// Support, predicted and correct of all spans or tokens together.
fn counts(level: &Value) -> [u64; 3] {
    ["support", "predicted", "correct"].map(|name| level["micro"][name].as_u64().unwrap())
}

#[test]
fn two_files_and_one_file_give_the_same() {
    let two = scores(TWO, &["g", "p"]);
    assert_eq!((counts(&two), counts(&two["token"])), ([2, 2, 1], [3, 3, 2]));
    let both = b"John NNP B-PER B-PER\nSmith NNP I-PER I-PER\nof IN O O\n\nParis NNP B-LOC B-ORG\n";
    assert_eq!(scores(&[("b", both)], &["b"]), two);
    for name in ["--predicted-column", "--pred-column"] {
        assert_eq!(scores(&[("b", both)], &["b", "--gold-column", "2", name, "-1"]), two);
    }
    let swapped = scores(&[("b", both)], &["b", "--gold-column=-1", "--predicted-column=-2"]);
    assert_eq!(swapped["types"]["ORG"]["support"], 1);
}

#[test]
fn windows_line_ends_a_byte_order_mark_and_document_lines_change_no_score() {
    let dressed =
        "\u{feff}-DOCSTART-\tO\r\n\r\nJohn\tB-PER\r\nSmith\tI-PER\r\nof\tO \r\n \r\nParis\tB-LOC";
    let plain = scores(TWO, &["g", "p"]);
    let mut found = scores(&[("g", dressed.as_bytes()), ("p", PREDICTED)], &["g", "p"]);
    assert_eq!((&plain["documents"], &found["documents"]), (&Value::Null, &json!(1)));
    found["documents"] = Value::Null;
    assert_eq!(found, plain);
}

#[test]
fn a_token_may_be_a_space_and_need_not_be_there() {
    let spaces = "a\tB-x\n \tI-x\n\u{a0}\tI-x\n".as_bytes();
    let found = scores(&[("g", spaces), ("p", b"B-x\nI-x\nI-x\n")], &["g", "p"]);
    assert_eq!(counts(&found), [1, 1, 1]);
}

/// Sentences and tokens that the corpus format of column files reads, if it reads the file.
fn as_a_corpus(bytes: &[u8]) -> Option<[usize; 2]> {
    let format = spec::format_named("columns", &[]).expect("a format");
    let folder = folder(&[("f", bytes)]);
    let file = |split: &str| (split.to_owned(), folder.path().join("f"));
    let corpus = corpus::load(&format, &["train", "dev", "test"].map(file).into()).ok()?;
    let test = &corpus.corpus.test;
    Some([test.len(), test.iter().map(|sentence| sentence.tags.len()).sum()])
}

/// The same of the file as gold and prediction.
fn as_scored(bytes: &[u8]) -> Result<[usize; 2], String> {
    let printed = printed(&[("g", bytes), ("p", bytes)], &["g", "p"], true)?;
    let found: Value = serde_json::from_str(&printed).map_err(|error| error.to_string())?;
    Ok(["sentences", "tokens"].map(|name| found[name].as_u64().unwrap_or(0) as usize))
}

#[test]
fn lines_are_those_of_the_corpus_format() {
    let cases: [(&[u8], [usize; 2]); 7] = [
        (b"a\tO\r\n\r\nb\tO\r\n", [2, 2]),
        (b"a\tO\r\r\n\r\r\nb\tO\r\r\n", [2, 2]),
        (b"a\tO\n\x0c\nb\tO\n", [2, 2]),
        (b"-DOCSTART- -X- O\n\na\tO\n-DOCSTART-\tO\nb\tO\n", [2, 2]),
        (b" -DOCSTART- O\na O\n", [1, 2]),
        (b"-DOCSTART-\x0cO O\na O\n", [1, 1]),
        (b"a O\nb\tO\n", [1, 2]),
    ];
    for (bytes, expected) in cases {
        let shown = String::from_utf8_lossy(bytes);
        assert_eq!(as_a_corpus(bytes), Some(expected), "{shown:?}");
        assert_eq!(as_scored(bytes), Ok(expected), "{shown:?}");
    }
    // A line without the file's separator is refused by both, not read as something else.
    let mixed = b"New York\tO\nNew O\n";
    assert_eq!(as_a_corpus(mixed), None);
    assert!(as_scored(mixed).is_err());
}

#[test]
fn every_corpus_can_be_scored() {
    use proptest::prelude::*;
    let piece = prop::sample::select(vec![
        &b"a\tO\n"[..],
        b"a O\n",
        b"b\tB-x\r\n",
        b"c\tI-x",
        b"\n",
        b"\r",
        b"\x0c",
        b"\x0b",
        b" ",
        b"\t",
        b"-DOCSTART-",
        b"-DOCSTART- O\n",
        "\u{feff}".as_bytes(),
        "\u{a0}".as_bytes(),
    ]);
    let file = prop::collection::vec(piece, 1..12).prop_map(|pieces| pieces.concat());
    proptest!(|(bytes in file)| {
        if let Some(expected) = as_a_corpus(&bytes) {
            prop_assert_eq!(as_scored(&bytes), Ok(expected));
        }
    });
}

#[test]
fn tags_without_a_type_are_one_type() {
    for line in [&["b"][..], &["b", "--scheme", "bare"]] {
        let found = scores(&[("b", b"a B B\nb I I\nc O B\n")], line);
        assert_eq!(counts(&found), [1, 2, 1]);
        assert_eq!(found["types"]["_"]["correct"], 1);
    }
}

#[test]
fn modes_reach_the_scorer_and_are_named() {
    let stray: &[File] = &[("b", b"a B-x I-x\n")];
    assert_eq!(counts(&scores(stray, &["b"])), [1, 1, 1]);
    for mode in ["strict", "discard"] {
        let found = scores(stray, &["b", "--mode", mode]);
        assert_eq!((counts(&found), &found["mode"]), ([1, 0, 0], &json!(mode)));
        let shown = text(stray, &["b", "--mode", mode]);
        assert!(shown.contains(&format!("\nmode {mode}: ")), "{shown}");
    }
    assert!(Command::try_parse_from(["score", "b", "--mode", "lenient"]).is_err());
}

#[test]
fn schemes_are_read_as_they_are_meant() {
    let iobes: &[File] = &[("b", b"a B-x S-x\nb E-x S-x\nc S-y S-y\nd I-x O\n")];
    let found = scores(iobes, &["b", "--scheme", "iobes"]);
    assert_eq!((counts(&found), &found["scheme"]), ([3, 3, 1], &json!("iobes")));
    assert_eq!(counts(&scores(iobes, &["b", "--scheme", "iobes", "--mode", "strict"])), [2, 3, 1]);
    let iob1 = scores(&[("b", b"a I-x I-x\nb B-x I-x\n")], &["b", "--scheme", "iob1"]);
    assert_eq!(counts(&iob1), [2, 1, 0]);
    let io = scores(&[("b", b"a I-x I-x\nb I-y I-x\n")], &["b", "--scheme", "io"]);
    assert_eq!(counts(&io), [2, 1, 0]);
}

#[test]
fn the_policy_is_settable_and_told() {
    let files: &[File] = &[("b", b"a B-x B-x\nb O B-y\n")];
    let fixed = scores(files, &["b", "--types", "x,z"]);
    assert_eq!(fixed["macro_fixed"]["f1"], 0.5);
    assert_eq!(fixed["token"]["macro_fixed"]["f1"], 0.5);
    assert_eq!((&fixed["fixed_types"], &fixed["zero_division"]), (&json!(["x", "z"]), &json!(0.0)));
    let one = scores(files, &["b", "--types", "x,z", "--zero-division", "1"]);
    assert_eq!((&one["macro_fixed"]["f1"], &one["zero_division"]), (&json!(1.0), &json!(1.0)));
    assert_eq!(one["types"]["y"]["recall"], 1.0);
    let shown = text(files, &["b", "--types", "x,z", "--zero-division", "1"]);
    assert!(shown.contains("macro_fixed: mean over x, z;"), "{shown}");
    assert!(shown.contains("A ratio of nothing is 1."), "{shown}");
}

#[test]
fn nothing_to_find_is_told() {
    let found = scores(&[("b", b"a O O\n")], &["b", "--matching", "--buckets"]);
    assert_eq!((counts(&found), &found["micro"]["f1"]), ([0, 0, 0], &json!(0.0)));
    assert_eq!((&found["types"], &found["token"]["types"]), (&json!({}), &json!({})));
    assert_eq!(found["token_with_o"]["micro"]["f1"], 1.0);
    let shown = text(&[("b", b"a O O\n")], &["b"]);
    assert!(shown.contains("There is no entity in gold or prediction"), "{shown}");
}

#[test]
fn wrong_files_are_refused_with_their_line() {
    let expected = "O, B-type or I-type); --scheme names another scheme";
    let cases: &[(&[u8], &str)] = &[
        (b"", "p: no tokens in this file"),
        (b"\n \n", "p: no tokens in this file"),
        (b"John O B-PER\nJo\xffhn O O\n", "p:2: not a text file in UTF-8"),
        (b"\x7fELF\0\0\n", "p:1: not a text file in UTF-8"),
        (b"a O O\n\nb\n", "p:3: 1 column here, but a tag was expected in column -2: \"b\""),
        (
            b"a O O\nb O S-PER\n",
            &format!("p:2: \"S-PER\" in column -1 is not a tag of iob2 ({expected}"),
        ),
        (b"a O B-\n", &format!("p:1: \"B-\" in column -1 is not a tag of iob2 ({expected}")),
        (b"a\tO\t\n", &format!("p:1: \"\" in column -1 is not a tag of iob2 ({expected}")),
    ];
    for (bytes, expected) in cases {
        assert_eq!(&refused(&[("p", bytes)], &["p"]), expected);
    }
    let missing = refused(&[], &["p"]);
    assert!(missing.starts_with("p: cannot be read: No such file"), "{missing}");
    let bare = refused(&[("p", b"a B-x B-x\n")], &["p", "--scheme", "bare"]);
    assert!(
        bare.starts_with("p:1: \"B-x\" in column -2 is not a tag of bare (O, B or I)"),
        "{bare}"
    );
}

#[test]
fn more_types_than_any_corpus_has_are_refused() {
    let lines: String = (0..20_000).map(|n| format!("a B-{n} O\n")).collect();
    let said = refused(&[("p", lines.as_bytes())], &["p"]);
    assert_eq!(said, "p:10001: more than 10000 entity types: is column -2 the tag?");
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
        (b"", "the files part: g:1 has the token \"John\", p:1 is the end of the file"),
        (
            b"John\tB-PER\nSmith\tI-PER\nof\tO\n\nParis\tB-LOC\nis\tO\n",
            "the files part: g:6 ends the sentence, p:6 has the token \"is\"",
        ),
        (
            b"John\tB-PER\nSmith\tI-PER\nof\tO\n\nParis\tB-LOC\n\nRome\tO\n",
            "the files part: g:7 is the end of the file, p:7 has the token \"Rome\"",
        ),
    ];
    for (bytes, expected) in cases {
        assert_eq!(&refused(&[("g", GOLD), ("p", bytes)], &["g", "p"]), expected);
    }
    let third = refused(&[("g", GOLD), ("a", GOLD), ("b", b"John\tO\n")], &["g", "a", "b"]);
    assert_eq!(third, "the files part: g:2 has the token \"Smith\", b:2 ends the sentence");
    let renamed: &[u8] = b"w1\tB-PER\nw2\tI-PER\nw3\tO\n\nw4\tB-ORG\n";
    let found = scores(&[("g", GOLD), ("p", renamed)], &["g", "p", "--ignore-tokens"]);
    assert_eq!(counts(&found), [2, 2, 1]);
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let cases: &[(&[&str], &str)] = &[
        (&["-", "-"], "only one file can be standard input"),
        (&["g", "p", "--buckets", "--train", "-", "--paired-bs"], "test two predictions"),
        (&["g", "--mode", "strict", "--scheme", "iob1"], "IOB1 is read by --mode conlleval alone"),
        (&["g", "--mode", "discard", "--scheme", "iob1"], "IOB1 is read by --mode conlleval alone"),
        (&["g", "p", "--paired-ar"], "test two predictions: GOLD PRED PRED"),
        (&["g", "p", "q", "--paired-ar", "--types", "x"], "leave --types and --zero-division out"),
        (&["g", "p", "q", "--paired-bs", "--zero-division", "1"], "a ratio of nothing is 0"),
        (&["g", "p", "q", "--matching"], "score each alone"),
        (&["g", "p", "q", "--paired-bs", "9"], "9 is one file too many"),
        (&["g", "p", "--seed", "2", "q", "r"], "r is one file too many"),
    ];
    for (line, expected) in cases {
        let said = refused(&[], line);
        assert!(said.contains(expected), "{line:?}: {said}");
    }
    for line in [
        &["g", "--train", "t"][..],
        &["g", "--ignore-tokens"],
        &["g", "p", "q", "r"],
        &["g", "p", "q", "--paired-bs=0"],
    ] {
        assert!(Command::try_parse_from([&["score"], line].concat()).is_err(), "{line:?}");
    }
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
        b"E-x",
        b"\0",
        b"\xff",
        b"-",
        b"-DOCSTART-",
        b"\n\n",
    ]);
    let file = prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat());
    let schemes = prop::sample::select(Scheme::ALL.map(Scheme::word).to_vec());
    proptest!(|(
        gold in file.clone(), predicted in file, column in -4isize..4, scheme in schemes
    )| {
        let column = format!("--gold-column={column}");
        let files: &[File] = &[("g", &gold), ("p", &predicted)];
        let _ = printed(files, &["g", "p", &column, "--scheme", scheme, "--matching"], false);
        let _ = printed(files, &["g", &column, "--buckets", "--train", "p"], true);
        let _ = printed(files, &["g", "p", "p", "--paired-bs=9", "--paired-ar=9"], false);
    });
}

#[test]
fn json_has_the_keys_that_other_programs_read() {
    let found = scores(TWO, &["g", "p"]);
    let keys: Vec<&String> = found.as_object().unwrap().keys().collect();
    let contract = ["macro", "macro_fixed", "micro", "mode", "token", "types", "weighted"];
    assert!(contract.iter().all(|key| keys.iter().any(|found| found == key)), "{keys:?}");
    assert_eq!(found["mode"], "conlleval");
    let per = json!({"precision": 1.0, "recall": 1.0, "f1": 1.0,
        "support": 1, "predicted": 1, "correct": 1});
    assert_eq!(found["types"]["PER"], per);
    assert_eq!(found["micro"]["f1"], 0.5);
    assert_eq!(found["token"]["micro"]["correct"], 2);
    assert_eq!((&found["sentences"], &found["tokens"]), (&json!(2), &json!(4)));
}

/// Words that training has as they are, has of another type, and lacks.
const TRAIN: &[u8] =
    b"Paris\tB-LOC\nis\tO\n\nParis\tB-LOC\njohn\tB-LOC\nSMITH\tI-LOC\n\nand\tO\nso\tO\non\tO\n";
const ALL: &[File] = &[("g", GOLD), ("p", PREDICTED), ("t", TRAIN)];

#[test]
fn training_tells_what_is_seen_and_rare() {
    let found = scores(ALL, &["g", "p", "--buckets", "--train", "t"]);
    let bucket = |name: &str, bucket: &str| {
        let buckets = found["buckets"][name].as_array().unwrap();
        let one = buckets.iter().find(|one| one["bucket"] == bucket).unwrap();
        ["support", "predicted", "correct"].map(|name| one[name].as_u64().unwrap())
    };
    assert_eq!(bucket("training_frequency", "1"), [1, 1, 1]);
    assert_eq!(bucket("training_frequency", "2-4"), [1, 1, 0]);
    assert_eq!(bucket("seen", "seen"), [1, 0, 0]);
    assert_eq!(bucket("seen", "other type only"), [1, 2, 1]);
    assert_eq!(bucket("rareness", "not in training"), [1, 2, 1]);
    assert_eq!(found["rareness"], json!({"LOC": 1.0}));
    let one_file: &[File] = &[("b", b"B-x B-x\n"), ("t", TRAIN)];
    let said = refused(one_file, &["b", "--buckets", "--train", "t"]);
    assert!(said.starts_with("b:1: no token beside the tags"), "{said}");
    let train_column = ["g", "p", "--buckets", "--train", "t", "--train-column", "0"];
    assert!(refused(ALL, &train_column).starts_with("t:1: \"Paris\" in column 0 is not a tag"));
}

/// Two documents of two sentences; A finds all but one entity, B half of them.
fn two_predictions() -> Vec<(&'static str, Vec<u8>)> {
    let file = |tags: [&str; 4]| {
        let lines = tags.iter().enumerate().map(|(n, tags)| {
            let start = if n % 2 == 0 { "-DOCSTART- O\n\n" } else { "" };
            let tokens: String = tags.split(' ').map(|tag| format!("w\t{tag}\n")).collect();
            format!("{start}{tokens}\n")
        });
        lines.collect::<String>().into_bytes()
    };
    vec![
        ("g", file(["B-x O", "B-x B-y", "O B-y", "B-x O"])),
        ("a", file(["B-x O", "B-x B-y", "O B-y", "O O"])),
        ("b", file(["B-x O", "B-y B-y", "O B-x", "O O"])),
    ]
}

#[test]
fn names_from_files_cannot_steer_the_terminal() {
    let shown = text(&[("b", b"a B-\x1b[31m B-\x1b[31m\n")], &["b", "--matching"]);
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
}

#[test]
fn tables_are_aligned_and_name_their_rules() {
    insta::assert_snapshot!("score", text(TWO, &["g", "p"]));
    insta::assert_snapshot!(
        "strict_iobes",
        text(
            &[("b", b"-DOCSTART- O O\n\na B-x S-x\nb E-x O\n")],
            &["b", "--scheme", "iobes", "--mode", "strict", "--types", "x,y"],
        )
    );
    insta::assert_snapshot!("matching", text(TWO, &["g", "p", "--matching"]));
    insta::assert_snapshot!("buckets", text(TWO, &["g", "p", "--buckets"]));
    let trained = ["g", "p", "--buckets", "--train", "t"];
    insta::assert_snapshot!("buckets_with_training", text(ALL, &trained));
    let owned = two_predictions();
    let files: Vec<File> = owned.iter().map(|(name, bytes)| (*name, &bytes[..])).collect();
    insta::assert_snapshot!("two_predictions", text(&files, &["g", "a", "b"]));
    let tested = ["g", "a", "b", "--paired-bs", "--paired-ar=999"];
    insta::assert_snapshot!("two_predictions_tested", text(&files, &tested));
    insta::assert_snapshot!("no_entity", text(&[("b", b"a O O\n")], &["b"]));
}
