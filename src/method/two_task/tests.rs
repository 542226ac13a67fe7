//! The margin loss and the steps of its state against the reference vectors, and gradients against values.

use super::margin::Found;
use super::state::Slopes;
use super::*;
use crate::domain::ParameterValue;
use crate::method::loss;
use serde_json::Value;

const VECTORS: &str = include_str!("../../../tests/vectors/losses.json");

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
fn case(case: &Value) -> (Vec<f64>, Vec<bool>, State) {
    let number = |name: &str| case[name].as_f64().unwrap();
    let labels = numbers(&case["labels"]).into_iter().map(|label| label == 1.0).collect();
    let state =
        State { a: number("a"), b: number("b"), alpha: number("alpha"), ..Default::default() };
    (numbers(&case["scores_logits"]), labels, state)
}

fn slopes(found: &Found) -> [f64; 3] {
    [found.slopes.a, found.slopes.b, found.slopes.alpha]
}

#[test]
fn every_version_matches_the_reference_vectors() {
    let cases = vectors("auc");
    assert_eq!(cases.len(), 9);
    for vector in cases {
        let (logits, labels, state) = case(&vector);
        let margin = vector["margin"].as_f64().unwrap();
        let versions = [
            ("v2", Version::Means),
            ("v1_p_batch", Version::OfBatch),
            ("v1_p_fixed", Version::Fixed(vector["p_fixed"].as_f64().unwrap())),
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
        let loss = Margin { version: Version::Means, margin };
        let (a, b) = Margin::means(&logits, &labels).unwrap();
        let optimum = State { a, b, alpha: (margin + b - a).max(0.0), ..Default::default() };
        let mut gradient = vec![0.0; logits.len()];
        let found = loss.of_batch(&optimum, &logits, &labels, &mut gradient).unwrap();
        let expected = vector["closed_form_minmax"].as_f64().unwrap();
        close(&[found.value], &[expected], 1e-9, "closed form");
        assert!(found.slopes.a.abs() + found.slopes.b.abs() < 1e-12);
    }
}

#[test]
fn gradients_are_the_derivatives_of_the_value() {
    let logits = [0.3, -1.2, 0.8, 2.0, -0.1, -4.0];
    let labels = [true, false, false, true, false, false];
    let state = State { a: 0.6, b: 0.3, alpha: 0.7, ..Default::default() };
    const STEP: f64 = 1e-5;
    for version in [Version::Means, Version::OfBatch, Version::Fixed(0.2)] {
        let loss = Margin { version, margin: 0.8 };
        let at = |state: &State, logits: &[f64]| {
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
        let of = |change: fn(&mut State, f64)| {
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

#[test]
fn a_batch_without_positives_or_negatives_has_no_loss() {
    let loss = Margin { version: Version::Means, margin: 1.0 };
    for labels in [[false; 2], [true; 2]] {
        let mut gradient = [f64::NAN; 2];
        assert_eq!(loss.of_batch(&State::default(), &[0.5, -0.5], &labels, &mut gradient), None);
        assert_eq!(gradient, [0.0; 2]);
    }
    assert_eq!(loss.of_batch(&State::default(), &[], &[], &mut []), None);
}

#[test]
fn no_logit_is_too_large() {
    let loss = Margin { version: Version::OfBatch, margin: 1.0 };
    let mut gradient = [f64::NAN; 3];
    let found =
        loss.of_batch(&State::default(), &[1e4, -1e4, 800.0], &[false, true, true], &mut gradient);
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
        let mut state = State {
            a: number("a0"),
            b: number("b0"),
            alpha: number("alpha0"),
            reference: [number("ref_a"), number("ref_b")],
            ..Default::default()
        };
        for step in case["steps"].as_array().unwrap() {
            let number = |name: &str| step[name].as_f64().unwrap();
            // α's slope is no part of the rule.
            let slopes = Slopes { a: number("grad_a"), b: number("grad_b"), alpha: f64::NAN };
            state.step(&slopes, &descent);
            let expected = [number("a"), number("b"), number("alpha")];
            close(&[state.a, state.b, state.alpha], &expected, 1e-12, "a, b and α");
        }
    }
}

#[test]
fn slopes_are_clipped_and_alpha_is_kept_in_its_bounds() {
    let descent = Descent { rate: 0.5, margin: 1.0, epoch_decay: 0.0, weight_decay: 0.0 };
    let mut state = State { alpha: 0.4, ..Default::default() };
    state.step(&Slopes { a: -70.0, b: 30.0, alpha: 0.0 }, &descent);
    assert_eq!((state.a, state.b), (0.5, -0.5));
    // 0.4 + 0.5 (2 (1 − 0.5 − 0.5) − 0.8) = 0
    assert_eq!(state.alpha, 0.0);
    let mut far = State { b: 1e6, ..Default::default() };
    far.ascend(&descent);
    assert_eq!(far.alpha, 999.0);
}

#[test]
fn the_reference_becomes_the_mean_of_the_steps_since_the_last_one() {
    let descent = Descent { rate: 0.1, margin: 1.0, epoch_decay: 0.0, weight_decay: 0.0 };
    let mut state = State { reference: [0.01, 0.02], ..Default::default() };
    state.refer_to_mean();
    assert_eq!(state.reference, [0.01, 0.02], "no step, no mean");
    for slope in [-1.0, -0.5] {
        state.step(&Slopes { a: slope, b: -slope, alpha: 0.0 }, &descent);
    }
    state.refer_to_mean();
    close(&state.reference, &[(0.1 + 0.15) / 2.0, -(0.1 + 0.15) / 2.0], 1e-15, "mean");
}

#[test]
fn settings_are_read_as_they_are_written() {
    let entry = loss::ENTRIES.iter().find(|entry| entry.name == "auc").unwrap();
    let mut parameters = Parameters::defaults(entry.parameters);
    let settings = Settings::new(&parameters);
    assert_eq!((settings.lambda, settings.margin, settings.eta), (100.0, 1.0, 0.1));
    assert_eq!((settings.margin_of(0.3).version, settings.closed_form), (Version::Means, false));
    for (name, value) in [("version", "v1_fixed"), ("ab", "closed_form")] {
        parameters.0.insert(name.into(), ParameterValue::Text(value.into()));
    }
    let settings = Settings::new(&parameters);
    assert_eq!(settings.margin_of(0.3).version, Version::Fixed(0.3));
    assert!(settings.closed_form);
    parameters.0.insert("version".into(), ParameterValue::Text("v1_batch".into()));
    assert_eq!(Settings::new(&parameters).margin_of(0.3).version, Version::OfBatch);
}
