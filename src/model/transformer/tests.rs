//! The models against what transformers computes (tests/peers/transformer_vectors.py wrote it).

use super::attention::{Cross, Own};
use super::layer::Layer;
use super::padding::Padding;
use super::parts::{Linear, Norm};
use super::*;
use crate::domain::Backend;
use burn::module::{Module, Param};
use burn::tensor::{Device, Gradients, Int, Tensor, TensorData};
use serde_json::Value;
use std::path::PathBuf;

/// A case of the vectors.
pub(super) struct Case {
    folder: PathBuf,
    expected: Value,
}

impl Case {
    pub(super) fn new(name: &str) -> Self {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/vectors/transformer");
        let folder = PathBuf::from(root).join(name);
        let text = std::fs::read_to_string(folder.join("expected.json")).unwrap();
        Self { folder, expected: serde_json::from_str(&text).unwrap() }
    }

    fn rows(&self) -> Vec<Vec<i64>> {
        let row = |row: &Value| row.as_array().unwrap().iter().map(|id| id.as_i64().unwrap()).collect();
        self.expected["rows"].as_array().unwrap().iter().map(row).collect()
    }

    /// The batch, with `more` columns of padding.
    fn batch(&self, more: usize, device: &Device) -> (Tensor<2, Int>, Vec<usize>) {
        let rows = self.rows();
        let lengths: Vec<usize> = rows.iter().map(Vec::len).collect();
        let longest = lengths.iter().max().unwrap() + more;
        let padding = self.expected["padding"].as_i64().unwrap();
        let mut ids = Vec::new();
        for row in &rows {
            ids.extend(row);
            ids.extend(std::iter::repeat_n(padding, longest - row.len()));
        }
        (Tensor::from_data(TensorData::new(ids, [rows.len(), longest]), device), lengths)
    }

    /// Whether each number of rows × pieces × width is a real piece's.
    fn real(&self, width: usize, longest: usize) -> Vec<bool> {
        let row = |row: &Vec<i64>| {
            let length = row.len();
            (0..longest * width).map(move |i| i / width < length)
        };
        self.rows().iter().flat_map(row).collect()
    }

    /// The gradients of the named parameters, one behind the other.
    fn gradient(&self, names: &[&str], part: &str) -> Vec<f32> {
        let one = |name: &&str| numbers(&self.expected["gradients"][format!("{name}.{part}")]);
        names.iter().flat_map(one).collect()
    }
}

fn numbers(value: &Value) -> Vec<f32> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap() as f32).collect()
}

fn devices() -> Vec<Device> {
    let all = [Backend::Libtorch, Backend::Flex];
    all.iter().filter_map(|&backend| crate::model::device(backend, "cpu").ok()).collect()
}

fn close(what: &str, found: &[f32], wanted: &[f32]) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    for (i, (a, b)) in found.iter().zip(wanted).enumerate() {
        assert!((a - b).abs() < 1e-4, "{what}, number {i}: {a}, but transformers has {b}");
    }
}

/// Checks states and returns the gradients of the vectors' loss.
fn run(case: &Case, device: &Device, forward: impl Fn(Tensor<2, Int>, &[usize]) -> Tensor<3>) -> Gradients {
    let (ids, lengths) = case.batch(0, device);
    let states = forward(ids, &lengths);
    let [rows, longest, width] = states.dims();
    let real = case.real(width, longest);
    let found: Vec<f32> = states.clone().into_data().try_to_vec().unwrap();
    let only = |numbers: &[f32]| -> Vec<f32> {
        numbers.iter().zip(&real).filter_map(|(&x, &real)| real.then_some(x)).collect()
    };
    close("states", &only(&found), &only(&numbers(&case.expected["states"])));
    let weight = |(i, &real): (usize, &bool)| if real { (i as f32).cos() } else { 0.0 };
    let weights: Vec<f32> = real.iter().enumerate().map(weight).collect();
    let weights = Tensor::<3>::from_data(TensorData::new(weights, [rows, longest, width]), device);
    (states * weights).sum().backward()
}

fn check<const D: usize>(
    case: &Case,
    gradients: &Gradients,
    parameter: &Param<Tensor<D>>,
    names: &[&str],
    part: &str,
) {
    let found = parameter.val().grad(gradients).expect("a gradient").into_data();
    close(&format!("{names:?}.{part}"), &found.try_to_vec::<f32>().unwrap(), &case.gradient(names, part));
}

fn check_linear(case: &Case, gradients: &Gradients, linear: &Linear, names: &[&str]) {
    check(case, gradients, &linear.weight, names, "weight");
    check(case, gradients, &linear.bias, names, "bias");
}

fn check_norm(case: &Case, gradients: &Gradients, norm: &Norm, name: &str) {
    check(case, gradients, &norm.scale, &[name], "weight");
    check(case, gradients, &norm.shift, &[name], "bias");
}

fn check_layers(case: &Case, gradients: &Gradients, layers: &[Layer], names: &names::Names) {
    assert_eq!(layers.len(), 2);
    for (i, layer) in layers.iter().enumerate() {
        let name = |part: &str| format!("{}.{i}.{part}", names.layers);
        let Own { input, output, norm } = &layer.own;
        let joined = [names.own.query, names.own.key, names.own.value].map(name);
        check_linear(case, gradients, input, &joined.each_ref().map(String::as_str));
        check_linear(case, gradients, output, &[&name(names.own.output)]);
        check_norm(case, gradients, norm, &name(names.own.norm));
        if let Some(Cross { query, context, output, norm }) = &layer.cross {
            check_linear(case, gradients, query, &[&name(names.cross.query)]);
            let joined = [names.cross.key, names.cross.value].map(name);
            check_linear(case, gradients, context, &joined.each_ref().map(String::as_str));
            check_linear(case, gradients, output, &[&name(names.cross.output)]);
            check_norm(case, gradients, norm, &name(names.cross.norm));
        }
        check_linear(case, gradients, &layer.inner, &[&name(names.inner)]);
        check_linear(case, gradients, &layer.outer, &[&name(names.outer)]);
        check_norm(case, gradients, &layer.norm, &name(names.norm));
    }
}

#[test]
fn bert_agrees_with_transformers() {
    for device in devices() {
        for name in ["bert", "roberta"] {
            let (case, device) = (Case::new(name), device.clone().autodiff());
            let bert = Bert::load(&case.folder, 0.0, &device).unwrap();
            let gradients = run(&case, &device, |ids, lengths| bert.forward(ids, lengths));
            let Bert { pieces, embeddings, layers, .. } = &bert;
            check(&case, &gradients, &pieces.weight, &["embeddings.word_embeddings"], "weight");
            let positions = ["embeddings.position_embeddings"];
            check(&case, &gradients, &embeddings.positions, &positions, "weight");
            let types = embeddings.types.as_ref().unwrap();
            check(&case, &gradients, types, &["embeddings.token_type_embeddings"], "weight");
            check_norm(&case, &gradients, &embeddings.norm, "embeddings.LayerNorm");
            check_layers(&case, &gradients, layers, &names::BERT);
        }
    }
}

#[test]
fn bart_agrees_with_transformers() {
    for device in devices() {
        let (case, device) = (Case::new("bart"), device.autodiff());
        let bart = Bart::load(&case.folder, false, 0.0, &device).unwrap();
        let gradients = run(&case, &device, |ids, lengths| bart.forward(ids, lengths));
        let Bart { pieces, encoder, decoder, .. } = &bart;
        check(&case, &gradients, &pieces.weight, &["shared"], "weight");
        for (side, which, names) in
            [(encoder, "encoder", &names::ENCODER), (decoder.as_ref().unwrap(), "decoder", &names::DECODER)]
        {
            let positions = format!("{which}.embed_positions");
            check(&case, &gradients, &side.embeddings.positions, &[&positions], "weight");
            let norm = format!("{which}.layernorm_embedding");
            check_norm(&case, &gradients, &side.embeddings.norm, &norm);
            check_layers(&case, &gradients, &side.layers, names);
        }
    }
}

/// On LibTorch a layer is one node, elsewhere many: one model all the same.
#[test]
fn the_fused_layers_agree_with_burns_operations() {
    for device in devices() {
        let device = device.autodiff();
        for name in ["bert", "roberta"] {
            let case = Case::new(name);
            let bert = Bert::load(&case.folder, 0.0, &device).unwrap();
            run(&case, &device, |ids, lengths| {
                let padding = Padding::new(lengths, ids.dims()[1]);
                let states = bert.embeddings.forward_on_burn(&bert.pieces, ids);
                bert.layers.iter().fold(states, |states, layer| {
                    layer.forward_on_burn(states, None, &padding)
                })
            });
        }
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
            [has(&bert.pieces.weight), has(&bert.embeddings.positions)].into_iter().chain(layers).collect()
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
