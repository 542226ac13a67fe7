//! Taggers: embeddings, an encoder and a head, on whichever backend the job names.
//!
//! A sentence's output never depends on what it was batched with; dropout is active only while training. `tailgrid` sees the registries of parts alone;
//! what stands under `cfg(tensors)` is compiled into the engine only.

pub mod embeddings;
pub mod encoders;
pub mod heads;
pub mod supported;

#[cfg(tensors)]
pub mod adam;
#[cfg(tensors)]
mod batch;
#[cfg(tensors)]
pub mod chain;
#[cfg(tensors)]
mod characters;
#[cfg(tensors)]
pub mod checkpoints;
#[cfg(tensors)]
mod device;
#[cfg(tensors)]
mod dropout;
#[cfg(tensors)]
mod fingerprint;
#[cfg(tensors)]
mod instructions;
#[cfg(tensors)]
mod kept;
#[cfg(tensors)]
mod lstm;
#[cfg(tensors)]
mod optimiser;
#[cfg(tensors)]
mod padded;
#[cfg(all(tensors, feature = "libtorch"))]
mod passes;
#[cfg(tensors)]
pub mod pesg;
#[cfg(tensors)]
mod processors;
#[cfg(tensors)]
pub mod products;
#[cfg(tensors)]
pub mod questions;
#[cfg(tensors)]
mod reader;
#[cfg(all(tensors, feature = "libtorch"))]
mod recurrence;
#[cfg(tensors)]
mod row;
#[cfg(tensors)]
pub mod shallow;
#[cfg(tensors)]
mod tagger;
#[cfg(tensors)]
pub mod tokenisation;
#[cfg(all(tensors, feature = "libtorch"))]
mod torch;
#[cfg(tensors)]
pub mod transformer;
#[cfg(tensors)]
pub mod vectors;
#[cfg(tensors)]
mod vocabulary;

#[cfg(tensors)]
pub use self::{
    batch::Batch,
    device::{BackendError, backend_version, device, set_threads},
    fingerprint::fingerprint,
    instructions::{libtorch_instructions, mkl_instructions},
    kept::{KeptError, load, save},
    lstm::Lstm,
    optimiser::Optimiser,
    processors::kernel_features,
    reader::{Pieces, Reader},
    row::Row,
    tagger::{Checkpoint, Material, Tagger},
    vocabulary::Vocabulary,
};

/// The files of a checkpoint's folder that decide what the model computes.
pub const CHECKPOINT_FILES: &[&str] = &[
    "config.json",
    "model.safetensors",
    "tokenizer.json",
    "tokenizer_config.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "special_tokens_map.json",
    "model.safetensors.index.json",
];
