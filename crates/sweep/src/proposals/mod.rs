//! Proposals of a parameter search: pure.
//!
//! A tree-structured Parzen estimator (Bergstra et al. 2011, Algorithms for Hyper-Parameter
//! Optimization, section 4) as Optuna 4's `TPESampler` has it by default: each parameter by itself,
//! chance until ten trials have ended, then the best of 24 candidates. The Parzen estimators agree
//! with Optuna's to the last digits, and tests hold them to it; the crates there are estimate with
//! other kernels, or keep their state to themselves.
//!
//! What always holds: a batch is proposed from the batches before it alone, and a number is drawn
//! by the search's seed, its trial and its parameter. So the same plan and the same ends give the
//! same proposals, in whatever order trials ended and however often the search was broken off.

mod draws;
mod parzen;
mod search;
mod tpe;

pub use parzen::Parzen;
pub use search::extend;
pub use tpe::{Candidate, propose, ranked, split};
