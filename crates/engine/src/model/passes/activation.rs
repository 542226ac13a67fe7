//! The functions between the two linear layers of a block.

use super::lanes::{erf, exp};
use super::norm::{add_columns, added};
use super::{CHUNK, Drops, for_each_processor};
use crate::model::transformer::Activation;
use rayon::prelude::*;

/// Numbers that a thread takes at a time.
const NUMBERS: usize = 1 << 14;

/// Replaces the numbers by the function of them.
pub fn activate(numbers: &mut [f32], activation: Activation) {
    numbers.par_chunks_mut(NUMBERS).for_each(|numbers| values(numbers, activation));
}

/// Writes the function of the numbers, with dropout, and replaces them by its slopes.
pub fn activate_with_slopes(
    numbers: &mut [f32],
    activation: Activation,
    drops: Option<&Drops>,
    output: &mut [f32],
) {
    let chunks = numbers.par_chunks_mut(NUMBERS).zip(output.par_chunks_mut(NUMBERS)).enumerate();
    chunks.for_each(|(chunk, (numbers, output))| {
        values_and_slopes(numbers, output, activation);
        if let Some(Drops { mask, kept }) = drops {
            drop_both(numbers, output, &mask[chunk * NUMBERS..], *kept);
        }
    });
}

/// Multiplies a gradient by slopes; the sum of each column.
pub fn times_slopes(gradient: &mut [f32], slopes: &[f32], width: usize) -> Vec<f32> {
    let size = (CHUNK * width).max(1);
    let chunks = gradient.par_chunks_mut(size).zip(slopes.par_chunks(size));
    let sums = chunks.map(|(gradient, slopes)| {
        let mut sums = vec![0.0; width];
        times(gradient, slopes);
        add_columns(gradient, &mut sums);
        sums
    });
    added(sums.collect(), width)
}

/// 1/√(2π).
const DENSITY: f32 = 0.398_942_3;
/// √(2/π), and the factor of the cube.
const TANH: (f32, f32) = (0.797_884_6, 0.044_715);

/// x·Φ(x) and its slope.
#[inline(always)]
fn gelu<const FUSED: bool>(x: f32) -> (f32, f32) {
    let share = 0.5 * (1.0 + erf::<FUSED>(x * std::f32::consts::FRAC_1_SQRT_2));
    (x * share, share + x * (DENSITY * exp::<FUSED>(-0.5 * x * x)))
}

/// Its approximation by tanh.
#[inline(always)]
fn gelu_tanh<const FUSED: bool>(x: f32) -> (f32, f32) {
    let inner = TANH.0 * (x + TANH.1 * x * x * x);
    // tanh(y) = 1 − 2/(e²ʸ + 1)
    let tanh = 1.0 - 2.0 / (exp::<FUSED>(2.0 * inner) + 1.0);
    let slope = TANH.0 * (1.0 + 3.0 * TANH.1 * x * x);
    (0.5 * x * (1.0 + tanh), 0.5 * (1.0 + tanh) + 0.5 * x * (1.0 - tanh * tanh) * slope)
}

for_each_processor! {
    fn values(numbers: &mut [f32], activation: Activation) {
        match activation {
            Activation::Gelu => numbers.iter_mut().for_each(|x| *x = gelu::<FUSED>(*x).0),
            Activation::GeluTanh => numbers.iter_mut().for_each(|x| *x = gelu_tanh::<FUSED>(*x).0),
            Activation::Relu => numbers.iter_mut().for_each(|x| *x = x.max(0.0)),
        }
    }
}

for_each_processor! {
    fn values_and_slopes(numbers: &mut [f32], output: &mut [f32], activation: Activation) {
        let both = numbers.iter_mut().zip(output);
        match activation {
            Activation::Gelu => both.for_each(|(x, y)| (*y, *x) = gelu::<FUSED>(*x)),
            Activation::GeluTanh => both.for_each(|(x, y)| (*y, *x) = gelu_tanh::<FUSED>(*x)),
            Activation::Relu => both.for_each(|(x, y)| {
                *y = x.max(0.0);
                *x = if *x > 0.0 { 1.0 } else { 0.0 };
            }),
        }
    }
}

for_each_processor! {
    fn drop_both(slopes: &mut [f32], output: &mut [f32], mask: &[u8], kept: f32) {
        for ((slope, output), mask) in slopes.iter_mut().zip(output).zip(mask) {
            let factor = kept * f32::from(*mask);
            *slope *= factor;
            *output *= factor;
        }
    }
}

for_each_processor! {
    fn times(gradient: &mut [f32], slopes: &[f32]) {
        gradient.iter_mut().zip(slopes).for_each(|(gradient, slope)| *gradient *= slope);
    }
}
