//! Corpora: files or a built-in generator in, sentences in IOB2 out.
//!
//! What always holds of a loaded [`Corpus`](domain::Corpus): every sentence has a token, tags
//! are valid IOB2, one set of entity types sorted by name serves all splits, and there is a dev
//! split. The same format, parameters and bytes give the same corpus on every machine.
//!
//! Nothing here trusts its input: whatever is wrong with a file is an error that names file and
//! line. Nothing here trains, scores or knows of grids.

mod cache;
mod chance;
pub mod check;
mod digest;
mod distribution;
mod error;
pub mod formats;
mod load;
#[cfg(test)]
pub mod real_corpora;
mod remark;
pub mod scenarios;
pub mod schemes;
#[cfg(test)]
mod speed;
pub mod statistics;
pub mod synthetic;
mod tuning;
mod write;

pub use cache::load_cached;
pub use digest::{digest, digest_file, files_of, verify};
pub use distribution::{
    DevOrigin, Distribution, SplitSentences, as_distributed, as_trained, dev_origin,
};
pub use error::CorpusError;
pub use load::{Loaded, WHOLE, load, part_role};
pub use remark::{Remark, RemarkKind};
pub use tuning::{load_without_test, without_test};
pub use write::{write_columns, write_columns_in, write_spans};
