//! What a loss adds to a training step over cross-entropy: computed beside the backend, it is a sum
//! over some thousands of numbers.

use crate::engine::measured;
use crate::score::best;
use domain::Part;
use method::loss::{self, Question, Tokens};

/// A batch of the step that is measured beside.
const TOKENS: usize = 32 * 32;
const TAGS: usize = 13;

/// What a loss may add to a step.
const MOST: f64 = 0.05;

pub fn bench() {
    let steps = measured(&["lstm-step", "1", "30", "200"]);
    let steps = steps.lines().map(|line| line.parse::<f64>().unwrap());
    let step = steps.fold(f64::INFINITY, f64::min);
    let logits: Vec<f64> =
        (0..TOKENS * TAGS).map(|i| ((i * 37 % 101) as f64 - 50.0) / 20.0).collect();
    let gold: Vec<usize> = (0..TOKENS).map(|i| if i % 12 == 0 { i % TAGS } else { 0 }).collect();
    let sentences = [32; 32];
    let tokens = Tokens { logits: &logits, gold: &gold, sentences: &sentences };
    let counts = [900, 20, 10, 20, 10, 20, 10, 20, 10, 20, 10, 20, 10];
    let mut gradient = vec![0.0; logits.len()];
    let mut cost = |kind: &str| {
        let entry = loss::ENTRIES.iter().find(|entry| entry.name == kind).unwrap();
        let part = Part { kind: kind.to_owned(), parameters: entry.defaults() };
        let loss = loss::build(&part, Question::Class { counts: &counts }).unwrap();
        let time = best(50, || {
            loss.batch(tokens, &mut gradient);
        });
        time.as_secs_f64() * 1e3
    };
    let plain = cost("cross-entropy");
    println!("a step of a BiLSTM of 200 units: {step:.2} ms, of which cross-entropy {plain:.3} ms");
    for entry in loss::OVER_TOKENS {
        let added = (cost(entry.name) - plain) / step;
        println!("{}: {:+.2} % of a step", entry.name, 100.0 * added);
        assert!(added < MOST, "{}", entry.name);
    }
}
