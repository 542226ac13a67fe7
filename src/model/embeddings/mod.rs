//! Word vectors: what an encoder reads.

mod random;

use crate::domain::Entry;

#[cfg(tensors)]
pub use random::Embeddings;

/// Every kind of embeddings.
pub const ENTRIES: &[Entry] = &[random::ENTRY];
