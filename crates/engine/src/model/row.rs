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
    /// For models that are asked a question before the sentence.
    pub asked: Option<Asked>,
}

/// A question in front of a row's words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asked {
    /// Which of the model's questions.
    pub question: usize,
    /// The place in `ids` where the sentence begins.
    pub text: usize,
    /// The places of the last pieces of the words, beside those of `words`.
    pub lasts: Vec<usize>,
}

impl Row {
    /// A row in which every place is a word.
    pub fn of_words(ids: Vec<i64>) -> Self {
        let words = (0..ids.len()).collect();
        Self { ids, words, ..Self::default() }
    }

    /// The same row with a question in front, of whole words.
    pub fn after(self, question: usize, asked: &[i64]) -> Self {
        let shift = asked.len();
        let words: Vec<usize> = self.words.iter().map(|place| place + shift).collect();
        Self {
            ids: asked.iter().chain(&self.ids).copied().collect(),
            asked: Some(Asked { question, text: shift, lasts: words.clone() }),
            words,
            spellings: Vec::new(),
        }
    }
}
