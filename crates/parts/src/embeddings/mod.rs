//! Word vectors: what an encoder reads.

pub mod pretrained;
pub mod random;

use crate::registry;

registry! {
    /// The settings of any kind of embeddings.
    pub enum Embeddings { random::Random, pretrained::Pretrained }
}

/// The role of the file of pretrained vectors among a model's files.
pub const ROLE: &str = "embeddings";
