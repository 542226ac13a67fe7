//! Results on disk: layout, atomic writes, the lock, records, and the frames made from them.

mod rows;

pub use rows::{EpochRow, Level, MetricRow, Results, RunRow, Scope, Status};
