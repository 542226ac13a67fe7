//! All numbers of one corpus, counted once for every form in which they are shown.

use analysis::CorpusNumbers;
use corpus::formats::scheme;
use corpus::statistics::{Missampling, Unseen, lengths, missampling, repeated, statistics, unseen};
use corpus::{DevOrigin, Distribution, SplitSentences, dev_origin};
use spec::NamedCorpus;

/// What is told of a corpus.
#[derive(Clone, PartialEq, Debug)]
pub struct Numbers {
    pub corpus: CorpusNumbers,
    pub format: String,
    /// As the files write their tags, if they do.
    pub scheme: Option<String>,
    /// Where jobs get dev from; none if no job can use these files.
    pub dev: Option<DevOrigin>,
    pub repetitions: Vec<Repetition>,
    pub unseen: Vec<UnseenEntities>,
    /// What theorem 1 of li2022 says, where it is asked for.
    pub missampling: Option<OfSplits<Missampling>>,
}

/// Something of every split by name, of further parts, and of all splits together.
#[derive(Clone, PartialEq, Debug)]
pub struct OfSplits<T> {
    pub splits: Vec<(String, T)>,
    pub further: Vec<(String, T)>,
    pub whole: T,
}

/// Sentences of one split that stand in an earlier one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repetition {
    pub split: String,
    pub earlier: String,
    pub sentences: u64,
    pub of: u64,
}

/// Entities of a split that train never marks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnseenEntities {
    pub split: String,
    pub counts: Unseen,
}

impl Numbers {
    /// Counts a corpus.
    pub fn new(named: &NamedCorpus, distribution: &Distribution, as_trained: bool) -> Self {
        let types = &distribution.types;
        let counted =
            |split: &SplitSentences| (split.name.clone(), statistics(types, &split.sentences));
        let own: Vec<&SplitSentences> =
            distribution.splits.iter().filter(|split| !split.is_further).collect();
        let further = distribution.splits.iter().filter(|split| split.is_further);
        // Dev has been taken out of train already where the splits are those of jobs.
        let train = if as_trained { None } else { distribution.split("train") };
        Self {
            corpus: CorpusNumbers {
                name: named.name.clone(),
                splits: own.iter().copied().map(counted).collect(),
                further: further.map(counted).collect(),
                whole: statistics(types, distribution.whole()),
                lengths: lengths(distribution.whole()),
            },
            format: named.format.kind.clone(),
            scheme: scheme(&named.format).map(|scheme| scheme.word().to_owned()),
            dev: dev_origin(&named.format, &named.files, train),
            repetitions: repetitions(&own),
            unseen: unseen_entities(&own),
            missampling: None,
        }
    }

    /// Adds what theorem 1 of li2022 says, for λ and some probabilities that an entity is masked.
    pub fn with_missampling(self, distribution: &Distribution, lambda: f64, masks: &[f64]) -> Self {
        let of = |is_further: bool| {
            let splits = distribution.splits.iter().filter(move |s| s.is_further == is_further);
            let of_split = |split: &SplitSentences| {
                (split.name.clone(), missampling(&split.sentences, lambda, masks))
            };
            splits.map(of_split).collect()
        };
        let whole = missampling(distribution.whole(), lambda, masks);
        let found = OfSplits { splits: of(false), further: of(true), whole };
        Self { missampling: Some(found), ..self }
    }
}

impl Numbers {
    /// Whether jobs make splits of this corpus that its files do not have.
    pub fn lacks_splits(&self) -> bool {
        matches!(self.dev, Some(DevOrigin::Carved { .. } | DevOrigin::Split { .. }))
    }
}

fn repetitions(splits: &[&SplitSentences]) -> Vec<Repetition> {
    let mut found = Vec::new();
    for (index, later) in splits.iter().enumerate() {
        found.extend(splits[..index].iter().map(|earlier| Repetition {
            split: later.name.clone(),
            earlier: earlier.name.clone(),
            sentences: repeated(&earlier.sentences, &later.sentences),
            of: later.sentences.len() as u64,
        }));
    }
    found
}

fn unseen_entities(splits: &[&SplitSentences]) -> Vec<UnseenEntities> {
    let Some(train) = splits.iter().find(|split| split.name == "train") else { return vec![] };
    let later = splits.iter().filter(|split| split.name != "train");
    later
        .map(|split| UnseenEntities {
            split: split.name.clone(),
            counts: unseen(&train.sentences, &split.sentences),
        })
        .collect()
}
