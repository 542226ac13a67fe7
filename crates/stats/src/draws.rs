//! Random draws that are the same on every machine for the same seed.
//!
//! Only whole numbers are drawn: no platform's mathematics library has a say in what comes out.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A stream of draws.
pub(super) struct Draws(ChaCha8Rng);

impl Draws {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A whole number below `n`, each equally likely; 0 where there is no choice.
    ///
    /// Multiply and reject (Lemire 2019, Fast random integer generation in an interval).
    pub fn below(&mut self, n: u32) -> usize {
        let mut product = u64::from(self.0.next_u32()) * u64::from(n);
        if (product as u32) < n {
            let reject_below = n.wrapping_neg().checked_rem(n).unwrap_or(0);
            while (product as u32) < reject_below {
                product = u64::from(self.0.next_u32()) * u64::from(n);
            }
        }
        (product >> 32) as usize
    }

    /// Sixty-four coin tosses.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number of the standard normal distribution, for simulations.
    #[cfg(test)]
    pub fn normal(&mut self) -> f64 {
        let share = (self.below(1 << 31) as f64 + 0.5) / f64::from(1u32 << 31);
        super::normal::quantile(share).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_equally_likely() {
        let mut draws = Draws::new(1);
        let mut counts = [0u32; 7];
        (0..70_000).for_each(|_| counts[draws.below(7)] += 1);
        // Chi-squared with 6 degrees of freedom: 22.5 is its 99.9 % point.
        let chi: f64 = counts.iter().map(|&c| (f64::from(c) - 1e4).powi(2) / 1e4).sum();
        assert!(chi < 22.5, "{counts:?}");
    }

    #[test]
    fn a_seed_is_a_stream() {
        let stream = |seed| {
            let mut draws = Draws::new(seed);
            [draws.below(1000), draws.below(1000), draws.bits() as usize]
        };
        assert_eq!(stream(3), stream(3));
        assert_ne!(stream(3), stream(4));
        assert_eq!((Draws::new(1).below(0), Draws::new(1).below(1)), (0, 0));
    }
}
