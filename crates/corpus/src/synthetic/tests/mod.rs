//! The corpus has the statistics it was asked for, and a difficulty that leaves room to differ.

use super::*;
use crate::statistics::statistics;
use crate::{load, write_columns};
use domain::{ParameterValue, Part, Split, Statistics, Tag};
use proptest::prelude::*;
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};

mod models;

/// The corpus of some parameters, the others at their defaults.
fn corpus(set: &[(&str, f64)]) -> Result<Corpus, CorpusError> {
    let mut parameters = Synthetic::ENTRY.defaults();
    for &(name, value) in set {
        let slot = parameters.0.get_mut(name).expect("a parameter of the entry");
        *slot = match slot {
            ParameterValue::Integer(_) => ParameterValue::Integer(value as i64),
            _ => ParameterValue::Real(value),
        };
    }
    let part = Part { kind: "synthetic".into(), parameters };
    load(&part, &Default::default()).map(|loaded| loaded.corpus)
}

fn numbers(corpus: &Corpus, split: Split) -> Statistics {
    statistics(&corpus.types, corpus.split(split))
}

/// Every mention of a split: its words and its type.
fn mentions(sentences: &[Sentence]) -> Vec<(Vec<&str>, Tag)> {
    let mut found: Vec<(Vec<&str>, Tag)> = vec![];
    for sentence in sentences {
        for (token, &tag) in sentence.tokens.iter().zip(&sentence.tags) {
            match tag {
                Tag::Begin(_) => found.push((vec![token], tag)),
                Tag::Inside(_) => found.last_mut().unwrap().0.push(token),
                Tag::Outside => {}
            }
        }
    }
    found
}

fn share<T>(items: &[T], has: impl Fn(&T) -> bool) -> f64 {
    items.iter().filter(|item| has(item)).count() as f64 / items.len() as f64
}

fn near(found: f64, wanted: f64, tolerance: f64) {
    assert!((found - wanted).abs() <= tolerance * wanted, "{found} is not near {wanted}");
}

/// Words that occur outside entities.
fn ordinary_words(sentences: &[Sentence]) -> HashSet<&str> {
    let words = sentences.iter().flat_map(|sentence| sentence.tokens.iter().zip(&sentence.tags));
    words.filter(|(_, tag)| **tag == Tag::Outside).map(|(word, _)| word).collect()
}

fn unseen_share(corpus: &Corpus, split: Split) -> f64 {
    let known: HashSet<Vec<&str>> =
        mentions(&corpus.train).into_iter().map(|(name, _)| name).collect();
    share(&mentions(corpus.split(split)), |(name, _)| !known.contains(name))
}

fn ambiguous_share(corpus: &Corpus) -> f64 {
    let ordinary = ordinary_words(&corpus.train);
    share(&mentions(&corpus.train), |(name, _)| name.iter().all(|word| ordinary.contains(word)))
}

#[test]
fn defaults_are_close_to_wnut() {
    for seed in 1..=5 {
        let corpus = corpus(&[("seed", f64::from(seed))]).unwrap();
        assert_eq!((corpus.train.len(), corpus.dev.len(), corpus.test.len()), (1_200, 400, 600));
        assert_eq!(
            corpus.types.names(),
            ["event", "group", "location", "person", "product", "work"]
        );
        for split in [Split::Train, Split::Dev, Split::Test] {
            let found = numbers(&corpus, split);
            near(found.entity_token_share, 0.05, 0.1);
            near(found.sentences_with_entities_share, 0.36, 0.001);
            near(found.tokens as f64 / found.sentences as f64, 17.0, 0.05);
            let (event, person) = (found.types["event"], found.types["person"]);
            near(event.entities as f64 / person.entities as f64, 0.25, 0.05);
            near(event.tokens as f64 / person.tokens as f64, 0.25, 0.25);
        }
        near(unseen_share(&corpus, Split::Dev), 0.4, 0.03);
        near(unseen_share(&corpus, Split::Test), 0.4, 0.03);
        near(ambiguous_share(&corpus), 0.3, 0.03);
    }
}

#[test]
fn asked_for_shares_are_met() {
    let corpus = corpus(&[
        ("sentences", 3_000.0),
        ("mean_length", 24.0),
        ("types", 12.0),
        ("tail", 0.1),
        ("entity_tokens", 0.12),
        ("entity_sentences", 0.8),
        ("ambiguity", 0.6),
        ("unseen", 0.75),
    ])
    .unwrap();
    let found = numbers(&corpus, Split::Train);
    assert_eq!((found.sentences, found.types.len()), (3_000, 12));
    near(found.tokens as f64 / 3_000.0, 24.0, 0.05);
    near(found.entity_token_share, 0.12, 0.07);
    near(found.sentences_with_entities_share, 0.8, 0.001);
    near(found.types["dish"].entities as f64 / found.types["person"].entities as f64, 0.1, 0.05);
    near(unseen_share(&corpus, Split::Test), 0.75, 0.03);
    near(ambiguous_share(&corpus), 0.6, 0.03);
}

#[test]
fn all_or_none_may_be_ambiguous_or_unseen() {
    for edge in [0.0, 1.0] {
        let corpus = corpus(&[("ambiguity", edge), ("unseen", edge), ("cues", edge)]).unwrap();
        assert_eq!(unseen_share(&corpus, Split::Test), edge);
        assert_eq!(ambiguous_share(&corpus), edge);
    }
}

#[test]
fn words_are_used_as_in_a_language() {
    let corpus = corpus(&[]).unwrap();
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for word in corpus.train.iter().flat_map(|sentence| sentence.tokens.iter()) {
        *uses.entry(word).or_default() += 1;
    }
    let mut uses: Vec<usize> = uses.into_values().collect();
    uses.sort_unstable_by(|a, b| b.cmp(a));
    let total: usize = uses.iter().sum();
    let head = uses[..10].iter().sum::<usize>() as f64 / total as f64;
    assert!((0.25..0.5).contains(&head), "the ten commonest words are {head} of the tokens");
    let once = share(&uses, |&n| n == 1);
    assert!((0.2..0.6).contains(&once), "{once} of the words occur once");
}

#[test]
fn a_seed_fixes_the_corpus_and_another_gives_another() {
    let of = |seed| corpus(&[("seed", seed)]).unwrap();
    assert_eq!(of(7.0), of(7.0));
    assert_ne!(of(7.0).train, of(8.0).train);
    assert_ne!(of(7.0).test, of(8.0).test);
}

#[test]
fn a_split_does_not_depend_on_the_size_of_the_others() {
    let default = corpus(&[]).unwrap();
    let longer_dev = corpus(&[("dev_sentences", 900.0)]).unwrap();
    assert_eq!((&default.train, &default.test), (&longer_dev.train, &longer_dev.test));
}

/// If this fails the generator makes other bytes, and results made with it before are not
/// comparable: the engine's version has to change with it.
#[test]
fn the_bytes_are_the_same_on_every_machine() {
    let corpus = corpus(&[]).unwrap();
    let mut bytes = vec![];
    for split in [&corpus.train, &corpus.dev, &corpus.test] {
        write_columns(split, &corpus.types, &mut bytes).unwrap();
    }
    let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(digest, "570aa0daba7f79fe5d3ccc9f64239947ee622ed11c90ec25ccae3515caa9d1b6");
}

#[test]
fn the_smallest_corpora_are_whole() {
    for types in [1.0, 12.0] {
        let least = [("sentences", 20.0), ("dev_sentences", 1.0), ("test_sentences", 1.0)];
        let few = [("types", types), ("vocabulary", 100.0), ("tail", 0.01)];
        let corpus = corpus(&[least, few].concat()).unwrap();
        assert_eq!((corpus.train.len(), corpus.dev.len(), corpus.test.len()), (20, 1, 1));
        assert_eq!(numbers(&corpus, Split::Train).types.len(), types as usize);
    }
}

#[test]
fn shares_that_cannot_go_together_are_refused_with_what_can() {
    let message = |set: &[(&str, f64)]| corpus(set).unwrap_err().to_string();
    assert_eq!(
        message(&[("entity_tokens", 0.3)]),
        "`entity_tokens`: with entity_sentences 0.36 and mean_length 17 it can be 0.0328 to 0.1395, not 0.3"
    );
    assert!(message(&[("entity_tokens", 0.01)]).contains("0.0328 to 0.1395"));
    assert!(message(&[("tail", 0.0)]).contains("a number from 0.01 to 1"));
    assert!(message(&[("sentences", 3.0)]).contains("a whole number from 20"));
}

#[test]
fn difficulty_leaves_room_to_differ() {
    for seed in 1..=3 {
        let corpus = corpus(&[("seed", f64::from(seed))]).unwrap();
        let by_word = models::macro_f1(&corpus, &models::commonest_tag(&corpus));
        let by_context = models::macro_f1(&corpus, &models::perceptron(&corpus));
        assert!((0.3..0.7).contains(&by_word), "a model of single words reaches {by_word}");
        assert!((0.5..0.8).contains(&by_context), "a model of the context reaches {by_context}");
        assert!(by_context > by_word + 0.05, "context gains nothing: {by_word} to {by_context}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_settings_give_a_whole_corpus_or_a_reason(
        sizes in (20..60u32, 1..20u32, 1..20u32, 8..60u32, 100..300u32, 1..=12u32),
        shares in (0.01..=1.0, 0.001..=0.3, 0.01..=1.0, 0.0..=1.0, 0.0..=1.0, 0.0..=1.0),
        seed in 0..1000u32,
    ) {
        let (sentences, dev, test, length, vocabulary, types) = sizes;
        let (tail, entity_tokens, entity_sentences, ambiguity, unseen, cues) = shares;
        let counts = [("sentences", sentences), ("dev_sentences", dev), ("test_sentences", test),
            ("mean_length", length), ("vocabulary", vocabulary), ("types", types), ("seed", seed)];
        let shares = [("tail", tail), ("entity_tokens", entity_tokens),
            ("entity_sentences", entity_sentences), ("ambiguity", ambiguity),
            ("unseen", unseen), ("cues", cues)];
        let counts = counts.map(|(name, n)| (name, f64::from(n)));
        match corpus(&[counts.as_slice(), &shares].concat()) {
            Ok(corpus) => {
                let found = numbers(&corpus, Split::Train);
                prop_assert_eq!((found.sentences, found.types.len()), (u64::from(sentences), types as usize));
                let whole = |sentence: &Sentence| !sentence.is_empty() && sentence.len() == sentence.tags.len();
                prop_assert!([corpus.train, corpus.dev, corpus.test].iter().flatten().all(whole));
            }
            Err(error) => prop_assert!(error.to_string().starts_with("`entity_tokens`: with"), "{}", error),
        }
    }
}
