//! PESG, the optimiser of LibAUC (Guo et al. 2023): gradient descent that is pulled towards a
//! reference.
//!
//! v ← v − η [clip(g, ±c) + ε₀ (v − v_ref) + w v], each number on its own. The reference is drawn
//! from N(0, 0.01²); at each restart it becomes the mean of the steps since it last changed, and η
//! is divided by 10.

use super::optimiser::updated;
use burn::module::{Module, ModuleMapper, Param, ParamId};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor, TensorData};
use domain::{Optimiser, TrainingSettings};
use std::collections::HashMap;

/// The standard deviation of the first reference.
pub const REFERENCE_DEVIATION: f64 = 0.01;

/// What stays the same from step to step.
#[derive(Clone, Debug, PartialEq)]
pub struct PesgSettings {
    /// The largest part of a number's gradient that counts.
    pub clip: Option<f64>,
    /// ε₀: how strongly numbers are pulled towards their reference.
    pub epoch_decay: f64,
    /// w: how strongly they are pulled towards 0.
    pub weight_decay: f64,
}

/// The optimiser with its reference.
pub struct Pesg {
    settings: PesgSettings,
    /// What the rate is divided by.
    slowed: f64,
    kept: HashMap<ParamId, PesgMemory>,
    /// Draws from N(0, 1).
    normal: Box<dyn FnMut() -> f64>,
}

/// What is kept of one parameter, flat.
struct PesgMemory {
    reference: Tensor<1>,
    /// The sum over the steps since the reference changed.
    sum: Tensor<1>,
    steps: u64,
}

impl Pesg {
    /// What a restart divides the rate by.
    pub const SLOWING: f64 = 10.0;

    /// Whether a job is trained by it.
    pub fn is_wanted(training: &TrainingSettings) -> bool {
        training.optimiser == Optimiser::Pesg
    }

    /// An optimiser that has seen nothing; `normal` draws from N(0, 1).
    pub fn new(settings: PesgSettings, normal: impl FnMut() -> f64 + 'static) -> Self {
        Self { settings, slowed: 1.0, kept: HashMap::new(), normal: Box::new(normal) }
    }

    /// The mean of the steps becomes the reference, and steps a tenth as long.
    pub fn restart(&mut self) {
        for kept in self.kept.values_mut().filter(|kept| kept.steps > 0) {
            kept.reference = kept.sum.clone() / kept.steps as f64;
            kept.sum = kept.sum.zeros_like();
            kept.steps = 0;
        }
        self.slowed *= Self::SLOWING;
    }

    /// The model after a step along these gradients; what has no gradient stays as it is.
    pub fn step<M: Module>(&mut self, model: M, gradients: GradientsParams, rate: f64) -> M {
        let rate = rate / self.slowed;
        model.map(&mut Update { pesg: self, gradients, rate })
    }

    fn kept(&mut self, id: ParamId, numbers: usize, device: &Device) -> &mut PesgMemory {
        let Self { kept, normal, .. } = self;
        kept.entry(id).or_insert_with(|| {
            let drawn = (0..numbers).map(|_| (REFERENCE_DEVIATION * normal()) as f32).collect();
            let data = TensorData::new::<f32, _>(drawn, [numbers]);
            let reference = Tensor::from_data(data, device);
            PesgMemory { sum: Tensor::zeros([numbers], device), reference, steps: 0 }
        })
    }
}

/// Changes the parameters.
struct Update<'a> {
    pesg: &'a mut Pesg,
    gradients: GradientsParams,
    rate: f64,
}

impl ModuleMapper for Update<'_> {
    fn map_float<const D: usize>(&mut self, parameter: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let Some(gradient) = self.gradients.remove::<D>(parameter.id) else { return parameter };
        let id = parameter.id;
        updated(parameter, |tensor| self.update(id, tensor, gradient))
    }
}

impl Update<'_> {
    fn update<const D: usize>(
        &mut self,
        id: ParamId,
        tensor: Tensor<D>,
        gradient: Tensor<D>,
    ) -> Tensor<D> {
        let dims = tensor.dims();
        let numbers: usize = dims.iter().product();
        let (old, gradient) = (tensor.reshape([numbers]), gradient.reshape([numbers]));
        let PesgSettings { clip, epoch_decay, weight_decay } = self.pesg.settings;
        let gradient = match clip {
            Some(largest) => gradient.clamp(-largest, largest),
            None => gradient,
        };
        let kept = self.pesg.kept(id, numbers, &old.device());
        let away = old.clone() - kept.reference.clone();
        let direction = gradient + away * epoch_decay + old.clone() * weight_decay;
        let new = old - direction * self.rate;
        kept.sum = kept.sum.clone() + new.clone();
        kept.steps += 1;
        new.reshape(dims)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::nn::{Linear, LinearConfig};
    use domain::Backend;
    use serde_json::Value;

    fn devices() -> Vec<Device> {
        let all = [Backend::Libtorch, Backend::Flex];
        all.iter().filter_map(|&backend| crate::model::device(backend, "cpu").ok()).collect()
    }

    fn row(numbers: &[f64], device: &Device) -> Tensor<2> {
        let numbers: Vec<f32> = numbers.iter().map(|number| *number as f32).collect();
        let width = numbers.len();
        Tensor::from_data(TensorData::new(numbers, [1, width]), device)
    }

    /// One row of weights, and the gradients that a step is to follow.
    fn layer(weights: &[f64], device: &Device) -> Linear {
        let config = LinearConfig::new(1, weights.len()).with_bias(false);
        let mut layer = config.init(device);
        layer.weight = Param::from_tensor(row(weights, device));
        layer
    }

    fn gradients(layer: &Linear, wanted: &[f64], device: &Device) -> GradientsParams {
        let loss = (layer.weight.val() * row(wanted, device)).sum();
        GradientsParams::from_grads(loss.backward(), layer)
    }

    fn numbers(value: &Value) -> Vec<f64> {
        value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
    }

    fn weights(layer: &Linear) -> Vec<f64> {
        layer.weight.val().into_data().iter::<f64>().collect()
    }

    fn close(found: &[f64], wanted: &[f64]) {
        assert_eq!(found.len(), wanted.len());
        for (a, b) in found.iter().zip(wanted) {
            assert!((a - b).abs() < 1e-6, "{found:?} is not {wanted:?}");
        }
    }

    #[test]
    fn steps_match_the_reference_vectors() {
        let text = include_str!("../../../../tests/vectors/losses.json");
        let vectors: Value = serde_json::from_str(text).unwrap();
        for device in devices().into_iter().map(Device::autodiff) {
            for case in vectors["pesg"].as_array().unwrap() {
                let number = |name: &str| case[name].as_f64().unwrap();
                let settings = PesgSettings {
                    clip: Some(number("clip")),
                    epoch_decay: number("epoch_decay"),
                    weight_decay: number("weight_decay"),
                };
                // What is drawn becomes the vectors' reference.
                let drawn = numbers(&case["ref_w"]).into_iter();
                let mut drawn = drawn.map(|number| number / REFERENCE_DEVIATION);
                let mut pesg = Pesg::new(settings, move || drawn.next().unwrap());
                let mut layer = layer(&numbers(&case["w0"]), &device);
                for step in case["steps"].as_array().unwrap() {
                    let gradients = gradients(&layer, &numbers(&step["grad_w"]), &device);
                    layer = pesg.step(layer, gradients, number("lr"));
                    close(&weights(&layer), &numbers(&step["w"]));
                }
            }
        }
    }

    #[test]
    fn a_restart_refers_to_the_mean_of_the_steps_and_slows_down() {
        for device in devices().into_iter().map(Device::autodiff) {
            let settings = PesgSettings { clip: None, epoch_decay: 0.5, weight_decay: 0.0 };
            let mut pesg = Pesg::new(settings, || 0.0);
            let step = |layer: Linear, pesg: &mut Pesg, gradient: f64| {
                let gradients = gradients(&layer, &[gradient], &device);
                pesg.step(layer, gradients, 0.1)
            };
            let first = step(layer(&[1.0], &device), &mut pesg, 2.0);
            // 1 − 0.1 (2 + 0.5 · 1)
            close(&weights(&first), &[0.75]);
            let second = step(first, &mut pesg, -3.0);
            // 0.75 − 0.1 (−3 + 0.5 · 0.75)
            close(&weights(&second), &[1.0125]);
            pesg.restart();
            let third = step(second, &mut pesg, 1.0);
            let mean = (0.75 + 1.0125) / 2.0;
            close(&weights(&third), &[1.0125 - 0.01 * (1.0 + 0.5 * (1.0125 - mean))]);
        }
    }
}
