//! Random choices that are the same on every machine.
//!
//! A stream belongs to a purpose and a seed, so that two uses of one seed never share numbers, and
//! a choice added to one of them leaves the others as they were. Only integers and exactly rounded
//! arithmetic are used: no platform's mathematics library has a say in which corpus comes out.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

/// A stream of random choices.
pub(super) struct Chance(ChaCha8Rng);

impl Chance {
    /// The stream of a purpose and a seed.
    pub fn new(purpose: &str, seed: u64) -> Self {
        let digest =
            Sha256::new().chain_update(purpose).chain_update(seed.to_le_bytes()).finalize();
        Self(ChaCha8Rng::from_seed(digest.into()))
    }

    /// A whole number below `n`, each equally likely; 0 where there is no choice.
    ///
    /// Multiply and reject (Lemire 2019, Fast random integer generation in an interval).
    pub fn below(&mut self, n: usize) -> usize {
        let n = n.max(1) as u64;
        let reject_below = n.wrapping_neg() % n;
        loop {
            let product = u128::from(self.0.next_u64()) * u128::from(n);
            if product as u64 >= reject_below {
                return (product >> 64) as usize;
            }
        }
    }

    /// Whether something of this probability happens.
    pub fn happens(&mut self, probability: f64) -> bool {
        const RESOLUTION: f64 = (1u64 << 53) as f64;
        ((self.0.next_u64() >> 11) as f64) < probability * RESOLUTION
    }

    /// One of the items, each equally likely. There must be one.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Brings the items into a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// For each of `n` items whether it is one of the `k` chosen ones: uniform, without
    /// replacement.
    pub fn choose(&mut self, n: usize, k: usize) -> Vec<bool> {
        let mut chosen = vec![false; n];
        chosen[..k.min(n)].fill(true);
        self.shuffle(&mut chosen);
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_purpose_and_a_seed_fix_the_stream() {
        let draw = |purpose, seed| {
            let mut chance = Chance::new(purpose, seed);
            [(); 8].map(|()| chance.below(1_000_000))
        };
        assert_eq!(draw("a", 1), draw("a", 1));
        assert_ne!(draw("a", 1), draw("a", 2));
        assert_ne!(draw("a", 1), draw("b", 1));
    }

    #[test]
    fn every_number_below_is_about_equally_likely() {
        let mut chance = Chance::new("test", 1);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[chance.below(7)] += 1;
        }
        assert!(counts.iter().all(|n| (9_600..10_400).contains(n)), "{counts:?}");
        assert_eq!((chance.below(0), chance.below(1)), (0, 0));
    }

    #[test]
    fn probabilities_hold_and_the_ends_are_certain() {
        let mut chance = Chance::new("test", 1);
        let heads = (0..20_000).filter(|_| chance.happens(0.3)).count();
        assert!((5_800..6_200).contains(&heads), "{heads}");
        assert!((0..1_000).all(|_| chance.happens(1.0) && !chance.happens(0.0)));
    }

    #[test]
    fn choosing_takes_exactly_as_many_as_asked() {
        let mut chance = Chance::new("test", 1);
        for (n, k, taken) in [(10, 3, 3), (10, 10, 10), (10, 0, 0), (0, 0, 0), (3, 5, 3)] {
            assert_eq!(chance.choose(n, k).iter().filter(|c| **c).count(), taken);
        }
    }
}
