use super::*;
use domain::{ParameterValue, Span};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use std::collections::BTreeMap;

fn vectors() -> Value {
    serde_json::from_str(include_str!("../../../../tests/vectors/neg_sampling.json")).unwrap()
}

fn number(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

fn real(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// The vectors' spans name their last word.
fn span(value: &Value) -> Span {
    Span { start: number(&value[0]), end: number(&value[1]) + 1 }
}

fn spans(value: &Value) -> Vec<Span> {
    value.as_array().unwrap().iter().map(span).collect()
}

fn weighting(case: &Value, entity_only: bool) -> Weighting {
    let defaults = Weighted::read(&Weighted::ENTRY.defaults());
    let settings = Weighted { mu: real(&case["mu"]), entity_only, ..defaults };
    let weighting = Weighting::new(&settings, number(&case["num_labels"]));
    weighting.in_epoch(number(&case["epoch"]), number(&case["C"]))
}

fn part(kind: &str, set: &[(&str, ParameterValue)]) -> Part {
    let entry = ENTRIES.iter().find(|entry| entry.name == kind).unwrap();
    let mut parameters = entry.defaults();
    parameters.0.extend(set.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    Part { kind: kind.to_owned(), parameters }
}

#[test]
fn weights_are_those_of_the_vectors() {
    let vectors = vectors();
    for case in vectors["cases"].as_array().unwrap() {
        let temperature = (number(&case["C"]) - number(&case["epoch"])) as f64;
        assert!((real(&case["temperature"]) - temperature.sqrt()).abs() < 1e-12);
        for one in case["spans"].as_array().unwrap() {
            let z: Vec<f64> = one["probs"].as_array().unwrap().iter().map(real).collect();
            let close = |found: f64, name: &str| {
                let expected = real(&one[name]);
                assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{name}");
            };
            close(uncertainty(&z), "u");
            close(weighting(case, false).weigh(&z), "r");
            close(weighting(case, true).weigh(&z), "r_entity_only");
        }
    }
}

#[test]
fn the_number_of_negatives_is_that_of_the_vectors() {
    let vectors = vectors();
    for case in vectors["cases"].as_array().unwrap() {
        let lambda = ("lambda", ParameterValue::Real(real(&case["lambda_"])));
        let code = ("count", ParameterValue::Text("code".into()));
        let words = number(&case["n"]);
        let ceil = Number::new(&part("uniform", std::slice::from_ref(&lambda))).of(words);
        let code = Number::new(&part("uniform", &[lambda, code])).of(words);
        assert_eq!([ceil, code], [number(&case["k_ceil"]), number(&case["k_code"])]);
    }
    let number = |count: &str, lambda: f64, words| {
        let set = [
            ("count", ParameterValue::Text(count.into())),
            ("lambda", ParameterValue::Real(lambda)),
        ];
        Number::new(&part("weighted", &set)).of(words)
    };
    // They differ where λn is whole.
    assert_eq!([number("ceil", 0.5, 4), number("code", 0.5, 4)], [2, 3]);
    assert_eq!(number("ceil", 0.0, 4), 0);
}

/// How often each span is in one of many draws.
fn frequencies(
    mut draw: impl FnMut(&mut ChaCha8Rng) -> Vec<Span>,
    draws: usize,
) -> BTreeMap<Span, f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut found = BTreeMap::new();
    for _ in 0..draws {
        let drawn = draw(&mut rng);
        let mut distinct = drawn.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), drawn.len(), "without replacement");
        for span in drawn {
            *found.entry(span).or_default() += 1.0 / draws as f64;
        }
    }
    found
}

/// Draws with weights that are looked up.
fn weighted(
    candidates: &Candidates,
    wanted: usize,
    weighting: Weighting,
    weights: &BTreeMap<Span, f64>,
    rng: &mut ChaCha8Rng,
) -> (Vec<Span>, usize) {
    let draw = Draw::new(candidates.clone(), wanted, weighting, rng);
    let asked = draw.asked();
    (draw.decide(asked.iter().map(|span| weights[span]), rng), asked.len())
}

#[test]
fn spans_are_drawn_as_often_as_the_vectors_have_it() {
    let vectors = vectors();
    let draws = 40_000;
    // Four standard deviations of the most variable frequency.
    let tolerance = 4.0 * (0.25 / draws as f64).sqrt();
    let mut compared = 0;
    for case in vectors["cases"].as_array().unwrap() {
        let annotated = spans(&case["annotated"]);
        let candidates = Candidates::new(number(&case["n"]), annotated.iter().copied());
        let all = case["spans"].as_array().unwrap().iter();
        let weights: BTreeMap<Span, f64> =
            all.clone().map(|one| (span(&one["span"]), real(&one["r"]))).collect();
        // The vectors enumerate only what has few orders.
        let Some(listed) = case["inclusion_probs_without_replacement"].as_array() else { continue };
        compared += 1;
        let expected = all.filter(|one| one["candidate"] == true).map(|one| span(&one["span"]));
        let expected = expected.zip(listed);
        let expected: Vec<(Span, f64)> =
            expected.map(|(span, share)| (span, real(share))).collect();
        let wanted = number(&case["k_effective"]);
        // The bound of `entity_only` is so high that no proposals are made: then all spans are
        // looked at.
        for entity_only in [false, true] {
            let weighting = weighting(case, entity_only);
            let draw = |rng: &mut ChaCha8Rng| {
                let (drawn, looked) = weighted(&candidates, wanted, weighting, &weights, rng);
                assert_eq!(drawn.len(), wanted);
                assert!(!entity_only || looked == candidates.count());
                drawn
            };
            let found = frequencies(draw, draws);
            assert!(annotated.iter().all(|span| !found.contains_key(span)));
            for (span, expected) in &expected {
                let found = found[span];
                assert!(
                    (found - expected).abs() < tolerance,
                    "{span:?}: {found} is not {expected}"
                );
            }
        }
    }
    assert!(compared >= 4, "{compared}");
}

/// Inclusion probabilities of two draws, one after the other, by enumeration.
fn of_two(weights: &[f64]) -> Vec<f64> {
    let sum: f64 = weights.iter().sum();
    let second = |i: usize, j: usize| weights[j] / sum * weights[i] / (sum - weights[j]);
    let of = |i: usize| {
        let others = (0..weights.len()).filter(|j| *j != i);
        weights[i] / sum + others.map(|j| second(i, j)).sum::<f64>()
    };
    (0..weights.len()).map(of).collect()
}

/// A sentence so long that proposals are far fewer than candidates.
#[test]
fn proposals_give_the_same_distribution_with_few_looks() {
    let candidates = Candidates::new(12, [Span { start: 2, end: 4 }]);
    let case = serde_json::json!({"mu": 8.0, "num_labels": 7, "epoch": 16, "C": 20});
    let weighting = weighting(&case, false);
    let all: Vec<Span> = (0..candidates.count()).map(|place| candidates.span(place)).collect();
    let r = |place: usize| if place.is_multiple_of(11) { 1.9 } else { 0.02 * (place % 5) as f64 };
    let weights: BTreeMap<Span, f64> = all.iter().enumerate().map(|(i, s)| (*s, r(i))).collect();
    let mut looks = 0;
    let draws = 60_000;
    let draw = |rng: &mut ChaCha8Rng| {
        let (drawn, looked) = weighted(&candidates, 2, weighting, &weights, rng);
        assert_eq!(drawn.len(), 2);
        looks += looked;
        drawn
    };
    let found = frequencies(draw, draws);
    let heavy: Vec<f64> = all.iter().map(|span| (weights[span] / 2.0).exp()).collect();
    let expected = of_two(&heavy);
    // Five standard deviations of each.
    let tolerance = |share: f64| 5.0 * (share * (1.0 - share) / draws as f64).sqrt();
    for (span, &expected) in all.iter().zip(&expected) {
        let found = found[span];
        assert!((found - expected).abs() < tolerance(expected), "{found} is not {expected}");
    }
    // Of the proposals before two that are taken for sure, no more than 2(e^{R/T} − 1) = 2(√7 − 1)
    // on average.
    let looks = looks as f64 / draws as f64;
    assert!(looks < 2.0 * (7f64.sqrt() - 1.0), "{looks} spans of {} were looked at", all.len());
    // The difference that the test is about is many tolerances wide.
    assert!(expected[0] > 5.0 * tolerance(expected[0]) + expected[1]);
}

#[test]
fn uniform_draws_are_uniform() {
    let candidates = Candidates::new(4, [Span { start: 1, end: 3 }]);
    let draws = 40_000;
    let found = frequencies(|rng| draw_uniformly(&candidates, 2, rng), draws);
    assert_eq!(found.len(), 9);
    let tolerance = 4.0 * (0.25 / draws as f64).sqrt();
    assert!(found.values().all(|share| (share - 2.0 / 9.0).abs() < tolerance), "{found:?}");
}

#[test]
fn no_more_is_drawn_than_there_is() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let candidates = Candidates::new(1, [Span { start: 0, end: 1 }]);
    assert!(draw_uniformly(&candidates, 3, &mut rng).is_empty());
    let case = serde_json::json!({"mu": 8.0, "num_labels": 3, "epoch": 0, "C": 1});
    let draw = Draw::new(candidates, 3, weighting(&case, false), &mut rng);
    assert!(draw.asked().is_empty() && draw.decide([], &mut rng).is_empty());
    let candidates = Candidates::new(2, []);
    let weights = Span::all(2).map(|span| (span, 0.1)).collect();
    for entity_only in [false, true] {
        let weighting = weighting(&case, entity_only);
        assert_eq!(weighted(&candidates, 9, weighting, &weights, &mut rng).0.len(), 3);
    }
    assert_eq!(draw_uniformly(&candidates, 9, &mut rng).len(), 3);
}

#[test]
fn the_rate_of_missampling_is_that_of_the_vectors() {
    let vectors = vectors();
    let mut all = Missampling::default();
    let (mut rates, mut hits, mut unlabelled) = (0.0, 0.0, 0.0);
    let cases = vectors["missampling"].as_array().unwrap();
    for case in cases {
        let (drawn, missing) = (spans(&case["sampled"]), spans(&case["unlabeled"]));
        let mut one = Missampling::default();
        one.add(&drawn, &missing);
        all.add(&drawn, &missing);
        assert!((one.rate() - real(&case["gamma_text"])).abs() < 1e-12);
        let share = real(&case["gamma_over_unlabeled"]);
        assert!((one.entities().unwrap() - share).abs() < 1e-12);
        rates += one.rate();
        hits += share * missing.len() as f64;
        unlabelled += missing.len() as f64;
    }
    assert!((all.rate() - rates / cases.len() as f64).abs() < 1e-12, "the mean over sentences");
    assert!((all.entities().unwrap() - hits / unlabelled).abs() < 1e-12);
    assert_eq!(Missampling::default().entities(), None);
}

#[test]
fn the_top_the_middle_and_the_bottom_of_a_ranking_are_taken() {
    let spans: Vec<Span> = Span::all(3).collect();
    let ranked: Vec<(f64, Span)> =
        [0.1, 0.9, 0.5, 0.3, 0.7, 0.5].into_iter().zip(spans.clone()).collect();
    let chosen = |which: Which, wanted| which.choose(ranked.clone(), wanted);
    // From the most to the least uncertain: 1, 4, 2, 5, 3, 0.
    assert_eq!(chosen(Which::Top, 2), [spans[1], spans[4]]);
    assert_eq!(chosen(Which::Middle, 2), [spans[2], spans[5]]);
    assert_eq!(chosen(Which::Middle, 3), [spans[4], spans[2], spans[5]]);
    assert_eq!(chosen(Which::Bottom, 2), [spans[3], spans[0]]);
    assert_eq!(chosen(Which::Middle, 9).len(), 6);
}
