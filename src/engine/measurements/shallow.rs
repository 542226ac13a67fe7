//! Shallow models to the same objective, beside scikit-learn and CRFsuite.

use super::peers::{self, number};
use super::wnut::{Split, glove};
use super::{best, with_threads};
use crate::domain::{Backend, Parameters, Part};
use crate::engine::full_batch::{Fit, Objective, fit};
use crate::engine::lbfgs::Settings;
use crate::method::loss;
use crate::model::shallow::{Kept, Matrix, Precision, Sentences};
use crate::model::vectors::Found;
use burn::tensor::Device;
use std::path::Path;
use std::time::Instant;

/// What ours must be faster: softmax regression, the CRF.
const FACTORS: [f64; 2] = [5.0, 3.0];

/// How much an objective may be above another's and count as the same.
const SAME: f64 = 1e-6;

/// The data as rows of the vectors, once for us and once for the others.
struct Data {
    sentences: Vec<Vec<(u32, u32)>>,
    found: Found,
}

impl Data {
    fn write(&self, folder: &Path) {
        let write = |name: &str, bytes: Vec<u8>| std::fs::write(folder.join(name), bytes).unwrap();
        write("dimension.txt", self.found.dimension.to_string().into_bytes());
        write("vectors.f32", self.found.rows.iter().flat_map(|x| x.to_le_bytes()).collect());
        let tokens = self.sentences.iter().flatten().flat_map(|(word, class)| [*word, *class]);
        write("tokens.u32", tokens.flat_map(u32::to_le_bytes).collect());
        let lengths = self.sentences.iter().map(|sentence| sentence.len() as u32);
        write("lengths.u32", lengths.flat_map(u32::to_le_bytes).collect());
    }

    /// Everything from rows of numbers to the solution; seconds until an objective was reached.
    fn train(
        &self,
        device: &Device,
        precision: Precision,
        objective: Objective<'_>,
        settings: &Settings,
        goal: f64,
    ) -> (Fit, Option<f64>) {
        let start = Instant::now();
        let mut sentences = Sentences::default();
        self.sentences.iter().for_each(|sentence| sentences.push(sentence.clone(), 1));
        let features = Matrix::new(&self.found.rows, self.found.dimension, precision, device);
        let mut reached = None;
        let fit = fit(&features, &sentences, objective, settings, |_, value| {
            if reached.is_none() && value <= goal * (1.0 + SAME) {
                reached = Some(start.elapsed().as_secs_f64());
            }
            true
        });
        (fit, reached)
    }
}

#[test]
#[ignore = "a measurement beside Python libraries: make bench"]
fn bench_shallow() {
    let folder = tempfile::tempdir().unwrap();
    let split = Split::read(&["wnut17train.conll"]);
    let found = split.look_up(&glove(folder.path()));
    let row = |(word, class): &(u32, u32)| (found.row_of[*word as usize], *class);
    let sentences = split.sentences.iter().map(|sentence| sentence.iter().map(row).collect());
    let data = Data { sentences: sentences.collect(), found: found.clone() };
    data.write(folder.path());
    let part = Part { kind: "cross-entropy".into(), parameters: Parameters::default() };
    let loss = loss::build(&part).unwrap();
    let softmax = Objective::Softmax { loss: loss.point().unwrap(), c: 1.0 };
    let crf = Objective::Crf { c2: 1.0, kept: Kept::AsCrfsuite };
    for (what, objective, factor) in [("softmax", softmax, FACTORS[0]), ("crf", crf, FACTORS[1])] {
        for threads in [1, 2] {
            compare(&data, folder.path(), (what, objective), threads, factor);
        }
    }
    exact(&data, folder.path(), softmax);
}

/// Ours and theirs until they stop by their own tolerances, and ours until it is as good as theirs.
fn compare(
    data: &Data,
    folder: &Path,
    (what, objective): (&str, Objective<'_>),
    threads: usize,
    factor: f64,
) {
    let theirs = peers::run("shallow.py", threads, &[folder.to_str().unwrap(), what]);
    let (seconds, goal) = (number(&theirs, "seconds"), number(&theirs, "objective"));
    println!("{what}, {threads} threads:");
    println!("  theirs {seconds:.3} s, {} iterations, objective {goal:.6}", theirs["iterations"]);
    let settings = match objective {
        Objective::Softmax { .. } => Settings { max_iterations: 2000, ..Settings::SCIKIT_LEARN },
        Objective::Crf { .. } => {
            Settings { relative_gradient: 0.0, improvement: 1e-9, ..Settings::CRFSUITE }
        }
    };
    for (backend, device) in devices() {
        for precision in [Precision::Double, Precision::Single] {
            let (time, (fit, reached)) = with_threads(threads, || {
                let runs = || data.train(&device, precision, objective, &settings, goal);
                best(2, runs)
            });
            let reached = reached.unwrap_or(f64::NAN);
            let (time, ratio) = (time.as_secs_f64(), seconds / reached);
            println!(
                "  {backend} {precision:?}: {reached:.3} s to that objective, {ratio:.1} times; {time:.3} s, {} iterations, {} evaluations, {:.6}, {:?}",
                fit.iterations, fit.evaluations, fit.objective, fit.stop
            );
            let _ = factor;
        }
    }
}

/// The optimum itself, as near as both can come to it.
fn exact(data: &Data, folder: &Path, softmax: Objective<'_>) {
    let theirs = peers::run("shallow.py", 2, &[folder.to_str().unwrap(), "softmax-exact"]);
    println!("softmax, exact: {theirs}");
    let settings =
        Settings { max_iterations: 20000, gradient_tolerance: 1e-3, ..Settings::SCIKIT_LEARN };
    for (backend, device) in devices() {
        let (fit, _) =
            with_threads(2, || data.train(&device, Precision::Double, softmax, &settings, 0.0));
        println!("  {backend}: {:.6} {} {:?}", fit.objective, fit.iterations, fit.stop);
    }
}

fn devices() -> Vec<(Backend, Device)> {
    let all = [Backend::Libtorch, Backend::Flex];
    let device = |backend| Some((backend, crate::model::device(backend, "cpu").ok()?));
    all.into_iter().filter_map(device).collect()
}
