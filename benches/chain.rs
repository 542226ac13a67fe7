//! The loss of a linear chain with its gradient, beside the usual loop of PyTorch's operations.

use crate::engine::{measured_json, number, peer};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::Path;

/// What ours must be faster.
const FACTOR: f64 = 10.0;

const SENTENCES: usize = 32;
const TOKENS: usize = 32;
const TAGS: usize = 13;

pub fn bench() {
    let folder = tempfile::tempdir().unwrap();
    write_data(folder.path());
    println!("the loss of a chain with its gradient, {SENTENCES} × {TOKENS} tokens, {TAGS} tags:");
    for threads in [1, 2] {
        let arguments = [&threads.to_string()[..], folder.path().to_str().unwrap()];
        let theirs = peer("peers-torch", "crf_loss.py", threads, &arguments);
        let ours = measured_json(&[&["chain"], &arguments[..]].concat());
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-4 * b.abs(), "{a} is not {b}");
        close(number(&ours, "loss"), number(&theirs, "loss"));
        for part in [0, 1] {
            let sum = |of: &serde_json::Value| of["gradients"][part].as_f64().unwrap();
            close(sum(&ours), sum(&theirs));
        }
        let [time, usual] = [&ours, &theirs].map(|side| number(side, "milliseconds"));
        let ratio = usual / time;
        println!(
            "  {threads} threads  PyTorch {usual:7.3} ms  tailgrid {time:7.3} ms  {ratio:.0} times"
        );
        assert!(ratio >= FACTOR, "only {ratio:.1} times as fast");
    }
}

fn write_data(folder: &Path) {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut draw = |n: usize| -> Vec<u8> {
        (0..n).flat_map(|_| random.random_range(-3.0_f32..3.0).to_le_bytes()).collect()
    };
    let write = |name: &str, bytes: Vec<u8>| std::fs::write(folder.join(name), bytes).unwrap();
    write("emissions.f32", draw(SENTENCES * TOKENS * TAGS));
    write("transitions.f32", draw(TAGS * TAGS));
    let gold = (0..SENTENCES * TOKENS).map(|token| (token * token % TAGS) as u32);
    write("gold.u32", gold.flat_map(u32::to_le_bytes).collect());
    write("shape.txt", format!("{SENTENCES} {TOKENS} {TAGS}").into_bytes());
}
