//! What an encoder reads.

/// A stretch of a sentence as an encoder reads it. A sentence is one row or several, in order; every
/// word of it is in `words` of exactly one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Words or pieces of words, as rows of an embedding table.
    pub ids: Vec<i64>,
    /// The positions in `ids` that carry a word's tag, ascending.
    pub words: Vec<usize>,
}
