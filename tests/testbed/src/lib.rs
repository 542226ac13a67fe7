//! What the tests in `tests/it` and the benchmarks in `benches/` share: a folder in which
//! `tailgrid` runs, what a run of it costs, grids whose jobs have all ended, and the Python of
//! other libraries.

mod cost;
pub mod finished;
pub mod mock_grid;
mod peers;
mod workspace;

pub use cost::Cost;
pub use peers::{python, repository};
pub use workspace::{Workspace, command, engine, resealed, tailgrid, text, without_sum};
