//! Benchmarks of the built programs, beside other libraries where there are any: `make bench`.
//!
//! `cargo bench --bench programs` runs all of them, in the order below; words after `--` choose
//! those whose names contain one of them. What a benchmark must reach is asserted.

mod chain;
mod engine;
mod large_grid;
mod losses;
mod score;
mod shallow;
mod start;
mod vectors;
mod wnut;

/// Every benchmark, by name.
const BENCHMARKS: &[(&str, fn())] = &[
    ("large-grid", large_grid::bench),
    ("score", score::bench),
    ("small-jobs", start::bench_small_jobs),
    ("start", start::bench_first_operation),
    ("two-slots", start::bench_two_slots),
    ("chain", chain::bench),
    ("losses", losses::bench),
    ("shallow-crf", shallow::bench_crf),
    ("shallow-softmax", shallow::bench_softmax),
    ("vectors", vectors::bench),
];

fn main() {
    // Cargo adds an option of its own.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|word| name.contains(word));
    for (name, bench) in BENCHMARKS.iter().filter(|(name, _)| is_wanted(name)) {
        println!("{name}");
        bench();
    }
}
