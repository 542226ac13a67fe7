use super::*;
use burn::nn::{Embedding, EmbeddingConfig, Linear, LinearConfig};
use burn::optim::{AdamConfig, AdamWConfig};
use burn::tensor::{Device, Int, TensorData};
use domain::Backend;

#[derive(Module, Debug)]
struct Model {
    table: Embedding,
    linear: Linear,
}

fn devices() -> Vec<Device> {
    let all = [Backend::Libtorch, Backend::Flex];
    all.iter().filter_map(|&backend| crate::model::device(backend, "cpu").ok()).collect()
}

/// The same model on every backend.
fn model(device: &Device) -> Model {
    let numbers = |n: usize| (0..n).map(|i| (i as f32 * 0.7).sin()).collect::<Vec<f32>>();
    let matrix = |shape: [usize; 2]| {
        let data = TensorData::new(numbers(shape[0] * shape[1]), shape);
        Param::from_tensor(Tensor::<2>::from_data(data, device))
    };
    let mut model = Model {
        table: EmbeddingConfig::new(50, 6).init(device),
        linear: LinearConfig::new(6, 4).init(device),
    };
    model.table.weight = matrix([50, 6]);
    model.linear.weight = matrix([6, 4]);
    model.linear.bias =
        Some(Param::from_tensor(Tensor::from_data(TensorData::new(numbers(4), [4]), device)));
    model
}

/// The gradients of a loss that reads the words of step `step` alone.
fn gradients(model: &Model, step: usize, device: &Device) -> GradientsParams {
    let words: Vec<i64> = (0..6).map(|i| ((step * 11 + i * 5) % 50) as i64).collect();
    let words = Tensor::<2, Int>::from_data(TensorData::new(words, [2, 3]), device);
    let loss = model.linear.forward(model.table.forward(words)).powi_scalar(2).sum() * 3.0;
    GradientsParams::from_grads(loss.backward(), model)
}

fn numbers(model: &Model) -> Vec<f32> {
    let bias = model.linear.bias.as_ref().unwrap().val().into_data();
    let mut all: Vec<f32> = model.table.weight.val().into_data().try_to_vec().unwrap();
    all.extend(model.linear.weight.val().into_data().try_to_vec::<f32>().unwrap());
    all.extend(bias.try_to_vec::<f32>().unwrap());
    all
}

/// The numbers after so many steps of `step`.
fn trained(
    device: &Device,
    mut step: impl FnMut(Model, GradientsParams, f64) -> Model,
) -> Vec<f32> {
    let device = device.clone().autodiff();
    let mut model = model(&device);
    for i in 0..12 {
        let gradients = gradients(&model, i, &device);
        model = step(model, gradients, 0.05 / (1 + i) as f64);
    }
    numbers(&model)
}

fn close(found: &[f32], wanted: &[f32], within: f32) {
    for (i, (a, b)) in found.iter().zip(wanted).enumerate() {
        assert!((a - b).abs() < within, "number {i}: {a}, but {b} was wanted");
    }
}

fn settings() -> AdamSettings {
    AdamSettings::default()
}

#[test]
fn it_is_burns_adam() {
    for device in devices() {
        let mut adam = Adam::new(settings());
        let found = trained(&device, |model, gradients, rate| adam.step(model, gradients, rate));
        let mut burns = AdamConfig::new().with_epsilon(1e-8).init();
        let wanted = trained(&device, |model, gradients, rate| burns.step(rate, model, gradients));
        close(&found, &wanted, 1e-5);
    }
}

#[test]
fn with_decay_it_is_burns_adamw_but_for_biases() {
    for device in devices() {
        let mut adam = Adam::new(AdamSettings { decay: 0.3, ..settings() });
        let found = trained(&device, |model, gradients, rate| adam.step(model, gradients, rate));
        let burns = |decay| {
            let mut burns = AdamWConfig::new().with_epsilon(1e-8).with_weight_decay(decay).init();
            trained(&device, |model, gradients, rate| {
                let mut without = gradients;
                let bias = model.linear.bias.as_ref().unwrap().id;
                // The bias stands still here, so that it cannot change the others.
                without.remove::<1>(bias);
                burns.step(rate, model, without)
            })
        };
        let mut still = Adam::new(AdamSettings { decay: 0.3, ..settings() });
        let without_bias = trained(&device, |model, mut gradients, rate| {
            gradients.remove::<1>(model.linear.bias.as_ref().unwrap().id);
            still.step(model, gradients, rate)
        });
        close(&without_bias, &burns(0.3), 1e-5);
        assert_ne!(without_bias, burns(0.0));
        assert_ne!(found, without_bias);
    }
}

/// By hand: after the first step of Adam every number has moved by the rate against its gradient's
/// sign; then by AdamW's decay if it is a weight.
#[test]
fn the_first_step_is_as_long_as_the_rate() {
    for device in devices() {
        let device = device.autodiff();
        let before = model(&device);
        let mut adam = Adam::new(AdamSettings { decay: 0.5, ..settings() });
        let gradients = gradients(&before, 0, &device);
        let sign = |x: f32| if x == 0.0 { 0.0 } else { x.signum() };
        let bias = before.linear.bias.as_ref().unwrap();
        let gradient: Vec<f32> =
            gradients.get::<1>(bias.id).unwrap().into_data().try_to_vec().unwrap();
        let old: Vec<f32> = bias.val().into_data().try_to_vec().unwrap();
        let weight = before.linear.weight.clone();
        let of_weight: Vec<f32> =
            gradients.get::<2>(weight.id).unwrap().into_data().try_to_vec().unwrap();
        let old_weight: Vec<f32> = weight.val().into_data().try_to_vec().unwrap();
        let after = adam.step(before, gradients, 0.01);
        let wanted: Vec<f32> =
            old.iter().zip(&gradient).map(|(x, g)| x - 0.01 * sign(*g)).collect();
        let found: Vec<f32> =
            after.linear.bias.as_ref().unwrap().val().into_data().try_to_vec().unwrap();
        close(&found, &wanted, 1e-5);
        let decayed = |(x, g): (&f32, &f32)| x * (1.0 - 0.01 * 0.5) - 0.01 * sign(*g);
        let wanted: Vec<f32> = old_weight.iter().zip(&of_weight).map(decayed).collect();
        let found: Vec<f32> = after.linear.weight.val().into_data().try_to_vec().unwrap();
        close(&found, &wanted, 1e-5);
        // The parameter that was held all along has not been changed behind its holder's back.
        assert_eq!(weight.val().into_data().try_to_vec::<f32>().unwrap(), old_weight);
    }
}

#[test]
fn the_gradient_of_everything_together_is_clipped() {
    for device in devices() {
        // Two first moments' worth of steps on a gradient of known length: m = (1 - β₁)·g·clip/‖g‖.
        let device = device.autodiff();
        let model = model(&device);
        let gradients = gradients(&model, 0, &device);
        let all = |gradients: &GradientsParams| -> Vec<f32> {
            let bias = model.linear.bias.as_ref().unwrap().id;
            let mut all: Vec<f32> = gradients
                .get::<2>(model.table.weight.id)
                .unwrap()
                .into_data()
                .try_to_vec()
                .unwrap();
            let linear = gradients.get::<2>(model.linear.weight.id).unwrap().into_data();
            all.extend(linear.try_to_vec::<f32>().unwrap());
            all.extend(gradients.get::<1>(bias).unwrap().into_data().try_to_vec::<f32>().unwrap());
            all
        };
        let all = all(&gradients);
        let norm = all.iter().map(|x| x * x).sum::<f32>().sqrt();
        assert!(norm > 2.0);
        let mut adam = Adam::new(AdamSettings { clip: Some(1.5), ..settings() });
        let id = model.linear.weight.id;
        let gradient: Vec<f32> = gradients.get::<2>(id).unwrap().into_data().try_to_vec().unwrap();
        adam.step(model.clone(), gradients, 0.01);
        let AdamMemory::Here { first, .. } = &adam.moments[&id].kept else {
            panic!("numbers are here")
        };
        let wanted: Vec<f32> = gradient.iter().map(|g| 0.1 * g * 1.5 / norm).collect();
        close(first, &wanted, 1e-5);
    }
}

#[test]
fn lazily_only_the_words_of_the_batch_move() {
    for device in devices() {
        let device = device.autodiff();
        let mut adam = Adam::new(AdamSettings { lazy: true, decay: 0.1, ..settings() });
        let mut dense = Adam::new(AdamSettings { decay: 0.1, ..settings() });
        let first = model(&device);
        let once = adam.step(first.clone(), gradients(&first, 0, &device), 0.05);
        let densely = dense.step(first.clone(), gradients(&first, 0, &device), 0.05);
        let rows = |model: &Model| -> Vec<Vec<f32>> {
            let all: Vec<f32> = model.table.weight.val().into_data().try_to_vec().unwrap();
            all.chunks(6).map(<[f32]>::to_vec).collect()
        };
        let words = [0, 5, 10, 15, 20, 25];
        let pairs = rows(&first).into_iter().zip(rows(&once)).zip(rows(&densely));
        for (word, ((before, lazy), dense)) in pairs.enumerate() {
            assert_eq!(lazy == before, !words.contains(&word), "word {word}");
            assert_ne!(dense, before, "every word decays");
            assert_eq!(lazy == dense, words.contains(&word), "word {word}");
        }
        // The linear layer is no table: all of it moves in both.
        assert_eq!(
            once.linear.weight.val().into_data().try_to_vec::<f32>().unwrap(),
            densely.linear.weight.val().into_data().try_to_vec::<f32>().unwrap()
        );
    }
}

/// What runs in another device's memory is the same arithmetic.
#[test]
fn the_arithmetic_on_a_device_is_that_of_the_pass() {
    for device in devices() {
        for row in [None, Some(4)] {
            let settings = AdamSettings { decay: 0.1, ..settings() };
            let values = |k: f32| (0..24).map(|i| (i as f32 * k).sin()).collect::<Vec<f32>>();
            let mut gradient = values(0.3);
            gradient[4..8].fill(0.0);
            let tensor = |numbers: &[f32]| {
                Tensor::<1>::from_data(TensorData::new(numbers.to_vec(), [24]), &device)
            };
            let (mut here, mut first, mut second) = (values(0.9), vec![0.0; 24], vec![0.0; 24]);
            let (mut there, mut m, mut v) =
                (tensor(&here).reshape([6, 4]), tensor(&first), tensor(&second));
            for steps in 1..4 {
                let step = Step::new(&settings, steps, 0.01, 0.7, true);
                step.run(&mut here, &gradient, [&mut first, &mut second], row);
                there = step.run_on_device(there, tensor(&gradient), &mut m, &mut v, row);
            }
            close(&there.into_data().try_to_vec::<f32>().unwrap(), &here, 1e-6);
            close(&m.into_data().try_to_vec::<f32>().unwrap(), &first, 1e-6);
            close(&v.into_data().try_to_vec::<f32>().unwrap(), &second, 1e-6);
        }
    }
}

#[test]
fn rows_of_a_table_that_never_had_a_gradient_are_updated_as_all_others() {
    let settings = AdamSettings { decay: 0.1, ..settings() };
    let (rows, width) = (9, 5);
    let start: Vec<f32> = (0..rows * width).map(|i| (i as f32 * 0.3).cos()).collect();
    let (mut plain, mut table) = (start.clone(), start);
    let mut moments = [(); 4].map(|()| vec![0.0; rows * width]);
    let [a, b, c, d] = &mut moments;
    let mut met = vec![false; rows];
    for steps in 1..=6 {
        let mut gradient = vec![0.0; rows * width];
        // The rows 0 to 4 have a gradient at times, the others never.
        let row = (steps as usize * 2) % 5;
        gradient[row * width..][..width].fill(0.25 * steps as f32);
        gradient[8 * width] = -0.0;
        let step = Step::new(&settings, steps, 0.01, 0.7, true);
        step.run(&mut plain, &gradient, [a, b], None);
        step.run_table(&mut table, &gradient, [c, d], &mut met);
        assert_eq!(plain, table);
    }
    assert_eq!(met, [true, true, true, true, true, false, false, false, false]);
    assert_eq!((&moments[0], &moments[1]), (&moments[2], &moments[3]));
}
