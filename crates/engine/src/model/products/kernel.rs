//! The innermost loop: a tile of the product in registers.

use super::Start;
use std::arch::x86_64::*;

/// Rows and columns of a tile: 24 registers of sums, three of the right operand, one of the left.
pub const ROWS: usize = 8;
pub const COLUMNS: usize = 48;

/// The operands of a tile. In bf16 a number is a pair of them.
#[derive(Copy, Clone)]
pub struct Operands<'a> {
    pub depth: usize,
    /// By rows, `stride` numbers apart; or a strip, `ROWS` numbers per step.
    pub left: &'a [u32],
    pub stride: usize,
    /// `COLUMNS` numbers per step.
    pub right: &'a [u32],
}

/// Where a tile goes.
#[derive(Copy, Clone)]
pub struct TilePlace {
    pub first: *mut f32,
    /// Numbers from one row to the next.
    pub stride: usize,
    /// Columns that are not padding.
    pub columns: usize,
}

macro_rules! kernel {
    ($name:ident, $features:literal, $multiply:expr) => {
        /// Writes the sum of a tile's start and its product.
        ///
        /// # Safety
        /// The left operand has `R` rows, the right one `COLUMNS` columns, both `depth` steps; the place has
        /// `R` rows of its columns, which nobody else reads or writes now; a bias has its columns.
        #[target_feature(enable = $features)]
        pub unsafe fn $name<const R: usize, const STRIP: bool>(
            operands: Operands,
            start: Start,
            place: TilePlace,
        ) {
            let mut sums = [[_mm512_setzero_ps(); 3]; R];
            let (left, right) = (operands.left.as_ptr(), operands.right.as_ptr());
            let (row, step) = if STRIP { (1, ROWS) } else { (operands.stride, 1) };
            // SAFETY: the caller promises the sizes, and the mask leaves out columns that are not
            // there.
            unsafe {
                for k in 0..operands.depth {
                    let right = right.add(k * COLUMNS);
                    let columns = [
                        _mm512_loadu_si512(right.cast()),
                        _mm512_loadu_si512(right.add(16).cast()),
                        _mm512_loadu_si512(right.add(32).cast()),
                    ];
                    for i in 0..R {
                        let number = _mm512_set1_epi32(*left.add(i * row + k * step) as i32);
                        for j in 0..3 {
                            sums[i][j] = $multiply(sums[i][j], number, columns[j]);
                        }
                    }
                }
                for j in 0..3 {
                    let there = place.columns.saturating_sub(16 * j);
                    let mask: __mmask16 = if there >= 16 { !0 } else { (1 << there) - 1 };
                    let bias = match start {
                        Start::Bias(bias) => {
                            _mm512_maskz_loadu_ps(mask, bias.as_ptr().wrapping_add(16 * j))
                        }
                        _ => _mm512_setzero_ps(),
                    };
                    for (i, sums) in sums.iter().enumerate() {
                        let at = place.first.wrapping_add(i * place.stride + 16 * j);
                        let before = match start {
                            Start::Output => _mm512_maskz_loadu_ps(mask, at),
                            _ => bias,
                        };
                        _mm512_mask_storeu_ps(at, mask, _mm512_add_ps(before, sums[j]));
                    }
                }
            }
        }
    };
}

kernel!(single, "avx512f", |sum, left, right| {
    _mm512_fmadd_ps(_mm512_castsi512_ps(left), _mm512_castsi512_ps(right), sum)
});

kernel!(half, "avx512f,avx512bf16", |sum, left, right| {
    // The same 512 bits under another name.
    let [left, right] =
        [left, right].map(|pairs: __m512i| std::mem::transmute::<_, __m512bh>(pairs));
    _mm512_dpbf16_ps(sum, left, right)
});

// The same where the processor has no products of pairs: a product of two bf16 numbers is exact in
// 32 bits.
kernel!(half_in_software, "avx512f", |sum, left, right| {
    let high = |pairs| _mm512_castsi512_ps(_mm512_and_si512(pairs, _mm512_set1_epi32(!0xffff)));
    let low = |pairs| _mm512_castsi512_ps(_mm512_slli_epi32::<16>(pairs));
    _mm512_fmadd_ps(low(left), low(right), _mm512_fmadd_ps(high(left), high(right), sum))
});
