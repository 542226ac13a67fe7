//! Rows alone and in batches, products in bf16, dropout.

use super::*;
use domain::{Precision, has_bf16_products};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};

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

/// Compares a model in bf16 with itself in f32. A number in bf16 has 8 bits, so it is off by 0.4 %
/// at most.
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
    let bert = Bert::new(&TransformerSettings::bert(100, width, length, stack), &device);
    let ids = (0..rows * length).map(|i| (i * 7 % 100) as i64).collect::<Vec<_>>();
    let ids = Tensor::<1, Int>::from_data(TensorData::new(ids, [rows * length]), &device);
    let seconds = |model: &Bert| {
        let start = processor_seconds();
        model.forward(ids.clone(), None, &vec![length; rows]).sum().backward();
        processor_seconds() - start
    };
    let rounded = bert.clone().with_precision(Precision::Bf16);
    // The best of several runs in turn, in processor time: other work on the machine only slows
    // them, and where it slows all of them another try follows.
    let milliseconds = || {
        let (mut f32, mut bf16) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..12 {
            f32 = f32.min(1e3 * seconds(&bert));
            bf16 = bf16.min(1e3 * seconds(&rounded));
        }
        (f32, bf16)
    };
    let mut tries = Vec::new();
    let reached = (0..5).any(|_| {
        let (f32, bf16) = milliseconds();
        tries.push((f32, bf16));
        f32 / bf16 >= 1.3
    });
    assert!(reached, "milliseconds in f32 and in bf16: {tries:.1?}");
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
