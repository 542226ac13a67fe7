//! In which order jobs start, how many at once, and which of them never do: pure.
//!
//! A state machine without I/O and without a clock: what happens is told to it, the time is passed
//! in, and it says what to start next. What always holds:
//!
//! - no job has two attempts at once, and none is lost: each waits, runs, has ended, or is held
//!   back;
//! - slots, the threads of all that run against the cores, and their expected memory against what
//!   there is are respected; a job that asks for more than there is runs alone;
//! - trials of searches go first, then round by round of seeds, and within a round the longest
//!   first, so that a sweep stopped at any time has compared all methods on as many common seeds as
//!   it could. A later round starts nothing as long as a job of an earlier one is ready;
//! - what failed and may be tried again waits a while, longer each time;
//! - a model or method whose jobs end with the same error again and again is paused.
//!
//! Adding, starting and settling a job take logarithmic time; each job is ranked once, when its
//! round comes, by what is known of its cost at that time.

mod breaker;
mod capacity;
#[cfg(test)]
mod model;
mod place;
mod queue;
mod retries;
mod scheduler;
mod simulation;

pub use breaker::{Cause, Paused};
pub use capacity::{Capacity, Demand, default_slots};
pub use place::{GridPlace, Names, Pattern};
pub use queue::Expected;
pub use retries::Retries;
pub use scheduler::{JobId, Left, Next, Phase, Scheduler, Settlement, Verdict, Work};
pub use simulation::wall_seconds;

/// A part of a sweep that comes before the next part.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Round(u32);

impl Round {
    /// The trials of searches: a search has to wait for each of its batches, and other jobs fill
    /// the slots meanwhile.
    pub const TRIALS: Round = Round(0);

    /// The round of a seed, by its place in the grid.
    pub fn of_seed(place: usize) -> Self {
        Self(u32::try_from(place).unwrap_or(u32::MAX).saturating_add(1))
    }
}
