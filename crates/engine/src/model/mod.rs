//! Taggers: embeddings, an encoder and a head, on whichever backend the job names.
//!
//! A sentence's output never depends on what it was batched with; dropout is active only while
//! training.

pub mod embeddings;
pub mod encoders;
pub mod heads;

pub mod adam;
mod batch;
pub mod chain;
mod characters;
pub mod checkpoints;
mod device;
mod dropout;
mod instructions;
mod kept;
mod lstm;
mod optimiser;
mod padded;
mod parameters;
#[cfg(feature = "libtorch")]
mod passes;
pub mod pesg;
mod processors;
pub mod products;
mod reader;
#[cfg(feature = "libtorch")]
mod recurrence;
mod row;
pub mod shallow;
mod tagger;
pub mod tokenisation;
#[cfg(feature = "libtorch")]
mod torch;
pub mod transformer;
pub mod vectors;
mod vocabulary;

pub use self::{
    batch::Batch,
    checkpoints::Checkpoint,
    device::{BackendError, backend_version, device, set_threads},
    instructions::{libtorch_instructions, mkl_instructions},
    kept::{KeptError, load, save},
    lstm::Lstm,
    optimiser::Optimiser,
    parameters::fingerprint,
    processors::kernel_features,
    reader::{Pieces, Reader, Units, questions},
    row::Row,
    tagger::{Material, Tagger},
    vocabulary::Vocabulary,
};
