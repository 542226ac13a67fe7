//! Tags from column files: one with all columns, or several in step.
//!
//! Lines, blank lines, columns and starts of documents are those of the corpus format `columns`: a
//! line is a token, a blank line ends a sentence, columns are split at tabs if the first line with
//! a token has one and at white space otherwise, and `-DOCSTART-` is no token but says that a
//! document starts. Files are read once, a sentence at a time, and what comes out is aligned: as
//! many gold as predicted tags in every sentence.

mod aligned;
mod column;
mod error;
mod rows;
mod tags;

pub use aligned::{Aligned, Alignment, Source};
pub use column::Column;
pub use error::InputError;
pub use tags::{TagReader, refusal};
