//! What changes a model's parameters along their gradients.

use super::adam::Adam;
use super::pesg::Pesg;
use burn::module::Module;
use burn::optim::GradientsParams;

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
