//! What parts give to each other, and what they need: compared as values, and put in words here
//! alone.

use std::fmt;

/// What a part can do for others.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Capability {
    /// A head that decides word by word.
    TokenLevel,
    /// A head that chooses among the tags of each word.
    Softmax,
    /// A head with a random field over a sentence's tags.
    Crf,
    /// A head that decides yes or no for each word and entity type.
    Binary,
    /// A head that decides on spans.
    Span,
    /// A head with two tasks for each type.
    TwoTask,
    /// A head that decides yes or no word by word, by one logit.
    YesNo,
    /// A head that reads each sentence behind a question for each type.
    Questions,
    /// A head that can be trained over the whole data at once.
    FullBatch,
    /// An encoder that brings its own embeddings, of pieces of words if it has a checkpoint.
    Pieces,
    /// An encoder that is a neural network.
    Context,
    /// Embeddings that others trained, read from a file.
    Pretrained,
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Capability::TokenLevel => "a token-level head",
            Capability::Softmax => "a softmax head",
            Capability::Crf => "a CRF head",
            Capability::Binary => "a binary head",
            Capability::Span => "a span head",
            Capability::TwoTask => "a two-task head",
            Capability::YesNo => "a head that decides between yes and no",
            Capability::Questions => "a head that asks questions",
            Capability::FullBatch => "a softmax or a CRF head",
            Capability::Pieces => "an encoder with its own embeddings",
            Capability::Context => "an encoder that reads context",
            Capability::Pretrained => "pretrained word vectors",
        })
    }
}

/// What a part needs to make sense.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Need {
    Nothing,
    /// A model whose head gives this.
    Head(Capability),
    /// Files, in words.
    Files(&'static str),
}

impl fmt::Display for Need {
    /// Empty where nothing is needed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Need::Nothing => Ok(()),
            Need::Head(capability) => capability.fmt(f),
            Need::Files(files) => f.write_str(files),
        }
    }
}
