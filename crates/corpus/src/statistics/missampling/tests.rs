//! Theorem 1 against the reference vectors, against lists of all draws, and where its last step
//! holds.

use super::*;
use domain::{Tag, TypeId};
use proptest::prelude::*;
use serde_json::Value;

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * b.abs().max(1.0)
}

fn vectors() -> Value {
    let text = include_str!("../../../../../tests/vectors/neg_sampling.json");
    serde_json::from_str(text).unwrap()
}

#[test]
fn every_step_of_the_theorem_matches_the_reference_vectors() {
    let vectors = vectors();
    let cases = vectors["theorem1"].as_array().unwrap();
    assert_eq!(cases.len(), 90);
    let mut beyond = 0;
    for case in cases {
        let count = |name: &str| case[name].as_u64().unwrap();
        let number = |name: &str| case[name].as_f64().unwrap();
        let (n, lambda, m, unlabelled) =
            (count("n"), number("lam"), count("m_annotated"), count("unlabeled"));
        assert_eq!(negatives(n, lambda), count("k"), "{case}");
        let exact = clean_probability(candidates(n, m), unlabelled, negatives(n, lambda));
        assert!(close(exact, number("q_exact")), "{exact} {case}");
        assert!(close(power_bound(n, lambda), number("bound_power")), "{case}");
        assert!(close(linear_bound(n, lambda), number("bound_linear")), "{case}");
        assert!(close(last_bound(n, lambda), number("bound_final_paper")), "{case}");
        assert_eq!(Value::Bool(last_step_holds(n, lambda)), case["final_le_linear"], "{case}");
        assert!(is_sparse(n, m + unlabelled), "{case}");
        assert!(exact >= power_bound(n, lambda) && exact >= linear_bound(n, lambda), "{case}");
        beyond += u64::from(last_bound(n, lambda) > linear_bound(n, lambda));
    }
    assert_eq!(Some(beyond), vectors["theorem1_final_bound_exceeds_linear"].as_u64());
}

/// The shortest sentence from which on the last step holds, for λ from 0.01 to 0.5.
#[test]
fn the_last_step_needs_about_one_negative_a_sentence() {
    let from = |lambda: f64| (2..2_000).rev().find(|n| !last_step_holds(*n, lambda)).map(|n| n + 1);
    let table = [0.5, 0.35, 0.2, 0.1, 0.05, 0.01].map(|lambda| (lambda, from(lambda)));
    assert_eq!(
        table,
        [
            (0.5, None),
            (0.35, None),
            // n = 3 is equality in exact numbers.
            (0.2, Some(4)),
            (0.1, Some(10)),
            (0.05, Some(20)),
            (0.01, Some(100)),
        ]
    );
    // METHODS: it fails for λ = 0.1 at these.
    for n in [2, 3, 5, 8, 9] {
        assert!(last_bound(n, 0.1) > linear_bound(n, 0.1), "{n}");
    }
}

/// All sets of `k` of the spans 0, 1, … of which the first `unlabelled` are entities: those without
/// one.
fn listed(candidates: u64, unlabelled: u64, k: u64) -> f64 {
    let sets = (0u32..1 << candidates).filter(|set| u64::from(set.count_ones()) == k);
    let (mut all, mut clean) = (0, 0);
    for set in sets {
        all += 1;
        clean += u32::from(set & ((1 << unlabelled) - 1) == 0);
    }
    f64::from(clean) / f64::from(all)
}

#[test]
fn the_probability_is_the_share_of_all_sets_of_negatives() {
    for candidates in 1..=10 {
        for unlabelled in 0..=candidates {
            for k in 0..=candidates {
                let found = clean_probability(candidates, unlabelled, k);
                let expected = listed(candidates, unlabelled, k);
                assert!(
                    close(found, expected),
                    "{candidates} {unlabelled} {k}: {found} {expected}"
                );
            }
        }
    }
    // More negatives than spans are all of them, and none of none.
    assert_eq!(clean_probability(3, 1, 9), 0.0);
    assert_eq!(clean_probability(0, 0, 2), 1.0);
}

proptest! {
    #[test]
    fn the_first_two_bounds_hold_and_the_last_where_its_step_does(
        n in 1u64..400, lambda in 0.001f64..1.0, entities in 0u64..20, masked in 0u64..20
    ) {
        let entities = entities.min(n.isqrt());
        let unlabelled = masked.min(entities);
        let annotated = entities - unlabelled;
        let exact =
            clean_probability(candidates(n, annotated), unlabelled, negatives(n, lambda));
        let [power, linear] = [power_bound(n, lambda), linear_bound(n, lambda)];
        prop_assert!(exact >= power - 1e-12 && power >= linear - 1e-12);
        // Away from equality, where rounding decides.
        if n > 1 && (lambda * ((n * n - n + 4) as f64) / (n - 1) as f64 - 1.0).abs() > 1e-9 {
            prop_assert_eq!(last_bound(n, lambda) < linear, last_step_holds(n, lambda));
        }
    }
}

fn sentence(tokens: usize, entities: usize) -> Sentence {
    let tag = |index| if index < entities { Tag::Begin(TypeId(0)) } else { Tag::Outside };
    Sentence { tokens: (0..tokens).map(|_| "w").collect(), tags: (0..tokens).map(tag).collect() }
}

/// Two entities of four tokens, each masked with probability 1/4, λ = 0.5: two negatives of ten
/// spans.
#[test]
fn masks_are_averaged_over_exactly() {
    let found = missampling(&[sentence(4, 2)], 0.5, &[0.25]);
    let one = (1.0 - 1.0 / 9.0) * (1.0 - 1.0 / 8.0);
    let two = (1.0 - 2.0 / 10.0) * (1.0 - 2.0 / 9.0);
    let expected = 9.0 / 16.0 + 6.0 / 16.0 * one + 1.0 / 16.0 * two;
    let masked = found.masked[0];
    assert!(close(masked.clean_probability, expected), "{found:?}");
    assert_eq!(masked.clean_probability, masked.clean_probability_in_premise);
    let rate = 6.0 / 16.0 / 9.0 + 1.0 / 16.0 * 2.0 / 10.0;
    assert!(close(masked.missampling_rate, rate), "{found:?}");
    assert!(close(masked.pooled_missampling_rate, rate), "both negatives are always drawn");
}

#[test]
fn sentences_count_alike_and_the_premise_parts_them() {
    // Of four: no entity; sparse; not sparse; not sparse and without a span to draw.
    let four = [sentence(6, 0), sentence(4, 2), sentence(4, 3), sentence(1, 1)];
    let found = missampling(&four, 0.5, &[0.0, 1.0]);
    assert_eq!(found.premise_share, 0.75, "one entity of one token is as many as its root");
    let [none, all] = found.masked[..] else { panic!("two masks") };
    assert_eq!((none.clean_probability, none.missampling_rate), (1.0, 0.0));
    // All masked: of 21, 10, 10 spans and 1 span, with 0, 2, 3 entities and 1.
    let clean = [1.0, 8.0 / 10.0 * 7.0 / 9.0, 7.0 / 10.0 * 6.0 / 9.0, 0.0];
    assert!(close(all.clean_probability, clean.iter().sum::<f64>() / 4.0), "{all:?}");
    let sparse = (clean[0] + clean[1] + clean[3]) / 3.0;
    assert!(close(all.clean_probability_in_premise, sparse), "{all:?}");
    assert!(close(all.missampling_rate, (0.2 + 0.3 + 1.0) / 4.0), "{all:?}");
    // Negatives: 3, 2, 2 and 1.
    assert!(close(all.pooled_missampling_rate, (0.4 + 0.6 + 1.0) / 8.0), "{all:?}");
    // A bound below 0 says nothing: for one token the last is none at all.
    let one = missampling(&[sentence(1, 1)], 0.5, &[]);
    assert_eq!((one.power_bound, one.linear_bound, one.last_bound), (0.0, 0.0, 0.0));
    assert_eq!(missampling(&[], 0.5, &[0.5]).masked[0].clean_probability, 0.0);
}
