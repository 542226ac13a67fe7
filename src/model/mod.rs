//! Taggers: embeddings, an encoder and a head, on whichever backend the job names.
//!
//! A sentence's output never depends on what it was batched with, nor on how much padding stands
//! behind it; dropout is active only while training.

mod batch;
mod device;
pub mod embeddings;
pub mod encoders;
pub mod heads;
mod tagger;
#[cfg(feature = "libtorch")]
mod torch;
mod vocabulary;

pub use batch::Batch;
pub use device::{BackendError, backend_version, device, set_threads};
pub use tagger::Tagger;
pub use vocabulary::Vocabulary;
