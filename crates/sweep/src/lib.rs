//! A grid planned, run and verified as library calls: whatever the command line does with a grid is here.
//!
//! ```text
//! grid file ─GridSource─▶ grid ─plan─▶ what is to do
//!                           ├───run──▶ records, frames, what searches chose, what planned looks decided
//!                           └─verify─▶ finished jobs compared with a second run
//! ```
//!
//! Calls emit [`runner::events::Event`]s and print nothing. An error says what kind it is
//! ([`SweepError::kind`]), and a result how it ended ([`Conclusion`]), so that a program can choose its exit
//! code. Nothing here knows how a result is shown: no report, no arguments.

mod as_run;
mod budgets;
mod changes;
mod checks;
mod error;
mod estimates;
mod jobs;
mod models;
mod plan;
pub mod proposals;
mod rerun;
mod run;
mod settings;
mod source;
pub mod stopping;
pub mod tuning;
mod verify;
mod view;

pub use as_run::{current_or_none, options_of, refresh_comparisons, refresh_frames};
pub use budgets::Budget;
pub use changes::{SettingChange, changes, leaves};
pub use error::{Conclusion, ErrorKind, SweepError};
pub use estimates::{Estimates, Pending};
pub use jobs::{JobState, Standings, Totals, all_jobs, main_jobs, select, standings, survey};
pub use models::{KeptModels, asked_and_missing};
pub use plan::{Plan, PlannedRow};
pub use run::{OpenRun, PlanFileError, RecordedRun, RunEnd, RunOptions, Shard, TimeOfDay, run};
pub use source::GridSource;
pub use verify::{
    Deviation, Outdated, RerunVerdict, Verification, VerifiedJob, VerifyOptions, verify,
};
pub use view::{remarks, view};
