//! Word vectors: what an encoder reads.

pub mod pretrained;
pub mod random;

use domain::Entry;

/// Every kind of embeddings.
pub const ENTRIES: &[Entry] = &[random::ENTRY, pretrained::ENTRY];

/// The kind that is read from a file.
pub const PRETRAINED: &str = pretrained::ENTRY.name;

/// The role of that file among a model's files.
pub const ROLE: &str = "embeddings";
