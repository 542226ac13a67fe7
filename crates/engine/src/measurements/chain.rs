//! The loss of a linear chain with its gradient, beside the usual loop of PyTorch's operations.

use super::peers::{self, number};
use super::{best, with_threads};
use crate::model::chain::{Chain, Evidence, loss_and_gradients};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What ours must be faster.
const FACTOR: f64 = 10.0;

const SENTENCES: usize = 32;
const TOKENS: usize = 32;
const TAGS: usize = 13;

#[test]
#[ignore = "a measurement beside a Python library: make bench"]
fn bench_chain() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut draw =
        |n: usize| -> Vec<f32> { (0..n).map(|_| random.random_range(-3.0..3.0)).collect() };
    let emissions = draw(SENTENCES * TOKENS * TAGS);
    let transitions = draw(TAGS * TAGS);
    let gold: Vec<usize> = (0..SENTENCES * TOKENS).map(|t| t * t % TAGS).collect();
    let folder = tempfile::tempdir().unwrap();
    let write =
        |name: &str, bytes: Vec<u8>| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("emissions.f32", emissions.iter().flat_map(|x| x.to_le_bytes()).collect());
    write("transitions.f32", transitions.iter().flat_map(|x| x.to_le_bytes()).collect());
    write("gold.u32", gold.iter().flat_map(|tag| (*tag as u32).to_le_bytes()).collect());
    write("shape.txt", format!("{SENTENCES} {TOKENS} {TAGS}").into_bytes());

    println!("the loss of a chain with its gradient, {SENTENCES} × {TOKENS} tokens, {TAGS} tags:");
    for threads in [1, 2] {
        let arguments = [&threads.to_string()[..], folder.path().to_str().unwrap()];
        let theirs = peers::run("peers-torch", "crf_loss.py", threads, &arguments);
        let (time, ours) = with_threads(threads, || {
            best(200, || {
                let chain = Chain::new(TAGS, &transitions);
                let evidence = Evidence::Path(&gold);
                loss_and_gradients(&chain, &emissions, &[TOKENS; SENTENCES], evidence)
            })
        });
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-4 * b.abs(), "{a} is not {b}");
        close(ours.losses.iter().sum(), number(&theirs, "loss"));
        let sum = |parts: &[f64]| parts.iter().map(|part| part.abs()).sum::<f64>();
        let of_emissions: Vec<f64> = ours.emissions.iter().map(|part| f64::from(*part)).collect();
        close(sum(&of_emissions), theirs["gradients"][0].as_f64().unwrap());
        close(sum(&ours.transitions), theirs["gradients"][1].as_f64().unwrap());
        let (time, usual) = (1e3 * time.as_secs_f64(), number(&theirs, "milliseconds"));
        let ratio = usual / time;
        println!(
            "  {threads} threads  PyTorch {usual:7.3} ms  tailgrid {time:7.3} ms  {ratio:.0} times"
        );
        assert!(ratio >= FACTOR, "only {ratio:.1} times as fast");
    }
}
