//! Attention of each row to itself or to the row of the same number of another text, without
//! padding: one task per row and head.

use super::lanes::{LANES, Lane, add_product, exp, sum};
use super::{Dropping, for_each_processor};
use rayon::prelude::*;
use std::cell::RefCell;

/// Where the rows of a batch are among its places.
pub struct BatchRows {
    /// First place and length of each row.
    rows: Vec<(usize, usize)>,
    places: usize,
    /// Shares of all rows, for one head.
    all: usize,
}

impl BatchRows {
    /// Rows of these lengths, one behind the other.
    pub fn new(lengths: &[usize]) -> Self {
        let (mut places, mut all) = (0, 0);
        let mut rows = Vec::with_capacity(lengths.len());
        for &length in lengths {
            rows.push((places, length));
            places += length;
            all += length * padded(length);
        }
        Self { rows, places, all }
    }

    /// The places of all rows.
    pub fn places(&self) -> usize {
        self.places
    }
}

/// A number of neighbouring keys, filled up to whole lanes.
fn padded(length: usize) -> usize {
    length.next_multiple_of(LANES)
}

/// Columns of a matrix of places.
#[derive(Copy, Clone)]
pub struct MatrixPart<'a> {
    pub numbers: &'a [f32],
    /// Numbers from one place to the next.
    pub stride: usize,
    /// The first column.
    pub first: usize,
}

/// How rows attend.
#[derive(Copy, Clone)]
pub struct Attention<'a> {
    pub rows: &'a BatchRows,
    pub heads: usize,
    /// Columns per head.
    pub width: usize,
    /// Whether a place attends to those before it and itself alone.
    pub causal: bool,
    pub dropping: Option<Dropping>,
}

/// Columns that tasks write, each its own places and columns.
struct Target {
    numbers: *mut f32,
    stride: usize,
    first: usize,
}

// SAFETY: tasks share the pointer and no number behind it.
unsafe impl Sync for Target {}

impl Target {
    fn new(numbers: &mut [f32], stride: usize, first: usize) -> Self {
        Self { numbers: numbers.as_mut_ptr(), stride, first }
    }

    /// Writes a head's columns of one place.
    ///
    /// # Safety
    /// The place and the columns are inside the matrix, and no other task writes them.
    unsafe fn write(&self, place: usize, column: usize, numbers: &[f32]) {
        // SAFETY: as the caller promises.
        unsafe {
            let to = self.numbers.add(place * self.stride + self.first + column);
            std::ptr::copy_nonoverlapping(numbers.as_ptr(), to, numbers.len());
        }
    }
}

/// Where gradients are written: side by side, in the order of query, key and value.
pub enum Gradients<'a> {
    /// All three.
    Own(&'a mut [f32]),
    /// The query's alone, then key and value.
    Cross([&'a mut [f32]; 2]),
}

impl Gradients<'_> {
    fn targets(self, width: usize, places: usize) -> [Target; 3] {
        match self {
            Gradients::Own(all) => {
                assert_eq!(all.len(), 3 * width * places, "the gradients' size");
                [0, 1, 2].map(|i| Target::new(all, 3 * width, i * width))
            }
            Gradients::Cross([query, rest]) => {
                assert_eq!([query.len(), rest.len()], [width * places, 2 * width * places]);
                let [key, value] = [0, 1].map(|i| Target::new(rest, 2 * width, i * width));
                [Target::new(query, width, 0), key, value]
            }
        }
    }
}

/// A task's memory.
#[derive(Default)]
struct Desk {
    turned: Vec<f32>,
    values: Vec<f32>,
    scores: Vec<f32>,
    output: Vec<f32>,
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::default();
}

impl Attention<'_> {
    /// Shares of all rows and heads. A share that dropout drops is negative.
    pub fn shares(&self) -> usize {
        self.heads * self.rows.all
    }

    /// What each place takes: places × (heads·width). Writes the shares, too.
    pub fn forward(
        &self,
        [query, key, value]: [MatrixPart; 3],
        shares: &mut [f32],
        taken: &mut [f32],
    ) {
        assert_eq!(taken.len(), self.rows.places * self.heads * self.width, "the output's size");
        let target = Target::new(taken, self.heads * self.width, 0);
        self.for_each_head(shares, |row, head, shares| {
            let (first, length) = self.rows.rows[row];
            let column = head * self.width;
            DESK.with_borrow_mut(|desk| {
                let Desk { turned, values, output, .. } = desk;
                let size = Size { length, width: self.width };
                let part = |part| Head { part, place: first, column };
                turn(part(key), size, turned);
                copy(part(value), size, values);
                let scale = 1.0 / (self.width as f32).sqrt();
                scores(part(query), turned, size, scale, shares);
                soften(shares, length, self.causal);
                let number = (row * self.heads + head) as u64;
                let kept = self.drop_some(number, shares);
                reserve(output, length * size.padded_width());
                combine(shares, [padded(length), 1], values, size, kept, true, output);
                // SAFETY: this task's places and columns.
                unsafe { write(output, size, &target, first, column) };
            });
        });
    }

    /// Marks dropped shares; the factor of the others.
    fn drop_some(&self, number: u64, shares: &mut [f32]) -> f32 {
        let Some(dropping) = self.dropping else { return 1.0 };
        dropping.stream(number, shares, |share, kept| {
            *share = f32::from_bits(share.to_bits() | (u32::from(!kept) << 31));
        });
        dropping.kept()
    }

    /// Writes the gradients of query, key and value, given that of what was taken.
    pub fn back(
        &self,
        [query, key, value]: [MatrixPart; 3],
        shares: &mut [f32],
        gradient: &[f32],
        gradients: Gradients,
    ) {
        let kept = self.dropping.map_or(1.0, Dropping::kept);
        let all = self.heads * self.width;
        let [of_query, of_key, of_value] = gradients.targets(all, self.rows.places);
        let gradient = MatrixPart { numbers: gradient, stride: all, first: 0 };
        self.for_each_head(shares, |row, head, shares| {
            let (first, length) = self.rows.rows[row];
            let (column, size) = (head * self.width, Size { length, width: self.width });
            let part = |part| Head { part, place: first, column };
            DESK.with_borrow_mut(|desk| {
                let Desk { turned, values, scores: slopes, output } = desk;
                let keys = padded(length);
                reserve(output, length * size.padded_width());
                reserve(slopes, length * keys);
                turn(part(value), size, turned);
                scores(part(gradient), turned, size, 1.0, slopes);
                soften_back(shares, slopes, length, kept, 1.0 / (self.width as f32).sqrt());
                // SAFETY: this task's places and columns, in each of the three.
                unsafe {
                    copy(part(gradient), size, values);
                    combine(shares, [1, keys], values, size, kept, true, output);
                    write(output, size, &of_value, first, column);
                    copy(part(key), size, values);
                    combine(slopes, [keys, 1], values, size, 1.0, false, output);
                    write(output, size, &of_query, first, column);
                    copy(part(query), size, values);
                    combine(slopes, [1, keys], values, size, 1.0, false, output);
                    write(output, size, &of_key, first, column);
                }
            });
        });
    }

    /// Runs a task per row and head, with its part of the shares.
    fn for_each_head(&self, shares: &mut [f32], task: impl Fn(usize, usize, &mut [f32]) + Sync) {
        let mut parts = Vec::with_capacity(self.rows.rows.len() * self.heads);
        let mut rest = shares;
        for (row, &(_, length)) in self.rows.rows.iter().enumerate() {
            for head in 0..self.heads {
                let (part, behind) = rest.split_at_mut(length * padded(length));
                parts.push((row, head, part));
                rest = behind;
            }
        }
        let tasks = parts.into_par_iter().filter(|(.., shares)| !shares.is_empty());
        tasks.for_each(|(row, head, shares)| task(row, head, shares));
    }
}

/// One head of one row.
#[derive(Copy, Clone)]
struct Head<'a> {
    part: MatrixPart<'a>,
    place: usize,
    column: usize,
}

impl<'a> Head<'a> {
    #[inline(always)]
    fn at(&self, place: usize, width: usize) -> &'a [f32] {
        let MatrixPart { numbers, stride, first } = self.part;
        &numbers[(self.place + place) * stride + first + self.column..][..width]
    }
}

#[derive(Copy, Clone)]
struct Size {
    length: usize,
    width: usize,
}

impl Size {
    fn padded_width(self) -> usize {
        padded(self.width)
    }
}

/// Makes room for at least so many numbers.
fn reserve(memory: &mut Vec<f32>, count: usize) {
    if memory.len() < count {
        memory.resize(count, 0.0);
    }
}

/// A head's columns as rows: width × padded length, zeros beyond the length.
fn turn(head: Head, size: Size, to: &mut Vec<f32>) {
    let keys = padded(size.length);
    reserve(to, size.width * keys);
    for place in 0..keys {
        match place < size.length {
            true => {
                let from = head.at(place, size.width);
                from.iter().enumerate().for_each(|(i, number)| to[i * keys + place] = *number);
            }
            false => (0..size.width).for_each(|i| to[i * keys + place] = 0.0),
        }
    }
}

/// A head's columns: length × padded width, zeros beyond the width.
fn copy(head: Head, size: Size, to: &mut Vec<f32>) {
    let width = size.padded_width();
    reserve(to, size.length * width);
    for (place, to) in to.chunks_exact_mut(width).take(size.length).enumerate() {
        to[..size.width].copy_from_slice(head.at(place, size.width));
        to[size.width..].fill(0.0);
    }
}

/// # Safety
/// As for [`Target::write`].
unsafe fn write(numbers: &[f32], size: Size, target: &Target, first: usize, column: usize) {
    let rows = numbers.chunks_exact(size.padded_width()).take(size.length);
    for (place, row) in rows.enumerate() {
        // SAFETY: as the caller promises.
        unsafe { target.write(first + place, column, &row[..size.width]) };
    }
}

#[inline(always)]
fn lane(numbers: &[f32]) -> &Lane {
    numbers[..LANES].as_array().expect("a whole lane")
}

/// Rows that are computed together, so that a lane of the other operand is loaded once for all.
const TOGETHER: usize = 4;

for_each_processor! {
    /// The products of each place with each column of `turned`, times `scale`: length × padded
    /// length.
    fn scores(head: Head, turned: &[f32], size: Size, scale: f32, output: &mut [f32]) {
        let keys = padded(size.length);
        let mut place = 0;
        while place < size.length {
            let rows: [&[f32]; TOGETHER] = std::array::from_fn(|i| {
                head.at((place + i).min(size.length - 1), size.width)
            });
            for key in (0..keys).step_by(LANES) {
                let mut sums = [[0.0; LANES]; TOGETHER];
                for k in 0..size.width {
                    let column = lane(&turned[k * keys + key..]);
                    for i in 0..TOGETHER {
                        let number = rows[i][k];
                        for j in 0..LANES {
                            sums[i][j] = add_product::<FUSED>(number, column[j], sums[i][j]);
                        }
                    }
                }
                for (i, sums) in sums.into_iter().enumerate().take(size.length - place) {
                    let to = &mut output[(place + i) * keys + key..][..LANES];
                    to.copy_from_slice(&sums.map(|sum| sum * scale));
                }
            }
            place += TOGETHER;
        }
    }
}

for_each_processor! {
    /// The softmax of each place's scores; zeros beyond the length, and ahead where `causal`.
    fn soften(scores: &mut [f32], length: usize, causal: bool) {
        for (place, row) in scores.chunks_exact_mut(padded(length)).enumerate() {
            let seen = if causal { place + 1 } else { length };
            let highest = row[..seen].iter().fold(f32::NEG_INFINITY, |a, &b| if b > a { b } else { a });
            for score in &mut row[..seen] {
                *score = exp::<FUSED>(*score - highest);
            }
            row[seen..].fill(0.0);
            let factor = 1.0 / sum(row.len(), |i| row[i]);
            row.iter_mut().for_each(|share| *share *= factor);
        }
    }
}

for_each_processor! {
    /// From the gradients of what each share weighed to those of the scores.
    fn soften_back(shares: &[f32], slopes: &mut [f32], length: usize, kept: f32, scale: f32) {
        let keys = padded(length);
        for (shares, slopes) in shares.chunks_exact(keys).zip(slopes.chunks_exact_mut(keys)) {
            for i in 0..keys {
                // Dropped shares weighed nothing.
                let slope = slopes[i] * kept;
                slopes[i] = if shares[i].is_sign_negative() { 0.0 } else { slope };
            }
            let mean = sum(keys, |i| shares[i].abs() * slopes[i]);
            for i in 0..keys {
                slopes[i] = shares[i].abs() * (slopes[i] - mean) * scale;
            }
        }
    }
}

for_each_processor! {
    /// Row `i` of the output is the sum of the rows of `values`, each times its weight, whose
    /// strides are given; negative weights count as 0 where they are `shares`.
    fn combine(
        weights: &[f32],
        strides: [usize; 2],
        values: &[f32],
        size: Size,
        factor: f32,
        are_shares: bool,
        output: &mut [f32],
    ) {
        let width = size.padded_width();
        let mut place = 0;
        while place < size.length {
            let rows: [usize; TOGETHER] =
                std::array::from_fn(|i| (place + i).min(size.length - 1) * strides[0]);
            for column in (0..width).step_by(LANES) {
                let mut sums = [[0.0; LANES]; TOGETHER];
                for k in 0..size.length {
                    let value = lane(&values[k * width + column..]);
                    for i in 0..TOGETHER {
                        let weight = weights[rows[i] + k * strides[1]];
                        let weight = if are_shares { weight.max(0.0) } else { weight };
                        for j in 0..LANES {
                            sums[i][j] = add_product::<FUSED>(weight, value[j], sums[i][j]);
                        }
                    }
                }
                for (i, sums) in sums.into_iter().enumerate().take(size.length - place) {
                    let to = &mut output[(place + i) * width + column..][..LANES];
                    to.copy_from_slice(&sums.map(|sum| sum * factor));
                }
            }
            place += TOGETHER;
        }
    }
}
