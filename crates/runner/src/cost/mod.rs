//! What a job will cost, from what like jobs did cost: pure.
//!
//! First the same point with another seed, by its median. Then a line through the recorded times of
//! the same kind of work: seconds = fixed + rate × (tokens × parameters × epochs), by encoder,
//! backend and threads, or where these threads have none, by encoder and backend. Of a point
//! without a record of like kind nothing is said: a guess would look like knowledge.

mod estimate;
mod line;
mod profile;

pub use estimate::CostModel;
pub use profile::{Kind, Profile};
