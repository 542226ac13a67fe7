//! Shallow models to the same objective, beside scikit-learn and CRFsuite.

use crate::engine::{measured_json, number, peer};
use crate::wnut::Split;
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

/// How far two objectives may be apart, as a share, and count as the same.
const SAME: f64 = 1e-6;

/// The backends that are built in, the fastest first.
const BACKENDS: &[&str] =
    if cfg!(feature = "libtorch") { &["libtorch", "flex"] } else { &["flex"] };

pub fn bench_softmax() {
    measure("softmax", 5.0);
}

pub fn bench_crf() {
    measure("crf", 3.0);
}

/// Compares a model with the library that trains it, which ours must be faster than by a factor.
fn measure(model: &str, factor: f64) {
    let folder = data();
    let folder = folder.path();
    let theirs = |threads, what: &str| {
        peer("peers", "shallow.py", threads, &[folder.to_str().unwrap(), what])
    };
    for threads in [1, 2] {
        compare(model, threads, &theirs(threads, model), folder, factor);
    }
    let theirs = number(&theirs(1, &format!("{model}-exact")), "objective");
    let ours = number(&train(model, 1, BACKENDS[0], 0.0, folder), "objective");
    println!("{model} to the optimum: theirs {theirs:.6}, ours {ours:.6}");
    assert!((ours - theirs).abs() < SAME * theirs);
}

/// A folder with WNUT's training sentences as rows of vectors, for us and for the others.
fn data() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let split = Split::read(&["wnut17train.conll"]);
    split.look_up(folder.path());
    let rows = std::fs::read(place("rows.u32")).unwrap();
    let (rows, _) = rows.as_chunks::<4>();
    let tokens = split.sentences.iter().flatten();
    let tokens = tokens.flat_map(|(word, class)| [rows[*word as usize], class.to_le_bytes()]);
    std::fs::write(place("tokens.u32"), tokens.flatten().collect::<Vec<u8>>()).unwrap();
    let lengths = split.sentences.iter().flat_map(|it| (it.len() as u32).to_le_bytes());
    std::fs::write(place("lengths.u32"), lengths.collect::<Vec<u8>>()).unwrap();
    folder
}

/// Ours, until it is as good as a goal; to the end where that is 0.
fn train(model: &str, threads: usize, backend: &str, goal: f64, folder: &Path) -> Value {
    let (threads, goal) = (threads.to_string(), format!("{goal:?}"));
    measured_json(&["shallow", &threads, model, backend, &goal, folder.to_str().unwrap()])
}

/// Theirs until it stopped by its own tolerances, and ours until it is as good.
fn compare(model: &str, threads: usize, theirs: &Value, folder: &Path, factor: f64) {
    let (seconds, goal) = (number(theirs, "seconds"), number(theirs, "objective"));
    println!("{model} to the objective {goal:.3}, {threads} threads:");
    println!("  theirs    {seconds:8.3} s, {} iterations", theirs["iterations"]);
    for (place, backend) in BACKENDS.iter().enumerate() {
        let ours = train(model, threads, backend, goal, folder);
        let (time, iterations) = (number(&ours, "seconds"), &ours["iterations"]);
        let ratio = seconds / time;
        println!("  {backend:9} {time:8.3} s, {iterations} iterations, {ratio:.1} times");
        assert!(place > 0 || ratio >= factor, "only {ratio:.1} times as fast");
    }
}
