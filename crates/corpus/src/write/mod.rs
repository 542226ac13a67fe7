//! Sentences out again, in files that other tools read.

mod columns;
mod spans;

pub use columns::{write_columns, write_columns_in};
pub use spans::write_spans;
