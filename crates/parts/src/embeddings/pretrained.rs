//! Vectors that others trained, read from a file.

use crate::{choice, part};

choice! {
    /// The vector of words that are not in the file.
    pub enum Unknown { Zero = "zero", Random = "random" }
}

part! {
    /// vectors of GloVe, word2vec or fastText, by a name of the catalogue or from a `file`, for
    /// every word of the corpus that is in it
    pub struct Pretrained("pretrained") from "wang2022, section 4.4"
        gives Capability::Pretrained
    {
        /// keep the vectors as they are
        frozen: bool = true,
        /// words of nothing but digits are one word, with its own vector
        digits: bool = true,
        /// the vector of words that are not in the file, and of that one word for digits
        unknown: Unknown = Zero,
    }
}
