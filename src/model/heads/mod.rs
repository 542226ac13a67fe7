//! Heads: from a token's vector to its tag.

mod softmax;

use crate::domain::Entry;

#[cfg(tensors)]
pub use softmax::Softmax;

/// Every head.
pub const ENTRIES: &[Entry] = &[softmax::ENTRY];
