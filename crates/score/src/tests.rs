//! Scores against seqeval, conlleval and a scorer that is as plain as can be.

use super::*;
use domain::{Counts, EntitySpan, LevelScores, TypeId};
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;

fn cases() -> Vec<Value> {
    let file: Value =
        serde_json::from_str(include_str!("../../../tests/vectors/metrics.json")).unwrap();
    file["cases"].as_array().unwrap().clone()
}

fn tag(types: &mut TypeSet, text: &str) -> Tag {
    match text.split_once('-') {
        Some(("B", name)) => Tag::Begin(types.intern(name)),
        Some(("I", name)) => Tag::Inside(types.intern(name)),
        _ => Tag::Outside,
    }
}

fn sentences(types: &mut TypeSet, value: &Value) -> Vec<Vec<Tag>> {
    let list = |value: &Value| value.as_array().unwrap().clone();
    list(value)
        .iter()
        .map(|sentence| list(sentence).iter().map(|t| tag(types, t.as_str().unwrap())).collect())
        .collect()
}

#[track_caller]
fn assert_ratios(found: &Counts, expected: &Value) {
    for (found, name) in [(found.precision, "p"), (found.recall, "r"), (found.f1, "f")] {
        let expected = expected[name].as_f64().unwrap();
        assert!((found - expected).abs() < 1e-12, "{name}: found {found}, expected {expected}");
    }
}

#[track_caller]
fn assert_level(found: &LevelScores, expected: &Value) {
    for (found, name) in
        [(&found.micro, "micro"), (&found.macro_, "macro"), (&found.weighted, "weighted")]
    {
        assert_ratios(found, &expected[name]);
        assert_eq!(found.support, expected[name]["support"].as_u64().unwrap());
    }
    let per_type = expected["per_type"].as_object().unwrap();
    assert!(found.types.keys().eq(per_type.keys()), "{:?}", found.types.keys());
    for (name, expected) in per_type {
        assert_ratios(&found.types[name], expected);
        assert_eq!(found.types[name].support, expected["support"].as_u64().unwrap());
    }
}

fn assert_spans(types: &TypeSet, sentences: &[Vec<Tag>], mode: Mode, expected: &Value) {
    for (tags, expected) in sentences.iter().zip(expected.as_array().unwrap()) {
        let found: Vec<Value> = entities(tags, mode)
            .iter()
            .map(|e| serde_json::json!([types.name(e.entity_type), e.start, e.end - 1]))
            .collect();
        assert_eq!(&Value::Array(found), expected);
    }
}

#[test]
fn every_reference_case_agrees_with_seqeval() {
    let cases = cases();
    assert_eq!(cases.len(), 40);
    for case in cases {
        let mut types = TypeSet::default();
        let gold = sentences(&mut types, &case["y_true"]);
        let predicted = sentences(&mut types, &case["y_pred"]);
        for (mode, name) in [(Mode::Conlleval, "default"), (Mode::Strict, "strict_iob2")] {
            let expected = &case["seqeval"][name];
            assert_level(&score(&types, &gold, &predicted, mode).unwrap().span, expected);
            assert_spans(&types, &gold, mode, &expected["gold_spans"]);
            assert_spans(&types, &predicted, mode, &expected["pred_spans"]);
        }
    }
}

#[test]
fn every_reference_case_has_the_counts_of_conlleval() {
    for case in cases() {
        let mut types = TypeSet::default();
        let gold = sentences(&mut types, &case["y_true"]);
        let predicted = sentences(&mut types, &case["y_pred"]);
        let found = score(&types, &gold, &predicted, Mode::Conlleval).unwrap().span;
        let expected = &case["conlleval"];
        let counts = |found: &Counts, expected: &Value| {
            let expected =
                ["gold", "found", "correct"].map(|name| expected[name].as_u64().unwrap());
            assert_eq!([found.support, found.predicted, found.correct], expected);
        };
        counts(&found.micro, expected);
        assert_ratios(&found.micro, &expected["micro"]);
        assert_ratios(&found.macro_, &expected["macro"]);
        for (name, expected) in expected["per_type"].as_object().unwrap() {
            counts(&found.types[name], expected);
            assert_ratios(&found.types[name], expected);
        }
    }
}

/// What the Perl script printed: percentages with two decimals.
#[track_caller]
fn assert_printed(found: f64, expected: &Value) {
    let expected = expected.as_f64().unwrap();
    assert!((100.0 * found - expected).abs() < 0.005 + 1e-9, "found {found}, printed {expected}");
}

#[test]
fn every_reference_case_is_what_the_perl_script_prints() {
    for case in cases() {
        let mut types = TypeSet::default();
        let gold = sentences(&mut types, &case["y_true"]);
        let predicted = sentences(&mut types, &case["y_pred"]);
        let found = pass(&gold, &predicted, Mode::Conlleval, &types, &Policy::default());
        let (conlleval, printed) = (&case["conlleval"], &case["conlleval"]["perl_output"]);
        for (name, count) in
            [("tokens", found.accuracy.tokens), ("tokens_correct", found.accuracy.correct)]
        {
            assert_eq!(Some(count), conlleval[name].as_u64(), "{name}");
        }
        assert_eq!(Some(found.accuracy.tokens), printed["tokens"].as_u64());
        assert_printed(found.accuracy.share(), &printed["acc"]);
        let rows = printed["types"].as_object().unwrap().iter();
        let rows = rows.map(|(name, row)| (found.scores.span.types[name], row));
        for (counts, row) in rows.chain([(found.scores.span.micro, printed)]) {
            assert_eq!(Some(counts.predicted), row["found"].as_u64());
            let ratios = [(counts.precision, "p"), (counts.recall, "r"), (counts.f1, "f")];
            ratios.iter().for_each(|(ratio, name)| assert_printed(*ratio, &row[*name]));
        }
    }
}

/// Everything that one pass gives.
fn pass(
    gold: &[Vec<Tag>],
    predicted: &[Vec<Tag>],
    mode: Mode,
    types: &TypeSet,
    policy: &Policy,
) -> Scored {
    let mut scorer = Scorer::new(mode);
    gold.iter().zip(predicted).for_each(|(gold, predicted)| scorer.add(gold, predicted));
    scorer.scored(types, policy)
}

/// Gold PER LOC, predicted PER ORG: one type right, one missed, one made up.
fn three_types() -> Scores {
    let types = TypeSet::new(["LOC", "ORG", "PER"].map(String::from));
    let [loc, org, per] = [0, 1, 2].map(TypeId);
    let gold = [[Tag::Begin(per), Tag::Inside(per), Tag::Begin(loc)]];
    let predicted = [[Tag::Begin(per), Tag::Inside(per), Tag::Begin(org)]];
    score(&types, &gold, &predicted, Mode::Conlleval).unwrap()
}

#[test]
fn a_made_up_type_counts_in_macro_but_not_in_macro_fixed() {
    let span = three_types().span;
    assert_eq!(span.macro_.f1, 1.0 / 3.0);
    assert_eq!(span.macro_fixed.f1, 0.5);
    assert_eq!((span.macro_fixed.support, span.macro_fixed.predicted), (2, 1));
    assert_eq!(span.weighted.f1, 0.5);
    assert_eq!(span.micro.f1, 0.5);
}

#[test]
fn tokens_are_counted_by_type_with_b_and_i_as_one() {
    let token = three_types().token;
    assert_eq!((token.micro.support, token.micro.predicted, token.micro.correct), (3, 3, 2));
    assert_eq!(token.types["PER"].f1, 1.0);
    assert_eq!(token.macro_.f1, 1.0 / 3.0);
    let types = TypeSet::new(["PER".to_owned()]);
    let gold = [[Tag::Begin(TypeId(0)), Tag::Inside(TypeId(0))]];
    let all_begin = [[Tag::Begin(TypeId(0)); 2]];
    assert_eq!(score(&types, &gold, &all_begin, Mode::Strict).unwrap().token.micro.f1, 1.0);
}

/// The same under a policy.
fn three_types_by(zero_division: ZeroDivision, fixed: &[&str]) -> Scored {
    let types = TypeSet::new(["LOC", "ORG", "PER"].map(String::from));
    let [loc, org, per] = [0, 1, 2].map(TypeId);
    let gold = [vec![Tag::Begin(per), Tag::Inside(per), Tag::Begin(loc), Tag::Outside]];
    let predicted = [vec![Tag::Begin(per), Tag::Inside(per), Tag::Begin(org), Tag::Outside]];
    let fixed_types = fixed.iter().map(|name| (*name).to_owned()).collect();
    pass(&gold, &predicted, Mode::Conlleval, &types, &Policy { zero_division, fixed_types })
}

#[test]
fn a_list_fixed_by_hand_counts_types_that_nobody_used() {
    let fixed = |zero, names: &[&str]| three_types_by(zero, names).scores.span.macro_fixed.f1;
    assert_eq!(fixed(ZeroDivision::Zero, &["PER"]), 1.0);
    assert_eq!(fixed(ZeroDivision::Zero, &["PER", "FOOD"]), 0.5);
    assert_eq!(fixed(ZeroDivision::Zero, &["PER", "FOOD", "PER"]), 0.5);
    assert_eq!(fixed(ZeroDivision::One, &["LOC", "FOOD"]), 0.5);
}

#[test]
fn a_ratio_of_nothing_may_count_as_1() {
    let span = three_types_by(ZeroDivision::One, &[]).scores.span;
    let ratios = |name: &str| {
        let Counts { precision, recall, f1, .. } = span.types[name];
        [precision, recall, f1]
    };
    assert_eq!((ratios("LOC"), ratios("ORG")), ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]));
    assert_eq!((span.macro_.precision, span.macro_.recall), (2.0 / 3.0, 2.0 / 3.0));
    let nobody = pass(
        &[],
        &[],
        Mode::Strict,
        &TypeSet::default(),
        &Policy { zero_division: ZeroDivision::One, ..Policy::default() },
    );
    let one = Counts { precision: 1.0, recall: 1.0, f1: 1.0, ..Counts::default() };
    let LevelScores { micro, macro_, macro_fixed, weighted, types } = nobody.scores.span;
    assert_eq!((micro, macro_, macro_fixed, weighted, types.len()), (one, one, one, one, 0));
}

#[test]
fn o_may_be_one_class_more() {
    let scored = three_types_by(ZeroDivision::Zero, &[]);
    let OutsideScores { outside, micro, macro_, macro_fixed, weighted } = scored.with_outside;
    assert_eq!((outside.support, outside.predicted, outside.correct), (1, 1, 1));
    assert_eq!(scored.scores.outside, Some(outside));
    // Every token has one class on each side: precision, recall and F1 are the accuracy.
    assert_eq!((micro.precision, micro.recall, micro.f1), (0.75, 0.75, 0.75));
    assert_eq!((macro_.f1, macro_fixed.f1, weighted.f1), (0.5, 2.0 / 3.0, 0.75));
    assert_eq!((scored.accuracy.correct, scored.accuracy.tokens), (3, 4));
    let all_entities = pass(
        &[vec![Tag::Begin(TypeId(0))]],
        &[vec![Tag::Begin(TypeId(0))]],
        Mode::Strict,
        &three_names(),
        &Policy::default(),
    );
    assert_eq!(all_entities.with_outside.macro_.f1, 1.0, "an O that nobody used is no class");
}

#[test]
fn nothing_gives_zeros() {
    let nobody: [Vec<Tag>; 0] = [];
    let found = score(&TypeSet::default(), &nobody, &nobody, Mode::Strict).unwrap();
    let of_o = |counts| Scores { outside: Some(counts), ..Scores::default() };
    assert_eq!(found, of_o(Counts::default()));
    let empty_sentence = [[Tag::Outside; 0]];
    let of_it = score(&TypeSet::default(), empty_sentence, empty_sentence, Mode::Strict);
    assert_eq!(of_it.unwrap(), found);
    let outside = [[Tag::Outside; 3]];
    let of_it = score(&TypeSet::default(), outside, outside, Mode::Strict).unwrap();
    let all = Tally { support: 3, predicted: 3, correct: 3 };
    assert_eq!(of_it, of_o(all.counts(ZeroDivision::Zero)));
}

#[test]
fn what_does_not_fit_is_refused() {
    let types = TypeSet::default();
    let (one, two) = ([vec![Tag::Outside]], [vec![Tag::Outside], vec![Tag::Outside; 2]]);
    let error = score(&types, &one, &two, Mode::Strict).unwrap_err();
    assert_eq!(error.to_string(), "the gold ends after 1 sentences, the prediction goes on");
    let error = score(&types, &two[1..], &one, Mode::Strict).unwrap_err();
    assert_eq!(error, ScoreError::Tags { sentence: 1, gold: 2, predicted: 1 });
}

fn any_tags() -> impl Strategy<Value = Vec<(Vec<Tag>, Vec<Tag>)>> {
    let tag = (0..7usize).prop_map(Tag::from_index);
    let pair = prop::collection::vec((tag.clone(), tag), 1..12)
        .prop_map(|pairs| pairs.into_iter().unzip());
    prop::collection::vec(pair, 0..8)
}

fn three_names() -> TypeSet {
    TypeSet::new(["a", "b", "c"].map(String::from))
}

fn of(pairs: &[(Vec<Tag>, Vec<Tag>)], mode: Mode) -> Scores {
    score(&three_names(), pairs.iter().map(|p| &p.0), pairs.iter().map(|p| &p.1), mode).unwrap()
}

/// All entities of one side, as a set of (sentence, entity).
fn as_set<'a>(
    side: impl Iterator<Item = &'a Vec<Tag>>,
    mode: Mode,
) -> BTreeSet<(usize, EntitySpan)> {
    side.enumerate()
        .flat_map(|(i, tags)| entities(tags, mode).into_iter().map(move |e| (i, e)))
        .collect()
}

proptest! {
    #[test]
    fn the_single_pass_counts_what_sets_count(pairs in any_tags()) {
        for mode in Mode::ALL {
            let gold = as_set(pairs.iter().map(|p| &p.0), mode);
            let predicted = as_set(pairs.iter().map(|p| &p.1), mode);
            let micro = of(&pairs, mode).span.micro;
            prop_assert_eq!(micro.support as usize, gold.len());
            prop_assert_eq!(micro.predicted as usize, predicted.len());
            prop_assert_eq!(micro.correct as usize, gold.intersection(&predicted).count());
        }
    }

    #[test]
    fn trading_places_trades_precision_and_recall(pairs in any_tags()) {
        let traded: Vec<_> = pairs.iter().cloned().map(|(g, p)| (p, g)).collect();
        let (one, other) = (of(&pairs, Mode::Conlleval), of(&traded, Mode::Conlleval));
        for (one, other) in [(one.span, other.span), (one.token, other.token)] {
            prop_assert_eq!(one.micro.precision, other.micro.recall);
            prop_assert_eq!(one.macro_.precision, other.macro_.recall);
            prop_assert_eq!(one.macro_.f1, other.macro_.f1);
        }
    }

    #[test]
    fn the_numbering_of_types_does_not_change_a_bit(pairs in any_tags()) {
        let mut renumbered = TypeSet::default();
        for name in ["c", "a", "b"] {
            renumbered.intern(name);
        }
        let rename = |tags: &Vec<Tag>| -> Vec<Tag> {
            let id = |TypeId(id)| TypeId((id + 1) % 3);
            tags.iter().map(|tag| match *tag {
                Tag::Outside => Tag::Outside,
                Tag::Begin(t) => Tag::Begin(id(t)),
                Tag::Inside(t) => Tag::Inside(id(t)),
            }).collect()
        };
        let gold = pairs.iter().map(|p| rename(&p.0));
        let predicted = pairs.iter().map(|p| rename(&p.1));
        let found = score(&renumbered, gold, predicted, Mode::Conlleval).unwrap();
        prop_assert_eq!(found, of(&pairs, Mode::Conlleval));
    }

    #[test]
    fn every_ratio_is_a_share(pairs in any_tags(), one: bool, fixed in prop::sample::subsequence(vec!["a", "z"], 0..=2)) {
        let zero_division = if one { ZeroDivision::One } else { ZeroDivision::Zero };
        let fixed_types = fixed.iter().map(|name| (*name).to_owned()).collect();
        let (gold, predicted): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        let policy = Policy { zero_division, fixed_types };
        for mode in Mode::ALL {
            let scored = pass(&gold, &predicted, mode, &three_names(), &policy);
            let OutsideScores { outside, micro, macro_, macro_fixed, weighted } = scored.with_outside;
            let mut all = vec![outside, micro, macro_, macro_fixed, weighted];
            for level in [scored.scores.span, scored.scores.token] {
                all.extend([level.micro, level.macro_, level.macro_fixed, level.weighted]);
                all.extend(level.types.values());
            }
            for Counts { precision, recall, f1, .. } in all {
                prop_assert!([precision, recall, f1].iter().all(|x| (0.0..=1.0).contains(x)));
            }
        }
    }

    #[test]
    fn gold_against_itself_is_perfect(pairs in any_tags()) {
        let same: Vec<_> = pairs.iter().map(|p| (p.0.clone(), p.0.clone())).collect();
        let span = of(&same, Mode::Strict).span;
        let perfect = if span.types.is_empty() { 0.0 } else { 1.0 };
        for average in [span.micro, span.macro_, span.macro_fixed, span.weighted] {
            prop_assert_eq!((average.precision, average.recall, average.f1), (perfect, perfect, perfect));
        }
    }
}
