//! What words without an annotation count as, in sentences that may lack annotations.
//!
//! Sentences whose annotation is complete are trained as they are. Without this part an `O` is an `O` everywhere.

mod partial;
mod weighted_partial;

use crate::domain::Entry;

/// Every way to take them.
pub const ENTRIES: &[Entry] = &[partial::ENTRY, weighted_partial::ENTRY];
