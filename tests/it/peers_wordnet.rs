//! Synonyms of WordNet against NLTK's on the files that are installed here: `make test-peers` only.
//!
//! The words are those of a corpus where there is one, and of WordNet itself: every so many lemmas
//! and irregular forms, as they are, in capitals and with endings.

use crate::program::python;
use method::augment::Synonyms;
use method::augment::synonyms::WordNet;
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How many words at least.
const WORDS: usize = 5_000;

/// The tokens of a corpus in columns, if it is there.
fn corpus_words(words: &mut BTreeSet<String>) {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora");
    let folder = std::env::var_os("TAILGRID_CORPORA").map_or_else(beside, PathBuf::from);
    let text = std::fs::read_to_string(folder.join("wnut17/wnut17train.conll")).unwrap_or_default();
    words.extend(text.lines().filter_map(|line| line.split('\t').next()).map(str::to_owned));
}

/// Lemmas and irregular forms of WordNet's own files.
fn own_words(folder: &Path, words: &mut BTreeSet<String>) {
    for (name, step) in [
        ("index.noun", 97),
        ("index.verb", 13),
        ("index.adj", 23),
        ("index.adv", 7),
        ("noun.exc", 3),
        ("verb.exc", 3),
        ("adj.exc", 3),
        ("adv.exc", 1),
    ] {
        let text = std::fs::read_to_string(folder.join(name)).expect("a file of WordNet");
        let first =
            text.lines().filter_map(|line| line.split(' ').next()).filter(|w| !w.is_empty());
        for (number, word) in first.step_by(step).enumerate() {
            words.insert(word.to_owned());
            let ending = ["s", "es", "ed", "ing", "er", "est"][number % 6];
            words.insert(format!("{word}{ending}"));
            words.insert(word.to_uppercase());
        }
    }
}

#[test]
#[ignore = "needs NLTK and WordNet's files: make test-peers"]
fn peers_wordnet() {
    let Some(folder) = WordNet::find() else {
        println!("skipped: no files of WordNet (Debian: apt install wordnet-base)");
        return;
    };
    let mut words = BTreeSet::new();
    corpus_words(&mut words);
    own_words(&folder, &mut words);
    assert!(words.len() > WORDS, "{}", words.len());
    let wordnet = WordNet::open(&folder).expect("WordNet");
    let mut lines = String::new();
    for word in &words {
        let case = json!({"word": word, "synonyms": wordnet.of(word)});
        writeln!(lines, "{case}").unwrap();
    }
    let place = tempfile::tempdir().unwrap();
    let cases = place.path().join("cases.jsonl");
    std::fs::write(&cases, lines).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/wordnet.py");
    let done = Command::new(python("peers")).arg(script).arg(&folder).arg(&cases).output();
    let done = done.expect("the Python of scripts/need-peers");
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    println!("{out}");
    assert!(done.status.success(), "{out}\n{err}");
    assert!(out.contains(&format!("{} words, no difference", words.len())), "{out}\n{err}");
}
