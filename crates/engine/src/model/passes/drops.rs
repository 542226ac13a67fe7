//! Which numbers dropout drops.

use super::CHUNK;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// What is dropped: a share, drawn from a stream of its own.
#[derive(Copy, Clone, Debug)]
pub struct Dropping {
    /// Numbers whose 16 random bits are below this are dropped.
    below: u16,
    seed: u64,
}

/// What was dropped of some numbers: 0 for those, 1 for the others.
pub struct Drops {
    pub mask: Vec<u8>,
    /// What the others are multiplied with, which keeps the mean.
    pub kept: f32,
}

/// Random numbers that are drawn at a time.
const BLOCK: usize = 512;

impl Dropping {
    /// A share, rounded to 2⁻¹⁶.
    pub fn new(share: f64, seed: u64) -> Self {
        Self { below: (share * 65536.0).round().clamp(0.0, 65535.0) as u16, seed }
    }

    /// What is kept is multiplied with this.
    pub fn kept(self) -> f32 {
        65536.0 / (65536.0 - f32::from(self.below))
    }

    /// Draws for rows of `width` numbers.
    pub fn draw(self, rows: usize, width: usize) -> Drops {
        let mut mask = vec![0; rows * width];
        let chunks = mask.par_chunks_mut((CHUNK * width).max(1)).enumerate();
        chunks.for_each(|(chunk, mask)| {
            self.stream(chunk as u64, mask, |mask, kept| *mask = u8::from(kept));
        });
        Drops { mask, kept: self.kept() }
    }

    /// Calls `tell` for each item with whether it is kept; one stream of random numbers per
    /// `number`.
    #[inline(always)]
    pub fn stream<T>(self, number: u64, items: &mut [T], tell: impl Fn(&mut T, bool)) {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(number);
        let mut bytes = [0; 2 * BLOCK];
        for items in items.chunks_mut(BLOCK) {
            rng.fill_bytes(&mut bytes[..2 * items.len()]);
            let (pairs, _) = bytes.as_chunks::<2>();
            for (item, &pair) in items.iter_mut().zip(pairs) {
                tell(item, u16::from_le_bytes(pair) >= self.below);
            }
        }
    }
}
