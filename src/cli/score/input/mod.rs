//! Tags from column files: one with all columns, or several in step.
//!
//! A line is a token, a blank line ends a sentence. Columns are split at tabs, or at runs of spaces
//! in a line without a tab, so with tabs a token may be a space. Lines that begin with `-DOCSTART-`
//! are no tokens but say that a document starts. Files are read once, a sentence at a time, and what
//! comes out is aligned: as many gold as predicted tags in every sentence.

mod aligned;
mod column;
mod error;
mod rows;
mod tags;

pub use aligned::{Aligned, Alignment, Source};
pub use column::Column;
pub use error::InputError;
pub use tags::{TagReader, refusal};
