//! Against the optima of scikit-learn and CRFsuite.

use super::*;
use crate::model::shallow::Matrix;
use domain::{Backend, Part};
use method::loss;
use serde_json::Value;

const EXACT: lbfgs::Settings = lbfgs::Settings {
    memory: 10,
    max_iterations: 2000,
    gradient_tolerance: 1e-10,
    relative_gradient: 0.0,
    improvement: 0.0,
    period: 0,
};

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        number => vec![number.as_f64().unwrap()],
    }
}

/// The features on every backend.
fn matrices(vectors: &[f64], dimension: usize) -> Vec<Matrix> {
    let vectors: Vec<f32> = vectors.iter().map(|number| *number as f32).collect();
    let backends = [Backend::Libtorch, Backend::Flex].into_iter();
    let devices = backends.filter_map(|backend| crate::model::device(backend, "cpu").ok());
    devices.map(|device| Matrix::new(&vectors, dimension, &device)).collect()
}

fn build(kind: &str) -> Box<dyn loss::TokenLoss> {
    let entry = loss::ENTRIES.iter().find(|entry| entry.name == kind).unwrap();
    let parameters = entry.defaults();
    let question = loss::Question::Class { counts: &[] };
    loss::build(&Part { kind: kind.into(), parameters }, question).unwrap()
}

#[test]
fn softmax_regression_reaches_scikit_learns_optimum() {
    let text = include_str!("../../../../tests/vectors/softmax_regression.json");
    let v: Value = serde_json::from_str(text).unwrap();
    let mut sentences = Sentences::default();
    // Class 1 never occurs: what is not observed does not exist.
    for (word, class) in numbers(&v["y"]).into_iter().enumerate() {
        sentences.push(vec![(word as u32, [0, 2, 3][class as usize])], 1);
    }
    let loss = build("cross-entropy");
    let c = v["C"].as_f64().unwrap();
    let objective = Objective::Softmax { loss: loss.point().unwrap(), c };
    for features in matrices(&numbers(&v["X"]), 4) {
        let found = fit(&features, &sentences, objective, &EXACT, |_, _| true);
        assert!(found.converged());
        let (exact, near) = (1e-8, 1e-6);
        let expected = v["objective"].as_f64().unwrap();
        let apart = (found.objective - expected).abs();
        assert!(apart < exact * expected, "{} {expected}", found.objective);
        assert_eq!(found.solution.observed, [0, 2, 3]);
        let weights = &found.solution.weights;
        for (place, expected) in numbers(&v["coef"]).into_iter().enumerate() {
            let (class, dimension) = (place / 4, place % 4);
            assert!((weights[dimension * 3 + class] - expected).abs() < near);
        }
        let mean = found.solution.bias.iter().sum::<f64>() / 3.0;
        for (bias, expected) in found.solution.bias.iter().zip(numbers(&v["intercept_centered"])) {
            assert!((bias - mean - expected).abs() < near);
        }
    }
}

/// Dimensions of very different scales take more than the 100 iterations after which scikit-learn
/// gives up.
#[test]
fn softmax_regression_goes_on_until_the_gradient_vanishes() {
    const DIMENSION: usize = 16;
    let (words, classes) = (400, 4);
    // A fixed sequence of numbers in [−1, 1).
    let mut state = 1_u32;
    let mut number = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1 << 23) - 1.0
    };
    let scale = |place: usize| 30_f64.powf(1.0 - (place % DIMENSION) as f64 / 8.0);
    let vectors: Vec<f64> = (0..words * DIMENSION).map(|place| number() * scale(place)).collect();
    let mut sentences = Sentences::default();
    for word in 0..words as u32 {
        sentences.push(vec![(word, ((number() + 1.0) * f64::from(classes) / 2.0) as u32)], 1);
    }
    let loss = build("cross-entropy");
    let objective = Objective::Softmax { loss: loss.point().unwrap(), c: 1.0 };
    let settings = lbfgs::Settings::SCIKIT_LEARN;
    let features = matrices(&vectors, DIMENSION).remove(0);
    let found = fit(&features, &sentences, objective, &settings, |_, _| true);
    assert!(found.iterations > 100, "{}", found.iterations);
    assert_eq!(found.stop, Stop::Converged);
    assert!(found.slope <= settings.gradient_tolerance, "{}", found.slope);
    let exact = fit(&features, &sentences, objective, &EXACT, |_, _| true).objective;
    assert!((found.objective - exact).abs() < 1e-8 * exact, "{} {exact}", found.objective);
    let stopped = lbfgs::Settings { max_iterations: 100, ..settings };
    let stopped = fit(&features, &sentences, objective, &stopped, |_, _| true);
    assert!(!stopped.converged() && stopped.slope > settings.gradient_tolerance);
}

/// The sentences of CRFsuite's vectors, each token a word of its own, and the vectors.
fn tiny(v: &Value) -> (Sentences, Vec<f64>) {
    let (mut vectors, mut sentences) = (vec![], Sentences::default());
    for (x, y) in v["X"].as_array().unwrap().iter().zip(v["y"].as_array().unwrap()) {
        let mut tokens = vec![];
        for (token, tag) in x.as_array().unwrap().iter().zip(y.as_array().unwrap()) {
            tokens.push(((vectors.len() / 2) as u32, class(tag.as_str().unwrap()) as u32));
            let number = |key: &str| token.get(key).and_then(Value::as_f64).unwrap_or(0.0);
            vectors.extend([number("0"), number("1")]);
        }
        sentences.push(tokens, 1);
    }
    (sentences, vectors)
}

fn class(tag: &str) -> usize {
    ["B", "I", "O"].iter().position(|name| *name == tag).unwrap()
}

#[test]
fn the_crf_reaches_crfsuites_optimum() {
    let text = include_str!("../../../../tests/vectors/crfsuite_tiny.json");
    let v: Value = serde_json::from_str(text).unwrap();
    let (sentences, vectors) = tiny(&v);
    for run in v["runs"].as_array().unwrap() {
        let objective = Objective::Crf { c2: run["c2"].as_f64().unwrap(), kept: Kept::AsCrfsuite };
        let expected = run["objective_nll_plus_c2_norm2"].as_f64().unwrap();
        for features in matrices(&vectors, 2) {
            let found = fit(&features, &sentences, objective, &EXACT, |_, _| true);
            let apart = (found.objective - expected).abs();
            assert!(apart < 1e-6 * expected, "{} {expected}", found.objective);
            // Their optimum is that of looser tolerances.
            let near = |a: f64, b: &Value| assert!((a - b.as_f64().unwrap()).abs() < 2e-3);
            let Solution { weights, transitions, .. } = &found.solution;
            for (name, weight) in run["state"].as_object().unwrap() {
                let (dimension, tag) = name.split_once('|').unwrap();
                near(weights[dimension.parse::<usize>().unwrap() * 3 + class(tag)], weight);
            }
            let state = run["state"].as_object().unwrap().len();
            let kept = weights.iter().filter(|weight| **weight != 0.0).count();
            assert_eq!(kept, state, "the others have no weight");
            for (name, weight) in run["trans"].as_object().unwrap() {
                let (from, to) = name.split_once('>').unwrap();
                near(transitions[class(from) * 3 + class(to)], weight);
            }
            let (words, lengths) = ((0..9).collect::<Vec<u32>>(), [3, 2, 4]);
            let predicted = found.solution.predict(&features, &words, &lengths);
            let expected =
                run["pred"].as_array().unwrap().iter().flat_map(|s| s.as_array().unwrap());
            let expected: Vec<usize> = expected.map(|tag| class(tag.as_str().unwrap())).collect();
            assert_eq!(predicted, expected);
        }
    }
}

#[test]
fn copies_counted_and_copies_written_out_give_the_same_bits() {
    let v: Value =
        serde_json::from_str(include_str!("../../../../tests/vectors/crfsuite_tiny.json")).unwrap();
    let vectors = tiny(&v).1;
    let own: [Vec<(u32, u32)>; 3] =
        [vec![(0, 0), (1, 1), (2, 2)], vec![(3, 2), (4, 2)], vec![(5, 0), (6, 2), (7, 0), (8, 1)]];
    let copies = [3, 1, 2];
    let (mut counted, mut written) = (Sentences::default(), Sentences::default());
    for (tokens, copies) in own.iter().zip(copies) {
        counted.push(tokens.clone(), copies);
        (0..copies).for_each(|_| written.push(tokens.clone(), 1));
    }
    let losses = ["cross-entropy", "focal", "dice"].map(build);
    let softmax =
        losses.iter().map(|loss| Objective::Softmax { loss: loss.point().unwrap(), c: 1.0 });
    let objectives = softmax.chain([Objective::Crf { c2: 1.0, kept: Kept::All }]);
    let features = matrices(&vectors, 2).remove(0);
    for objective in objectives {
        let settings = lbfgs::Settings::SCIKIT_LEARN;
        let found = fit(&features, &counted, objective, &settings, |_, _| true);
        assert_eq!(found, fit(&features, &written, objective, &settings, |_, _| true));
        assert!(found.iterations > 2);
    }
}

#[test]
fn the_caller_can_end_it() {
    let mut sentences = Sentences::default();
    sentences.push(vec![(0, 0), (1, 1)], 1);
    let features = matrices(&[0.5, 1.0, -1.0, 0.25], 2).remove(0);
    let objective = Objective::Crf { c2: 0.1, kept: Kept::All };
    let found = fit(&features, &sentences, objective, &EXACT, |iteration, _| iteration < 2);
    assert_eq!((found.stop, found.iterations), (Stop::Told, 2));
    assert!(!found.converged());
}
