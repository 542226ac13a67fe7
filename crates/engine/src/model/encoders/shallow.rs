//! No encoder at all: a head over it sees the word's own vector and nothing of its neighbours
//! (the shallow model of wang2022).

use crate::model::Batch;
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use parts::encoders::shallow::Shallow as Declared;

/// Hands its input on.
#[derive(Module, Debug)]
pub struct Shallow {
    #[module(skip)]
    width: usize,
}

impl Shallow {
    pub fn new(_: &Declared, input: usize, _: usize, _: &Device) -> Self {
        Self { width: input }
    }

    pub fn output(&self) -> usize {
        self.width
    }

    pub fn forward(&self, vectors: Tensor<2>, _: &Batch) -> Tensor<2> {
        vectors
    }
}
