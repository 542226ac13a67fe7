//! Fewer sentences: the low-resource partitions of nguyen2023. The paper does not say how it drew
//! them; here they are uniform, without replacement, in the order of the file.
//!
//! Nor does it say on what the epoch was chosen. Whoever has twenty sentences to train on has not
//! thousands to choose by, so where a scenario bounds train and says nothing of dev, dev is bounded
//! too.

use super::{Applied, Condition, Draw, needs};
use crate::CorpusError;
use parts::Scenario;
use parts::scenario::DevSentences;

/// The sentences of dev that are there for the smallest training set.
const LEAST_DEV: usize = 50;

pub(super) const CONDITION: Condition = Condition { check, apply };

fn check(scenario: &Scenario) -> Result<(), CorpusError> {
    needs(("nested", scenario.nested), ("train_sentences", scenario.train_sentences > 0))?;
    if scenario.nested && scenario.entity_tokens > 0.0 {
        let problem = "sentences that are chosen for their share of entities, as with `entity_tokens`, are not nested";
        return Err(CorpusError::setting("nested", problem));
    }
    Ok(())
}

fn apply(applied: &mut Applied, draw: &Draw<'_>) -> Result<(), CorpusError> {
    let corpus = &mut applied.corpus;
    let &Scenario { train_sentences, entity_tokens, .. } = draw.scenario;
    // With `entity_tokens` the sentences are chosen already, to that end.
    if train_sentences > 0 && entity_tokens == 0.0 {
        let keep = draw_sentences(draw, "train_sentences", train_sentences, corpus.train.len())?;
        corpus.keep_train(&keep);
    }
    let n = match draw.scenario.dev() {
        DevSentences::All => return Ok(()),
        DevSentences::Exactly(n) => n,
        DevSentences::Auto => {
            let n = corpus.train.len().max(LEAST_DEV).min(corpus.dev.len());
            applied.achieved.insert("dev_sentences".to_owned(), n as f64);
            n
        }
    };
    let keep = draw_sentences(draw, "dev_sentences", n, corpus.dev.len())?;
    let mut keep = keep.into_iter();
    corpus.dev.retain(|_| keep.next() == Some(true));
    Ok(())
}

/// Which `n` of the sentences that are there are kept. Partitions of different sizes are drawn
/// apart, unless they are to be nested.
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
    if !draw.scenario.nested {
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
    use super::super::testing::{Given, corpus, numbered, scenario, scenarios, words};
    use super::super::{PARAMETERS, apply, meant};
    use crate::scenarios::Applied;
    use domain::Corpus;

    /// A scenario as a grid gives it, applied as a job does.
    fn applied(whole: Corpus, given: &[(&str, Given)]) -> Applied {
        let mut scenario = parts::defaults(PARAMETERS);
        scenario.0.extend(scenarios(given).0);
        apply(whole, &meant(scenario), 1).unwrap()
    }

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
    fn a_chosen_share_of_entities_is_not_nested() {
        let all =
            [("train_sentences", 5.into()), ("nested", true.into()), ("entity_tokens", 0.1.into())];
        let told = super::super::check(&scenarios(&all)).unwrap_err().to_string();
        assert!(told.contains("are not nested"), "{told}");
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
    fn where_train_is_bounded_dev_is_too_as_far_as_there_is_some() {
        for (there, train, dev) in [(300, 20, 50), (300, 50, 50), (300, 120, 120), (40, 20, 40)] {
            let found = applied(numbered(there), &[("train_sentences", train.into())]);
            let sizes = (found.corpus.train.len(), found.corpus.dev.len(), found.corpus.test.len());
            assert_eq!(sizes, (train as usize, dev, there));
            assert_eq!(found.achieved["dev_sentences"], dev as f64);
        }
        let sentences = ["B-a O O O", "O O O O"].repeat(200).join(" | ");
        let budget = [("token_budget", 240.into()), ("entity_tokens", 0.1.into())];
        let found = applied(corpus(&sentences), &budget).corpus;
        assert_eq!((found.train.len(), found.dev.len()), (60, 60));
    }

    #[test]
    fn all_of_dev_and_a_number_can_still_be_asked_for() {
        let low = |dev: Given| {
            applied(numbered(300), &[("train_sentences", 20.into()), ("dev_sentences", dev)])
        };
        for all in [low("all".into()), low(0.into())] {
            assert_eq!((all.corpus.dev.len(), all.achieved.len()), (300, 0));
        }
        let ten = low(10.into());
        assert_eq!((ten.corpus.dev.len(), ten.achieved.len()), (10, 0));
    }

    #[test]
    fn what_does_not_bound_train_leaves_dev_as_it_is() {
        let masked = applied(numbered(300), &[("mask_entities", 0.5.into())]);
        assert_eq!(masked.corpus.dev.len(), 300);
        let drawn = applied(numbered(300), &[("dev_sentences", 60.into())]);
        assert_eq!((drawn.corpus.train.len(), drawn.corpus.dev.len()), (300, 60));
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
