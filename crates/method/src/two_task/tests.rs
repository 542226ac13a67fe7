//! The margin loss and the steps of its state against the reference vectors, and gradients against
//! values.

use super::margin::MarginLoss;
use super::state::Slopes;
use super::*;
use crate::loss;
use domain::{ParameterValue, Part};
use serde_json::Value;

const VECTORS: &str = include_str!("../../../../tests/vectors/losses.json");

fn vectors(section: &str) -> Vec<Value> {
    let vectors: Value = serde_json::from_str(VECTORS).unwrap();
    vectors[section].as_array().unwrap().clone()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn close(actual: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(actual.len(), expected.len(), "{what}");
    for (a, e) in actual.iter().zip(expected) {
        assert!((a - e).abs() < tolerance, "{what}: {a} is not {e}");
    }
}

/// The logits, labels and state of a case.
fn case(case: &Value) -> (Vec<f64>, Vec<bool>, TaskState) {
    let number = |name: &str| case[name].as_f64().unwrap();
    let labels = numbers(&case["labels"]).into_iter().map(|label| label == 1.0).collect();
    let state =
        TaskState { a: number("a"), b: number("b"), alpha: number("alpha"), ..Default::default() };
    (numbers(&case["scores_logits"]), labels, state)
}

fn slopes(found: &MarginLoss) -> [f64; 3] {
    let Slopes { a, b, alpha } = found.slopes;
    [a, b, alpha].map(|slope| slope.expect("a batch of both classes"))
}

#[test]
fn every_version_matches_the_reference_vectors() {
    let cases = vectors("auc");
    assert_eq!(cases.len(), 9);
    for vector in cases {
        let (logits, labels, state) = case(&vector);
        let margin = vector["margin"].as_f64().unwrap();
        let versions = [
            ("v2", MarginVersion::Means),
            ("v1_p_batch", MarginVersion::OfBatch(0.5)),
            ("v1_p_fixed", MarginVersion::Fixed(vector["p_fixed"].as_f64().unwrap())),
        ];
        for (name, version) in versions {
            let mut gradient = vec![f64::NAN; logits.len()];
            let found = Margin { version, margin }
                .of_batch(&state, &logits, &labels, &mut gradient)
                .unwrap();
            close(&[found.value], &[vector[name].as_f64().unwrap()], 1e-9, name);
            let expected = numbers(&vector[format!("grad_{name}_wrt_a_b_alpha")]);
            close(&slopes(&found), &expected, 1e-7, name);
            if let Some(expected) = vector.get(format!("grad_{name}_wrt_logits")) {
                close(&gradient, &numbers(expected), 1e-7, name);
            }
        }
        // At the inner optimum it is the closed form.
        let loss = Margin { version: MarginVersion::Means, margin };
        let [a, b] = Margin::means(&logits, &labels).map(Option::unwrap);
        let optimum = TaskState { a, b, alpha: (margin + b - a).max(0.0), ..Default::default() };
        let mut gradient = vec![0.0; logits.len()];
        let found = loss.of_batch(&optimum, &logits, &labels, &mut gradient).unwrap();
        let expected = vector["closed_form_minmax"].as_f64().unwrap();
        close(&[found.value], &[expected], 1e-9, "closed form");
        let [of_a, of_b, _] = slopes(&found);
        assert!(of_a.abs() + of_b.abs() < 1e-12);
    }
}

#[test]
fn gradients_are_the_derivatives_of_the_value() {
    let logits = [0.3, -1.2, 0.8, 2.0, -0.1, -4.0];
    let labels = [true, false, false, true, false, false];
    let state = TaskState { a: 0.6, b: 0.3, alpha: 0.7, ..Default::default() };
    const STEP: f64 = 1e-5;
    for version in [MarginVersion::Means, MarginVersion::OfBatch(0.5), MarginVersion::Fixed(0.2)] {
        let loss = Margin { version, margin: 0.8 };
        let at = |state: &TaskState, logits: &[f64]| {
            let mut gradient = vec![f64::NAN; logits.len()];
            let found = loss.of_batch(state, logits, &labels, &mut gradient).unwrap();
            (found, gradient)
        };
        let (found, gradient) = at(&state, &logits);
        let slope = |place: usize| {
            let moved = |step: f64| {
                let mut logits = logits;
                logits[place] += step;
                at(&state, &logits).0.value
            };
            (moved(STEP) - moved(-STEP)) / (2.0 * STEP)
        };
        let numerical: Vec<f64> = (0..logits.len()).map(slope).collect();
        close(&gradient, &numerical, 1e-9, "logits");
        let of = |change: fn(&mut TaskState, f64)| {
            let moved = |step: f64| {
                let mut state = state;
                change(&mut state, step);
                at(&state, &logits).0.value
            };
            (moved(STEP) - moved(-STEP)) / (2.0 * STEP)
        };
        let numerical =
            [of(|s, step| s.a += step), of(|s, step| s.b += step), of(|s, step| s.alpha += step)];
        close(&slopes(&found), &numerical, 1e-9, "a, b and α");
    }
}

/// By hand, with h = σ(ln 3) = 3/4 and σ(−ln 3) = 1/4, both with a slope of 3/16 in their logit, a
/// = 0.6, b = 0.3 and α = 0.5.
#[test]
fn a_batch_of_one_class_has_the_terms_of_that_class() {
    let logits = [3f64.ln(), -3f64.ln()];
    let state = TaskState { a: 0.6, b: 0.3, alpha: 0.5, ..Default::default() };
    // Negatives: (0.45² + 0.05²)/2 + 2 · 0.5 · 0.5 = 0.6025; ∂h (2(h − 0.3) + 2 · 0.5)/2 = 0.95 and
    // 0.45; ∂b = 2(0.3 − 0.5) = −0.4. Positives: (0.15² + 0.35²)/2 − 2 · 0.5 · 0.5 = −0.4275; ∂h
    // (2(h − 0.6) − 2 · 0.5)/2 = −0.35 and −0.85; ∂a = 2(0.6 − 0.5) = 0.2.
    let negatives = (false, 0.6025, [0.95, 0.45], (None, Some(-0.4)));
    let positives = (true, -0.4275, [-0.35, -0.85], (Some(0.2), None));
    for (class, value, of_h, (a, b)) in [negatives, positives] {
        // The weights of the first version: all words are of the class, so p of negatives and 1 − p
        // of positives.
        let weight = |p: f64| if class { 1.0 - p } else { p };
        let versions = [
            (MarginVersion::Means, 1.0),
            (MarginVersion::OfBatch(0.2), weight(0.2)),
            (MarginVersion::Fixed(0.1), weight(0.1)),
        ];
        for (version, weight) in versions {
            let mut gradient = [f64::NAN; 2];
            let loss = Margin { version, margin: 1.0 };
            let found = loss.of_batch(&state, &logits, &[class; 2], &mut gradient).unwrap();
            close(&[found.value], &[weight * value], 1e-12, "value");
            close(&gradient, &of_h.map(|slope| weight * slope * 3.0 / 16.0), 1e-12, "gradient");
            let Slopes { a: of_a, b: of_b, alpha } = found.slopes;
            assert_eq!(alpha, None);
            for (found, expected) in [(of_a, a), (of_b, b)] {
                assert_eq!(found.is_some(), expected.is_some());
                let expected = weight * expected.unwrap_or_default();
                close(&[found.unwrap_or_default()], &[expected], 1e-12, "a and b");
            }
        }
    }
    let loss = Margin { version: MarginVersion::Means, margin: 1.0 };
    assert_eq!(loss.of_batch(&TaskState::default(), &[], &[], &mut []), None);
}

/// The terms of each class add up to the loss of both, but for what belongs to no word: 2αm − α².
#[test]
fn the_terms_of_both_classes_add_up_to_the_whole() {
    let logits = [0.3, -1.2, 0.8, 2.0, -0.1, -4.0];
    let labels = [true, false, false, true, false, false];
    let state = TaskState { a: 0.6, b: 0.3, alpha: 0.7, ..Default::default() };
    let loss = Margin { version: MarginVersion::Means, margin: 0.8 };
    let of = |wanted: &dyn Fn(bool) -> bool| {
        let places: Vec<usize> = (0..6).filter(|&place| wanted(labels[place])).collect();
        let logits: Vec<f64> = places.iter().map(|&place| logits[place]).collect();
        let labels: Vec<bool> = places.iter().map(|&place| labels[place]).collect();
        let mut gradient = vec![f64::NAN; logits.len()];
        let found = loss.of_batch(&state, &logits, &labels, &mut gradient).unwrap();
        (found, places.into_iter().zip(gradient).collect::<Vec<_>>())
    };
    let (whole, mut expected) = of(&|_| true);
    let ((positives, above), (negatives, below)) = (of(&|yes| yes), of(&|yes| !yes));
    let constants = 2.0 * 0.7 * 0.8 - 0.7 * 0.7;
    let sum = positives.value + negatives.value + constants;
    close(&[sum], &[whole.value], 1e-12, "value");
    let mut parts = [above, below].concat();
    parts.sort_by_key(|(place, _)| *place);
    expected.sort_by_key(|(place, _)| *place);
    let slopes = |parts: &[(usize, f64)]| parts.iter().map(|(_, slope)| *slope).collect::<Vec<_>>();
    close(&slopes(&parts), &slopes(&expected), 1e-12, "gradient");
    assert_eq!((positives.slopes.a, positives.slopes.b), (whole.slopes.a, None));
    assert_eq!((negatives.slopes.a, negatives.slopes.b), (None, whole.slopes.b));
}

#[test]
fn a_batch_of_one_class_moves_only_the_variable_of_that_class() {
    let descent = Descent { rate: 0.1, margin: 1.0, epoch_decay: 0.5, weight_decay: 0.5 };
    let begun = TaskState { a: 0.6, b: 0.3, alpha: 0.5, ..Default::default() };
    let mut state = begun;
    state.step(&Slopes { a: None, b: Some(-0.4), alpha: None }, &descent);
    // 0.3 − 0.1 (−0.4 + 0.5 · 0.3 + 0.5 · 0.3)
    close(&[state.a, state.b, state.alpha], &[0.6, 0.31, 0.5], 1e-12, "negatives alone");
    state = begun;
    state.step(&Slopes { a: Some(0.2), b: None, alpha: None }, &descent);
    // 0.6 − 0.1 (0.2 + 0.3 + 0.3)
    close(&[state.a, state.b, state.alpha], &[0.52, 0.3, 0.5], 1e-12, "positives alone");
    state.refer_to_mean();
    close(&state.reference, &[0.52, 0.0], 1e-12, "of what moved");
    state.take([None, Some(0.4)]);
    assert_eq!((state.a, state.b), (0.52, 0.4));
}

#[test]
fn no_logit_is_too_large() {
    let loss = Margin { version: MarginVersion::OfBatch(0.5), margin: 1.0 };
    let mut gradient = [f64::NAN; 3];
    let found = loss.of_batch(
        &TaskState::default(),
        &[1e4, -1e4, 800.0],
        &[false, true, true],
        &mut gradient,
    );
    assert!(found.unwrap().value.is_finite() && gradient.iter().all(|slope| slope.is_finite()));
}

#[test]
fn steps_of_a_b_and_alpha_match_the_reference_vectors() {
    let cases = vectors("pesg");
    assert!(!cases.is_empty());
    for case in cases {
        let number = |name: &str| case[name].as_f64().unwrap();
        let descent = Descent {
            rate: number("lr"),
            margin: number("margin"),
            epoch_decay: number("epoch_decay"),
            weight_decay: number("weight_decay"),
        };
        let mut state = TaskState {
            a: number("a0"),
            b: number("b0"),
            alpha: number("alpha0"),
            reference: [number("ref_a"), number("ref_b")],
            ..Default::default()
        };
        for step in case["steps"].as_array().unwrap() {
            let number = |name: &str| step[name].as_f64().unwrap();
            // α's slope is no part of the rule.
            let [a, b] = ["grad_a", "grad_b"].map(|name| Some(number(name)));
            let slopes = Slopes { a, b, alpha: Some(f64::NAN) };
            state.step(&slopes, &descent);
            let expected = [number("a"), number("b"), number("alpha")];
            close(&[state.a, state.b, state.alpha], &expected, 1e-12, "a, b and α");
        }
    }
}

#[test]
fn slopes_are_clipped_and_alpha_is_kept_in_its_bounds() {
    let descent = Descent { rate: 0.5, margin: 1.0, epoch_decay: 0.0, weight_decay: 0.0 };
    let mut state = TaskState { alpha: 0.4, ..Default::default() };
    let both = |a: f64, b: f64| Slopes { a: Some(a), b: Some(b), alpha: Some(0.0) };
    state.step(&both(-70.0, 30.0), &descent);
    assert_eq!((state.a, state.b), (0.5, -0.5));
    // 0.4 + 0.5 (2 (1 − 0.5 − 0.5) − 0.8) = 0
    assert_eq!(state.alpha, 0.0);
    let mut far = TaskState { b: 1e6, ..Default::default() };
    far.ascend(&both(0.0, 0.0), &descent);
    assert_eq!(far.alpha, 999.0);
}

#[test]
fn the_reference_becomes_the_mean_of_the_steps_since_the_last_one() {
    let descent = Descent { rate: 0.1, margin: 1.0, epoch_decay: 0.0, weight_decay: 0.0 };
    let mut state = TaskState { reference: [0.01, 0.02], ..Default::default() };
    state.refer_to_mean();
    assert_eq!(state.reference, [0.01, 0.02], "no step, no mean");
    for slope in [-1.0, -0.5] {
        let slopes = Slopes { a: Some(slope), b: Some(-slope), alpha: Some(0.0) };
        state.step(&slopes, &descent);
    }
    state.refer_to_mean();
    close(&state.reference, &[(0.1 + 0.15) / 2.0, -(0.1 + 0.15) / 2.0], 1e-15, "mean");
}

#[test]
fn settings_are_read_as_they_are_written() {
    let mut part = loss::ENTRIES.iter().find(|entry| entry.name == "auc").unwrap().part();
    let read = |part: &Part| loss::Loss::read(part).two_task().unwrap();
    let settings = read(&part);
    assert_eq!((settings.lambda, settings.margin, settings.eta), (100.0, 1.0, 0.1));
    assert_eq!(
        (settings.margin_of(0.3).version, settings.closed_form),
        (MarginVersion::Means, false)
    );
    for (name, value) in [("version", "v1_fixed"), ("ab", "closed_form")] {
        part.parameters.0.insert(name.into(), ParameterValue::Text(value.into()));
    }
    let settings = read(&part);
    assert_eq!(settings.margin_of(0.3).version, MarginVersion::Fixed(0.3));
    assert!(settings.closed_form);
    part.parameters.0.insert("version".into(), ParameterValue::Text("v1_batch".into()));
    assert_eq!(read(&part).margin_of(0.3).version, MarginVersion::OfBatch(0.3));
}
