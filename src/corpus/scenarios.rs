//! Scenarios: the same corpus under harder conditions.
//!
//! A scenario changes the training sentences before any method sees them. What it draws depends on
//! the job's seed and its own parameters alone, so all methods and models of a seed meet the same
//! partition and their scores can be paired. Test sentences are never touched.
//!
//! A parameter at its default changes nothing, and may be left out. A new one is a function and one
//! line in the list below; they are applied in the order of that list.

use super::CorpusError;
use super::chance::Chance;
use crate::domain::{Corpus, Parameter, ParameterKind, ParameterValue, Parameters};

macro_rules! scenarios {
    ($($step:ident: $kind:expr, $help:literal;)+) => {
        /// What a scenario can be told.
        pub const PARAMETERS: &[Parameter] =
            &[$(Parameter { name: stringify!($step), help: $help, kind: $kind }),+];

        const STEPS: &[Step] = &[$($step),+];
    };
}

/// Changes the corpus as one parameter's value says.
type Step = fn(&mut Corpus, &ParameterValue, u64) -> Result<(), CorpusError>;

scenarios! {
    train_sentences: ParameterKind::Integer { default: 0, min: 0, max: i64::MAX },
        "train on so many sentences, drawn uniformly by the job's seed; 0 takes all";
}

/// Applies a scenario to a corpus with the job's seed.
pub fn apply(mut corpus: Corpus, scenario: &Parameters, seed: u64) -> Result<Corpus, CorpusError> {
    for (parameter, step) in PARAMETERS.iter().zip(STEPS) {
        match scenario.get(parameter.name) {
            Some(value) if *value != parameter.default_value() => step(&mut corpus, value, seed)?,
            _ => {}
        }
    }
    Ok(corpus)
}

/// Keeps `n` training sentences, uniform without replacement, in the order of the file. Partitions
/// of different sizes are drawn apart: a small one is no part of a larger one of the same seed.
fn train_sentences(
    corpus: &mut Corpus,
    value: &ParameterValue,
    seed: u64,
) -> Result<(), CorpusError> {
    let ParameterValue::Integer(n) = *value else { return Ok(()) };
    let there = corpus.train.len();
    let Some(n) = usize::try_from(n).ok().filter(|&n| n <= there) else {
        let problem = format!("{n} are asked for, the corpus has {there}");
        return Err(CorpusError::setting("train_sentences", problem));
    };
    let mut keep = Chance::new(&format!("train_sentences {n}"), seed).choose(there, n).into_iter();
    corpus.train.retain(|_| keep.next() == Some(true));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Sentence, Tag};

    fn corpus(n: usize) -> Corpus {
        let sentence = |i| Sentence { tokens: vec![format!("{i:03}")], tags: vec![Tag::Outside] };
        let sentences: Vec<Sentence> = (0..n).map(sentence).collect();
        Corpus {
            train: sentences.clone(),
            dev: sentences.clone(),
            test: sentences,
            ..Corpus::default()
        }
    }

    fn low(n: i64) -> Parameters {
        Parameters([("train_sentences".to_owned(), ParameterValue::Integer(n))].into())
    }

    fn words(n: i64, seed: u64) -> Vec<String> {
        let corpus = apply(corpus(100), &low(n), seed).unwrap();
        corpus.train.iter().map(|sentence| sentence.tokens[0].clone()).collect()
    }

    #[test]
    fn defaults_change_nothing() {
        for scenario in [Parameters::default(), Parameters::defaults(PARAMETERS)] {
            assert_eq!(apply(corpus(9), &scenario, 1).unwrap(), corpus(9));
        }
    }

    #[test]
    fn a_seed_fixes_the_partition_and_another_gives_another() {
        assert_eq!(words(20, 1), words(20, 1));
        assert_ne!(words(20, 1), words(20, 2));
        assert!(!words(20, 1).iter().all(|word| words(40, 1).contains(word)));
    }

    #[test]
    fn as_many_as_asked_in_file_order_without_repeats_and_only_of_train() {
        let drawn = words(20, 3);
        assert_eq!(drawn.len(), 20);
        assert!(drawn.windows(2).all(|pair| pair[0] < pair[1]));
        let whole = apply(corpus(9), &low(4), 1).unwrap();
        assert_eq!((whole.train.len(), whole.dev, whole.test), (4, corpus(9).dev, corpus(9).test));
        assert_eq!(apply(corpus(9), &low(9), 1).unwrap(), corpus(9));
    }

    #[test]
    fn every_sentence_is_equally_likely() {
        let mut counts = [0u32; 100];
        for seed in 0..1_000 {
            for word in words(20, seed) {
                counts[word.parse::<usize>().unwrap()] += 1;
            }
        }
        // 200 each on average, with a standard deviation of 12.6.
        assert!(counts.iter().all(|n| (145..255).contains(n)), "{counts:?}");
    }

    #[test]
    fn more_than_there_are_is_an_error() {
        let message = apply(corpus(9), &low(10), 1).unwrap_err().to_string();
        assert_eq!(message, "`train_sentences`: 10 are asked for, the corpus has 9");
    }
}
