//! Steps of training on made-up data.

use crate::model::adam::{Adam, AdamSettings};
use crate::model::heads::{Gold, weighed};
use crate::model::transformer::{Bert, Stack, TransformerSettings};
use crate::model::{BackendError, Lstm, device, set_threads};
use burn::module::Module;
use burn::nn::{EmbeddingConfig, Linear, LinearConfig};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Int, Tensor, TensorData};
use domain::Precision;
use method::loss::{self, Question, Tokens};
use std::time::Instant;

/// Rows and pieces of a batch.
const BATCH: [usize; 2] = [16, 64];
/// MiniLM's sizes.
const PIECES: usize = 30522;
const WIDTH: usize = 384;
const TAGS: usize = 9;

#[derive(Module, Debug)]
struct Tagger {
    bert: Bert,
    head: Linear,
}

/// Rows and words of a batch of the BiLSTM, its vectors, and the types' tags.
const WORDS: [usize; 2] = [32, 32];
const VECTORS: [usize; 2] = [20_000, 100];
const WORD_TAGS: usize = 13;

#[derive(Module, Debug)]
struct WordTagger {
    lstm: Lstm,
    head: Linear,
}

/// The milliseconds of each step of a BiLSTM over vectors that do not change: forward, backward,
/// Adam.
pub fn lstm_step(threads: usize, steps: usize, hidden: usize) -> Result<Vec<f64>, BackendError> {
    set_threads(threads);
    let device = device(domain::Backend::Libtorch, "cpu")?.autodiff();
    device.seed(1);
    let table = EmbeddingConfig::new(VECTORS[0], VECTORS[1]).init(&device).no_grad();
    let mut model = WordTagger {
        lstm: Lstm::new(VECTORS[1], hidden, 0.5, &device),
        head: LinearConfig::new(2 * hidden, WORD_TAGS).init(&device),
    };
    let mut adam = Adam::new(AdamSettings::default());
    let ids = numbers(VECTORS[0], [1, WORDS[0] * WORDS[1]], &device);
    let gold = below(WORD_TAGS, WORDS[0] * WORDS[1]);
    let mut times = Vec::with_capacity(steps);
    for _ in 0..steps {
        let start = Instant::now();
        let vectors = table.forward(ids.clone()).squeeze_dim(0);
        let logits = model.head.forward(model.lstm.states(vectors, &[WORDS[1]; WORDS[0]]));
        let loss = cross_entropy(logits, &gold);
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        model = adam.step(model, gradients, 1e-3);
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(times)
}

/// The milliseconds of each step of a BERT of MiniLM's size: forward, backward, AdamW with
/// clipping. `setting` is `frozen` or `trained`, which says it of the embeddings, then `:bf16`
/// where products are in it, then `:FILE` with the lengths of each batch's rows on a line of its
/// own, which are gone through in turn.
pub fn bert_step(threads: usize, steps: usize, setting: &str) -> Result<Vec<f64>, BackendError> {
    let mut words = setting.split(':');
    let train_embeddings = words.next() == Some("trained");
    let words: Vec<&str> = words.collect();
    let precision = if words.contains(&"bf16") { Precision::Bf16 } else { Precision::F32 };
    let file = words.iter().find(|word| !["f32", "bf16"].contains(word));
    let batches: Vec<Vec<usize>> = match file.and_then(|file| std::fs::read_to_string(file).ok()) {
        Some(text) => text.lines().map(lengths_of).collect(),
        None => vec![vec![BATCH[1]; BATCH[0]]],
    };
    set_threads(threads);
    let device = device(domain::Backend::Libtorch, "cpu")?.autodiff();
    device.seed(1);
    let stack = Stack { layers: 6, heads: 12, inner: 1536 };
    let bert = Bert::new(&TransformerSettings::bert(PIECES, WIDTH, 512, stack), &device);
    let mut model = Tagger {
        bert: bert.freeze(if train_embeddings { -1 } else { 0 }).with_precision(precision),
        head: LinearConfig::new(WIDTH, TAGS).init(&device),
    };
    let mut adam = Adam::new(AdamSettings { decay: 0.01, clip: Some(1.0), ..Default::default() });
    let mut times = Vec::with_capacity(steps);
    for lengths in batches.iter().cycle().take(steps) {
        let places = lengths.iter().sum();
        let ids = numbers(PIECES, [1, places], &device).flatten(0, 1);
        let gold = below(TAGS, places);
        let start = Instant::now();
        let logits = model.head.forward(model.bert.forward(ids, None, lengths));
        let loss = cross_entropy(logits, &gold);
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        model = adam.step(model, gradients, 2e-5);
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(times)
}

/// The numbers of a line.
fn lengths_of(line: &str) -> Vec<usize> {
    line.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

/// What a batch costs, as training computes it.
fn cross_entropy(logits: Tensor<2>, gold: &[usize]) -> Tensor<1> {
    let part = loss::ENTRIES[0].part();
    let loss = loss::build(&part, Question::Class { counts: &[] }).expect("cross-entropy is there");
    let batch = |tokens: Tokens<'_>, gradient: &mut [f64]| loss.batch(tokens, gradient);
    weighed(logits, Gold { classes: gold, sentences: &[gold.len()] }, &batch).0
}

/// Numbers below `below`, the same every time, as a tensor.
fn numbers(bound: usize, shape: [usize; 2], device: &Device) -> Tensor<2, Int> {
    let numbers: Vec<i64> =
        below(bound, shape[0] * shape[1]).into_iter().map(|number| number as i64).collect();
    Tensor::from_data(TensorData::new(numbers, shape), device)
}

/// Numbers below a bound, the same every time.
fn below(bound: usize, count: usize) -> Vec<usize> {
    let mut state = 12345u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % bound
    };
    (0..count).map(|_| next()).collect()
}
