//! What a transformer computes between its matrix products, each in one pass over the numbers.
//!
//! Operations of a library one after the other read and write every number several times. A pass
//! does all that there is to do with a number while it is in a register. Passes are compiled for
//! AVX-512, for AVX2 and for any other processor. Chunks of rows have a fixed size, so results have
//! the same bits whatever the number of threads.

mod activation;
mod attention;
mod buffer;
mod drops;
mod lanes;
mod norm;

pub use activation::{activate, activate_with_slopes, times_slopes};
pub use attention::{Attention, BatchRows, Gradients, MatrixPart};
pub use buffer::Buffer;
pub use drops::{Dropping, Drops};
pub use norm::{Normalised, Norms, add_up_columns, normalise, normalise_sum};

/// Rows that a thread takes at a time.
const CHUNK: usize = 32;

use super::processors::for_each_processor;

#[cfg(test)]
mod tests;
