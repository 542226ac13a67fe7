//! What no reader minds but a benchmark should: each warning says what follows from it.

use crate::schemes::Scheme;
use crate::statistics::repeated;
use crate::{Distribution, SplitSentences};
use domain::{Sentence, TypeSet};
use std::collections::BTreeSet;
use std::fmt;

/// Sentences longer than this are rather a document whose sentences nobody split.
const LONGEST: usize = 1000;

/// Something odd. Displayed, it teaches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Warning {
    /// Train has no entity.
    NothingToLearn,
    /// Train has one sentence.
    OneSentence,
    /// Types of a split that train lacks.
    UnknownTypes { split: String, types: Vec<String> },
    /// Sentences of a split that stand in an earlier one, too.
    Repeated { split: String, earlier: String, sentences: u64, of: usize },
    /// Types that differ in case only.
    TypesAlike { types: Vec<String> },
    /// A sentence, by its number from 1, that is very long.
    LongSentence { split: String, number: usize, tokens: usize },
    /// The files break the scheme that was given, so many times, and another one fits, but for so
    /// many.
    OtherScheme { given: Scheme, better: Scheme, broken: usize, left: usize },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::NothingToLearn => {
                f.write_str("train has no entity: is the tag's column the right one?")
            }
            Warning::OneSentence => f.write_str(
                "train is one sentence: a blank line (or what the format has for it) should end each",
            ),
            Warning::UnknownTypes { split, types } => {
                let types = types.join(", ");
                write!(f, "{split} has types that train never shows, so none of them can be found: {types}")
            }
            Warning::Repeated { split, earlier, sentences, of } => write!(
                f,
                "{sentences} of {of} sentences of {split} stand in {earlier} too: \
                 scores on them are partly memory"
            ),
            Warning::TypesAlike { types } => {
                write!(f, "types that differ in case only: {}; are they one?", types.join(", "))
            }
            Warning::LongSentence { split, number, tokens } => write!(
                f,
                "sentence {number} of {split} has {tokens} tokens: are ends of sentences missing?"
            ),
            Warning::OtherScheme { given, better, broken, left } => {
                let (given, better) = (given.word(), better.word());
                match left {
                    0 => write!(f, "the tags break {given} and fit {better}: ")?,
                    _ => write!(
                        f,
                        "tags that do not fit: {broken} with {given}, {left} with {better}: "
                    )?,
                }
                write!(f, "set `scheme` to {better}")
            }
        }
    }
}

/// What is odd about a corpus.
pub fn warnings(distribution: &Distribution) -> Vec<Warning> {
    let mut found = vec![];
    if let Some(train) = distribution.split("train") {
        found.extend((train.len() == 1).then_some(Warning::OneSentence));
        let learns = train.iter().any(Sentence::has_entity);
        found.extend((!learns).then_some(Warning::NothingToLearn));
        found.extend(later_splits(distribution).filter_map(|split| {
            let types = unknown_types(&distribution.types, train, &split.sentences);
            let split = split.name.clone();
            (learns && !types.is_empty()).then_some(Warning::UnknownTypes { split, types })
        }));
    }
    found.extend(repetitions(distribution));
    found.extend(types_alike(&distribution.types));
    found.extend(distribution.splits.iter().filter_map(long_sentence));
    found
}

/// What is tuned or scored on.
fn later_splits(distribution: &Distribution) -> impl Iterator<Item = &SplitSentences> {
    distribution.splits.iter().filter(|split| split.name != "train" && !split.is_further)
}

fn unknown_types(types: &TypeSet, train: &[Sentence], later: &[Sentence]) -> Vec<String> {
    let of = |sentences: &[Sentence]| -> BTreeSet<_> {
        sentences.iter().flat_map(|s| s.tags.iter().filter_map(|tag| tag.entity_type())).collect()
    };
    of(later).difference(&of(train)).map(|id| types.name(*id).to_owned()).collect()
}

fn repetitions(distribution: &Distribution) -> Vec<Warning> {
    let splits: Vec<&SplitSentences> =
        distribution.splits.iter().filter(|split| !split.is_further).collect();
    let mut found = vec![];
    for (index, later) in splits.iter().enumerate() {
        for earlier in &splits[..index] {
            let sentences = repeated(&earlier.sentences, &later.sentences);
            if sentences > 0 {
                let (split, earlier) = (later.name.clone(), earlier.name.clone());
                let of = later.sentences.len();
                found.push(Warning::Repeated { split, earlier, sentences, of });
            }
        }
    }
    found
}

fn types_alike(types: &TypeSet) -> Vec<Warning> {
    let mut by_letters: std::collections::BTreeMap<String, Vec<String>> = Default::default();
    for name in types.names() {
        by_letters.entry(name.to_lowercase()).or_default().push(name.clone());
    }
    let alike = by_letters.into_values().filter(|names| names.len() > 1);
    alike.map(|types| Warning::TypesAlike { types }).collect()
}

fn long_sentence(split: &SplitSentences) -> Option<Warning> {
    let longest = split.sentences.iter().enumerate().max_by_key(|(_, sentence)| sentence.len());
    let (index, sentence) = longest.filter(|(_, sentence)| sentence.len() > LONGEST)?;
    let (split, tokens) = (split.name.clone(), sentence.len());
    Some(Warning::LongSentence { split, number: index + 1, tokens })
}
