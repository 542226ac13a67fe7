//! Dropout. LibTorch draws its numbers one by one on one thread, which is a large part of a
//! transformer's step; these are drawn in blocks, by as many threads as the job has, from a stream
//! that is seeded from LibTorch's own: the same seed gives the same numbers, whatever the threads.

use super::memory::written;
use super::node::{Backwards, by_hand, node_input};
use crate::model::passes::Dropping;
use burn::backend::libtorch::TchTensor;
use rayon::prelude::*;
use std::mem::MaybeUninit;
use tch::{Device, Kind, Tensor};

/// Numbers that a thread draws at a time.
const BLOCK: usize = 1 << 14;

/// A seed from LibTorch's stream.
pub fn seed() -> u64 {
    Tensor::randint(i64::MAX, [1], (Kind::Int64, Device::Cpu)).int64_value(&[0]) as u64
}

/// Zero for the share that is dropped, and what keeps the mean for the others, in the shape of
/// `like`.
pub fn mask(like: &[i64], share: f64) -> Tensor {
    let dropping = Dropping::new(share, seed());
    let factor = dropping.kept();
    written(like, |numbers| {
        let draw = |(block, numbers): (usize, &mut [MaybeUninit<f32>])| {
            // Without a branch, which would often be mispredicted.
            dropping.stream(block as u64, numbers, |number, kept| {
                number.write(factor * f32::from(u8::from(kept)));
            });
        };
        numbers.par_chunks_mut(BLOCK).enumerate().for_each(draw);
        // SAFETY: the blocks are all of the numbers, and every number of a block is written.
        unsafe { numbers.assume_init_mut() }
    })
}

/// A tensor of Burn's with a share of its numbers dropped, on a device with autodiff.
pub fn drop_while_training<const D: usize>(
    numbers: burn::tensor::Tensor<D>,
    share: f64,
) -> burn::tensor::Tensor<D> {
    if share <= 0.0 || !numbers.device().is_autodiff() {
        return numbers;
    }
    by_hand([node_input(numbers)], move |[numbers], is_trained| {
        let mask = mask(&numbers.tensor.size(), share);
        let dropped = TchTensor::new(&numbers.tensor * &mask);
        let backwards = is_trained.then(|| -> Backwards<1> {
            Box::new(move |gradient, _| [Some(TchTensor::new(&gradient.tensor * mask))])
        });
        (dropped, backwards)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(tensor: &Tensor) -> Vec<f32> {
        Vec::try_from(&tensor.flatten(0, -1)).unwrap()
    }

    #[test]
    fn the_share_is_dropped_and_the_mean_is_kept() {
        for share in [0.1, 0.5, 0.9] {
            let drawn = numbers(&mask(&[300, 1000], share));
            let dropped = drawn.iter().filter(|&&x| x == 0.0).count() as f64 / 3e5;
            assert!((dropped - share).abs() < 0.005, "{dropped} of {share}");
            let mean = drawn.iter().map(|&x| f64::from(x)).sum::<f64>() / 3e5;
            assert!((mean - 1.0).abs() < 0.02, "{mean}");
            // Neighbours, and numbers a block apart, know nothing of each other.
            for apart in [1, 2, BLOCK] {
                let both =
                    drawn.iter().zip(&drawn[apart..]).filter(|(a, b)| **a == 0.0 && **b == 0.0);
                let both = both.count() as f64 / (3e5 - apart as f64);
                assert!((both - share * share).abs() < 0.01, "{both} at {apart}");
            }
        }
    }

    #[test]
    fn the_seed_gives_the_numbers_whatever_the_threads() {
        // The seed is global to the process, and other tests draw, too: so ask until nobody was
        // between.
        let drawn = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                tch::manual_seed(7);
                (numbers(&mask(&[100, 777], 0.3)), numbers(&mask(&[100, 777], 0.3)))
            })
        };
        let same = (0..50).any(|_| drawn(1) == drawn(3));
        assert!(same);
        let (first, second) = drawn(1);
        assert_ne!(first, second);
    }
}
