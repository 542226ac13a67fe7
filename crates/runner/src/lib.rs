//! Running jobs: a process for each, so many at a time, every ending recorded.
//!
//! The pure [`schedule`] decides what starts, by what [`cost`] expects; the dispatcher does it and
//! tells [`events`]; an executor thread takes one attempt of one job from its process to its
//! record; they share nothing but channels. A job that panics, aborts, is killed, runs out of time
//! or speaks nonsense is recorded as failed and the sweep goes on. Nothing here knows what a job
//! computes: the engine is a program, spoken to as `domain::worker` says.

mod available;
pub mod cost;
mod dispatcher;
mod environment;
mod error;
pub mod events;
mod executor;
mod fork_server;
mod host;
mod interrupts;
mod memory;
mod preflight;
mod process;
mod program;
mod protocol;
pub mod schedule;
mod sharing;
pub mod slurm;
mod worker;

pub use available::cores;
pub use dispatcher::{Dispatcher, Ended, Follow, Interrupter, Sweep, Usage};
pub use environment::engine_command;
pub use error::RunnerError;
pub use interrupts::{Interrupt, listen};
pub use preflight::{EngineProblem, check_engine};
pub use program::{EngineKind, EngineProgram, default_backend, engine_path};
pub use sharing::Sharing;
