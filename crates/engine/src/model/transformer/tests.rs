//! The models against what transformers computes (tests/peers/transformer_vectors.py wrote it).

mod batches;

use super::attention::{Cross, Own};
use super::layer::Layer;
use super::parts::{Linear, Norm};
use super::*;
use crate::model::checkpoints::Weights;
use crate::model::padded::Padded;
use burn::module::{Module, Param};
use burn::tensor::{Device, Int, Tensor, TensorData};
use domain::Backend;
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
    let wanted = whole.encoder.forward_on_burn(&whole.pieces, block, None, &rows);
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
    let bert = Bert::new(&TransformerSettings::bert(100, 64, 32, stack), &device);
    let weights: Vec<f32> = bert.layers[0].inner.weight.val().into_data().try_to_vec().unwrap();
    let count = weights.len() as f64;
    let mean = weights.iter().map(|&x| f64::from(x)).sum::<f64>() / count;
    let variance = weights.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / count;
    assert!(mean.abs() < 1e-3 && (variance.sqrt() - 0.02).abs() < 1e-3, "{mean} {variance}");
    let bias: Vec<f32> = bert.layers[0].inner.bias.val().into_data().try_to_vec().unwrap();
    assert!(bias.iter().all(|&x| x == 0.0));
    assert!(TransformerSettings::bert(100, 64, 32, Stack { heads: 5, ..stack }).checked().is_err());
}

#[test]
fn a_wrong_kind_of_checkpoint_is_told() {
    let device = Device::flex();
    let wrong = Bert::load(&Case::new("bart").folder, 0.0, &device).unwrap_err().to_string();
    assert!(wrong.contains("this is a BART, which the encoder `bart` reads"), "{wrong}");
    let wrong = Bart::load(&Case::new("bert").folder, false, 0.0, &device).unwrap_err().to_string();
    assert!(wrong.contains("this is a BERT, which the encoder `bert` reads"), "{wrong}");
}
