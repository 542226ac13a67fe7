//! Adam and AdamW: one pass over a model's parameters a step.
//!
//! An update of LibTorch's or Burn's operations reads and writes every number about ten times; here
//! each is read and written once, by as many threads as the job has. Every number is updated on its
//! own, so the result is the same bits whatever the threads; the norm that clips is summed in
//! pieces of fixed size. Weights decay as in loshchilov2019 (AdamW), biases and norms (everything
//! of one dimension) never.

mod numbers;
mod pass;

#[cfg(test)]
mod tests;

use super::optimiser::updated;
use burn::module::{Module, ModuleMapper, ModuleVisitor, Param, ParamId};
use burn::optim::GradientsParams;
use burn::tensor::Tensor;
use numbers::Numbers;
use pass::{Step, sum_of_squares};
use std::collections::HashMap;

/// What stays the same from step to step.
#[derive(Clone, Debug, PartialEq)]
pub struct AdamSettings {
    pub beta_1: f64,
    pub beta_2: f64,
    /// What is added to the root of the second moment.
    pub epsilon: f64,
    /// How fast weights decay: 0 is Adam, anything else AdamW.
    pub decay: f64,
    /// The longest that the gradient of all parameters together may be.
    pub clip: Option<f64>,
    /// Whether a row of an embedding table is left alone, moments and all, where its gradient is
    /// zero: the words of a batch are updated, the others are not.
    pub lazy: bool,
}

impl Default for AdamSettings {
    /// PyTorch's Adam.
    fn default() -> Self {
        Self { beta_1: 0.9, beta_2: 0.999, epsilon: 1e-8, decay: 0.0, clip: None, lazy: false }
    }
}

/// The optimiser with its moments.
#[derive(Debug)]
pub struct Adam {
    settings: AdamSettings,
    moments: HashMap<ParamId, Moments>,
}

/// What Adam keeps of one parameter.
#[derive(Debug)]
struct Moments {
    steps: i32,
    kept: AdamMemory,
}

#[derive(Debug)]
enum AdamMemory {
    Here {
        first: Vec<f32>,
        second: Vec<f32>,
        /// Of an embedding table, the rows that ever had a gradient.
        met: Vec<bool>,
    },
    OnDevice(Box<[Tensor<1>; 2]>),
}

/// A parameter's gradient.
enum Gradient {
    Here(Numbers),
    OnDevice(Tensor<1>),
}

impl Gradient {
    fn squares(&self) -> f64 {
        match self {
            Gradient::Here(numbers) => sum_of_squares(numbers.get()),
            Gradient::OnDevice(tensor) => {
                f64::from(tensor.clone().square().sum().into_scalar::<f32>())
            }
        }
    }
}

impl Adam {
    /// An optimiser that has seen nothing.
    pub fn new(settings: AdamSettings) -> Self {
        Self { settings, moments: HashMap::new() }
    }

    /// The model after a step along these gradients; what has no gradient stays as it is.
    pub fn step<M: Module>(&mut self, model: M, gradients: GradientsParams, rate: f64) -> M {
        let clips = self.settings.clip.is_some();
        let mut collect = Collect { from: gradients, clips, squares: 0.0, found: HashMap::new() };
        model.visit(&mut collect);
        let factor = match self.settings.clip {
            Some(longest) => (longest / (collect.squares.sqrt() + 1e-6)).min(1.0),
            None => 1.0,
        };
        model.map(&mut Update {
            adam: self,
            gradients: collect.found,
            factor,
            rate,
            inside: Vec::new(),
        })
    }
}

/// Takes the gradients out, and sums their squares where that is asked for.
struct Collect {
    from: GradientsParams,
    clips: bool,
    squares: f64,
    found: HashMap<ParamId, Gradient>,
}

impl ModuleVisitor for Collect {
    fn visit_float<const D: usize>(&mut self, parameter: &Param<Tensor<D>>) {
        let Some(gradient) = self.from.remove::<D>(parameter.id) else { return };
        let gradient = if Numbers::are_here(&gradient) {
            Gradient::Here(Numbers::of(gradient))
        } else {
            Gradient::OnDevice(flat(gradient))
        };
        if self.clips {
            self.squares += gradient.squares();
        }
        self.found.insert(parameter.id, gradient);
    }
}

/// Changes the parameters.
struct Update<'a> {
    adam: &'a mut Adam,
    gradients: HashMap<ParamId, Gradient>,
    /// What clipping multiplies every gradient with.
    factor: f64,
    rate: f64,
    /// The modules that the parameter is in, outermost first.
    inside: Vec<bool>,
}

impl ModuleMapper for Update<'_> {
    fn enter_module(&mut self, _: &str, container: &str) {
        self.inside.push(container == "Struct:Embedding");
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.inside.pop();
    }

    fn map_float<const D: usize>(&mut self, parameter: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let Some(gradient) = self.gradients.remove(&parameter.id) else { return parameter };
        let id = parameter.id;
        updated(parameter, |tensor| self.update(id, tensor, gradient))
    }
}

impl Update<'_> {
    fn update<const D: usize>(
        &mut self,
        id: ParamId,
        tensor: Tensor<D>,
        gradient: Gradient,
    ) -> Tensor<D> {
        let dims = tensor.dims();
        let table = self.inside.last() == Some(&true) && D == 2 && dims[1] > 0;
        let row = dims.last().copied().filter(|_| table && self.adam.settings.lazy);
        let rows = if table && row.is_none() { dims[0] } else { 0 };
        let moments = self.adam.moments.entry(id);
        let moments = moments.or_insert_with(|| Moments::new(&gradient, rows));
        moments.steps = moments.steps.saturating_add(1);
        let decays = D > 1;
        let step = Step::new(&self.adam.settings, moments.steps, self.rate, self.factor, decays);
        match (gradient, &mut moments.kept) {
            (Gradient::Here(gradient), AdamMemory::Here { first, second, met }) => {
                let mut numbers = Numbers::of(tensor);
                let moments = [first.as_mut_slice(), second];
                match met.is_empty() {
                    true => step.run(numbers.get_mut(), gradient.get(), moments, row),
                    false => step.run_table(numbers.get_mut(), gradient.get(), moments, met),
                }
                numbers.into_tensor()
            }
            (Gradient::OnDevice(gradient), AdamMemory::OnDevice(moments)) => {
                let [first, second] = moments.as_mut();
                step.run_on_device(tensor, gradient, first, second, row)
            }
            // A model stays on its device.
            _ => tensor,
        }
    }
}

impl Moments {
    /// Nothing seen; `rows` of a table whose rows are looked at one by one.
    fn new(gradient: &Gradient, rows: usize) -> Self {
        let kept = match gradient {
            Gradient::Here(gradient) => {
                let zeros = || vec![0.0; gradient.get().len()];
                AdamMemory::Here { first: zeros(), second: zeros(), met: vec![false; rows] }
            }
            Gradient::OnDevice(gradient) => {
                AdamMemory::OnDevice(Box::new([gradient.zeros_like(), gradient.zeros_like()]))
            }
        };
        Self { steps: 0, kept }
    }
}

fn flat<const D: usize>(tensor: Tensor<D>) -> Tensor<1> {
    let count: usize = tensor.dims().iter().product();
    tensor.reshape([count])
}
