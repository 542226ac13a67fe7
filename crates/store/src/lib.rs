//! Results on disk: layout, atomic writes, the lock, records, and the frames made from them.
//!
//! A job is done when its record says so, never because a file exists. Every file that a reader
//! relies on is replaced in one step, so a reader meets the old state or the new one, never a
//! third. Names of grids and jobs are checked before they become part of a path. Records and logs
//! hold no absolute path, so a results folder can be handed on. Nothing here starts or judges a
//! job.

mod check;
mod claim;
pub mod clock;
mod collect;
mod comparisons;
mod disk;
mod error;
mod export;
mod files;
mod frames;
mod index;
mod journal;
mod layout;
mod lock;
mod log;
mod merge;
mod orphans;
mod parallel;
mod paths;
mod predictions;
mod record;
mod recorded;
mod refresh;
mod rows;
mod seal;
mod stamp;
mod standing;
mod stopping;
mod submission;
mod survey;
#[doc(hidden)]
pub mod testing;
mod tuning;
mod under_way;

pub use check::{Checked, DamagedFile};
pub use claim::{Claim, FramesTurn};
pub use collect::{Placed, collect};
pub use comparisons::{ComparisonRow, comparisons_are_fresh, write_comparisons};
pub use error::StoreError;
pub use export::export_csv;
pub use files::{FileSum, FileSums, KeptFile};
pub use frames::{Frames, read_frames, run_rows};
pub use journal::write_journal;
pub use layout::{Folder, JobFolder};
pub use lock::{Holder, Lock};
pub use log::LogFile;
pub use merge::{Conflict, Difference, MergePlan, MergeSource, Skipped, join_searches};
pub use orphans::Disposable;
pub use paths::without_absolute_paths;
pub use predictions::Predictions;
pub use record::{JobRecord, Partial, Provenance, RECORD_VERSION, Timings};
pub use recorded::RecordedJobs;
pub use refresh::{read_fresh_frames, refresh_frames};
pub use rows::{EpochRow, Level, MetricRow, Results, RunRow, Scope, Status};
pub use standing::Standing;
pub use stopping::{ComparisonRecord, LookRecord, STOPPING_VERSION, StoppingRecord};
pub use submission::{SubmissionRecord, TaskEnd, TaskId};
pub use survey::Survey;
pub use tuning::{SearchRecord, TrialRecord, TrialState, TuningRecord};
pub use under_way::UnderWay;
