//! Shallow models to an objective, on the data that `benches/shallow.rs` writes.

use super::{BenchError, best, read_numbers, read_words};
use crate::full_batch::{Fit, Objective, fit};
use crate::lbfgs::{Settings, Stop};
use crate::model::shallow::{Kept, Matrix, Sentences};
use crate::model::{device, set_threads};
use burn::tensor::Device;
use domain::Backend;
use method::loss;
use serde_json::{Value, json};
use std::path::Path;

/// How far two objectives may be apart, as a share, and count as the same.
const SAME: f64 = 1e-6;

/// What is trained, where, and how far.
pub struct Task<'a> {
    pub model: &'a str,
    pub backend: &'a str,
    /// The objective at which the training ends; 0 to train to the optimum.
    pub goal: f64,
}

/// The data as rows of the vectors.
struct Data {
    dimension: usize,
    rows: Vec<f32>,
    sentences: Vec<Vec<(u32, u32)>>,
}

impl Data {
    fn read(folder: &Path) -> Result<Self, BenchError> {
        let file = folder.join("tokens.u32");
        let wrong = || BenchError::Numbers(file.clone());
        let [dimension] = read_numbers(&folder.join("dimension.txt"))?[..] else {
            return Err(wrong());
        };
        let tokens = read_words(&file, u32::from_le_bytes)?;
        let (mut tokens, _) = tokens.as_chunks::<2>();
        let mut sentences = Vec::new();
        for length in read_words(&folder.join("lengths.u32"), u32::from_le_bytes)? {
            let (sentence, rest) = tokens.split_at_checked(length as usize).ok_or_else(wrong)?;
            sentences.push(sentence.iter().map(|[row, class]| (*row, *class)).collect());
            tokens = rest;
        }
        let rows = read_words(&folder.join("vectors.f32"), f32::from_le_bytes)?;
        Ok(Self { dimension, rows, sentences })
    }

    /// Everything from rows of numbers to the first solution whose objective is no worse than
    /// `goal`, or to the end.
    fn train(
        &self,
        device: &Device,
        objective: Objective<'_>,
        settings: &Settings,
        goal: f64,
    ) -> Fit {
        let mut sentences = Sentences::default();
        self.sentences.iter().for_each(|sentence| sentences.push(sentence.clone(), 1));
        let features = Matrix::new(&self.rows, self.dimension, device);
        let worse = |_, value| value > goal * (1.0 + SAME);
        fit(&features, &sentences, objective, settings, worse)
    }
}

/// The least seconds, the objective and the steps of a training.
pub fn measure(threads: usize, task: &Task<'_>, folder: &Path) -> Result<Value, BenchError> {
    let part = loss::ENTRIES[0].part();
    let loss = loss::build(&part, loss::Question::Class { counts: &[] });
    let loss = loss.expect("cross-entropy needs nothing else");
    let (objective, settings) = match task.model {
        "softmax" => {
            let loss = loss.point().expect("cross-entropy is a sum over tokens");
            (Objective::Softmax { loss, c: 1.0 }, Settings::SCIKIT_LEARN)
        }
        "crf" => (Objective::Crf { c2: 1.0, kept: Kept::AsCrfsuite }, Settings::CRFSUITE),
        _ => return Err(BenchError::Usage),
    };
    let mut backends = [Backend::Libtorch, Backend::Flex].into_iter();
    let backend = backends.find(|known| known.word() == task.backend);
    let device = device(backend.ok_or(BenchError::Usage)?, "cpu")?;
    let data = Data::read(folder)?;
    set_threads(threads);
    let settings = to_the_optimum(settings);
    let runs = if task.goal > 0.0 { 3 } else { 1 };
    let (time, fit) = best(runs, || data.train(&device, objective, &settings, task.goal));
    if task.goal > 0.0 && fit.stop != Stop::Told {
        return Err(BenchError::GoalNotReached(fit.objective));
    }
    let (objective, iterations) = (fit.objective, fit.iterations);
    Ok(json!({ "seconds": time.as_secs_f64(), "objective": objective, "iterations": iterations }))
}

/// The same memory, and tolerances that only the optimum meets.
fn to_the_optimum(settings: Settings) -> Settings {
    Settings {
        max_iterations: 20_000,
        gradient_tolerance: 1e-3,
        relative_gradient: 0.0,
        improvement: 64.0 * f64::EPSILON,
        period: 1,
        ..settings
    }
}
