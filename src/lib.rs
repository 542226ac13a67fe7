//! tailgrid: an experiment-grid benchmarking harness for named-entity recognition under class
//! imbalance.
//!
//! ```text
//! grid file ─spec─▶ jobs ─runner─▶ one process a job ─engine─▶ record ─store─▶ frames ─report─▶ page
//!                                       │                                       └─stats─▶ compare, power
//!                                       └ corpus ▶ method (data) ▶ model + loss ▶ score
//! ```
//!
//! One way, no loops: each stage hands a plain value to the next and knows nothing of what comes
//! after. Two programs share this library: `tailgrid`, which has no tensor operation in it and so does
//! not load LibTorch, and `tailgrid-engine` (`src/bin/engine.rs`), which runs one job. Only the latter
//! compiles what stands under `cfg(tensors)`: the arithmetic beside each registry entry.

pub mod atomic;
pub mod cli;
pub mod corpus;
pub mod domain;
pub mod fetch;
pub mod method;
pub mod model;
pub mod places;
pub mod report;
pub mod runner;
pub mod score;
pub mod spec;
pub mod stats;
pub mod store;
pub mod tune;
pub mod ui;
