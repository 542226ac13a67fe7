//! Blocks of LibTorch's own operations inside Burn's graph, where they are much faster than the
//! same arithmetic in Burn's. Every block has its twin on Burn's operations, and a test holds the
//! two to the same outputs and gradients.

#![allow(deprecated)] // burn-tch is frozen upstream and marks every item of it so; Cargo.toml pins it.

mod dropout;
mod lstm;
mod memory;
mod node;
mod product;
mod region;
mod transformer;

pub use dropout::drop_while_training;
pub use lstm::lstm;
pub use memory::{InPlace, in_place};
pub use transformer::{embeddings, layers};
