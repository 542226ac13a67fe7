//! The models against what transformers computes (tests/peers/transformer_vectors.py wrote it).

use super::attention::{Cross, Own};
use super::layer::Layer;
use super::padding::Padding;
use super::parts::{Linear, Norm};
use super::*;
use crate::model::checkpoints::Weights;
use crate::model::padded::Padded;
use burn::module::{Module, Param};
use burn::tensor::{Device, Int, Tensor, TensorData};
use domain::{Backend, Precision, has_bf16_products};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use serde_json::Value;
use std::cell::Cell;
use std::fs;
use std::path::PathBuf;

/// A model's folder with what transformers computes beside it.
struct Case {
    folder: PathBuf,
    rows: Vec<Vec<i64>>,
    /// `states`, and a gradient a parameter.
    expected: Weights,
}

impl Case {
    fn new(name: &str) -> Self {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/transformer");
        Self::of(PathBuf::from(root).join(name))
    }

    fn of(folder: PathBuf) -> Self {
        let text = fs::read_to_string(folder.join("expected/rows.json")).unwrap();
        let file: Value = serde_json::from_str(&text).unwrap();
        let row = |row: &Value| -> Vec<i64> {
            row.as_array().unwrap().iter().map(|id| id.as_i64().unwrap()).collect()
        };
        Self {
            rows: file["rows"].as_array().unwrap().iter().map(row).collect(),
            expected: Weights::open(&folder.join("expected"), &[], "").unwrap(),
            folder,
        }
    }

    /// Some of the rows, one after the other.
    fn batch(&self, rows: &[usize], device: &Device) -> (Tensor<1, Int>, Vec<usize>) {
        let ids: Vec<i64> = rows.iter().flat_map(|&row| &self.rows[row]).copied().collect();
        let lengths = rows.iter().map(|&row| self.rows[row].len()).collect();
        let count = ids.len();
        (Tensor::from_data(TensorData::new(ids, [count]), device), lengths)
    }

    /// All rows.
    fn all(&self, device: &Device) -> (Tensor<1, Int>, Vec<usize>) {
        let rows: Vec<usize> = (0..self.rows.len()).collect();
        self.batch(&rows, device)
    }

    /// The weights of the vectors' loss, which counts padding.
    fn weights(&self, width: usize) -> Vec<f32> {
        let longest = self.rows.iter().map(Vec::len).max().unwrap();
        let row = |(row, ids): (usize, &Vec<i64>)| {
            let first = row * longest * width;
            (first..first + ids.len() * width).map(|i| (i as f64).cos() as f32)
        };
        self.rows.iter().enumerate().flat_map(row).collect()
    }
}

fn devices() -> Vec<Device> {
    let all = [Backend::Libtorch, Backend::Flex];
    all.iter().filter_map(|&backend| crate::model::device(backend, "cpu").ok()).collect()
}

/// The largest difference, which must be small; beside the largest number where that is above 1.
fn close<const D: usize>(what: &str, found: Tensor<D>, wanted: Tensor<D>) -> f32 {
    assert_eq!(found.dims(), wanted.dims(), "{what}");
    let largest = wanted.clone().abs().max().into_scalar::<f32>().max(1.0);
    let difference = (found - wanted).abs().max().into_scalar::<f32>() / largest;
    // Not the other way round: a NaN is no small difference.
    assert!(difference < 1e-4, "{what} differ from transformers' by {difference}");
    difference
}

/// The gradients of a case's loss, and what they are compared with.
struct Gradients<'a> {
    case: &'a Case,
    device: Device,
    found: burn::tensor::Gradients,
    states: f32,
    /// The largest difference so far.
    largest: Cell<f32>,
}

/// Checks states and computes the gradients of the vectors' loss.
fn run<'a>(
    case: &'a Case,
    device: &Device,
    forward: impl Fn(Tensor<1, Int>, &[usize]) -> Tensor<2>,
) -> Gradients<'a> {
    let (ids, lengths) = case.all(device);
    let states = forward(ids, &lengths);
    let [count, width] = states.dims();
    let plain = device.clone().inner();
    let padded = [lengths.len(), *lengths.iter().max().unwrap(), width];
    let wanted = case.expected.tensor("states", padded, &plain).unwrap();
    let wanted = Padded::new(&lengths).places(wanted);
    let difference = close("states", states.clone().inner(), wanted);
    let weights = TensorData::new(case.weights(width), [count, width]);
    Gradients {
        case,
        device: plain,
        found: (states * Tensor::from_data(weights, device)).sum().backward(),
        states: difference,
        largest: Cell::new(0.0),
    }
}

impl Gradients<'_> {
    /// Compares a parameter's gradient with those of the named ones below each other.
    fn check<const D: usize>(&self, parameter: &Param<Tensor<D>>, names: &[&str], part: &str) {
        let found = parameter.val().grad(&self.found).expect("a gradient");
        let mut dims = found.dims();
        dims[0] /= names.len();
        for (i, name) in names.iter().enumerate() {
            let name = format!("{name}.{part}");
            let wanted = self.case.expected.tensor(&name, dims, &self.device).unwrap();
            let found = found.clone().narrow(0, i * dims[0], dims[0]);
            self.largest.set(self.largest.get().max(close(&name, found, wanted)));
        }
    }

    fn check_linear(&self, linear: &Linear, names: &[&str]) {
        self.check(&linear.weight, names, "weight");
        self.check(&linear.bias, names, "bias");
    }

    fn check_norm(&self, norm: &Norm, name: &str) {
        self.check(&norm.scale, &[name], "weight");
        self.check(&norm.shift, &[name], "bias");
    }

    fn check_bert(&self, bert: &Bert) {
        let Bert { pieces, embeddings, layers, .. } = bert;
        self.check(&pieces.weight, &["embeddings.word_embeddings"], "weight");
        self.check(&embeddings.positions, &["embeddings.position_embeddings"], "weight");
        let types = embeddings.types.as_ref().unwrap();
        self.check(types, &["embeddings.token_type_embeddings"], "weight");
        self.check_norm(&embeddings.norm, "embeddings.LayerNorm");
        self.check_layers(layers, &names::BERT);
    }

    fn check_layers(&self, layers: &[Layer], names: &names::Names) {
        assert!(layers.len() > 1);
        for (i, layer) in layers.iter().enumerate() {
            let name = |part: &str| format!("{}.{i}.{part}", names.layers);
            let Own { input, output, norm } = &layer.own;
            let joined = [names.own.query, names.own.key, names.own.value].map(name);
            self.check_linear(input, &joined.each_ref().map(String::as_str));
            self.check_linear(output, &[&name(names.own.output)]);
            self.check_norm(norm, &name(names.own.norm));
            if let Some(Cross { query, context, output, norm }) = &layer.cross {
                self.check_linear(query, &[&name(names.cross.query)]);
                let joined = [names.cross.key, names.cross.value].map(name);
                self.check_linear(context, &joined.each_ref().map(String::as_str));
                self.check_linear(output, &[&name(names.cross.output)]);
                self.check_norm(norm, &name(names.cross.norm));
            }
            self.check_linear(&layer.inner, &[&name(names.inner)]);
            self.check_linear(&layer.outer, &[&name(names.outer)]);
            self.check_norm(&layer.norm, &name(names.norm));
        }
    }
}

/// No dropout, and one so small that it drops nothing but takes the way of training.
const DROPOUTS: [f64; 2] = [0.0, 1e-9];

#[test]
fn bert_agrees_with_transformers() {
    for device in devices() {
        for (name, dropout) in
            ["bert", "roberta"].iter().flat_map(|name| DROPOUTS.map(|p| (name, p)))
        {
            let (case, device) = (Case::new(name), device.clone().autodiff());
            let bert = Bert::load(&case.folder, dropout, &device).unwrap();
            run(&case, &device, |ids, lengths| bert.forward(ids, None, lengths)).check_bert(&bert);
        }
    }
}

#[test]
fn bart_agrees_with_transformers() {
    for (device, dropout) in devices().iter().flat_map(|device| DROPOUTS.map(|p| (device, p))) {
        let (case, device) = (Case::new("bart"), device.clone().autodiff());
        let bart = Bart::load(&case.folder, false, dropout, &device).unwrap();
        let gradients = run(&case, &device, |ids, lengths| bart.forward(ids, lengths));
        let Bart { pieces, encoder, decoder, .. } = &bart;
        gradients.check(&pieces.weight, &["shared"], "weight");
        for (side, which, names) in [
            (encoder, "encoder", &names::ENCODER),
            (decoder.as_ref().unwrap(), "decoder", &names::DECODER),
        ] {
            let positions = format!("{which}.embed_positions");
            gradients.check(&side.embeddings.positions, &[&positions], "weight");
            gradients.check_norm(&side.embeddings.norm, &format!("{which}.layernorm_embedding"));
            gradients.check_layers(&side.layers, names);
        }
    }
}

/// On LibTorch a layer is one node, on flex many; here LibTorch runs the many, too.
#[test]
fn burns_operations_agree_with_transformers_on_every_backend() {
    for device in devices() {
        let device = device.autodiff();
        for name in ["bert", "roberta"] {
            let case = Case::new(name);
            let bert = Bert::load(&case.folder, 0.0, &device).unwrap();
            let gradients =
                run(&case, &device, |ids, lengths| bert.forward_on_burn(ids, None, lengths));
            gradients.check_bert(&bert);
        }
    }
}

/// A real checkpoint: `make test-peers` puts it, and what transformers makes of it, into a folder.
#[test]
#[ignore = "needs a checkpoint and transformers: make test-peers"]
fn peers_minilm() {
    let folder = std::env::var_os("TAILGRID_MINILM").expect("TAILGRID_MINILM names the folder");
    let case = Case::of(PathBuf::from(folder));
    for device in devices() {
        let device = device.autodiff();
        let bert = Bert::load(&case.folder, 0.0, &device).unwrap();
        let gradients = run(&case, &device, |ids, lengths| bert.forward(ids, None, lengths));
        gradients.check_bert(&bert);
        let (states, gradients) = (gradients.states, gradients.largest.get());
        println!("{device:?}: states within {states:.1e}, gradients within {gradients:.1e}");
    }
}

/// A model with what the tests below ask of it.
trait Model: Module {
    fn states(&self, ids: Tensor<1, Int>, lengths: &[usize]) -> Tensor<2>;

    /// Parameters of every kind.
    fn parameters(&self) -> Vec<Param<Tensor<2>>>;
}

impl Model for Bert {
    fn states(&self, ids: Tensor<1, Int>, lengths: &[usize]) -> Tensor<2> {
        self.forward(ids, None, lengths)
    }

    fn parameters(&self) -> Vec<Param<Tensor<2>>> {
        let tables = [self.pieces.weight.clone(), self.embeddings.positions.clone()];
        tables.into_iter().chain(weights(&self.layers)).collect()
    }
}

impl Model for Bart {
    fn states(&self, ids: Tensor<1, Int>, lengths: &[usize]) -> Tensor<2> {
        self.forward(ids, lengths)
    }

    fn parameters(&self) -> Vec<Param<Tensor<2>>> {
        let sides = [Some(&self.encoder), self.decoder.as_ref()];
        let sides = sides.into_iter().flatten().flat_map(|side| weights(&side.layers));
        [self.pieces.weight.clone()].into_iter().chain(sides).collect()
    }
}

fn weights(layers: &[Layer]) -> Vec<Param<Tensor<2>>> {
    let own = layers.iter().flat_map(|layer| [&layer.own.input, &layer.own.output, &layer.inner]);
    let cross = layers.iter().filter_map(|layer| layer.cross.as_ref());
    let cross = cross.flat_map(|cross| [&cross.query, &cross.context]);
    own.chain(cross).map(|linear| linear.weight.clone()).collect()
}

fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_to_vec().unwrap()
}

/// States of some rows, and the gradients of a loss that is a sum over the rows.
fn states_and_gradients<M: Model>(
    model: &M,
    case: &Case,
    rows: &[usize],
    device: &Device,
) -> (Vec<Vec<f32>>, Vec<Vec<f32>>) {
    let (ids, lengths) = case.batch(rows, device);
    let states = model.states(ids, &lengths);
    let [count, width] = states.dims();
    let weights = rows.iter().flat_map(|&row| {
        let first = 1000 * row;
        (first..first + case.rows[row].len() * width).map(|i| (i as f64).cos() as f32)
    });
    let weights = TensorData::new(weights.collect::<Vec<f32>>(), [count, width]);
    let gradients = (states.clone() * Tensor::from_data(weights, device)).sum().backward();
    let gradient = |parameter: Param<Tensor<2>>| numbers(parameter.val().grad(&gradients).unwrap());
    let all = numbers(states.inner());
    let mut rest = all.as_slice();
    let row = |&length: &usize| {
        let (row, behind) = rest.split_at(length * width);
        rest = behind;
        row.to_vec()
    };
    (lengths.iter().map(row).collect(), model.parameters().into_iter().map(gradient).collect())
}

/// The largest difference beside the largest number where that is above 1.
fn difference(one: &[f32], other: &[f32]) -> f32 {
    assert_eq!(one.len(), other.len());
    let largest = other.iter().fold(1.0f32, |largest, x| largest.max(x.abs()));
    one.iter().zip(other).fold(0.0f32, |most, (a, b)| most.max((a - b).abs())) / largest
}

/// Compares a batch with its rows one by one, and with the batch in another order.
fn check_batches<M: Model>(model: &M, name: &str, device: &Device, tolerance: f32) {
    let case = Case::new(name);
    let rows: Vec<usize> = (0..case.rows.len()).collect();
    let turned: Vec<usize> = rows.iter().rev().copied().collect();
    let (states, gradients) = states_and_gradients(model, &case, &rows, device);
    let (mut others, of_turned) = states_and_gradients(model, &case, &turned, device);
    others.reverse();
    let mut sums: Vec<Vec<f32>> = gradients.iter().map(|part| vec![0.0; part.len()]).collect();
    for &row in &rows {
        let (alone, parts) = states_and_gradients(model, &case, &[row], device);
        assert!(difference(&alone[0], &states[row]) < tolerance, "{name}: row {row} alone");
        assert!(difference(&others[row], &states[row]) < tolerance, "{name}: another order");
        for (sum, part) in sums.iter_mut().zip(parts) {
            sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        }
    }
    for ((sum, turned), gradient) in sums.iter().zip(&of_turned).zip(&gradients) {
        assert!(difference(sum, gradient) < tolerance, "{name}: gradients of rows alone");
        assert!(difference(turned, gradient) < tolerance, "{name}: gradients in another order");
    }
}

#[test]
fn a_row_has_the_same_states_and_gradients_alone_or_in_any_batch() {
    for device in devices() {
        let device = device.autodiff();
        for name in ["bert", "roberta"] {
            let bert = Bert::load(&Case::new(name).folder, 0.0, &device).unwrap();
            check_batches(&bert, name, &device, 1e-5);
        }
        let bart = Bart::load(&Case::new("bart").folder, false, 0.0, &device).unwrap();
        check_batches(&bart, "bart", &device, 1e-5);
    }
}

/// LibTorch's device, if this build has it.
fn libtorch_device() -> Option<Device> {
    let device = crate::model::device(Backend::Libtorch, "cpu").ok().map(Device::autodiff);
    if device.is_none() {
        println!("skipped: this build has no LibTorch");
    }
    device
}

/// The largest difference beside the largest number.
fn relative(one: &[f32], other: &[f32]) -> f32 {
    let largest = other.iter().fold(f32::MIN_POSITIVE, |largest, x| largest.max(x.abs()));
    one.iter().zip(other).fold(0.0f32, |most, (a, b)| most.max((a - b).abs())) / largest
}

/// Compares a model in bf16 with itself in f32. A number in bf16 has 8 bits, so it is off by 0.4 % at most.
fn check_bf16<M: Model>(f32: &M, bf16: &M, name: &str, device: &Device) {
    let case = Case::new(name);
    let rows: Vec<usize> = (0..case.rows.len()).collect();
    let (states, gradients) = states_and_gradients(f32, &case, &rows, device);
    let (rounded, of_rounded) = states_and_gradients(bf16, &case, &rows, device);
    assert_ne!(states, rounded, "{name}: bf16 has other bits");
    for (states, rounded) in states.iter().zip(&rounded) {
        assert!(relative(rounded, states) < 0.03, "{name}: {}", relative(rounded, states));
    }
    for (gradient, rounded) in gradients.iter().zip(&of_rounded) {
        assert!(relative(rounded, gradient) < 0.05, "{name}: {}", relative(rounded, gradient));
    }
    check_batches(bf16, name, device, 1e-4);
}

#[test]
fn bf16_is_close_to_f32_and_has_other_bits() {
    let Some(device) = libtorch_device() else { return };
    for name in ["bert", "roberta"] {
        let load = || Bert::load(&Case::new(name).folder, 0.0, &device).unwrap();
        check_bf16(&load(), &load().with_precision(Precision::Bf16), name, &device);
    }
    let load = || Bart::load(&Case::new("bart").folder, false, 0.0, &device).unwrap();
    check_bf16(&load(), &load().with_precision(Precision::Bf16), "bart", &device);
}

/// The processor time that this process has taken so far.
fn processor_seconds() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_SELF).unwrap();
    let seconds = |time: TimeVal| time.num_microseconds() as f64 / 1e6;
    seconds(usage.user_time()) + seconds(usage.system_time())
}

#[test]
fn a_step_in_bf16_is_at_least_1_3_times_as_fast() {
    let Some(device) = libtorch_device() else { return };
    if !has_bf16_products() {
        return println!("skipped: this processor has no bf16 products");
    }
    let (rows, length, width) = (16, 48, 384);
    let stack = Stack { layers: 2, heads: 12, inner: 4 * width };
    let bert = Bert::new(&Settings::bert(100, width, length, stack), &device);
    let ids = (0..rows * length).map(|i| (i * 7 % 100) as i64).collect::<Vec<_>>();
    let ids = Tensor::<1, Int>::from_data(TensorData::new(ids, [rows * length]), &device);
    let seconds = |model: &Bert| {
        let start = processor_seconds();
        model.forward(ids.clone(), None, &vec![length; rows]).sum().backward();
        processor_seconds() - start
    };
    let rounded = bert.clone().with_precision(Precision::Bf16);
    // The best of several runs in turn, in processor time: other work on the machine only slows them.
    let (mut f32, mut bf16) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..12 {
        f32 = f32.min(seconds(&bert));
        bf16 = bf16.min(seconds(&rounded));
    }
    assert!(f32 / bf16 >= 1.3, "{:.1} ms in f32, {:.1} ms in bf16", f32 * 1e3, bf16 * 1e3);
}

#[test]
fn the_same_seed_drops_the_same_and_another_does_not() {
    for device in devices() {
        let (case, device) = (Case::new("bart"), device.autodiff());
        let bart = Bart::load(&case.folder, false, 0.3, &device).unwrap();
        let run = |seed| {
            device.seed(seed);
            states_and_gradients(&bart, &case, &[0, 1], &device)
        };
        assert_eq!(run(5), run(5));
        assert_ne!(run(5).0, run(6).0);
    }
}

#[test]
fn prediction_is_training_without_dropout() {
    for plain in devices() {
        let device = plain.clone().autodiff();
        let case = Case::new("bart");
        let load = |dropout| Bart::load(&case.folder, false, dropout, &device).unwrap();
        let states = |model: &Bart, device: &Device| {
            let (ids, lengths) = case.all(device);
            numbers(model.forward(ids, &lengths))
        };
        let dropping = load(0.5);
        assert_ne!(states(&dropping, &device), states(&dropping, &device), "dropout in training");
        let valid = dropping.valid();
        let predicted = states(&valid, &plain);
        assert_eq!(predicted, states(&valid, &plain), "two predictions");
        assert!(difference(&predicted, &states(&load(0.0), &device)) < 1e-6);
    }
}

#[test]
fn an_empty_batch_and_an_empty_row_are_read() {
    for device in devices() {
        let case = Case::new("bert");
        let bert = Bert::load(&case.folder, 0.0, &device).unwrap();
        let ids = Tensor::<1, Int>::from_data(
            TensorData::new(case.rows[0].clone(), [case.rows[0].len()]),
            &device,
        );
        let alone = numbers(bert.forward(ids.clone(), None, &[case.rows[0].len()]));
        let with_empty = numbers(bert.forward(ids, None, &[0, case.rows[0].len(), 0]));
        assert!(difference(&alone, &with_empty) < 1e-6);
    }
}

#[test]
fn the_encoder_alone_is_the_encoder() {
    let device = Device::flex();
    let case = Case::new("bart");
    let whole = Bart::load(&case.folder, false, 0.0, &device).unwrap();
    let part = Bart::load(&case.folder, true, 0.0, &device).unwrap();
    let (ids, lengths) = case.all(&device);
    assert!(part.decoder.is_none());
    let rows = Padded::new(&lengths);
    let block = rows.block_of_numbers(ids.clone());
    let wanted = whole.encoder.forward_on_burn(&whole.pieces, block, None, &Padding::new(&lengths));
    assert_eq!(part.forward(ids, &lengths).into_data(), rows.places(wanted).into_data());
}

#[test]
fn frozen_layers_get_no_gradient_and_the_others_do() {
    for device in devices() {
        let (case, device) = (Case::new("bert"), device.autodiff());
        let trained = |freeze: i64| -> Vec<bool> {
            let bert = Bert::load(&case.folder, 0.0, &device).unwrap().freeze(freeze);
            let (ids, lengths) = case.all(&device);
            let gradients = bert.forward(ids, None, &lengths).sum().backward();
            let has = |parameter: &Param<Tensor<2>>| {
                parameter.is_require_grad() && parameter.val().grad(&gradients).is_some()
            };
            let layers = bert.layers.iter().map(|layer| has(&layer.own.input.weight));
            [has(&bert.pieces.weight), has(&bert.embeddings.positions)]
                .into_iter()
                .chain(layers)
                .collect()
        };
        assert_eq!(trained(-1), [true; 4]);
        assert_eq!(trained(0), [false, false, true, true]);
        assert_eq!(trained(1), [false, false, false, true]);
    }
}

#[test]
fn fresh_parameters_have_the_range_that_was_asked_for() {
    let device = Device::flex();
    device.seed(3);
    let stack = Stack { layers: 1, heads: 4, inner: 256 };
    let bert = Bert::new(&Settings::bert(100, 64, 32, stack), &device);
    let weights: Vec<f32> = bert.layers[0].inner.weight.val().into_data().try_to_vec().unwrap();
    let count = weights.len() as f64;
    let mean = weights.iter().map(|&x| f64::from(x)).sum::<f64>() / count;
    let variance = weights.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / count;
    assert!(mean.abs() < 1e-3 && (variance.sqrt() - 0.02).abs() < 1e-3, "{mean} {variance}");
    let bias: Vec<f32> = bert.layers[0].inner.bias.val().into_data().try_to_vec().unwrap();
    assert!(bias.iter().all(|&x| x == 0.0));
    assert!(Settings::bert(100, 64, 32, Stack { heads: 5, ..stack }).checked().is_err());
}

#[test]
fn a_wrong_kind_of_checkpoint_is_told() {
    let device = Device::flex();
    let wrong = Bert::load(&Case::new("bart").folder, 0.0, &device).unwrap_err().to_string();
    assert!(wrong.contains("this is a BART, which the encoder `bart` reads"), "{wrong}");
    let wrong = Bart::load(&Case::new("bert").folder, false, 0.0, &device).unwrap_err().to_string();
    assert!(wrong.contains("this is a BERT, which the encoder `bert` reads"), "{wrong}");
}
