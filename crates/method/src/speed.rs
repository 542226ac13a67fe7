//! How long the data-level methods take on training data of the size of CoNLL-2003's.
//!
//! Processor time of the thread counts, so that other load on the machine does not.

use super::augment::synonyms::{SynonymTable, WordNet};
use super::augment::{self, Synonyms};
use super::resample;
use domain::{Sentence, Tag, TypeId, TypeSet};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::Path;

const SENTENCES: usize = 14_000;
const TOKENS: usize = 204_000;
const WORDS: usize = 23_000;
const TYPES: u16 = 4;

/// What each may take.
const MILLISECONDS: i64 = 200;

/// What WordNet's files may take to be opened and asked where they know every word, as of no
/// corpus: a bound on what could go wrong, not the aim.
const WORDNET_MILLISECONDS: i64 = 1000;

fn milliseconds() -> i64 {
    let usage = getrusage(UsageWho::RUSAGE_THREAD).expect("the use of resources");
    (usage.user_time() + usage.system_time()).num_milliseconds()
}

/// Sentences of 14 or 15 tokens, common words more often than rare ones, an entity in every sixth
/// token.
fn train(words: &[String]) -> Vec<Sentence> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let lengths = (0..SENTENCES).map(|n| TOKENS * (n + 1) / SENTENCES - TOKENS * n / SENTENCES);
    lengths
        .map(|length| {
            let mut before = None;
            let mut tag = |rng: &mut ChaCha8Rng| {
                before = match (before, rng.random_range(0..9)) {
                    (Some(Tag::Begin(id) | Tag::Inside(id)), 0..4) => Some(Tag::Inside(id)),
                    (_, 0) => Some(Tag::Begin(TypeId(rng.random_range(0..TYPES)))),
                    _ => None,
                };
                before.unwrap_or(Tag::Outside)
            };
            let tags = (0..length).map(|_| tag(&mut rng)).collect();
            let mut word = || {
                let most = 1 + rng.random_range(0..words.len());
                &words[rng.random_range(0..most)]
            };
            Sentence { tokens: (0..length).map(|_| word()).collect(), tags }
        })
        .collect()
}

fn types() -> TypeSet {
    TypeSet::new((0..TYPES).map(|id| format!("type{id}")))
}

fn made_up_words() -> Vec<String> {
    (0..WORDS).map(|n| format!("word{n}")).collect()
}

/// Two synonyms for every second word.
fn synonyms(words: &[String]) -> SynonymTable {
    let line = |word: &String| format!("{word}\t{word}-a\t{word} b\n");
    let text: String = words.iter().step_by(2).map(line).collect();
    SynonymTable::parse(text.as_bytes(), Path::new("made")).expect("a table")
}

/// The best of a few: other load can only add. Clearing away what came out does not count.
fn measure<T>(name: &str, limit: i64, mut work: impl FnMut() -> T) {
    let mut run = || {
        let before = milliseconds();
        let done = work();
        let taken = milliseconds() - before;
        drop(done);
        taken
    };
    let best = (0..5).map(|_| run()).min().expect("five tries");
    println!("{name}: {best} ms");
    assert!(best < limit, "{name}: {best} ms");
}

#[test]
fn data_level_methods_of_conll_size_take_under_a_fifth_of_a_second() {
    let (types, words) = (types(), made_up_words());
    let (train, synonyms) = (train(&words), synonyms(&words));
    assert_eq!(train.iter().map(Sentence::len).sum::<usize>(), TOKENS);
    for entry in resample::ENTRIES {
        let part = entry.part();
        measure(entry.name, MILLISECONDS, || resample::resample(&part, &types, &train));
    }
    for entry in augment::ENTRIES {
        let part = entry.part();
        measure(entry.name, MILLISECONDS, || {
            let mut rng = augment::stream(1);
            augment::augment(&part, &types, &train, Some(&synonyms), &mut rng)
        });
    }
}

/// Real words where WordNet is installed, for which all of its files are opened and asked.
#[test]
fn synonyms_of_wordnet_are_found_in_time() {
    let Some(folder) = WordNet::find() else {
        println!("skipped: no files of WordNet");
        return;
    };
    let index = std::fs::read_to_string(folder.join("index.noun")).expect("an index");
    let lemmas = index.lines().filter_map(|line| line.split(' ').next());
    let lemmas: Vec<String> = lemmas.filter(|l| !l.contains('_')).map(str::to_owned).collect();
    let words: Vec<String> = lemmas.iter().step_by(1.max(lemmas.len() / WORDS)).cloned().collect();
    let (types, train) = (types(), train(&words));
    let entry = augment::ENTRIES.iter().find(|e| e.name == "synonym-replacement").expect("it");
    measure("synonym-replacement with WordNet", WORDNET_MILLISECONDS, || {
        let wordnet = WordNet::open(&folder).expect("WordNet");
        let synonyms: &dyn Synonyms = &wordnet;
        let mut rng = augment::stream(1);
        augment::augment(&entry.part(), &types, &train, Some(synonyms), &mut rng)
    });
}
