//! Which sentences go into which batch.

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// How many batches' worth of sentences are sorted by length together: enough that a batch's
/// lengths are alike and little is padded, few enough that batches stay random.
const BATCHES_A_BUCKET: usize = 50;

/// The batches of one epoch: a shuffle of `0..lengths.len()`, cut so that sentences of like length
/// come together, in random order.
pub fn shuffled(lengths: &[usize], size: usize, rng: &mut ChaCha8Rng) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.shuffle(rng);
    for bucket in order.chunks_mut(size * BATCHES_A_BUCKET) {
        bucket.sort_by_key(|&i| lengths[i]);
    }
    let mut batches: Vec<Vec<usize>> = order.chunks(size).map(<[usize]>::to_vec).collect();
    batches.shuffle(rng);
    batches
}

/// Batches for prediction: every sentence once, the longest first.
pub fn by_length(lengths: &[usize], size: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(lengths[i]));
    order.chunks(size).map(<[usize]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::random::{Purpose, stream};

    #[test]
    fn every_sentence_comes_once_and_the_order_follows_the_seed() {
        let lengths: Vec<usize> = (0..1000).map(|i| 1 + (i * 7) % 40).collect();
        let batches = |seed| shuffled(&lengths, 32, &mut stream(seed, Purpose::Order));
        let mut seen: Vec<usize> = batches(1).concat();
        seen.sort();
        assert_eq!(seen, (0..1000).collect::<Vec<_>>());
        assert_eq!(batches(1), batches(1));
        assert_ne!(batches(1), batches(2));
    }

    #[test]
    fn batches_hold_sentences_of_like_length() {
        let lengths: Vec<usize> = (0..1600).map(|i| 1 + (i * 7) % 40).collect();
        let batches = shuffled(&lengths, 32, &mut stream(1, Purpose::Order));
        let padded: usize =
            batches.iter().map(|b| b.len() * b.iter().map(|&i| lengths[i]).max().unwrap()).sum();
        let real: usize = lengths.iter().sum();
        assert!((padded as f64) < 1.05 * real as f64, "{padded} positions for {real} tokens");
    }
}
