//! The treatments of class imbalance: what they do to the training data and to the loss.
//!
//! Each treatment is one file with its [`Entry`](crate::domain::Entry) and one line in the registry of
//! its kind. Entries are plain data, so that `tailgrid` can list and check methods without reaching
//! a tensor operation; only the engine calls what stands behind them.

pub mod catalogue;
pub mod loss;
pub mod resample;
