//! The treatments of class imbalance: what they do to the training data and to the loss.
//!
//! Each treatment is one file with its [`Entry`](parts::Entry) and one line in the registry of
//! its kind. Entries are plain data, which `tailgrid` lists and checks.

pub mod augment;
pub mod catalogue;
pub mod loss;
pub mod negatives;
pub mod resample;
#[cfg(test)]
mod speed;
pub mod treatment;
pub mod two_task;
pub mod unlabelled;
