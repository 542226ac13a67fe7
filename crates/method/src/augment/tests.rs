//! Every operator on hand-written sentences.

use super::*;
use domain::{ParameterValue, Tag, TypeId};

/// A part with its defaults but for these.
pub fn part(kind: &str, changes: &[(&str, f64)]) -> Part {
    let entry = ENTRIES.iter().find(|entry| entry.name == kind);
    let mut parameters = parts::defaults(entry.map_or(&[], |entry| entry.parameters));
    for (name, value) in changes {
        let value = match parameters.get(name) {
            Some(ParameterValue::Integer(_)) => ParameterValue::Integer(*value as i64),
            _ => ParameterValue::Real(*value),
        };
        parameters.0.insert((*name).to_owned(), value);
    }
    Part { kind: kind.into(), parameters }
}

/// Tokens as `London/B0 is/O big/O`.
fn sentence(text: &str) -> Sentence {
    let token = |token: &str| {
        let (word, tag) = token.split_once('/').unwrap();
        let id = TypeId(tag[1..].parse().unwrap_or(0));
        let tag = match &tag[..1] {
            "B" => Tag::Begin(id),
            "I" => Tag::Inside(id),
            _ => Tag::Outside,
        };
        (word.to_owned(), tag)
    };
    let (words, tags): (Vec<String>, Vec<Tag>) = text.split(' ').map(token).unzip();
    Sentence { tokens: words.iter().collect(), tags }
}

fn shown(sentence: &Sentence) -> String {
    let tag = |tag: &Tag| match tag {
        Tag::Outside => "O".to_owned(),
        Tag::Begin(TypeId(id)) => format!("B{id}"),
        Tag::Inside(TypeId(id)) => format!("I{id}"),
    };
    let tokens = sentence.tokens.iter().zip(&sentence.tags);
    tokens.map(|(word, t)| format!("{word}/{}", tag(t))).collect::<Vec<_>>().join(" ")
}

fn types() -> TypeSet {
    TypeSet::new(["location", "person"].map(String::from))
}

struct Fixed;

impl Synonyms for Fixed {
    fn of(&self, word: &str) -> Vec<String> {
        match word {
            "London" => vec!["capital of England".into()],
            "big" => vec!["rather large".into()],
            "Sea" => vec!["salt water".into()],
            "odd" => vec!["  ".into()],
            _ => vec![],
        }
    }
}

fn generated(kind: &str, train: &[Sentence]) -> Vec<String> {
    let part = part(kind, &[("ratio", 1.0)]);
    let made = augment(&part, &types(), train, Some(&Fixed), &mut stream(1));
    assert!(made.iter().step_by(2).eq(train), "the originals are there");
    made.iter().skip(1).step_by(2).map(shown).collect()
}

#[test]
fn synonyms_of_several_words_continue_the_entity() {
    let train = [sentence("London/B0 is/O big/O"), sentence("North/B0 Sea/I0 odd/O The/O")];
    let made = generated("synonym-replacement", &train);
    assert_eq!(made[0], "capital/B0 of/I0 England/I0 is/O rather/O large/O");
    assert_eq!(made[1], "North/B0 salt/I0 water/I0 odd/O The/O");
}

#[test]
fn mentions_are_replaced_whole() {
    let train = [sentence("in/O New/B0 York/I0 Oslo/B0 ./O"), sentence("Ann/B1")];
    let made = generated("mention-replacement", &train);
    let spans = |text: &str| text.replace("New/B0 York/I0", "X").replace("Oslo/B0", "X");
    assert_eq!((spans(&made[0]).as_str(), made[1].as_str()), ("in/O X X ./O", "Ann/B1"));
}

#[test]
fn tokens_are_replaced_by_those_of_their_tag_and_stop_words_never() {
    let train = [sentence("The/O cat/O saw/O Ann/B1 Lee/I1"), sentence("The/O the/O Bob/B1")];
    for line in generated("label-wise-token-replacement", &train) {
        for token in line.split(' ') {
            let known = ["The/O", "the/O", "cat/O", "saw/O", "Ann/B1", "Bob/B1", "Lee/I1"];
            assert!(known.contains(&token), "{line}");
        }
        assert!(line.starts_with("The/O"), "{line}");
    }
}

#[test]
fn segments_match_the_reference_vectors() {
    let text = include_str!("../../../../tests/vectors/resampling.json");
    let vectors: serde_json::Value = serde_json::from_str(text).unwrap();
    for case in vectors["sentences"].as_array().unwrap() {
        let tag = |tag: &serde_json::Value| match &tag.as_str().unwrap()[..1] {
            "B" => Tag::Begin(TypeId(0)),
            "I" => Tag::Inside(TypeId(0)),
            _ => Tag::Outside,
        };
        let tags: Vec<Tag> = case["tags"].as_array().unwrap().iter().map(tag).collect();
        let segments = shuffle_within_segments::segments(&tags).enumerate();
        let numbers = segments.flat_map(|(n, segment)| std::iter::repeat_n(n, segment.len()));
        let numbers: serde_json::Value = numbers.collect();
        assert_eq!(case["sis_segments"], numbers, "{}", case["tags"]);
    }
}

#[test]
fn only_long_segments_can_change_their_order() {
    let train = [sentence("Ann/B1 saw/O Bob/B1"), sentence("a/O b/O c/O d/O e/O f/O g/O h/O")];
    let made = generated("shuffle-within-segments", &train);
    assert_eq!(made[0], shown(&train[0]));
    assert_ne!(made[1], shown(&train[1]));
}

#[test]
fn mixtures_and_copies_make_as_many_sentences_as_they_say() {
    let train = vec![sentence("London/B0 is/O big/O"); 5];
    let count = |kind: &str, copies: f64, synonyms: Option<&dyn Synonyms>| {
        let part = part(kind, &[("copies", copies)]);
        augment(&part, &types(), &train, synonyms, &mut stream(1)).len()
    };
    assert_eq!(count("mention-replacement", 1.0, None), 10);
    assert_eq!(count("mention-replacement", 3.0, None), 20);
    assert_eq!(count("one-per-sentence", 2.0, Some(&Fixed)), 15);
    assert_eq!(count("all", 1.0, Some(&Fixed)), 25);
    assert_eq!(count("all", 2.0, Some(&Fixed)), 45);
    assert_eq!(count("all", 1.0, None), 20, "synonym replacement is left out");
}

#[test]
fn a_mixture_draws_every_operator() {
    let train = vec![sentence("London/B0 is/O big/O"); 200];
    let part = part("one-per-sentence", &[("ratio", 1.0)]);
    let with = augment(&part, &types(), &train, Some(&Fixed), &mut stream(1));
    let without = augment(&part, &types(), &train, None, &mut stream(1));
    let replaced = |made: &[Sentence]| made.iter().filter(|s| s.len() > 3).count();
    assert!((30..70).contains(&replaced(&with)), "{}", replaced(&with));
    assert_eq!(replaced(&without), 0);
}

#[test]
fn without_synonyms_sentences_stay() {
    let train = [sentence("London/B0 is/O big/O")];
    let part = part("synonym-replacement", &[("ratio", 1.0)]);
    let made = augment(&part, &types(), &train, None, &mut stream(1));
    assert_eq!(made, [train[0].clone(), train[0].clone()]);
}

#[test]
fn an_augmenter_serves_every_epoch() {
    let train = vec![sentence("London/B0 is/O big/O and/O cold/O Oslo/B0"); 20];
    let part = part("one-per-sentence", &[("ratio", 1.0)]);
    let augmenter = Augmenter::new(&part, &types(), &train, Some(&Fixed));
    let mut rng = stream(7);
    let (one, two) = (augmenter.generate(&mut rng), augmenter.generate(&mut rng));
    assert_ne!(one, two);
    assert_eq!(augmenter.generate(&mut stream(7)), one);
}

#[test]
fn operators_tell_what_they_use() {
    let of = |kind: &str| Augmentation::read(&part(kind, &[]));
    assert!(of("synonym-replacement").synonyms().is_some() && of("all").synonyms().is_some());
    assert!(of("mention-replacement").synonyms().is_none());
    let mut part = part("all", &[]);
    assert!(!Augmentation::read(&part).regenerates());
    part.parameters.0.insert("regenerate".into(), ParameterValue::Text("epoch".into()));
    assert!(Augmentation::read(&part).regenerates());
}

#[test]
fn no_sentence_makes_no_sentence() {
    for entry in ENTRIES {
        let made = augment(&part(entry.name, &[]), &types(), &[], Some(&Fixed), &mut stream(1));
        assert_eq!(made, [], "{}", entry.name);
    }
}
