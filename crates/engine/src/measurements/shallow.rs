//! Shallow models to the same objective, beside scikit-learn and CRFsuite.

use super::peers::{self, number};
use super::wnut::{Split, glove};
use super::{best, with_threads};
use crate::full_batch::{Fit, Objective, fit};
use crate::lbfgs::{Settings, Stop};
use crate::model::shallow::{Kept, Matrix, Sentences};
use crate::model::vectors::Found;
use burn::tensor::Device;
use domain::Backend;
use method::loss;
use serde_json::Value;
use std::path::Path;

/// What ours must be faster than scikit-learn, and than CRFsuite.
const FACTORS: [f64; 2] = [5.0, 3.0];

/// How far two objectives may be apart, as a share, and count as the same.
const SAME: f64 = 1e-6;

/// The data as rows of the vectors, once for us and once for the others.
struct Data {
    sentences: Vec<Vec<(u32, u32)>>,
    found: Found,
}

impl Data {
    fn read(folder: &Path) -> Self {
        let split = Split::read(&["wnut17train.conll"]);
        let found = split.look_up(&glove(folder));
        let row = |(word, class): &(u32, u32)| (found.row_of[*word as usize], *class);
        let sentences = split.sentences.iter().map(|sentence| sentence.iter().map(row).collect());
        Self { sentences: sentences.collect(), found }
    }

    fn write(&self, folder: &Path) {
        let write = |name: &str, bytes: Vec<u8>| std::fs::write(folder.join(name), bytes).unwrap();
        write("dimension.txt", self.found.dimension.to_string().into_bytes());
        write("vectors.f32", self.found.rows.iter().flat_map(|x| x.to_le_bytes()).collect());
        let tokens = self.sentences.iter().flatten().flat_map(|(word, class)| [*word, *class]);
        write("tokens.u32", tokens.flat_map(u32::to_le_bytes).collect());
        let lengths = self.sentences.iter().map(|sentence| sentence.len() as u32);
        write("lengths.u32", lengths.flat_map(u32::to_le_bytes).collect());
    }

    /// Everything from rows of numbers to the first solution whose objective is no worse than `goal`,
    /// or to the end.
    fn train(
        &self,
        device: &Device,
        (objective, settings): (Objective<'_>, &Settings),
        goal: f64,
    ) -> Fit {
        let mut sentences = Sentences::default();
        self.sentences.iter().for_each(|sentence| sentences.push(sentence.clone(), 1));
        let (rows, dimension) = (&self.found.rows, self.found.dimension);
        let features = Matrix::new(rows, dimension, device);
        let worse = |_, value| value > goal * (1.0 + SAME);
        fit(&features, &sentences, objective, settings, worse)
    }
}

#[test]
#[ignore = "a measurement beside scikit-learn: make bench"]
fn bench_softmax() {
    let part = loss::ENTRIES[0].part();
    let loss = loss::build(&part, loss::Question::Class { counts: &[] }).unwrap();
    let objective = Objective::Softmax { loss: loss.point().unwrap(), c: 1.0 };
    measure("softmax", (objective, &to_the_optimum(Settings::SCIKIT_LEARN)), FACTORS[0]);
}

#[test]
#[ignore = "a measurement beside CRFsuite: make bench"]
fn bench_crf() {
    let objective = Objective::Crf { c2: 1.0, kept: Kept::AsCrfsuite };
    measure("crf", (objective, &to_the_optimum(Settings::CRFSUITE)), FACTORS[1]);
}

fn measure(what: &str, task: (Objective<'_>, &Settings), factor: f64) {
    let folder = tempfile::tempdir().unwrap();
    let data = Data::read(folder.path());
    data.write(folder.path());
    let theirs = |threads, what: &str| {
        peers::run("peers", "shallow.py", threads, &[folder.path().to_str().unwrap(), what])
    };
    for threads in [1, 2] {
        compare(&data, what, (threads, &theirs(threads, what)), task, factor);
    }
    let theirs = number(&theirs(1, &format!("{what}-exact")), "objective");
    let ours = data.train(&devices()[0].1, task, 0.0).objective;
    println!("{what} to the optimum: theirs {theirs:.6}, ours {ours:.6}");
    assert!((ours - theirs).abs() < SAME * theirs);
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

/// Theirs until it stopped by its own tolerances, and ours until it is as good.
fn compare(
    data: &Data,
    what: &str,
    (threads, theirs): (usize, &Value),
    task: (Objective<'_>, &Settings),
    factor: f64,
) {
    let (seconds, goal) = (number(theirs, "seconds"), number(theirs, "objective"));
    println!("{what} to the objective {goal:.3}, {threads} threads:");
    println!("  theirs    {seconds:8.3} s, {} iterations", theirs["iterations"]);
    for (place, (backend, device)) in devices().into_iter().enumerate() {
        let (time, fit) = with_threads(threads, || best(3, || data.train(&device, task, goal)));
        assert_eq!(fit.stop, Stop::Told, "{}", fit.objective);
        let (time, iterations) = (time.as_secs_f64(), fit.iterations);
        let ratio = seconds / time;
        println!("  {:9} {time:8.3} s, {iterations} iterations, {ratio:.1} times", backend.word());
        assert!(place > 0 || ratio >= factor, "only {ratio:.1} times as fast");
    }
}

/// What there is of backends, the fastest first.
fn devices() -> Vec<(Backend, Device)> {
    let device = |backend| Some((backend, crate::model::device(backend, "cpu").ok()?));
    [Backend::Libtorch, Backend::Flex].into_iter().filter_map(device).collect()
}
