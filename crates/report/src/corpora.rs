//! Corpora as tables and figures of corpora see them: plain numbers, counted elsewhere.

use super::tables::Tidy;
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

/// Rows of corpus, split and numbers in full precision.
pub fn tidy<'a>(rows: impl Iterator<Item = (&'a str, &'a str, &'a Statistics)>) -> Tidy {
    let header = vec![
        "corpus",
        "split",
        "sentences",
        "tokens",
        "types",
        "entities",
        "entity_tokens",
        "entity_token_share",
        "sentences_with_entities_share",
        "rarest_type_share",
        "commonest_type_share",
        "begin_share",
        "inside_share",
        "outside_share",
    ];
    let row = |(corpus, split, numbers): (&str, &str, &Statistics)| {
        let counts = [
            numbers.sentences,
            numbers.tokens,
            numbers.types.len() as u64,
            numbers.entities,
            numbers.entity_tokens,
        ];
        let shares = [
            numbers.entity_token_share,
            numbers.sentences_with_entities_share,
            numbers.rarest_type_share,
            numbers.commonest_type_share,
            numbers.begin_share,
            numbers.inside_share,
            numbers.outside_share,
        ];
        let names = [corpus.to_owned(), split.to_owned()].into_iter();
        let numbers = counts.iter().map(u64::to_string).chain(shares.iter().map(f64::to_string));
        names.chain(numbers).collect()
    };
    Tidy { header, rows: rows.map(row).collect() }
}
