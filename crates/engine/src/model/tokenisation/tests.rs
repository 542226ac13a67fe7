//! Pieces against those of Hugging Face's tokenizers (tests/peers/transformer_vectors.py wrote
//! them).

use super::*;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn vectors(name: &str) -> PathBuf {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/transformer");
    PathBuf::from(root).join(name)
}

fn expected(name: &str) -> Value {
    let text = fs::read_to_string(vectors(name).join("expected.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// A folder with some of a case's files and further ones.
fn folder(name: &str, files: &[&str], more: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in files {
        fs::copy(vectors(name).join(file), folder.path().join(file)).unwrap();
    }
    for (file, text) in more {
        fs::write(folder.path().join(file), text).unwrap();
    }
    folder
}

fn check(folder: &Path, pieces: usize, expected: &Value) {
    let tokeniser = Tokeniser::open(folder, pieces).unwrap();
    let words = expected.as_object().unwrap();
    assert!(words.len() > 50);
    for (word, ids) in words {
        let ids: Vec<i64> = ids.as_array().unwrap().iter().map(|id| id.as_i64().unwrap()).collect();
        let found = tokeniser.cutter.pieces(word, tokeniser.special.unknown);
        assert_eq!(found, ids, "{word:?}");
    }
}

#[test]
fn word_pieces_are_those_of_tokenizers() {
    let expected = expected("word_piece");
    check(&vectors("word_piece"), 1000, &expected["uncased"]);
    let lower = r#"{"do_lower_case": true}"#;
    let case = |more: &[_]| folder("word_piece", &["vocab.txt"], more);
    check(case(&[("tokenizer_config.json", lower)]).path(), 1000, &expected["uncased"]);
    // This vocabulary has no upper-case letter.
    check(case(&[]).path(), 1000, &expected["uncased"]);
    let as_is = r#"{"do_lower_case": false}"#;
    check(case(&[("tokenizer_config.json", as_is)]).path(), 1000, &expected["cased"]);
}

#[test]
fn byte_pairs_are_those_of_tokenizers() {
    let expected = expected("byte_pairs");
    check(&vectors("byte_pairs"), 1000, &expected);
    check(folder("byte_pairs", &["vocab.json", "merges.txt"], &[]).path(), 1000, &expected);
}

/// The words of a corpus: `make test-peers` puts a checkpoint, and what tokenizers makes of them,
/// into a folder.
#[test]
#[ignore = "needs a checkpoint and tokenizers: make test-peers"]
fn peers_minilm_words() {
    let folder = std::env::var_os("TAILGRID_MINILM").expect("TAILGRID_MINILM names the folder");
    let folder = PathBuf::from(folder);
    let words = fs::read_to_string(folder.join("words.json")).unwrap();
    let words: Value = serde_json::from_str(&words).unwrap();
    check(&folder, 30522, &words);
    println!("{} words", words.as_object().unwrap().len());
}

#[test]
fn special_pieces_are_found_by_their_usual_names_or_those_that_a_file_gives() {
    let special = Tokeniser::open(&vectors("word_piece"), 1000).unwrap().special();
    assert_eq!(special, Special { start: 2, end: 3, unknown: 1, padding: 0 });
    let special = Tokeniser::open(&vectors("byte_pairs"), 1000).unwrap().special();
    assert_eq!(special, Special { start: 0, end: 2, unknown: 3, padding: 1 });
    let map = r#"{"cls_token": {"content": "[MASK]"}, "sep_token": "[PAD]"}"#;
    let folder = folder("word_piece", &["vocab.txt"], &[("special_tokens_map.json", map)]);
    let special = Tokeniser::open(folder.path(), 1000).unwrap().special();
    assert_eq!((special.start, special.end), (4, 0));
}

#[test]
fn what_cannot_be_used_is_told() {
    let told =
        |folder: tempfile::TempDir| Tokeniser::open(folder.path(), 1000).unwrap_err().to_string();
    assert!(told(folder("word_piece", &[], &[])).contains("has no vocabulary"));
    assert!(told(folder("byte_pairs", &["vocab.json"], &[])).contains("has no vocabulary"));
    let unigram = r#"{"model": {"type": "Unigram", "vocab": {}}}"#;
    let text = told(folder("word_piece", &[], &[("tokenizer.json", unigram)]));
    assert!(text.contains("the model `Unigram` is not supported"), "{text}");
    let odd = r#"{"model": {"type": "WordPiece", "vocab": {}}, "normalizer": {"type": "NFKC"}}"#;
    let text = told(folder("word_piece", &[], &[("tokenizer.json", odd)]));
    assert!(text.contains("the normaliser `NFKC` is not supported"), "{text}");
    let text = told(folder("word_piece", &[], &[("vocab.txt", "[PAD]\n[UNK]\n[CLS]\na\n")]));
    assert!(text.ends_with("has no piece `[SEP]`"), "{text}");
    let text = told(folder("word_piece", &[], &[("tokenizer.json", "{")]));
    assert!(text.contains("is not JSON"), "{text}");
    let negative = r#"{"model": {"type": "BPE", "vocab": {"a": -1}}}"#;
    let text = told(folder("word_piece", &[], &[("tokenizer.json", negative)]));
    assert!(text.contains("the piece `a` has no number"), "{text}");
    let text = Tokeniser::open(&vectors("word_piece"), 10).unwrap_err().to_string();
    assert!(text.contains("they are of different checkpoints"), "{text}");
}

#[test]
fn rows_carry_first_or_last_pieces_and_the_unknown_is_counted() {
    let vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nun\n##der\nthe\n";
    let folder = folder("word_piece", &[], &[("vocab.txt", vocabulary)]);
    let mut tokeniser = Tokeniser::open(folder.path(), 7).unwrap();
    // The last token is a control character, of which nothing is left.
    let sentence: Tokens = ["The", "under", "zzz", "\u{200b}"].into_iter().collect();
    let (rows, coverage) = tokeniser.rows([&sentence], 20, Carrier::First);
    assert_eq!(
        rows,
        [[Row { ids: vec![2, 6, 4, 5, 1, 1, 3], words: vec![1, 2, 4, 5], ..Row::default() }]]
    );
    assert_eq!((coverage.words, coverage.unknown_words, coverage.pieces), (4, 2, 5));
    assert_eq!(coverage.unknown_share(), 0.5);
    let (rows, _) = tokeniser.rows([&sentence], 20, Carrier::Last);
    assert_eq!(rows[0][0].words, [1, 3, 4, 5]);
    let (rows, coverage) = tokeniser.rows([&Tokens::default()], 20, Carrier::First);
    assert_eq!((rows, coverage.unknown_share()), (vec![vec![]], 0.0));
}

#[test]
fn a_word_that_fits_into_no_window_is_shortened_and_counted() {
    let folder =
        folder("word_piece", &[], &[("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n##a\n")]);
    let mut tokeniser = Tokeniser::open(folder.path(), 6).unwrap();
    let sentence: Tokens = ["aaaaaaaaaaaa", "a"].into_iter().collect();
    let (rows, coverage) = tokeniser.rows([&sentence], 8, Carrier::First);
    assert_eq!(coverage.shortened_words, 1);
    assert_eq!(coverage.windowed_sentences, 1);
    assert_eq!(rows[0][0].ids, [2, 4, 5, 5, 5, 5, 5, 3]);
    assert_eq!(rows[0].iter().map(|row| row.words.len()).sum::<usize>(), 2);
}

/// Words of these many pieces.
fn words(sizes: impl IntoIterator<Item = usize>) -> Vec<Vec<i64>> {
    sizes.into_iter().map(|size| vec![7; size]).collect()
}

#[test]
fn a_sentence_that_fits_is_one_window() {
    let all = Window { read: 0..10, tagged: 0..10 };
    assert_eq!(windows(&words([2; 10]), 20), [all]);
    assert!(windows(&[], 20).is_empty());
}

#[test]
fn every_word_is_tagged_once_with_context_around_it() {
    for room in [1, 2, 3, 4, 7, 16, 50] {
        for seed in 0..40usize {
            let size = |i: usize| 1 + (i * 7 + seed * 13 + i * i * seed) % room.min(6);
            let words = words((0..seed * 3).map(size));
            let found = windows(&words, room);
            let tagged: Vec<usize> = found.iter().flat_map(|w| w.tagged.clone()).collect();
            assert_eq!(tagged, (0..words.len()).collect::<Vec<_>>());
            let pieces = |words: &[Vec<i64>]| words.iter().map(Vec::len).sum::<usize>();
            for Window { read, tagged } in &found {
                assert!(read.start <= tagged.start && tagged.end <= read.end);
                assert!(pieces(&words[read.clone()]) <= room);
                // Context as far as whole words go; the widest word has `room.min(6)` pieces.
                if room >= 50 && tagged.start > 0 {
                    assert!(pieces(&words[read.start..tagged.start]) + 6 > room / 4);
                }
                if room >= 50 && tagged.end < words.len() {
                    assert!(pieces(&words[tagged.end..read.end]) >= room / 4);
                }
            }
        }
    }
}
