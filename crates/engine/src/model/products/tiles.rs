//! A product as tiles, shared out to the job's threads.

use super::kernel::{self, COLUMNS, Operands, ROWS, TilePlace};
use super::packing::{Matrix, pairs, strips, strips_of_pairs, turned, turned_pairs};
use super::{Operand, Precision, Product, Shape, Start, is_available};
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// Steps that are summed in registers before a tile is written: so much of a panel stays in the
/// first cache.
const DEPTH: usize = 256;
/// Rows and panels that a thread takes at a time.
const BLOCK: usize = 12 * ROWS;
const PANELS: usize = 4;
/// Strips that a thread copies at a time: whole lines of the cache.
const STRIPS: usize = 4;

/// Computes a product. [`is_available`] says where.
pub fn multiply(product: Product, output: &mut [f32]) {
    let Product { shape, left, right, precision, start } = product;
    let Shape { rows, depth, columns } = shape;
    assert!(is_available(), "a product needs AVX-512");
    assert_eq!(left.numbers().len(), rows * depth, "the left operand's size");
    assert_eq!(right.numbers().len(), depth * columns, "the right operand's size");
    assert_eq!(output.len(), rows * columns, "the output's size");
    if let Start::Bias(bias) = start {
        assert_eq!(bias.len(), columns, "the bias's size");
    }
    if rows == 0 || columns == 0 {
        return;
    }
    let steps = match precision {
        Precision::F32 => depth,
        Precision::Bf16 => depth.div_ceil(2),
    };
    let right = panels(shape, right, precision, steps);
    let copy = match left {
        Operand::Turned(numbers) => strips_of_left(shape, numbers, precision, steps),
        Operand::Plain(numbers) if precision == Precision::Bf16 => {
            rows_of_pairs(shape, numbers, steps)
        }
        Operand::Plain(_) => Scratch { memory: vec![], count: 0 },
    };
    let strip = matches!(left, Operand::Turned(_));
    let left = if copy.count == 0 { bits(left.numbers()) } else { copy.numbers() };
    let right = right.numbers();
    let in_software = !is_x86_feature_detected!("avx512bf16");
    let product = PackedProduct { shape, left, strip, right, steps, precision, in_software, start };
    product.write(output);
}

/// The right operand: panels of `COLUMNS` columns, each all steps.
fn panels(shape: Shape, right: Operand, precision: Precision, steps: usize) -> Scratch {
    let mut to = Scratch::of(shape.columns.div_ceil(COLUMNS) * steps * COLUMNS);
    let panels = to.numbers_mut().par_chunks_exact_mut((steps * COLUMNS).max(1)).enumerate();
    panels.for_each(|(panel, to)| {
        let first = panel * COLUMNS;
        let plain = |numbers| Matrix { numbers, width: shape.columns };
        let other = |numbers| Matrix { numbers, width: shape.depth };
        // SAFETY: `multiply` asked for AVX-512.
        unsafe {
            match (right, precision) {
                (Operand::Plain(m), Precision::F32) => strips::<COLUMNS>(plain(m), first, to),
                (Operand::Plain(m), Precision::Bf16) => {
                    strips_of_pairs::<COLUMNS>(plain(m), first, to)
                }
                (Operand::Turned(m), Precision::F32) => turned(other(m), first, to),
                (Operand::Turned(m), Precision::Bf16) => turned_pairs(other(m), first, to),
            }
        }
    });
    to
}

/// A left operand that is turned in memory: strips of `ROWS` of its columns, each all steps.
fn strips_of_left(shape: Shape, numbers: &[f32], precision: Precision, steps: usize) -> Scratch {
    let from = Matrix { numbers, width: shape.rows };
    let mut to = Scratch::of(shape.rows.div_ceil(ROWS) * steps * ROWS);
    let groups = to.numbers_mut().par_chunks_mut((STRIPS * steps * ROWS).max(1)).enumerate();
    groups.for_each(|(group, to)| {
        let first = group * STRIPS * ROWS;
        // SAFETY: `multiply` asked for AVX-512.
        unsafe {
            match precision {
                Precision::F32 => strips::<ROWS>(from, first, to),
                Precision::Bf16 => strips_of_pairs::<ROWS>(from, first, to),
            }
        }
    });
    to
}

/// A left operand's rows in bf16.
fn rows_of_pairs(shape: Shape, numbers: &[f32], steps: usize) -> Scratch {
    let mut to = Scratch::of(shape.rows * steps);
    let rows = to
        .numbers_mut()
        .par_chunks_exact_mut(steps.max(1))
        .zip(numbers.par_chunks_exact(shape.depth.max(1)));
    // SAFETY: `multiply` asked for AVX-512.
    rows.with_min_len(ROWS).for_each(|(to, row)| unsafe { pairs(row, to) });
    to
}

/// A product whose operands are in order.
struct PackedProduct<'a> {
    shape: Shape,
    left: &'a [u32],
    /// Whether the left operand is strips.
    strip: bool,
    right: &'a [u32],
    steps: usize,
    precision: Precision,
    /// Whether products of pairs are not the processor's own.
    in_software: bool,
    start: Start<'a>,
}

/// The output, of which every task writes its own tiles.
struct Output(*mut f32);

// SAFETY: tasks share the pointer and no number behind it.
unsafe impl Sync for Output {}

impl PackedProduct<'_> {
    fn write(&self, output: &mut [f32]) {
        let blocks = self.shape.rows.div_ceil(BLOCK);
        let groups = self.shape.columns.div_ceil(COLUMNS).div_ceil(PANELS);
        let output = Output(output.as_mut_ptr());
        let tasks = (0..blocks * groups).into_par_iter();
        tasks.for_each(|task| self.write_block(task % blocks, task / blocks, &output));
    }

    /// Some rows of some panels.
    fn write_block(&self, block: usize, group: usize, output: &Output) {
        let end = self.shape.rows.min((block + 1) * BLOCK);
        let panels = self.shape.columns.div_ceil(COLUMNS).min((group + 1) * PANELS);
        let parts = self.steps.div_ceil(DEPTH).max(1);
        let part = self.steps.div_ceil(parts);
        for step in (0..parts).map(|i| i * part) {
            for panel in group * PANELS..panels {
                for row in (block * BLOCK..end).step_by(ROWS) {
                    self.write_tile(row, panel, step..self.steps.min(step + part), output);
                }
            }
        }
    }

    /// The sum of some steps of one tile.
    fn write_tile(&self, row: usize, panel: usize, steps: std::ops::Range<usize>, output: &Output) {
        let first = panel * COLUMNS;
        let columns = COLUMNS.min(self.shape.columns - first);
        let left = match self.strip {
            true => &self.left[(row / ROWS * self.steps + steps.start) * ROWS..],
            false => &self.left[row * self.steps + steps.start..],
        };
        let right = &self.right[(panel * self.steps + steps.start) * COLUMNS..];
        let right = &right[..steps.len() * COLUMNS];
        let operands = Operands { depth: steps.len(), left, stride: self.steps, right };
        let start = match self.start {
            _ if steps.start > 0 => Start::Output,
            Start::Bias(bias) => Start::Bias(&bias[first..first + columns]),
            start => start,
        };
        let stride = self.shape.columns;
        // SAFETY: the tile is inside the output, whose size `multiply` checked with those of the
        // operands, and no other task writes to it.
        unsafe {
            let place = TilePlace { first: output.0.add(row * stride + first), stride, columns };
            self.run(ROWS.min(self.shape.rows - row), operands, start, place);
        }
    }

    /// # Safety
    /// As for the kernels.
    unsafe fn run(&self, rows: usize, operands: Operands, start: Start, place: TilePlace) {
        macro_rules! with_rows {
            ($kernel:ident, $strip:literal, $($rows:literal)*) => {
                match rows {
                    // SAFETY: as the caller promises.
                    $($rows => unsafe { kernel::$kernel::<$rows, $strip>(operands, start, place) },)*
                    _ => unreachable!("a tile has no more rows"),
                }
            };
        }
        match (self.precision, self.strip) {
            (Precision::F32, false) => with_rows!(single, false, 1 2 3 4 5 6 7 8),
            (Precision::F32, true) => with_rows!(single, true, 1 2 3 4 5 6 7 8),
            (Precision::Bf16, false) if self.in_software => {
                with_rows!(half_in_software, false, 1 2 3 4 5 6 7 8)
            }
            (Precision::Bf16, true) if self.in_software => {
                with_rows!(half_in_software, true, 1 2 3 4 5 6 7 8)
            }
            (Precision::Bf16, false) => with_rows!(half, false, 1 2 3 4 5 6 7 8),
            (Precision::Bf16, true) => with_rows!(half, true, 1 2 3 4 5 6 7 8),
        }
    }
}

/// The bits of numbers.
fn bits(numbers: &[f32]) -> &[u32] {
    // SAFETY: both are four bytes, and any bits are a number.
    unsafe { std::slice::from_raw_parts(numbers.as_ptr().cast(), numbers.len()) }
}

/// Memory for a copy, which the next product gets again: fresh pages cost more than the copy.
struct Scratch {
    memory: Vec<u32>,
    count: usize,
}

static FREE: Mutex<Vec<Vec<u32>>> = Mutex::new(vec![]);

impl Scratch {
    /// So many numbers of any value.
    fn of(count: usize) -> Self {
        let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut memory = free.pop().unwrap_or_default();
        drop(free);
        // Never shorter than before: what grows is written.
        if memory.len() < count {
            memory.resize(count, 0);
        }
        Self { memory, count }
    }

    fn numbers(&self) -> &[u32] {
        &self.memory[..self.count]
    }

    fn numbers_mut(&mut self) -> &mut [u32] {
        &mut self.memory[..self.count]
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.memory.is_empty() {
            let memory = std::mem::take(&mut self.memory);
            FREE.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
        }
    }
}
