//! Corpora as tables and figures of corpora see them: plain numbers, counted elsewhere.

use domain::{Lengths, Statistics};

/// The numbers of a corpus.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CorpusNumbers {
    pub name: String,
    /// By name: train, dev, test, whatever there is.
    pub splits: Vec<(String, Statistics)>,
    /// Further training parts by name, which are not counted in what follows.
    pub further: Vec<(String, Statistics)>,
    /// All splits together.
    pub whole: Statistics,
    /// Of all splits together.
    pub lengths: Lengths,
}

impl CorpusNumbers {
    /// The numbers of a split.
    pub fn split(&self, name: &str) -> Option<&Statistics> {
        self.splits.iter().find(|(known, _)| known == name).map(|(_, numbers)| numbers)
    }

    /// What is learnt from, with its name: train, or the whole where nothing is called so.
    pub fn learnt(&self) -> (&str, &Statistics) {
        match (self.split("train"), &self.splits[..]) {
            (Some(train), _) => ("train", train),
            (None, [(name, only)]) => (name, only),
            (None, _) => ("all", &self.whole),
        }
    }
}

/// Every split and every further part of corpora: corpus, name, numbers.
pub fn all_splits(corpora: &[CorpusNumbers]) -> impl Iterator<Item = (&str, &str, &Statistics)> {
    corpora.iter().flat_map(|corpus| {
        let splits = corpus.splits.iter().chain(&corpus.further);
        splits.map(|(split, numbers)| (corpus.name.as_str(), split.as_str(), numbers))
    })
}
