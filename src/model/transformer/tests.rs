//! The models against what transformers computes (tests/peers/transformer_vectors.py wrote it).

use super::attention::{Cross, Own};
use super::layer::Layer;
use super::padding::Padding;
use super::parts::{Linear, Norm};
use super::*;
use crate::domain::Backend;
use crate::model::checkpoints::Weights;
use burn::module::{Module, Param};
use burn::tensor::{Device, Int, Tensor, TensorData};
use serde_json::Value;
use std::cell::Cell;
use std::fs;
use std::path::PathBuf;

/// A model's folder with what transformers computes beside it.
struct Case {
    folder: PathBuf,
    rows: Vec<Vec<i64>>,
    padding: i64,
    /// `states`, and a gradient a parameter.
    expected: Weights,
}

impl Case {
    fn new(name: &str) -> Self {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/vectors/transformer");
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
            padding: file["padding"].as_i64().unwrap(),
            expected: Weights::open(&folder.join("expected"), &[], "").unwrap(),
            folder,
        }
    }

    /// The batch, with `more` columns of padding.
    fn batch(&self, more: usize, device: &Device) -> (Tensor<2, Int>, Vec<usize>) {
        let lengths: Vec<usize> = self.rows.iter().map(Vec::len).collect();
        let longest = lengths.iter().max().unwrap() + more;
        let mut ids = Vec::new();
        for row in &self.rows {
            ids.extend(row);
            ids.extend(std::iter::repeat_n(self.padding, longest - row.len()));
        }
        (Tensor::from_data(TensorData::new(ids, [self.rows.len(), longest]), device), lengths)
    }

    /// 1 for every number of a real piece, 0 for padding: rows × pieces × width.
    fn real([_, longest, width]: [usize; 3], rows: &[Vec<i64>]) -> Vec<f32> {
        let real = |length: usize, i: usize| if i / width < length { 1.0 } else { 0.0 };
        let row = |row: &Vec<i64>| {
            let length = row.len();
            (0..longest * width).map(move |i| real(length, i))
        };
        rows.iter().flat_map(row).collect()
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
    forward: impl Fn(Tensor<2, Int>, &[usize]) -> Tensor<3>,
) -> Gradients<'a> {
    let (ids, lengths) = case.batch(0, device);
    let states = forward(ids, &lengths);
    let shape = states.dims();
    let real = Case::real(shape, &case.rows);
    let tensor =
        |numbers: Vec<f32>, device| Tensor::<3>::from_data(TensorData::new(numbers, shape), device);
    let plain = device.clone().inner();
    let only = |states: Tensor<3>| states * tensor(real.clone(), &plain);
    let wanted = case.expected.tensor("states", shape, &plain).unwrap();
    let difference = close("states", only(states.clone().inner()), only(wanted));
    let weights = real.iter().enumerate().map(|(i, real)| (i as f64).cos() as f32 * real).collect();
    Gradients {
        case,
        device: plain.clone(),
        found: (states * tensor(weights, device)).sum().backward(),
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
            run(&case, &device, |ids, lengths| bert.forward(ids, lengths)).check_bert(&bert);
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
            let gradients = run(&case, &device, |ids, lengths| {
                let padding = Padding::new(lengths, ids.dims()[1]);
                let states = bert.embeddings.forward_on_burn(&bert.pieces, ids, None);
                let layers = bert.layers.iter();
                layers.fold(states, |states, layer| layer.forward_on_burn(states, None, &padding))
            });
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
        let gradients = run(&case, &device, |ids, lengths| bert.forward(ids, lengths));
        gradients.check_bert(&bert);
        let (states, gradients) = (gradients.states, gradients.largest.get());
        println!("{device:?}: states within {states:.1e}, gradients within {gradients:.1e}");
    }
}

#[test]
fn padding_changes_nothing_and_prediction_is_training_without_dropout() {
    for plain in devices() {
        let device = plain.clone().autodiff();
        let case = Case::new("bart");
        let bart = Bart::load(&case.folder, false, 0.5, &device).unwrap();
        let states = |model: &Bart, more, device: &Device| -> Vec<f32> {
            let (ids, lengths) = case.batch(more, device);
            let states = model.forward(ids, &lengths).narrow(1, 0, 3);
            states.into_data().try_to_vec().unwrap()
        };
        assert_ne!(states(&bart, 0, &device), states(&bart, 0, &device), "dropout while training");
        let valid = bart.valid();
        let alone = states(&valid, 0, &plain);
        assert_eq!(alone, states(&valid, 0, &plain), "two predictions");
        for (a, b) in alone.iter().zip(states(&valid, 5, &plain)) {
            assert!((a - b).abs() < 1e-5, "more padding: {a} {b}");
        }
    }
}

#[test]
fn the_encoder_alone_is_the_encoder() {
    let device = Device::flex();
    let case = Case::new("bart");
    let whole = Bart::load(&case.folder, false, 0.0, &device).unwrap();
    let part = Bart::load(&case.folder, true, 0.0, &device).unwrap();
    let (ids, lengths) = case.batch(0, &device);
    assert!(part.decoder.is_none());
    let padding = Padding::new(&lengths, ids.dims()[1]);
    let wanted = whole.encoder.forward(&whole.pieces, ids.clone(), None, &padding);
    assert_eq!(part.forward(ids, &lengths).into_data(), wanted.into_data());
}

#[test]
fn frozen_layers_get_no_gradient_and_the_others_do() {
    for device in devices() {
        let (case, device) = (Case::new("bert"), device.autodiff());
        let trained = |freeze: i64| -> Vec<bool> {
            let bert = Bert::load(&case.folder, 0.0, &device).unwrap().freeze(freeze);
            let (ids, lengths) = case.batch(0, &device);
            let gradients = bert.forward(ids, &lengths).sum().backward();
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
