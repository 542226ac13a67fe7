//! Fewer sentences: the low-resource partitions of nguyen2023. The paper does not say how it drew
//! them; here they are uniform, without replacement, in the order of the file.

use super::{Applied, Condition, Draw, needs};
use crate::corpus::CorpusError;
use crate::domain::{Parameter, ParameterKind};

pub(super) const CONDITION: Condition = Condition {
    parameters: &[
        Parameter {
            name: "train_sentences",
            help: "train on so many sentences, drawn uniformly by the job's seed; 0 takes all",
            kind: ParameterKind::Integer { default: 0, min: 0, max: i64::MAX },
        },
        Parameter {
            name: "nested",
            help: "whether a small partition is part of every larger one of the same seed",
            kind: ParameterKind::Bool { default: false },
        },
        Parameter {
            name: "dev_sentences",
            help: "choose the best epoch on so many sentences of dev; 0 takes all",
            kind: ParameterKind::Integer { default: 0, min: 0, max: i64::MAX },
        },
    ],
    check: |scenario| needs(scenario, "nested", "train_sentences"),
    apply,
};

fn apply(applied: &mut Applied, draw: &Draw<'_>) -> Result<(), CorpusError> {
    let corpus = &mut applied.corpus;
    // With `entity_tokens` the sentences are chosen already, to that end.
    if let Some(n) = draw.count("train_sentences")
        && draw.share("entity_tokens").is_none()
    {
        let keep = draw_sentences(draw, "train_sentences", n, corpus.train.len())?;
        corpus.keep_train(&keep);
    }
    if let Some(n) = draw.count("dev_sentences") {
        let keep = draw_sentences(draw, "dev_sentences", n, corpus.dev.len())?;
        let mut keep = keep.into_iter();
        corpus.dev.retain(|_| keep.next() == Some(true));
    }
    Ok(())
}

/// Which `n` of the sentences that are there are kept. Partitions of different sizes are drawn apart,
/// unless they are to be nested.
fn draw_sentences(
    draw: &Draw<'_>,
    parameter: &'static str,
    n: usize,
    there: usize,
) -> Result<Vec<bool>, CorpusError> {
    if n > there {
        let problem = format!("{n} are asked for, the corpus has {there}");
        return Err(CorpusError::setting(parameter, problem));
    }
    if !draw.scenario.flag("nested") {
        return Ok(draw.chance(&format!("{parameter} {n}")).choose(there, n));
    }
    let mut order: Vec<usize> = (0..there).collect();
    draw.chance(parameter).shuffle(&mut order);
    let mut keep = vec![false; there];
    order[..n].iter().for_each(|&index| keep[index] = true);
    Ok(keep)
}

#[cfg(test)]
mod tests {
    use super::super::apply;
    use super::super::testing::{numbered, scenario, scenarios, words};

    fn drawn(n: i64, seed: u64) -> Vec<String> {
        words(&apply(numbered(100), &scenario("train_sentences", n), seed).unwrap().corpus.train)
    }

    #[test]
    fn a_seed_fixes_the_partition_and_another_gives_another() {
        assert_eq!(drawn(20, 1), drawn(20, 1));
        assert_ne!(drawn(20, 1), drawn(20, 2));
        assert!(!drawn(20, 1).iter().all(|word| drawn(40, 1).contains(word)));
    }

    #[test]
    fn nested_partitions_hold_the_smaller_ones() {
        let nested = |n: i64| {
            let scenario = scenarios(&[("train_sentences", n.into()), ("nested", true.into())]);
            words(&apply(numbered(100), &scenario, 1).unwrap().corpus.train)
        };
        assert_eq!(nested(20).len(), 20);
        assert!(nested(20).iter().all(|word| nested(40).contains(word)));
    }

    #[test]
    fn as_many_as_asked_in_file_order_without_repeats_and_only_of_train() {
        let words = drawn(20, 3);
        assert_eq!(words.len(), 20);
        assert!(words.windows(2).all(|pair| pair[0] < pair[1]));
        let whole = apply(numbered(9), &scenario("train_sentences", 4), 1).unwrap().corpus;
        let full = numbered(9);
        assert_eq!((whole.train.len(), whole.dev, whole.test), (4, full.dev, full.test));
        let all = apply(numbered(9), &scenario("train_sentences", 9), 1).unwrap();
        assert_eq!(all.corpus, numbered(9));
    }

    #[test]
    fn dev_can_be_smaller_too() {
        let small = apply(numbered(9), &scenario("dev_sentences", 3), 1).unwrap().corpus;
        assert_eq!((small.train.len(), small.dev.len(), small.test.len()), (9, 3, 9));
    }

    #[test]
    fn every_sentence_is_equally_likely() {
        let mut counts = [0u32; 100];
        for seed in 0..1_000 {
            for word in drawn(20, seed) {
                counts[word.parse::<usize>().unwrap()] += 1;
            }
        }
        // 200 each on average, with a standard deviation of 12.6.
        assert!(counts.iter().all(|n| (145..255).contains(n)), "{counts:?}");
    }

    #[test]
    fn more_than_there_are_is_an_error() {
        for parameter in ["train_sentences", "dev_sentences"] {
            let message = apply(numbered(9), &scenario(parameter, 10), 1).unwrap_err().to_string();
            assert_eq!(message, format!("`{parameter}`: 10 are asked for, the corpus has 9"));
        }
    }
}
