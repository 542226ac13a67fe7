//! A stretch of a sentence as numbers.

/// What an encoder reads in one go: words, or pieces of words.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Row {
    /// Rows of an embedding table.
    pub ids: Vec<i64>,
    /// The places in `ids` whose vectors carry the tag of a word, in the order of the words. A long
    /// sentence may take several rows; each of its words has its place in exactly one of them.
    pub words: Vec<usize>,
    /// For models that read characters: the spelling of each of `ids`; otherwise empty.
    pub spellings: Vec<u32>,
}

impl Row {
    /// A row in which every place is a word.
    pub fn of_words(ids: Vec<i64>) -> Self {
        let words = (0..ids.len()).collect();
        Self { ids, words, spellings: Vec::new() }
    }
}
