//! The categories by hand; `tests/vectors/scoring.json` and `make test-peers` hold them against
//! nervaluate.

use super::*;
use crate::Mode;
use domain::{Tag, TypeId, TypeSet};
use proptest::prelude::*;

fn tags(types: &mut TypeSet, text: &str) -> Vec<Tag> {
    let tag = |text: &str| match text.split_once('-') {
        Some(("B", name)) => Tag::Begin(types.intern(name)),
        Some((_, name)) => Tag::Inside(types.intern(name)),
        None => Tag::Outside,
    };
    text.split(' ').map(tag).collect()
}

fn matched(gold: &str, predicted: &str) -> Matched {
    let mut types = TypeSet::default();
    let (gold, predicted) = (tags(&mut types, gold), tags(&mut types, predicted));
    let mut matcher = Matcher::new(Mode::Conlleval);
    matcher.add(&gold, &predicted);
    matcher.matched(&types, ZeroDivision::Zero)
}

/// Correct, incorrect, partial, missed, spurious.
fn categories(scores: &MatchScores) -> [u64; 5] {
    [scores.correct, scores.incorrect, scores.partial, scores.missed, scores.spurious]
}

#[track_caller]
fn assert_all(gold: &str, predicted: &str, expected: [[u64; 5]; 4]) {
    let found =
        Criterion::ALL.map(|criterion| categories(matched(gold, predicted).all.of(criterion)));
    assert_eq!(found, expected, "{gold} | {predicted}");
}

#[test]
fn each_criterion_wants_what_it_says() {
    // The scenarios of the SemEval-2013 task: right, wrong type, wrong ends, both wrong, missed,
    // made up.
    assert_all("B-x I-x O", "B-x I-x O", [[1, 0, 0, 0, 0]; 4]);
    let [right, wrong] = [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0]];
    assert_all("B-x I-x O", "B-y I-y O", [wrong, right, right, wrong]);
    assert_all("B-x I-x O", "B-x I-x I-x", [wrong, wrong, [0, 0, 1, 0, 0], right]);
    assert_all("B-x I-x O", "O B-y I-y", [wrong, wrong, [0, 0, 1, 0, 0], wrong]);
    assert_all("B-x I-x O", "O O O", [[0, 0, 0, 1, 0]; 4]);
    assert_all("O O O", "B-x I-x O", [[0, 0, 0, 0, 1]; 4]);
}

#[test]
fn a_gold_entity_is_taken_once() {
    // Two predictions inside one entity: the first takes it.
    assert_all(
        "B-x I-x I-x",
        "B-x O B-x",
        [[0, 1, 0, 0, 1], [0, 1, 0, 0, 1], [0, 0, 1, 0, 1], [1, 0, 0, 0, 1]],
    );
    // One prediction over two entities takes the first, by type the one whose ends are closer.
    assert_all(
        "B-x B-x I-x",
        "B-x I-x I-x",
        [[0, 1, 0, 1, 0], [0, 1, 0, 1, 0], [0, 0, 1, 1, 0], [1, 0, 0, 1, 0]],
    );
    // The first prediction takes the only entity that the second meets in full.
    assert_all(
        "O B-x I-x",
        "B-y I-y B-x",
        [[0, 1, 0, 0, 1], [0, 1, 0, 0, 1], [0, 0, 1, 0, 1], [0, 1, 0, 0, 1]],
    );
}

#[test]
fn a_partial_match_is_half_a_correct_one() {
    let found = matched("B-x I-x O B-y", "B-x I-x I-x B-y").all.partial;
    assert_eq!((found.precision, found.recall, found.f1), (0.75, 0.75, 0.75));
    assert_eq!((found.possible, found.actual), (2, 2));
}

#[test]
fn a_type_sees_only_its_own_entities() {
    let found = matched("B-x I-x O", "B-y I-y B-x");
    assert_eq!(categories(&found.types["x"].exact), [0, 0, 0, 1, 1]);
    assert_eq!(categories(&found.types["y"].exact), [0, 0, 0, 0, 1]);
    assert_eq!(categories(&found.all.exact), [1, 0, 0, 0, 1]);
}

#[test]
fn a_hair_of_a_very_long_entity_is_no_overlap() {
    let long = |tokens: usize| format!("B-x{}", " I-x".repeat(tokens - 1));
    let first = |tokens: usize| format!("B-x{}", " O".repeat(tokens - 1));
    assert_eq!(categories(&matched(&long(100), &first(100)).all.partial), [0, 0, 1, 0, 0]);
    assert_eq!(categories(&matched(&long(101), &first(101)).all.partial), [0, 0, 0, 1, 1]);
}

#[test]
fn nothing_matches_nothing() {
    let matcher = Matcher::new(Mode::Strict);
    assert_eq!(matcher.matched(&TypeSet::default(), ZeroDivision::Zero), Matched::default());
    let one = matcher.matched(&TypeSet::default(), ZeroDivision::One).all.strict;
    assert_eq!((one.precision, one.recall, one.f1), (1.0, 1.0, 1.0));
}

proptest! {
    #[test]
    fn everybody_is_in_one_category(
        pairs in prop::collection::vec((0..7usize, 0..7usize), 1..30), strict: bool
    ) {
        let mode = if strict { Mode::Strict } else { Mode::Conlleval };
        let side = |of: fn(&(usize, usize)) -> usize| -> Vec<Tag> {
            pairs.iter().map(|pair| Tag::from_index(of(pair))).collect()
        };
        let (gold, predicted) = (side(|p| p.0), side(|p| p.1));
        let types = TypeSet::new(["a", "b", "c"].map(String::from));
        let mut matcher = Matcher::new(mode);
        matcher.add(&gold, &predicted);
        let found = matcher.matched(&types, ZeroDivision::Zero);
        let count = |tags: &[Tag], of: Option<TypeId>| {
            let entities = crate::entities(tags, mode);
            entities.iter().filter(|e| of.is_none_or(|id| e.entity_type == id)).count() as u64
        };
        let rows = found.types.iter().map(|(name, row)| (types.id(name), row));
        for (id, row) in rows.chain([(None, &found.all)]) {
            for criterion in Criterion::ALL {
                let scores = row.of(criterion);
                prop_assert_eq!(scores.possible, count(&gold, id));
                prop_assert_eq!(scores.actual, count(&predicted, id));
            }
        }
    }
}
