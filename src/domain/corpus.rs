//! Sentences and the splits of a corpus.

use super::tag::{Tag, TypeId, TypeSet};
use serde::{Deserialize, Serialize};

/// Tokens with their gold tags in IOB2; both vectors always have the same length, at least 1.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sentence {
    pub tokens: Vec<String>,
    pub tags: Vec<Tag>,
}

impl Sentence {
    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether there is no token (readers never give such a sentence).
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }
}

/// A typed entity: tokens `start..end`.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EntitySpan {
    pub start: usize,
    pub end: usize,
    pub entity_type: TypeId,
}

/// Which part of a corpus.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    Train,
    Dev,
    Test,
}

impl Split {
    /// As it is written in files and grids.
    pub fn name(self) -> &'static str {
        match self {
            Split::Train => "train",
            Split::Dev => "dev",
            Split::Test => "test",
        }
    }
}

/// The three splits with one set of entity types for all of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Corpus {
    pub types: TypeSet,
    pub train: Vec<Sentence>,
    pub dev: Vec<Sentence>,
    pub test: Vec<Sentence>,
}

impl Corpus {
    /// The sentences of a split.
    pub fn split(&self, split: Split) -> &[Sentence] {
        match split {
            Split::Train => &self.train,
            Split::Dev => &self.dev,
            Split::Test => &self.test,
        }
    }
}
