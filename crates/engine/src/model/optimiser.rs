//! What changes a model's parameters along their gradients.

use super::adam::Adam;
use super::pesg::Pesg;
use burn::module::{Module, Param};
use burn::optim::GradientsParams;
use burn::tensor::Tensor;

/// An optimiser of any kind, with what it remembers.
pub enum Optimiser {
    Adam(Adam),
    Pesg(Pesg),
}

impl Optimiser {
    /// The model after a step along these gradients; what has no gradient stays as it is.
    pub fn step<M: Module>(&mut self, model: M, gradients: GradientsParams, rate: f64) -> M {
        match self {
            Optimiser::Adam(adam) => adam.step(model, gradients, rate),
            Optimiser::Pesg(pesg) => pesg.step(model, gradients, rate),
        }
    }

    /// Begins anew from where it is, if it is one that does.
    pub fn restart(&mut self) {
        if let Optimiser::Pesg(pesg) = self {
            pesg.restart();
        }
    }
}

/// The parameter with its value changed, and trained as before or not at all.
pub fn updated<const D: usize>(
    parameter: Param<Tensor<D>>,
    change: impl FnOnce(Tensor<D>) -> Tensor<D>,
) -> Param<Tensor<D>> {
    parameter.map(|tensor| {
        let required = tensor.is_require_grad();
        let tensor = Tensor::from_inner(change(tensor.inner()));
        if required { tensor.require_grad() } else { tensor }
    })
}
