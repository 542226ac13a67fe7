//! Linear chains of tags: the arithmetic of conditional random fields (Lafferty et al. 2001).
//!
//! A path's score is `start[y₁] + Σ emissions + Σ transitions[from][to] + end[yₙ]`. A loss is a
//! difference of two sums over paths (all of them, less those that the annotation allows), and its
//! gradient the difference of their expectations, so full, partial and soft annotation are one
//! routine with other [`Evidence`].
//!
//! Plain arithmetic in double precision, no tensors, no randomness. Sentences are summed in
//! parallel and added up in an order that does not depend on the threads: the same input gives the
//! same bits. A sentence never depends on the others.

mod batch;
mod evidence;
mod forward_backward;
mod lanes;
mod logarithms;
mod scores;
mod viterbi;

pub use batch::{best_paths, loss_and_gradients, marginals};
pub use evidence::Evidence;
pub use scores::{Chain, Mask};

pub(super) use forward_backward::{Factors, Workspace, spread_out};
pub(super) use lanes::{LANES, Lane, blocks};
pub(super) use logarithms::sum as sum_in_logarithms;

#[cfg(test)]
mod tests;
