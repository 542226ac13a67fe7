//! Blocks of a model as one node each of Burn's graph, computed on the memory of LibTorch's
//! tensors: much faster than the same arithmetic in Burn's operations. Every block has its twin on
//! those, and a test holds the two to the same outputs and gradients.

#![allow(deprecated)] // burn-tch is frozen upstream and marks every item of it so; Cargo.toml pins it.

mod dropout;
mod lstm;
mod memory;
mod node;
mod product;
mod transformer;

pub use dropout::drop_while_training;
pub use lstm::lstm;
pub use memory::{InPlace, in_place};
pub use transformer::{embeddings, layers};
