//! Results on disk: layout, atomic writes, the lock, records, and the frames made from them.
//!
//! A job is done when its record says so, never because a file exists. Every file that a reader
//! relies on is replaced in one step, so a reader meets the old state or the new one, never a
//! third. Names of grids and jobs are checked before they become part of a path. Records and logs
//! hold no absolute path, so a results folder can be handed on. Nothing here starts or judges a
//! job.

mod atomic;
mod collect;
mod error;
mod frames;
mod layout;
mod lock;
mod log;
mod paths;
mod predictions;
mod record;
mod rows;
mod seal;
mod stamp;
#[cfg(test)]
pub(crate) mod testing;
mod tuning;

pub use collect::{Placed, RecordState, collect, record_states};
pub use error::StoreError;
pub use frames::{read_frames, write_frames};
pub use layout::{Folder, JobFolder};
pub use lock::Lock;
pub use log::LogFile;
pub use paths::without_absolute_paths;
pub use predictions::Predictions;
pub use record::{JobRecord, Provenance, RECORD_VERSION, Timings};
pub use rows::{EpochRow, Level, MetricRow, Results, RunRow, Scope, Status};
#[cfg(test)]
pub(crate) use tuning::tests::search as search_record;
pub use tuning::{SearchRecord, TrialRecord, TrialState, TuningRecord};
