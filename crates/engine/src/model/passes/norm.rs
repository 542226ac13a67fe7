//! A sum of two rows, one of them with dropout, normalised (ba2016), and the way back.

use super::lanes::sum;
use super::{Buffer, CHUNK, Drops, for_each_processor};
use rayon::prelude::*;

/// The parameters of a normalisation.
#[derive(Copy, Clone)]
pub struct Norms<'a> {
    pub scale: &'a [f32],
    pub shift: &'a [f32],
    pub epsilon: f64,
}

/// What the way back needs of a normalisation.
pub struct Normalised {
    /// Rows with mean 0 and variance 1.
    plain: Buffer,
    /// One over each row's deviation.
    inverse: Vec<f32>,
    drops: Option<Drops>,
}

/// Gradients of a normalised sum.
pub struct NormGradients {
    /// Of the row that was added as it was.
    pub states: Buffer,
    /// Of the row with dropout.
    pub taken: Buffer,
    pub scale: Vec<f32>,
    pub shift: Vec<f32>,
    /// The columns of `taken` added up.
    pub taken_sums: Vec<f32>,
}

/// Writes norm(states + drop(taken)).
pub fn normalise_sum(
    states: &[f32],
    taken: Buffer,
    drops: Option<Drops>,
    norms: Norms,
    output: &mut [f32],
) -> Normalised {
    let width = norms.scale.len();
    let mut plain = taken;
    let mut inverse = vec![0.0; output.len() / width];
    let size = CHUNK * width;
    let chunks = output.par_chunks_mut(size).zip(plain.par_chunks_mut(size));
    let chunks = chunks.zip(inverse.par_chunks_mut(CHUNK)).enumerate();
    chunks.for_each(|(chunk, ((output, plain), inverse))| {
        let states = &states[chunk * size..][..output.len()];
        match &drops {
            Some(Drops { mask, kept }) => {
                let mask = &mask[chunk * size..][..output.len()];
                add_dropped(states, plain, mask, *kept);
            }
            None => add(states, plain),
        }
        normalise_rows(plain, output, inverse, norms);
    });
    Normalised { plain, inverse, drops }
}

/// Normalises rows and drops of them afterwards, as a transformer's embeddings do.
pub fn normalise(
    rows: Buffer,
    drops: Option<Drops>,
    norms: Norms,
    output: &mut [f32],
) -> Normalised {
    let width = norms.scale.len();
    let mut plain = rows;
    let mut inverse = vec![0.0; output.len() / width];
    let size = CHUNK * width;
    let chunks = output.par_chunks_mut(size).zip(plain.par_chunks_mut(size));
    let chunks = chunks.zip(inverse.par_chunks_mut(CHUNK)).enumerate();
    chunks.for_each(|(chunk, ((output, plain), inverse))| {
        normalise_rows(plain, output, inverse, norms);
        if let Some(Drops { mask, kept }) = &drops {
            multiply_kept(output, &mask[chunk * size..][..output.len()], *kept);
        }
    });
    Normalised { plain, inverse, drops }
}

impl Normalised {
    /// The way back of [`normalise_sum`].
    pub fn back(self, gradient: &[f32], scale: &[f32]) -> NormGradients {
        let mut taken = Buffer::of(gradient.len());
        let mut back = self.back_to_rows(gradient, scale, Some(&mut taken));
        let taken_sums = back.sums.split_off(2 * scale.len());
        let shift = back.sums.split_off(scale.len());
        NormGradients { states: back.rows, taken, scale: back.sums, shift, taken_sums }
    }

    /// The way back of [`normalise`]: gradients of the rows, the scale and the shift.
    pub fn back_of_dropped(self, gradient: &[f32], scale: &[f32]) -> (Buffer, Vec<f32>, Vec<f32>) {
        let mut dropped = Buffer::of(gradient.len());
        dropped.copy_from_slice(gradient);
        if let Some(Drops { mask, kept }) = &self.drops {
            multiply_kept(&mut dropped, mask, *kept);
        }
        let mut back = self.back_to_rows(&dropped, scale, None);
        back.sums.truncate(2 * scale.len());
        let shift = back.sums.split_off(scale.len());
        (back.rows, back.sums, shift)
    }

    fn back_to_rows(&self, gradient: &[f32], scale: &[f32], taken: Option<&mut Buffer>) -> Back {
        let width = scale.len();
        let size = CHUNK * width;
        let mut rows = Buffer::of(gradient.len());
        let mut sums = vec![vec![0.0; 3 * width]; gradient.len().div_ceil(size)];
        let mut nothing = [];
        let taken: &mut [f32] = match taken {
            Some(taken) => taken,
            None => &mut nothing,
        };
        let takes: Vec<Option<&mut [f32]>> = match taken.is_empty() {
            true => sums.iter().map(|_| None).collect(),
            false => taken.chunks_mut(size).map(Some).collect(),
        };
        let chunks = rows.par_chunks_mut(size).zip(sums.par_iter_mut()).zip(takes).enumerate();
        chunks.for_each(|(chunk, ((rows, sums), taken))| {
            let range = chunk * size..chunk * size + rows.len();
            let plain = &self.plain[range.clone()];
            let inverse = &self.inverse[chunk * CHUNK..];
            rows_back(&gradient[range.clone()], plain, inverse, scale, rows, sums);
            let Some(taken) = taken else { return };
            taken.copy_from_slice(rows);
            if let Some(Drops { mask, kept }) = &self.drops {
                multiply_kept(taken, &mask[range], *kept);
            }
            add_columns(taken, &mut sums[2 * width..]);
        });
        Back { rows, sums: added(sums, 3 * width) }
    }
}

/// Gradients of rows, and sums over them: of the scale, of the shift, and of what was dropped of.
struct Back {
    rows: Buffer,
    sums: Vec<f32>,
}

/// The sum of each column.
pub fn add_up_columns(numbers: &[f32], width: usize) -> Vec<f32> {
    let chunks = numbers.par_chunks((CHUNK * width).max(1)).map(|numbers| {
        let mut sums = vec![0.0; width];
        add_columns(numbers, &mut sums);
        sums
    });
    added(chunks.collect(), width)
}

/// Vectors added up in their order.
pub(super) fn added(parts: Vec<Vec<f32>>, width: usize) -> Vec<f32> {
    let mut sums = vec![0.0; width];
    for part in parts {
        sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
    }
    sums
}

for_each_processor! {
    fn add(states: &[f32], sums: &mut [f32]) {
        sums.iter_mut().zip(states).for_each(|(sum, state)| *sum += state);
    }
}

for_each_processor! {
    fn add_dropped(states: &[f32], sums: &mut [f32], mask: &[u8], kept: f32) {
        for ((sum, state), mask) in sums.iter_mut().zip(states).zip(mask) {
            *sum = state + *sum * (kept * f32::from(*mask));
        }
    }
}

for_each_processor! {
    fn multiply_kept(numbers: &mut [f32], mask: &[u8], kept: f32) {
        numbers.iter_mut().zip(mask).for_each(|(number, mask)| *number *= kept * f32::from(*mask));
    }
}

for_each_processor! {
    pub(super) fn add_columns(numbers: &[f32], sums: &mut [f32]) {
        for row in numbers.chunks_exact(sums.len()) {
            sums.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
        }
    }
}

for_each_processor! {
    /// `rows` become plain: mean 0 and variance 1.
    fn normalise_rows(rows: &mut [f32], output: &mut [f32], inverse: &mut [f32], norms: Norms) {
        let width = norms.scale.len();
        let (scale, shift) = (&norms.scale[..width], &norms.shift[..width]);
        let rows = rows.chunks_exact_mut(width).zip(output.chunks_exact_mut(width));
        for ((row, output), inverse) in rows.zip(inverse) {
            let mean = sum(width, |i| row[i]) / width as f32;
            let variance = sum(width, |i| (row[i] - mean) * (row[i] - mean)) / width as f32;
            *inverse = 1.0 / (variance + norms.epsilon as f32).sqrt();
            for i in 0..width {
                row[i] = (row[i] - mean) * *inverse;
                output[i] = row[i] * scale[i] + shift[i];
            }
        }
    }
}

for_each_processor! {
    fn rows_back(
        gradient: &[f32],
        plain: &[f32],
        inverse: &[f32],
        scale: &[f32],
        rows: &mut [f32],
        sums: &mut [f32],
    ) {
        let width = scale.len();
        let (scales, rest) = sums.split_at_mut(width);
        let shifts = &mut rest[..width];
        let inputs = gradient.chunks_exact(width).zip(plain.chunks_exact(width)).zip(inverse);
        for (((gradient, plain), inverse), row) in inputs.zip(rows.chunks_exact_mut(width)) {
            for i in 0..width {
                scales[i] += gradient[i] * plain[i];
                shifts[i] += gradient[i];
                row[i] = gradient[i] * scale[i];
            }
            let mean = sum(width, |i| row[i]) / width as f32;
            let slope = sum(width, |i| row[i] * plain[i]) / width as f32;
            for i in 0..width {
                row[i] = *inverse * (row[i] - mean - plain[i] * slope);
            }
        }
    }
}
