//! Products of matrices by AVX-512, in 32-bit numbers or in bf16 with 32-bit sums.
//!
//! Measured on one core of an AMD EPYC (family 26) at the sizes of MiniLM's layers, the best of 25
//! runs: 250 to 260 GFLOP/s in f32, where MKL, which computes LibTorch's products, has 105 to 119
//! and the processor 268. In bf16 they have 450 to 500, and oneDNN 480 to 520: what is saved there
//! are the casts, which happen while an operand is copied, and the sums stay in 32 bits. Where
//! there is no AVX-512 LibTorch computes instead.
//!
//! The right operand is copied into panels of columns, the left one is read as it is, or copied
//! into strips where it is turned. One thread sums each number of the product in one order, so the
//! product has the same bits whatever the number of threads.

#[cfg(target_arch = "x86_64")]
mod kernel;
#[cfg(target_arch = "x86_64")]
mod packing;
#[cfg(target_arch = "x86_64")]
mod tiles;

#[cfg(test)]
mod tests;

pub use domain::Precision;
#[cfg(target_arch = "x86_64")]
#[cfg_attr(
    not(feature = "libtorch"),
    allow(unused_imports, reason = "only LibTorch's tensors")
)]
pub use tiles::multiply;

/// The size of a product: `rows` × `depth` times `depth` × `columns`.
#[derive(Copy, Clone, Debug)]
pub struct Shape {
    pub rows: usize,
    pub depth: usize,
    pub columns: usize,
}

/// A matrix by rows, one behind the other: as the product needs it, or turned.
#[derive(Copy, Clone)]
pub enum Operand<'a> {
    Plain(&'a [f32]),
    Turned(&'a [f32]),
}

impl<'a> Operand<'a> {
    /// The numbers as they are in memory.
    pub fn numbers(self) -> &'a [f32] {
        match self {
            Operand::Plain(numbers) | Operand::Turned(numbers) => numbers,
        }
    }
}

/// What a product is added to.
#[derive(Copy, Clone)]
pub enum Start<'a> {
    Zero,
    /// One number per column.
    Bias(&'a [f32]),
    /// The numbers that the output has.
    Output,
}

/// What is multiplied, in which precision, and what it is added to.
#[derive(Copy, Clone)]
pub struct Product<'a> {
    pub shape: Shape,
    pub left: Operand<'a>,
    pub right: Operand<'a>,
    pub precision: Precision,
    pub start: Start<'a>,
}

/// Whether this processor multiplies so. One with AVX-512 but without products in bf16 computes
/// them in software, no faster than in f32.
pub fn is_available() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

/// Never called: there is no processor of this kind that can.
#[cfg(not(target_arch = "x86_64"))]
pub fn multiply(_: Product, _: &mut [f32]) {
    unreachable!("`is_available` says no");
}
