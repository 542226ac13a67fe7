//! Steps of training on made-up data, timed: what `benches/peers` holds against other libraries.

use crate::domain::{Parameters, Part};
use crate::method::loss::{self, Question, Tokens};
use crate::model::adam::{Adam, AdamSettings};
use crate::model::heads::weighed;
use crate::model::transformer::{Bert, Settings, Stack};
use crate::model::{BackendError, Lstm, device, set_threads};
use burn::module::Module;
use burn::nn::{EmbeddingConfig, Linear, LinearConfig};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Int, Tensor, TensorData};
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

/// The milliseconds of each step of a BiLSTM over vectors that do not change: forward, backward, Adam.
pub fn lstm_step(threads: usize, steps: usize, hidden: usize) -> Result<Vec<f64>, BackendError> {
    set_threads(threads);
    let device = device(crate::domain::Backend::Libtorch, "cpu")?.autodiff();
    device.seed(1);
    let table = EmbeddingConfig::new(VECTORS[0], VECTORS[1]).init(&device).no_grad();
    let mut model = WordTagger {
        lstm: Lstm::new(VECTORS[1], hidden, 0.5, &device),
        head: LinearConfig::new(2 * hidden, WORD_TAGS).init(&device),
    };
    let mut adam = Adam::new(AdamSettings::default());
    let ids = numbers(VECTORS[0], WORDS, &device);
    let gold = below(WORD_TAGS, WORDS[0] * WORDS[1]);
    let reversal: Vec<i64> = (0..WORDS[0])
        .flat_map(|row| (row * WORDS[1]..(row + 1) * WORDS[1]).rev())
        .map(|place| place as i64)
        .collect();
    let mut times = Vec::with_capacity(steps);
    for _ in 0..steps {
        let start = Instant::now();
        let states = model.lstm.states(table.forward(ids.clone()), &reversal);
        let logits = model.head.forward(states.reshape([WORDS[0] * WORDS[1], 2 * hidden]));
        let loss = cross_entropy(logits, &gold);
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        model = adam.step(model, gradients, 1e-3);
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(times)
}

/// The milliseconds of each step of a BERT of MiniLM's size: forward, backward, AdamW with clipping.
pub fn bert_step(
    threads: usize,
    steps: usize,
    train_embeddings: bool,
) -> Result<Vec<f64>, BackendError> {
    set_threads(threads);
    let device = device(crate::domain::Backend::Libtorch, "cpu")?.autodiff();
    device.seed(1);
    let stack = Stack { layers: 6, heads: 12, inner: 1536 };
    let bert = Bert::new(&Settings::bert(PIECES, WIDTH, 512, stack), &device);
    let mut model = Tagger {
        bert: bert.freeze(if train_embeddings { -1 } else { 0 }),
        head: LinearConfig::new(WIDTH, TAGS).init(&device),
    };
    let mut adam = Adam::new(AdamSettings { decay: 0.01, clip: Some(1.0), ..Default::default() });
    let ids = numbers(PIECES, BATCH, &device);
    let gold = below(TAGS, BATCH[0] * BATCH[1]);
    let mut times = Vec::with_capacity(steps);
    for _ in 0..steps {
        let start = Instant::now();
        let states = model.bert.forward(ids.clone(), &[BATCH[1]; BATCH[0]]);
        let logits = model.head.forward(states.reshape([BATCH[0] * BATCH[1], WIDTH]));
        let loss = cross_entropy(logits, &gold);
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        model = adam.step(model, gradients, 2e-5);
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(times)
}

/// What a batch costs, as training computes it.
fn cross_entropy(logits: Tensor<2>, gold: &[usize]) -> Tensor<1> {
    let part = Part { kind: "cross-entropy".into(), parameters: Parameters::default() };
    let loss = loss::build(&part, Question::Class { counts: &[] }).expect("cross-entropy is there");
    let batch = |logits: &[f64], gold: &[usize], sentences: &[usize], gradient: &mut [f64]| {
        loss.batch(Tokens { logits, gold, sentences }, gradient)
    };
    weighed(logits, gold, &[gold.len()], &batch).0
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
