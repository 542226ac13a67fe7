//! Which sentences go into which batch.

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// How many batches' worth of sentences are sorted by length together: enough that a batch's
/// lengths are alike and little is padded, few enough that batches stay random.
const BATCHES_A_BUCKET: usize = 50;

/// How large a batch may be.
#[derive(Copy, Clone, Debug)]
pub struct Size {
    /// Sentences.
    pub sentences: usize,
    /// Places with padding; 0 is no bound. A sentence that is longer alone is a batch of its own.
    pub places: usize,
}

/// The batches of one epoch: a shuffle of `0..lengths.len()`, cut so that sentences of like length
/// come together, in random order.
pub fn shuffled(lengths: &[usize], size: Size, rng: &mut ChaCha8Rng) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.shuffle(rng);
    for bucket in order.chunks_mut(size.sentences * BATCHES_A_BUCKET) {
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

/// The share of a batching's places that are padding.
pub fn padding_share(batches: &[Vec<usize>], lengths: &[usize]) -> f64 {
    let longest = |batch: &[usize]| batch.iter().map(|&i| lengths[i]).max().unwrap_or(0);
    let places: usize = batches.iter().map(|batch| batch.len() * longest(batch)).sum();
    let real: usize = batches.iter().flatten().map(|&i| lengths[i]).sum();
    1.0 - real as f64 / places.max(1) as f64
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
    use crate::engine::random::{Purpose, stream};

    const SIZE: Size = Size { sentences: 32, places: 0 };

    #[test]
    fn every_sentence_comes_once_and_the_order_follows_the_seed() {
        let lengths: Vec<usize> = (0..1000).map(|i| 1 + (i * 7) % 40).collect();
        let batches = |seed| shuffled(&lengths, SIZE, &mut stream(seed, Purpose::Order));
        let mut seen: Vec<usize> = batches(1).concat();
        seen.sort();
        assert_eq!(seen, (0..1000).collect::<Vec<_>>());
        assert_eq!(batches(1), batches(1));
        assert_ne!(batches(1), batches(2));
    }

    #[test]
    fn batches_hold_sentences_of_like_length() {
        let lengths: Vec<usize> = (0..1600).map(|i| 1 + (i * 7) % 40).collect();
        let batches = shuffled(&lengths, SIZE, &mut stream(1, Purpose::Order));
        let share = padding_share(&batches, &lengths);
        assert!(share > 0.0 && share < 0.05, "{share}");
        let unsorted = in_order(&lengths, SIZE);
        assert_eq!(unsorted[1][0], 32);
        assert!(padding_share(&unsorted, &lengths) > 0.4);
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
