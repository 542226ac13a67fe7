//! Every form of the same three words, files that are none, and tables that were damaged.

use super::*;
use std::fs;
use tempfile::{NamedTempFile, TempDir, tempdir};

const PLAIN: Policy = Policy { numbers: false, unknown: Unknown::Zero };

fn file(bytes: &[u8]) -> NamedTempFile {
    let file = NamedTempFile::new().unwrap();
    fs::write(file.path(), bytes).unwrap();
    file
}

type Rows = Vec<(String, Vec<f32>)>;

fn rows(bytes: &[u8]) -> Result<Rows, String> {
    let mut rows = Vec::new();
    let taken = read(file(bytes).path(), &mut |word, vector| {
        rows.push((word.to_owned(), vector.to_vec()));
        Ok(())
    });
    taken.map(|_| rows).map_err(|error| error.to_string())
}

fn expected() -> Rows {
    let rows = [("the", [0.5, -1.0]), (". .", [2.0, 0.25]), ("münchen", [-3.0, 1.0])];
    rows.map(|(word, vector)| (word.to_owned(), vector.to_vec())).to_vec()
}

const GLOVE: &str = "the 0.5 -1\n. . 2.0 0.25\nmünchen -3e0 1\n";

fn binary(after: &str) -> Vec<u8> {
    let mut bytes = b"3 2\n".to_vec();
    for (word, vector) in [("the", [0.5f32, -1.0]), ("..", [2.0, 0.25]), ("münchen", [-3.0, 1.0])]
    {
        bytes.extend(word.as_bytes());
        bytes.push(b' ');
        vector.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes.extend(after.as_bytes());
    }
    bytes
}

#[test]
fn text_with_and_without_a_count() {
    assert_eq!(rows(GLOVE.as_bytes()).unwrap(), expected());
    assert_eq!(rows(format!("3 2\n{GLOVE}").as_bytes()).unwrap(), expected());
    let fast_text = GLOVE.replace('\n', " \r\n");
    assert_eq!(rows(fast_text.as_bytes()).unwrap(), expected());
}

#[test]
fn binary_with_and_without_line_feeds() {
    for after in ["", "\n"] {
        let found = rows(&binary(after)).unwrap();
        let words: Vec<&str> = found.iter().map(|(word, _)| word.as_str()).collect();
        assert_eq!(words, ["the", "..", "münchen"]);
        assert!(found.iter().zip(expected()).all(|(found, expected)| found.1 == expected.1));
    }
}

#[test]
fn the_json_of_the_package() {
    let json = r#"{"precision": 8, "l2NormIndex": 2, "dimensions": 2, "words": ["the"],
        "vectors": {"the": [0.5, -1, 1.1, 0], ". .": [2, 0.25, 2.0, 1], "münchen": [-3, 1, 3.2, 2]}}"#;
    assert_eq!(rows(json.as_bytes()).unwrap(), expected());
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let long = format!("{{\"vectors\": {{\"a\": [{}1]}}}}", "1, ".repeat(9000));
    for (bytes, message) in [
        (&b""[..], "the file is empty"),
        (b"0 2\n", "no word in it"),
        (b"3 2\nthe 0.5 -1\n", "1 words, where its first line counts 3"),
        (b"1 2\nthe 0.5 -1\na 1 2\n", "2 words, where its first line counts 1"),
        (b"0 2\nthe 0.5 -1\n", "1 words, where its first line counts 0"),
        (b"the 0.5 -1\ncat 1 2 3\n", ":2: more than 2 numbers after the word"),
        (b"the 0.5 -1\ncat 1\n", ":2: fewer than 2 numbers after the word"),
        (b"the 0.5 -1\ncat 1 x\n", ":2: `x` is not a number"),
        (b"the 0.5 nan\n", ":1: a number that is infinite or none"),
        (b"the\n", ":1: 0 numbers, where 0 are expected"),
        (b"{\"vectors\": {\"a\": [1, 2],\n \"b\": [1]}}", ":2: 1 numbers, where 2 are expected"),
        (b"{\"dimensions\": 2, \"vectors\": {\"a\": [1]}}", "`a` has only 1 numbers"),
        (b"{\"vectors\": 3}", "invalid type"),
        (b"{\"vectors\": {}}", "no word in it"),
        (b"{}", "missing field `vectors`"),
        (b"\xba\x16\x4f\x2f\x0c\0\0\0", "a model of fastText: give the text file"),
        (long.as_bytes(), "more numbers than a word vector can have"),
    ] {
        let error = rows(bytes).unwrap_err();
        assert!(error.contains(message), "{error} / {message}");
    }
    let mut cut = binary("");
    cut.truncate(20);
    assert!(rows(&cut).unwrap_err().contains(":2: the file ends"));
    // The last word is beyond the count, with and without line feeds after the vectors.
    for after in ["", "\n"] {
        let mut more = binary(after);
        more[0] = b'2';
        let error = rows(&more).unwrap_err();
        assert!(error.contains("it has more than the 2 words"), "{error}");
    }
    let mut padded = binary("\n");
    padded.extend(b"\r\n \n");
    assert_eq!(rows(&padded).unwrap().len(), 3);
    assert!(rows(b"5 99999999\nw \x01\x02\x03\x04").unwrap_err().contains("cannot be"));
}

/// A source with a cache of its own.
fn source(content: &str) -> (TempDir, Source) {
    let folder = tempdir().unwrap();
    let file = folder.path().join("glove.txt");
    fs::write(&file, content).unwrap();
    let cache = folder.path().join("deep/cache");
    (folder, Source { file, digest: "ab".repeat(32), cache: Some(cache) })
}

fn vectors(found: &Found) -> Vec<&[f32]> {
    let rows: Vec<&[f32]> = found.rows.chunks(found.dimension).collect();
    found.row_of.iter().map(|row| rows[*row as usize]).collect()
}

#[test]
fn words_are_looked_up_raw_then_lowered_then_not_at_all() {
    let (_folder, source) = source("The 1 0\nthe 2 0\ncat 3 0\nthe 9 9\n2024 4 0\n");
    let words = ["the", "The", "THE", "Cat", "dog", "2024", "zebra", ""];
    let without = Source { cache: None, ..source.clone() };
    let unwritable = Source { cache: Some("/dev/null/cache".into()), ..source.clone() };
    // The table is made, then opened; then there is none.
    for source in [&source, &source, &without, &unwritable] {
        let found = source.look_up(&words, PLAIN).unwrap();
        let zero = &[0.0, 0.0][..];
        let the = &[2.0, 0.0][..];
        let expected = [the, &[1.0, 0.0], the, &[3.0, 0.0], zero, &[4.0, 0.0], zero, zero];
        assert_eq!(vectors(&found), expected);
        assert_eq!(found.rows.len(), (2 + 4) * 2, "each vector once");
        use Fate::{Exact, Lowered, Unknown};
        let fates = [Exact, Exact, Lowered, Lowered, Unknown, Exact, Unknown, Unknown];
        assert_eq!(found.fates, fates);
        assert_eq!(found.unknown_rate(&[5, 1, 1, 1, 1, 1, 0, 0]), 0.1);
    }
    let numbers = Policy { numbers: true, ..PLAIN };
    let found = source.look_up(&words, numbers).unwrap();
    assert_eq!((found.row_of[5], found.fates[5]), (Found::NUMBER, Fate::Number));
    assert_eq!(source.look_up(&[], PLAIN).unwrap().rows, [0.0; 4]);
}

#[test]
fn a_drawn_vector_depends_on_its_word_and_the_seed_alone() {
    let (_folder, source) = source("the 1 2 3 4 5\n");
    let draw = |words: &[&str], seed| {
        let policy = Policy { numbers: false, unknown: Unknown::Random { seed } };
        let found = source.look_up(words, policy).unwrap();
        vectors(&found).last().unwrap().to_vec()
    };
    let dog = draw(&["the", "dog"], 1);
    assert_eq!(draw(&["cat", "zebra", "dog"], 1), dog);
    assert_ne!(draw(&["dog"], 2), dog);
    assert_ne!(draw(&["cat"], 1), dog);
    assert!(dog.iter().all(|number| number.abs() <= 0.775 && *number != 0.0));
}

#[test]
fn rows_near_and_far_apart_are_all_read() {
    let content: String = (0..3000).map(|n| format!("w{n} {n} 0.5\n")).collect();
    let (_folder, source) = source(&content);
    let wanted: Vec<usize> = (0..3000).filter(|n| n % 100 < 30 || n % 37 == 0).collect();
    let words: Vec<String> = wanted.iter().rev().map(|n| format!("w{n}")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let found = source.look_up(&words, PLAIN).unwrap();
    let first: Vec<f32> = vectors(&found).iter().map(|vector| vector[0]).collect();
    assert!(first.iter().zip(wanted.iter().rev()).all(|(found, n)| *found == *n as f32));
}

#[test]
fn a_table_damaged_anywhere_is_made_again() {
    let (_folder, source) = source(GLOVE);
    let words = ["the", ". .", "münchen"];
    let whole = source.look_up(&words, PLAIN).unwrap();
    let path = source.table().unwrap().unwrap();
    let bytes = fs::read(&path).unwrap();
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x10;
        fs::write(&path, &damaged).unwrap();
        assert_eq!(source.look_up(&words, PLAIN).unwrap(), whole, "byte {place}");
        assert_eq!(fs::read(&path).unwrap(), bytes, "byte {place}");
    }
    for length in [0, 10, 56, 70, bytes.len() - 1] {
        fs::write(&path, &bytes[..length]).unwrap();
        assert_eq!(source.look_up(&words, PLAIN).unwrap(), whole, "{length} bytes");
    }
    let others = fs::read_dir(path.parent().unwrap()).unwrap().count();
    assert_eq!(others, 1, "no temporary file is left");
}

#[test]
fn a_table_that_is_kept_open_is_read_without_its_name_and_made_again_where_damaged() {
    let (_folder, source) = source(GLOVE);
    source.keep_open();
    assert!(!source.is_made(), "nothing is made ahead");
    let words = ["the", ". .", "münchen"];
    let whole = source.look_up(&words, PLAIN).unwrap();
    source.keep_open();
    let path = source.table().unwrap().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[60] ^= 0x10;
    fs::write(&path, &bytes).unwrap();
    assert_eq!(source.look_up(&words, PLAIN).unwrap(), whole, "a row is damaged");
    source.keep_open();
    fs::remove_file(&path).unwrap();
    fs::remove_file(&source.file).unwrap();
    let other = Source { digest: "cd".repeat(32), ..source.clone() };
    assert!(other.look_up(&words, PLAIN).is_err());
}

#[test]
fn what_a_killed_process_left_is_removed_in_time() {
    let (_folder, source) = source(GLOVE);
    let cache = source.cache.clone().unwrap();
    fs::create_dir_all(&cache).unwrap();
    for (name, hours) in [(".tmp-1-1-old", 25), (".tmp-2-1-new", 1)] {
        let file = File::create(cache.join(name)).unwrap();
        let then = std::time::SystemTime::now() - std::time::Duration::from_secs(hours * 3600);
        file.set_modified(then).unwrap();
    }
    source.look_up(&["the"], PLAIN).unwrap();
    assert!(!cache.join(".tmp-1-1-old").exists());
    assert!(cache.join(".tmp-2-1-new").exists());
}

#[test]
fn a_bad_file_leaves_no_table() {
    let (_folder, mut source) = source("the 1 2\ncat 1 x\n");
    let error = source.look_up(&["the"], PLAIN).unwrap_err().to_string();
    assert!(error.ends_with("glove.txt:2: `x` is not a number"), "{error}");
    assert_eq!(fs::read_dir(source.cache.as_ref().unwrap()).unwrap().count(), 0);
    source.digest = "../../etc".into();
    let error = source.look_up(&["the"], PLAIN).unwrap_err().to_string();
    assert!(error.contains("is not the SHA-256 of a file"), "{error}");
}
