//! Vectors drawn at random and trained with the rest of the model.

use crate::part;

part! {
    /// vectors for the training words, drawn at random and trained with the model
    pub struct Random("random") {
        /// numbers per word
        dimension: usize = 50 in 1..=4096,
        /// keep the vectors as they were drawn
        frozen: bool = false,
    }
}
