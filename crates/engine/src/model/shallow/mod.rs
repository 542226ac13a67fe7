//! Models without an encoder, trained to the optimum of a full-batch objective, as scikit-learn and
//! CRFsuite train theirs.
//!
//! Two things make it fast, and neither changes what is meant: words are rows of a matrix, each
//! distinct vector once ([`Features`]), and copies of a sentence are a weight ([`Sentences`]). Sums
//! are added up in an order that does not depend on the threads.

mod crf;
mod features;
mod sentences;
mod softmax;
mod solution;

pub use crf::{CrfObjective, Kept};
pub use features::{Features, Matrix};
pub use sentences::Sentences;
pub use softmax::SoftmaxObjective;
pub use solution::Solution;

#[cfg(test)]
mod tests;
