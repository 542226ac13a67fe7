//! Operands in the order in which the kernels read them: 32-bit numbers as bits, or pairs of bf16.

use super::kernel::COLUMNS;
use std::arch::x86_64::*;

/// A matrix by rows.
#[derive(Copy, Clone)]
pub struct Matrix<'a> {
    pub numbers: &'a [f32],
    pub width: usize,
}

impl<'a> Matrix<'a> {
    /// `count` numbers of a row from a column on, fewer at its end.
    #[inline(always)]
    fn part(self, row: usize, column: usize, count: usize) -> &'a [f32] {
        let count = count.min(self.width - column);
        &self.numbers[row * self.width + column..][..count]
    }

    fn height(self) -> usize {
        self.numbers.len() / self.width.max(1)
    }
}

/// The bits of a number rounded to the nearest bf16, ties to even.
#[inline(always)]
fn rounded(number: f32) -> u32 {
    let bits = number.to_bits();
    // Adding to the bits of a NaN could make it an infinity.
    let near = (bits.wrapping_add(0x7fff + ((bits >> 16) & 1))) >> 16;
    if number.is_nan() { (bits >> 16) | 0x40 } else { near }
}

#[inline(always)]
fn pair(low: f32, high: f32) -> u32 {
    rounded(low) | (rounded(high) << 16)
}

/// Neighbours of a row as pairs; the last number alone with a zero.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub fn pairs(row: &[f32], to: &mut [u32]) {
    let (twos, rest) = row.as_chunks::<2>();
    for (to, [low, high]) in to.iter_mut().zip(twos) {
        *to = pair(*low, *high);
    }
    if let ([last], Some(to)) = (rest, to.last_mut()) {
        *to = pair(*last, 0.0);
    }
}

/// Strips of `W` columns from the column `first` on, each `height` rows of `W` numbers, zeros
/// beyond the last column.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub fn strips<const W: usize>(from: Matrix, first: usize, to: &mut [u32]) {
    let size = from.height() * W;
    for row in 0..from.height() {
        for (strip, to) in to.chunks_exact_mut(size).enumerate() {
            let to = &mut to[row * W..][..W];
            let numbers = from.part(row, first + strip * W, W);
            match numbers.as_array::<W>() {
                Some(numbers) => to.copy_from_slice(&numbers.map(f32::to_bits)),
                None => {
                    to.fill(0);
                    to.iter_mut().zip(numbers).for_each(|(to, number)| *to = number.to_bits());
                }
            }
        }
    }
}

/// The same in bf16: two rows become one row of pairs.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub fn strips_of_pairs<const W: usize>(from: Matrix, first: usize, to: &mut [u32]) {
    let height = from.height().div_ceil(2);
    let zeros = [0.0; W];
    for row in 0..height {
        for (strip, to) in to.chunks_exact_mut(height * W).enumerate() {
            let to = &mut to[row * W..][..W];
            let low = from.part(2 * row, first + strip * W, W);
            let high = match 2 * row + 1 < from.height() {
                true => from.part(2 * row + 1, first + strip * W, W),
                false => &zeros[..low.len()],
            };
            if let (Some(low), Some(high)) = (low.as_array::<W>(), high.as_array::<W>()) {
                for i in 0..W {
                    to[i] = pair(low[i], high[i]);
                }
            } else {
                to.fill(0);
                let numbers = low.iter().zip(high);
                to.iter_mut().zip(numbers).for_each(|(to, (low, high))| *to = pair(*low, *high));
            }
        }
    }
}

/// The rows from `first` on as the columns of a panel, zeros beyond the last row.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub fn turned(from: Matrix, first: usize, to: &mut [u32]) {
    for block in 0..COLUMNS / 16 {
        for column in (0..from.width).step_by(16) {
            let mut rows = [_mm512_setzero_si512(); 16];
            for (i, row) in rows.iter_mut().enumerate() {
                let at = first + 16 * block + i;
                if at < from.height() {
                    *row = bits(from.part(at, column, 16));
                }
            }
            store(transposed(rows), block, &mut to[column * COLUMNS..]);
        }
    }
}

/// The same in bf16: neighbouring columns become one row of pairs.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub fn turned_pairs(from: Matrix, first: usize, to: &mut [u32]) {
    for block in 0..COLUMNS / 16 {
        for column in (0..from.width).step_by(32) {
            let mut rows = [_mm512_setzero_si512(); 16];
            for (i, row) in rows.iter_mut().enumerate() {
                let at = first + 16 * block + i;
                if at < from.height() {
                    *row = line(from.part(at, column, 32));
                }
            }
            store(transposed(rows), block, &mut to[column / 2 * COLUMNS..]);
        }
    }
}

/// Up to 16 numbers.
#[inline]
#[target_feature(enable = "avx512f")]
fn bits(numbers: &[f32]) -> __m512i {
    let mask: __mmask16 = if numbers.len() >= 16 { !0 } else { (1 << numbers.len()) - 1 };
    // SAFETY: the mask leaves out what is not in the slice.
    unsafe { _mm512_maskz_loadu_epi32(mask, numbers.as_ptr().cast()) }
}

/// Up to 32 numbers as pairs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn line(numbers: &[f32]) -> __m512i {
    let mut line = [0u32; 16];
    match numbers.as_array::<32>() {
        Some(numbers) => {
            for i in 0..16 {
                line[i] = pair(numbers[2 * i], numbers[2 * i + 1]);
            }
        }
        None => pairs(numbers, &mut line[..numbers.len().div_ceil(2)]),
    }
    // SAFETY: sixteen numbers.
    unsafe { _mm512_loadu_si512(line.as_ptr().cast()) }
}

/// Writes rows of 16 numbers into a panel, as many as it has.
#[inline]
#[target_feature(enable = "avx512f")]
fn store(rows: [__m512i; 16], block: usize, panel: &mut [u32]) {
    for (row, to) in rows.into_iter().zip(panel.chunks_exact_mut(COLUMNS)) {
        let to = &mut to[16 * block..][..16];
        // SAFETY: sixteen numbers.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), row) };
    }
}

/// Sixteen rows of sixteen numbers, turned.
#[inline]
#[target_feature(enable = "avx512f")]
fn transposed(r: [__m512i; 16]) -> [__m512i; 16] {
    let mut t = r;
    for i in 0..8 {
        t[2 * i] = _mm512_unpacklo_epi32(r[2 * i], r[2 * i + 1]);
        t[2 * i + 1] = _mm512_unpackhi_epi32(r[2 * i], r[2 * i + 1]);
    }
    let mut u = t;
    for i in 0..4 {
        u[4 * i] = _mm512_unpacklo_epi64(t[4 * i], t[4 * i + 2]);
        u[4 * i + 1] = _mm512_unpackhi_epi64(t[4 * i], t[4 * i + 2]);
        u[4 * i + 2] = _mm512_unpacklo_epi64(t[4 * i + 1], t[4 * i + 3]);
        u[4 * i + 3] = _mm512_unpackhi_epi64(t[4 * i + 1], t[4 * i + 3]);
    }
    for i in 0..4 {
        t[i] = _mm512_shuffle_i32x4::<0x88>(u[i], u[4 + i]);
        t[4 + i] = _mm512_shuffle_i32x4::<0xdd>(u[i], u[4 + i]);
        t[8 + i] = _mm512_shuffle_i32x4::<0x88>(u[8 + i], u[12 + i]);
        t[12 + i] = _mm512_shuffle_i32x4::<0xdd>(u[8 + i], u[12 + i]);
    }
    for i in 0..4 {
        u[i] = _mm512_shuffle_i32x4::<0x88>(t[i], t[8 + i]);
        u[4 + i] = _mm512_shuffle_i32x4::<0x88>(t[4 + i], t[12 + i]);
        u[8 + i] = _mm512_shuffle_i32x4::<0xdd>(t[i], t[8 + i]);
        u[12 + i] = _mm512_shuffle_i32x4::<0xdd>(t[4 + i], t[12 + i]);
    }
    u
}
