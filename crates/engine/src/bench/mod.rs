//! Parts of a training, timed: `benches/` compares them with other libraries. They are reached by
//! `tailgrid-engine --bench`, so what is measured is the program that people run, and the engine
//! stays a program that no other code can use as a library.

mod chain;
mod shallow;
mod steps;
mod vectors;

use crate::model::BackendError;
use crate::model::vectors::VectorsError;
use serde_json::Value;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use thiserror::Error;

const USAGE: &str = "\
--bench bert-step THREADS STEPS frozen|trained[:bf16][:LENGTHS]
--bench lstm-step THREADS STEPS HIDDEN
--bench chain THREADS FOLDER
--bench vectors FILE FOLDER
--bench shallow THREADS softmax|crf libtorch|flex GOAL FOLDER";

/// Why a measurement failed.
#[derive(Debug, Error)]
pub enum BenchError {
    #[error("{}", USAGE)]
    Usage,
    #[error(transparent)]
    Backend(#[from] BackendError),
    #[error(transparent)]
    Vectors(#[from] VectorsError),
    #[error("{}: {source}", .path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{}: it has not the numbers that it should have", .0.display())]
    Numbers(PathBuf),
    #[error("the training stopped before its goal, at {0}")]
    GoalNotReached(f64),
}

/// What a measurement prints: the milliseconds of each step, one per line, or JSON.
pub fn run(arguments: &[&str]) -> Result<String, BenchError> {
    match arguments {
        ["bert-step", threads, steps, setting] => {
            Ok(lines(&steps::bert_step(number(threads)?, number(steps)?, setting)?))
        }
        ["lstm-step", threads, steps, hidden] => {
            Ok(lines(&steps::lstm_step(number(threads)?, number(steps)?, number(hidden)?)?))
        }
        ["chain", threads, folder] => json(chain::measure(number(threads)?, folder.as_ref())),
        ["vectors", file, folder] => json(vectors::measure(file.as_ref(), folder.as_ref())),
        ["shallow", threads, model, backend, goal, folder] => {
            let goal = goal.parse().map_err(|_| BenchError::Usage)?;
            let task = shallow::Task { model, backend, goal };
            json(shallow::measure(number(threads)?, &task, folder.as_ref()))
        }
        _ => Err(BenchError::Usage),
    }
}

fn number(text: &str) -> Result<usize, BenchError> {
    text.parse().map_err(|_| BenchError::Usage)
}

fn lines(times: &[f64]) -> String {
    times.iter().map(|time| format!("{time:.3}\n")).collect()
}

fn json(measured: Result<Value, BenchError>) -> Result<String, BenchError> {
    measured.map(|value| format!("{value}\n"))
}

/// The best of some runs: what else the machine does only slows them.
fn best<T>(runs: usize, mut work: impl FnMut() -> T) -> (Duration, T) {
    let timed = |_| {
        let start = Instant::now();
        let result = work();
        (start.elapsed(), result)
    };
    (0..runs).map(timed).min_by_key(|(time, _)| *time).expect("at least one run")
}

fn read(path: &Path) -> Result<Vec<u8>, BenchError> {
    fs::read(path).map_err(|source| BenchError::File { path: path.to_owned(), source })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), BenchError> {
    fs::write(path, bytes).map_err(|source| BenchError::File { path: path.to_owned(), source })
}

/// A file of little-endian numbers of four bytes.
fn read_words<T>(path: &Path, number: fn([u8; 4]) -> T) -> Result<Vec<T>, BenchError> {
    let bytes = read(path)?;
    let (words, rest) = bytes.as_chunks::<4>();
    match rest.is_empty() {
        true => Ok(words.iter().map(|word| number(*word)).collect()),
        false => Err(BenchError::Numbers(path.to_owned())),
    }
}

/// A text file of whole numbers with spaces between them.
fn read_numbers(path: &Path) -> Result<Vec<usize>, BenchError> {
    let wrong = || BenchError::Numbers(path.to_owned());
    let text = String::from_utf8(read(path)?).map_err(|_| wrong())?;
    text.split_whitespace().map(|word| word.parse().map_err(|_| wrong())).collect()
}
