//! From the frames of a grid to cells, comparisons, rankings and power: values in, values out.
//!
//! Nothing here draws or prints; sentences that readers need whatever the form, as cautions, are
//! made here once. The same grid and frames give the same values: no clock, no randomness but with
//! a seed of their own.

mod asked;
pub mod by_type;
pub mod cautions;
pub mod comparison;
mod corpora;
pub mod families;
mod frames;
pub mod measure;
pub mod number;
pub mod power;
pub mod published;
pub mod remarks;
#[doc(hidden)]
pub mod synthetic;
mod view;

pub use asked::Asked;
pub use corpora::{CorpusNumbers, all_splits};
pub use frames::{ResultFrames, ScoreRow};
pub use view::{
    GridView, Panel, PlannedJob, Score, Scoreboard, SeedCell, SeedStanding, SeedsScored, Settings,
};
