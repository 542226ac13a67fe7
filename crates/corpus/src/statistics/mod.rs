//! What a corpus looks like in numbers: the imbalance that the methods are about, and how much of
//! test a model could know from train.
//!
//! Pure: sentences in, numbers out. Of a token sequence or a name every character counts, its case
//! too.

mod counts;
mod lengths;
mod missampling;
mod overlap;
mod unseen;

pub use counts::statistics;
pub use lengths::{FEWEST_SENTENCES, lengths};
pub use missampling::{Masked, Missampling, missampling};
pub use overlap::repeated;
pub use unseen::{Unseen, unseen};
