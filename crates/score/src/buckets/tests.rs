//! Each bucketing by hand, and what holds of all of them.

use super::*;
use crate::{Policy, Scorer};
use domain::{TypeId, TypeSet};
use proptest::prelude::*;
use std::collections::HashSet;

const PER: TypeId = TypeId(0);
const LOC: TypeId = TypeId(1);
const WORK: TypeId = TypeId(2);

fn types() -> TypeSet {
    let mut types = TypeSet::default();
    ["PER", "LOC", "WORK"].iter().for_each(|name| {
        types.intern(name);
    });
    types
}

/// A sentence's tokens as the scorer wants them.
fn text(tokens: &[&str]) -> (String, Vec<usize>) {
    let mut all = String::new();
    let mut ends = vec![];
    for token in tokens {
        all.push_str(token);
        ends.push(all.len());
        all.push('\n');
    }
    (all, ends)
}

/// 64 tokens: `New York` twice and `Ada` once as a person, `Paris` five times as a place.
fn training() -> Training {
    use Tag::{Begin, Inside, Outside};
    let mut training = Training::new(Mode::Conlleval);
    let mut add = |tokens: &[&str], tags: &[Tag]| {
        let (text, ends) = text(tokens);
        training.add(tags, Words::new(&text, &ends));
    };
    add(
        &["New", "York", ",", "NEW", "york"],
        &[Begin(LOC), Inside(LOC), Outside, Begin(LOC), Inside(LOC)],
    );
    add(&["Ada"], &[Begin(PER)]);
    (0..5).for_each(|_| add(&["Paris"], &[Begin(LOC)]));
    add(&["the"; 53], &[Outside; 53]);
    training
}

/// `[support, predicted, correct]` of the buckets that have any, by name.
fn found(buckets: &Buckets, name: &str) -> Vec<(&'static str, [u64; 3])> {
    let scores = buckets.scores(ZeroDivision::Zero);
    let one = scores.into_iter().find(|scores| scores.name == name).unwrap();
    let used = one.buckets.into_iter().filter(|(_, c)| c.support + c.predicted > 0);
    used.map(|(bucket, c)| (bucket, [c.support, c.predicted, c.correct])).collect()
}

/// Gold: New York (LOC), Paris (PER), Emma (WORK); predicted: new york (LOC), Paris (LOC), nothing.
fn scored(training: Option<&Training>) -> Buckets<'_> {
    use Tag::{Begin, Inside, Outside};
    let mut buckets = Buckets::new(Mode::Conlleval, training);
    let (text, ends) = text(&["new", "York", "Paris", "by", "Emma"]);
    buckets.add(
        &[Begin(LOC), Inside(LOC), Begin(PER), Outside, Begin(WORK)],
        &[Begin(LOC), Inside(LOC), Begin(LOC), Outside, Outside],
        Words::new(&text, &ends),
    );
    buckets
}

#[test]
fn entities_fall_by_their_own_attributes() {
    let training = training();
    let buckets = scored(Some(&training));
    assert_eq!(found(&buckets, "entity_length"), [("1", [2, 1, 0]), ("2", [1, 1, 1])]);
    assert_eq!(found(&buckets, "sentence_length"), [("1-10", [3, 2, 1])]);
    let frequency = [("0", [1, 0, 0]), ("2-4", [1, 1, 1]), ("5-19", [1, 1, 0])];
    assert_eq!(found(&buckets, "training_frequency"), frequency);
    let seen = [("seen", [1, 2, 1]), ("other type only", [1, 0, 0]), ("unseen", [1, 0, 0])];
    assert_eq!(found(&buckets, "seen"), seen);
    // 9 of 64 tokens are places: 2.83; 1 is a person: 6.
    let rareness = [("below 4", [1, 2, 1]), ("6 to 8", [1, 0, 0]), ("not in training", [1, 0, 0])];
    assert_eq!(found(&buckets, "rareness"), rareness);
}

#[test]
fn rareness_is_that_of_the_paper() {
    let rareness = training().rareness(&types());
    assert_eq!(rareness["PER"], 6.0);
    assert!((rareness["LOC"] - (64.0f64 / 9.0).log2()).abs() < 1e-12);
    assert_eq!(rareness.len(), 2, "a type that training lacks has none");
}

#[test]
fn without_training_what_needs_it_is_left_out() {
    let names: Vec<&str> =
        scored(None).scores(ZeroDivision::Zero).iter().map(|scores| scores.name).collect();
    assert_eq!(names, ["entity_length", "sentence_length"]);
}

#[test]
fn every_length_has_its_bucket() {
    let mention = |length: usize| Mention {
        entity: EntitySpan { start: 3, end: 3 + length, entity_type: PER },
        sentence_length: length,
        known: Known { frequency: length, ..Known::default() },
    };
    let name =
        |bucketing: &Bucketing, length| bucketing.buckets[(bucketing.place)(&mention(length))];
    let [entity, sentence, frequency, ..] = BUCKETINGS else { panic!("too few bucketings") };
    assert_eq!([1, 2, 4, 5, 900].map(|n| name(entity, n)), ["1", "2", "4", "5+", "5+"]);
    let limits = [1, 10, 11, 50, 51].map(|n| name(sentence, n));
    assert_eq!(limits, ["1-10", "1-10", "11-20", "31-50", "51+"]);
    let limits = [0, 1, 2, 4, 5, 19, 20].map(|n| name(frequency, n));
    assert_eq!(limits, ["0", "1", "2-4", "2-4", "5-19", "5-19", "20+"]);
}

#[test]
fn every_bucketing_has_a_name_a_help_and_buckets() {
    let mut names = HashSet::new();
    for bucketing in BUCKETINGS {
        assert!(names.insert(bucketing.name), "{} twice", bucketing.name);
        assert!(bucketing.name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'));
        assert!(!bucketing.help.is_empty() && bucketing.buckets.len() > 1);
        let distinct: HashSet<_> = bucketing.buckets.iter().collect();
        assert_eq!(distinct.len(), bucketing.buckets.len());
    }
}

proptest! {
    #[test]
    fn the_buckets_of_a_bucketing_add_up_to_all(
        sentences in prop::collection::vec(
            prop::collection::vec((0..7usize, 0..7usize, 0..4usize), 1..60), 0..6
        ),
        trained in 0..3usize,
    ) {
        let mut training = Training::new(Mode::Conlleval);
        let split = |sentence: &[(usize, usize, usize)]| {
            let gold: Vec<Tag> = sentence.iter().map(|s| Tag::from_index(s.0)).collect();
            let predicted: Vec<Tag> = sentence.iter().map(|s| Tag::from_index(s.1)).collect();
            let tokens: Vec<&str> = sentence.iter().map(|s| ["a", "B", "c", "ß"][s.2]).collect();
            (gold, predicted, text(&tokens))
        };
        for sentence in sentences.iter().take(trained) {
            let (gold, _, (text, ends)) = split(sentence);
            training.add(&gold, Words::new(&text, &ends));
        }
        let mut buckets = Buckets::new(Mode::Conlleval, Some(&training));
        let mut scorer = Scorer::new(Mode::Conlleval);
        for sentence in &sentences {
            let (gold, predicted, (text, ends)) = split(sentence);
            buckets.add(&gold, &predicted, Words::new(&text, &ends));
            scorer.add(&gold, &predicted);
        }
        let all = scorer.scored(&types(), &Policy::default()).scores.span.micro;
        let scores = buckets.scores(ZeroDivision::Zero);
        prop_assert_eq!(scores.len(), BUCKETINGS.len());
        for one in scores {
            let sum: Tally = one.buckets.iter().map(|(_, counts)| Tally::from(counts)).sum();
            prop_assert_eq!(sum, Tally::from(&all), "{}", one.name);
        }
    }
}
