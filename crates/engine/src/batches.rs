//! Which sentences go into which batch.

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Batches' worth of sentences that are sorted by length together at most, so that a batch's
/// lengths are alike.
const LARGEST_BUCKET: usize = 50;
/// Buckets at least: with few, the same sentences would meet in every pass.
const FEWEST_BUCKETS: usize = 8;

/// How large a batch may be.
#[derive(Copy, Clone, Debug)]
pub struct Size {
    /// Sentences.
    pub sentences: usize,
    /// Places with padding; 0 is no bound. A sentence that is longer alone is a batch of its own.
    pub places: usize,
}

/// The batches of one pass: a uniform shuffle of `0..lengths.len()`, cut in order. Every sentence
/// is as likely to meet any other, and copies of one sentence are spread like different ones.
pub fn random(lengths: &[usize], size: Size, rng: &mut ChaCha8Rng) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.shuffle(rng);
    cut(&order, lengths, size)
}

/// The batches of one pass with sentences of like length together, in random order: what is sorted
/// together is drawn anew for every pass, from buckets small enough that other sentences meet in
/// the next one.
pub fn of_like_length(lengths: &[usize], size: Size, rng: &mut ChaCha8Rng) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.shuffle(rng);
    let batches = lengths.len().div_ceil(size.sentences.max(1));
    let bucket = (batches / FEWEST_BUCKETS).clamp(2, LARGEST_BUCKET);
    for bucket in order.chunks_mut(size.sentences.max(1).saturating_mul(bucket)) {
        bucket.sort_by_key(|&i| lengths[i]);
    }
    let mut batches = cut(&order, lengths, size);
    batches.shuffle(rng);
    batches
}

/// The batches in the order of the sentences.
pub fn in_order(lengths: &[usize], size: Size) -> Vec<Vec<usize>> {
    cut(&(0..lengths.len()).collect::<Vec<_>>(), lengths, size)
}

/// Batches for prediction: every sentence once, the longest first.
pub fn by_length(lengths: &[usize], size: Size) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(lengths[i]));
    cut(&order, lengths, size)
}

/// Cuts an order into batches of at most `size`.
fn cut(order: &[usize], lengths: &[usize], size: Size) -> Vec<Vec<usize>> {
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut longest = 0;
    for &i in order {
        let fits = batches.last().is_some_and(|batch| {
            let places = (batch.len() + 1) * longest.max(lengths[i]);
            batch.len() < size.sentences && (size.places == 0 || places <= size.places)
        });
        match batches.last_mut().filter(|_| fits) {
            Some(batch) => batch.push(i),
            None => {
                batches.push(vec![i]);
                longest = 0;
            }
        }
        longest = longest.max(lengths[i]);
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    const SIZE: Size = Size { sentences: 32, places: 0 };

    type Order = fn(&[usize], Size, &mut ChaCha8Rng) -> Vec<Vec<usize>>;
    const ORDERS: [Order; 2] = [random, of_like_length];

    #[test]
    fn every_sentence_comes_once_and_the_order_follows_the_seed() {
        let lengths: Vec<usize> = (0..1000).map(|i| 1 + (i * 7) % 40).collect();
        for order in ORDERS {
            let batches = |seed| order(&lengths, SIZE, &mut stream(seed, Purpose::Order));
            let mut seen: Vec<usize> = batches(1).concat();
            seen.sort();
            assert_eq!(seen, (0..1000).collect::<Vec<_>>());
            assert_eq!(batches(1), batches(1));
            assert_ne!(batches(1), batches(2));
            assert!(batches(1)[..31].iter().all(|batch| batch.len() == 32));
        }
    }

    /// How often two places are in one batch, over many passes of one training.
    fn meetings(order: Order, lengths: &[usize], size: Size, passes: usize) -> Vec<Vec<f64>> {
        let (n, mut rng) = (lengths.len(), stream(5, Purpose::Order));
        let mut met = vec![vec![0.0; n]; n];
        for _ in 0..passes {
            for batch in order(lengths, size, &mut rng) {
                for &a in &batch {
                    batch.iter().filter(|&&b| b != a).for_each(|&b| met[a][b] += 1.0);
                }
            }
        }
        met
    }

    /// Sentences of any length, and copies of one, meet as often as chance has it: batches of 8 out
    /// of 96, so two meet in 7 of 95 passes. Each count is binomial; together they stay within five
    /// standard deviations.
    #[test]
    fn random_batches_are_uniform_over_many_passes() {
        // Every four places are copies of one sentence, which has their length.
        let lengths: Vec<usize> = (0..96).map(|i| 1 + (i / 4 * 7) % 40).collect();
        let passes = 4000;
        let size = Size { sentences: 8, places: 0 };
        let met = meetings(random, &lengths, size, passes);
        let chance = 7.0 / 95.0;
        let (expected, deviation) =
            (passes as f64 * chance, (passes as f64 * chance * (1.0 - chance)).sqrt());
        for (a, others) in met.iter().enumerate() {
            for (b, met) in others.iter().enumerate().filter(|(b, _)| *b != a) {
                let off = (met - expected).abs() / deviation;
                assert!(off < 5.0, "{a} and {b} met {met} times of {expected}");
            }
        }
        let copies = (0..96).flat_map(|a| (0..96).map(move |b| (a, b)));
        let copies: Vec<f64> = copies
            .filter(|(a, b)| a != b && a / 4 == b / 4)
            .map(|(a, b)| met[a][b] / passes as f64)
            .collect();
        let mean = copies.iter().sum::<f64>() / copies.len() as f64;
        assert!((mean - chance).abs() < 0.02 * chance, "copies met in {mean} of the passes");
    }

    #[test]
    fn batches_of_like_length_change_from_pass_to_pass_on_a_small_corpus() {
        let lengths: Vec<usize> = (0..320).map(|i| 1 + i % 40).collect();
        let mut rng = stream(1, Purpose::Order);
        let [first, second] = [(); 2].map(|()| of_like_length(&lengths, SIZE, &mut rng));
        let together = |batches: &[Vec<usize>]| -> std::collections::HashSet<(usize, usize)> {
            let pairs = batches.iter().flat_map(|batch| {
                batch.iter().flat_map(move |&a| batch.iter().map(move |&b| (a, b)))
            });
            pairs.filter(|(a, b)| a < b).collect()
        };
        let (first, second) = (together(&first), together(&second));
        let again = first.intersection(&second).count() as f64 / first.len() as f64;
        assert!(again < 0.35, "{again} of the pairs met again");
    }

    #[test]
    fn batches_hold_sentences_of_like_length() {
        let lengths: Vec<usize> = (0..6400).map(|i| 1 + (i * 7) % 40).collect();
        let padding = |batches: &[Vec<usize>]| {
            let longest = |batch: &Vec<usize>| batch.iter().map(|&i| lengths[i]).max().unwrap();
            let places: usize = batches.iter().map(|batch| batch.len() * longest(batch)).sum();
            1.0 - lengths.iter().sum::<usize>() as f64 / places as f64
        };
        let alike = padding(&of_like_length(&lengths, SIZE, &mut stream(1, Purpose::Order)));
        assert!(alike < 0.05, "{alike}");
        let unsorted = in_order(&lengths, SIZE);
        assert_eq!(unsorted[1][0], 32);
        assert!(padding(&unsorted) > 0.4);
    }

    #[test]
    fn no_batch_has_more_places_than_allowed_but_one_of_a_single_sentence() {
        let lengths = [3, 3, 4, 20, 1, 1, 1];
        let size = Size { sentences: 3, places: 8 };
        assert_eq!(in_order(&lengths, size), [vec![0, 1], vec![2], vec![3], vec![4, 5, 6]]);
        assert_eq!(by_length(&lengths, size), [vec![3], vec![2, 0], vec![1, 4], vec![5, 6]]);
        assert_eq!(in_order(&[], size), Vec::<Vec<usize>>::new());
    }
}
