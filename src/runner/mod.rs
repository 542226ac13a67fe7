//! Running jobs: a process for each, so many at a time, every ending recorded.
//!
//! The dispatcher decides what starts and tells [`events`]; an executor thread takes one attempt of
//! one job from its process to its record; they share nothing but channels. A job that panics,
//! aborts, is killed, runs out of time or speaks nonsense is recorded as failed and the sweep goes
//! on. Nothing here knows what a job computes: the engine is a program, spoken to as
//! `domain::worker` says.

mod dispatcher;
mod error;
pub mod events;
mod executor;
mod host;
mod interrupts;
mod memory;
mod preflight;
mod program;
mod protocol;
pub mod schedule;
mod sharing;
pub mod slurm;
mod worker;

pub use dispatcher::{Dispatcher, Ended, Follow, Interrupter, Sweep};
pub use error::RunnerError;
pub use interrupts::{Interrupt, listen};
pub use preflight::{EngineProblem, check_engine};
pub(crate) use program::ATTEMPT_VARIABLE;
pub use program::{EngineKind, EngineProgram, engine_path};
pub use sharing::Sharing;
