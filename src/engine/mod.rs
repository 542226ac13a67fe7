//! One job in this process: prepare, train, decode, score.
//!
//! The random numbers of both backends are global to a process, so a process runs one job. The
//! same request gives the same bits, whatever runs beside it, and whether the process was started or
//! forked.

mod batches;
mod bench;
mod fork_server;
mod full_batch;
mod lbfgs;
mod material;
#[cfg(test)]
mod measurements;
mod neighbours;
mod predict;
mod prepare;
mod processor;
mod random;
mod shared;
mod tag;
#[cfg(test)]
mod testing;
mod train;
mod treatment;
mod worker;

pub use bench::{bert_step, lstm_step};
pub use fork_server::{Role, serve as serve_forks};
pub use tag::tag;
pub use worker::{check, run_job};
