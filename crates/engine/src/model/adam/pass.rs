//! The arithmetic of a step (kingma2015, algorithm 1; loshchilov2019, algorithm 2), as PyTorch
//! orders it.

use super::AdamSettings;
use crate::model::processors::for_each_processor;
use burn::tensor::Tensor;
use rayon::prelude::*;

/// Numbers that a thread takes at a time.
const CHUNK: usize = 1 << 14;

/// One parameter's step.
pub struct Step {
    /// What the gradient is multiplied with.
    factor: f64,
    beta_1: f64,
    beta_2: f64,
    epsilon: f64,
    /// What the parameter is multiplied with.
    keep: f64,
    /// The rate over the first moment's correction.
    rate: f64,
    /// The root of the second moment's correction.
    root: f64,
}

impl Step {
    /// The step after `steps - 1` others.
    pub fn new(settings: &AdamSettings, steps: i32, rate: f64, factor: f64, decays: bool) -> Self {
        let &AdamSettings { beta_1, beta_2, epsilon, decay, .. } = settings;
        Self {
            factor,
            beta_1,
            beta_2,
            epsilon,
            keep: if decays { 1.0 - rate * decay } else { 1.0 },
            rate: rate / (1.0 - beta_1.powi(steps)),
            root: (1.0 - beta_2.powi(steps)).sqrt(),
        }
    }

    /// Changes a parameter and its moments. Rows of `row` numbers without a gradient are left
    /// alone.
    pub fn run(
        &self,
        numbers: &mut [f32],
        gradient: &[f32],
        [first, second]: [&mut [f32]; 2],
        row: Option<usize>,
    ) {
        // Whole rows a chunk.
        let chunk = row.map_or(CHUNK, |row| CHUNK.div_ceil(row) * row);
        let chunks = numbers
            .par_chunks_mut(chunk)
            .zip(gradient.par_chunks(chunk))
            .zip(first.par_chunks_mut(chunk))
            .zip(second.par_chunks_mut(chunk));
        chunks.for_each(|(((numbers, gradient), first), second)| match row {
            None => self.pass(numbers, gradient, first, second),
            Some(row) => {
                let rows = numbers.chunks_mut(row).zip(gradient.chunks(row));
                let moments = first.chunks_mut(row).zip(second.chunks_mut(row));
                for ((numbers, gradient), (first, second)) in rows.zip(moments) {
                    if !is_zero(gradient) {
                        self.pass(numbers, gradient, first, second);
                    }
                }
            }
        });
    }

    /// The same for an embedding table, row by row: a row that never had a gradient has moments of
    /// 0, which need not be read. `met` says which rows had one.
    pub fn run_table(
        &self,
        numbers: &mut [f32],
        gradient: &[f32],
        [first, second]: [&mut [f32]; 2],
        met: &mut [bool],
    ) {
        let row = numbers.len() / met.len().max(1);
        let rows = CHUNK.div_ceil(row.max(1));
        let size = (rows * row).max(1);
        let chunks = numbers
            .par_chunks_mut(size)
            .zip(gradient.par_chunks(size))
            .zip(first.par_chunks_mut(size).zip(second.par_chunks_mut(size)))
            .zip(met.par_chunks_mut(rows));
        chunks.for_each(|(((numbers, gradient), (first, second)), met)| {
            let moments = first.chunks_exact_mut(row).zip(second.chunks_exact_mut(row));
            let rows = numbers.chunks_exact_mut(row).zip(gradient.chunks_exact(row)).zip(moments);
            for (((numbers, gradient), (first, second)), met) in rows.zip(met) {
                *met = *met || !is_zero(gradient);
                match *met {
                    true => self.pass(numbers, gradient, first, second),
                    false => numbers.iter_mut().for_each(|number| *number *= self.keep as f32),
                }
            }
        });
    }

    fn pass(&self, numbers: &mut [f32], gradient: &[f32], first: &mut [f32], second: &mut [f32]) {
        let [factor, beta_2, epsilon, keep, rate, root] =
            [self.factor, self.beta_2, self.epsilon, self.keep, self.rate, self.root]
                .map(|x| x as f32);
        let [new_1, new_2] = [1.0 - self.beta_1, 1.0 - self.beta_2].map(|x| x as f32);
        let factors = [factor, new_1, beta_2, new_2, keep, rate, root, epsilon];
        update(numbers, gradient, [first, second], factors);
    }

    /// The same where the numbers are in another device's memory, on Burn's operations.
    pub fn run_on_device<const D: usize>(
        &self,
        tensor: Tensor<D>,
        gradient: Tensor<1>,
        first: &mut Tensor<1>,
        second: &mut Tensor<1>,
        row: Option<usize>,
    ) -> Tensor<D> {
        let dims = tensor.dims();
        let count: usize = dims.iter().product();
        let old = tensor.reshape([count]);
        let gradient = gradient * self.factor;
        let moment_1 = first.clone() * self.beta_1 + gradient.clone() * (1.0 - self.beta_1);
        let moment_2 =
            second.clone() * self.beta_2 + gradient.clone().square() * (1.0 - self.beta_2);
        let root = moment_2.clone().sqrt() / self.root + self.epsilon;
        let new = old.clone() * self.keep - moment_1.clone() / root * self.rate;
        let choose = |new: Tensor<1>, old: Tensor<1>| match row {
            None => new,
            Some(row) => {
                let rows = gradient.clone().reshape([count / row, row]).abs().max_dim(1);
                let still = rows.equal_elem(0.0).expand([count / row, row]).reshape([count]);
                new.mask_where(still, old)
            }
        };
        *first = choose(moment_1, first.clone());
        *second = choose(moment_2, second.clone());
        choose(new, old).reshape(dims)
    }
}

for_each_processor! {
    fn update(numbers: &mut [f32], gradient: &[f32], moments: [&mut [f32]; 2], factors: [f32; 8]) {
        let [factor, new_1, beta_2, new_2, keep, rate, root, epsilon] = factors;
        let [first, second] = moments;
        let moments = first.iter_mut().zip(second);
        for ((number, &gradient), (first, second)) in numbers.iter_mut().zip(gradient).zip(moments) {
            // Never fused: every processor computes the same bits.
            let gradient = gradient * factor;
            *first += (gradient - *first) * new_1;
            *second = *second * beta_2 + gradient * gradient * new_2;
            *number = *number * keep - rate * (*first / (second.sqrt() / root + epsilon));
        }
    }
}

for_each_processor! {
    /// Whether all numbers are 0, of either sign.
    fn is_zero(numbers: &[f32]) -> bool {
        numbers.iter().fold(0, |bits, number| bits | number.to_bits()) << 1 == 0
    }
}

/// Σx², in the same order whatever the threads.
pub fn sum_of_squares(numbers: &[f32]) -> f64 {
    let sum = |chunk: &[f32]| {
        let (eights, rest) = chunk.as_chunks::<8>();
        let mut sums = [0.0f64; 8];
        for eight in eights {
            for (sum, &x) in sums.iter_mut().zip(eight) {
                *sum += f64::from(x) * f64::from(x);
            }
        }
        let rest: f64 = rest.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
        sums.iter().sum::<f64>() + rest
    };
    numbers.par_chunks(CHUNK).map(sum).collect::<Vec<f64>>().iter().sum()
}
