//! Matrix products in tiles whose sums stay in registers.
//!
//! A number of a product is one sum in the order of its terms, whichever tile it is in: so it does
//! not depend on what else is computed, nor on the threads.

use super::vectors::Vector;
use std::mem::MaybeUninit;

/// Vectors across the largest tile.
pub const COLUMNS: usize = 4;

/// The product of some rows with a panel of `depth` × (C vectors). Numbers of a row are `stride`
/// apart.
///
/// # Safety
/// As [`Vector`]; rows and panel have numbers for the depth.
#[inline(always)]
pub unsafe fn tile<V: Vector, const R: usize, const C: usize>(
    rows: [*const f32; R],
    stride: usize,
    panel: *const f32,
    depth: usize,
) -> [[V; C]; R] {
    unsafe {
        let mut sums = [[V::splat(0.0); C]; R];
        for k in 0..depth {
            let across = load_all::<V, C>(panel.add(k * C * V::LANES));
            for r in 0..R {
                let factor = V::splat(*rows[r].add(k * stride));
                for c in 0..C {
                    sums[r][c] = factor.times_plus(across[c], sums[r][c]);
                }
            }
        }
        sums
    }
}

/// Vectors one after the other.
///
/// # Safety
/// As [`Vector`].
#[inline(always)]
pub unsafe fn load_all<V: Vector, const C: usize>(from: *const f32) -> [V; C] {
    unsafe {
        let mut vectors = [V::splat(0.0); C];
        for (c, vector) in vectors.iter_mut().enumerate() {
            *vector = V::load(from.add(c * V::LANES));
        }
        vectors
    }
}

/// Runs a body with the rows of a tile as a constant.
macro_rules! with_rows {
    ($vector:ident, $count:expr, $rows:ident => $body:expr) => {
        match $count {
            1 => {
                const $rows: usize = 1;
                $body
            }
            2 => {
                const $rows: usize = 2;
                $body
            }
            3 if $vector::ROWS >= 3 => {
                const $rows: usize = 3;
                $body
            }
            4 if $vector::ROWS >= 4 => {
                const $rows: usize = 4;
                $body
            }
            5 if $vector::ROWS >= 5 => {
                const $rows: usize = 5;
                $body
            }
            6 if $vector::ROWS >= 6 => {
                const $rows: usize = 6;
                $body
            }
            rows => unreachable!("a tile of {rows} rows"),
        }
    };
}

/// Runs a body with the vectors across a tile as a constant.
macro_rules! with_columns {
    ($count:expr, $columns:ident => $body:expr) => {
        match $count {
            1 => {
                const $columns: usize = 1;
                $body
            }
            2 => {
                const $columns: usize = 2;
                $body
            }
            3 => {
                const $columns: usize = 3;
                $body
            }
            4 => {
                const $columns: usize = 4;
                $body
            }
            columns => unreachable!("a tile of {columns} vectors"),
        }
    };
}

pub(super) use {with_columns, with_rows};

/// Cuts `count` into parts of at most `most`, as equal as can be: where each begins, and its size.
pub fn parts(count: usize, most: usize) -> impl Iterator<Item = (usize, usize)> {
    let parts = count.div_ceil(most);
    (0..parts).map(move |part| {
        let at = |part: usize| part * count / parts;
        (at(part), at(part + 1) - at(part))
    })
}

/// A cache line.
#[derive(Copy, Clone)]
#[repr(C, align(64))]
struct Line([f32; 16]);

/// Memory for numbers, aligned to cache lines; what it holds at first is not defined.
pub struct Memory(Vec<MaybeUninit<Line>>);

impl Memory {
    pub fn new(numbers: usize) -> Self {
        let lines = numbers.div_ceil(16);
        let mut memory = Vec::with_capacity(lines);
        // SAFETY: the capacity is there, and such lines need not be initialised.
        unsafe { memory.set_len(lines) };
        Self(memory)
    }

    pub fn numbers(&self) -> *const f32 {
        self.0.as_ptr().cast()
    }

    pub fn pointer(&mut self) -> Pointer {
        Pointer(self.0.as_mut_ptr().cast())
    }
}

/// Numbers that several threads write, each its own.
#[derive(Copy, Clone)]
pub struct Pointer(*mut f32);

// SAFETY: whoever writes through it says why nobody else does so at the same place.
unsafe impl Send for Pointer {}
// SAFETY: the same.
unsafe impl Sync for Pointer {}

impl Pointer {
    pub fn to(numbers: &mut [f32]) -> Self {
        Self(numbers.as_mut_ptr())
    }

    /// # Safety
    /// As `pointer::add`.
    #[inline(always)]
    pub unsafe fn at(self, place: usize) -> *mut f32 {
        unsafe { self.0.add(place) }
    }
}

/// The right side of a product in panels: depth × (vectors of the panel), one panel after the
/// other.
pub struct Panels {
    memory: Memory,
    depth: usize,
    lanes: usize,
    /// The first vector of each panel, and how many it has.
    pub parts: Vec<(usize, usize)>,
}

impl Panels {
    /// A matrix of `depth` × `width`, whose rows `row` copies: the row's number, from which column
    /// on, and where to. Columns behind the width are zeros.
    pub fn new(
        depth: usize,
        width: usize,
        lanes: usize,
        row: impl Fn(usize, usize, &mut [f32]),
    ) -> Self {
        let vectors = width.div_ceil(lanes);
        let mut memory = Memory::new(depth * vectors * lanes);
        let parts: Vec<_> = parts(vectors, COLUMNS).collect();
        let numbers = memory.pointer();
        for &(first, count) in &parts {
            let across = count * lanes;
            let real = across.min(width - first * lanes);
            for k in 0..depth {
                // SAFETY: each panel has `depth` such rows, after those of the panels before it.
                let to = unsafe {
                    let at = numbers.at(first * lanes * depth + k * across);
                    at.write_bytes(0, across);
                    std::slice::from_raw_parts_mut(at, real)
                };
                row(k, first * lanes, to);
            }
        }
        Self { memory, depth, lanes, parts }
    }

    /// The numbers of the panel that begins with this vector.
    #[inline(always)]
    pub fn panel(&self, first: usize) -> *const f32 {
        // SAFETY: inside the memory, as in `new`.
        unsafe { self.memory.numbers().add(first * self.lanes * self.depth) }
    }
}

// SAFETY: nobody changes the numbers once they are there.
unsafe impl Sync for Panels {}
