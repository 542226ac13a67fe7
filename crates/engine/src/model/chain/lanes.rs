//! Rows of numbers, one a tag, padded with zeros to whole lanes: loops over a lane have a known
//! length, so they become a few instructions over wide registers, however many tags there are.
//!
//! Products and sums are never fused and always in the same order, so every processor computes the
//! same bits.

/// Numbers a lane.
pub(in crate::model) const LANES: usize = 16;

/// So many numbers side by side.
pub(in crate::model) type Lane = [f64; LANES];

/// The lanes of a row of `tags` numbers.
pub(in crate::model) fn blocks(tags: usize) -> usize {
    tags.div_ceil(LANES)
}

/// A row times a square matrix of as many rows as there are tags.
#[inline(always)]
pub(super) fn times(row: &[Lane], matrix: &[Lane], tags: usize, product: &mut [Lane]) {
    let blocks = product.len();
    let numbers = &row.as_flattened()[..tags];
    for (block, product) in product.iter_mut().enumerate() {
        // Two sums at a time: one alone would wait for each addition.
        let (mut even, mut odd) = ([0.0; LANES], [0.0; LANES]);
        let pairs = numbers.chunks_exact(2);
        let last = pairs.remainder();
        for (rows, pair) in matrix.chunks_exact(2 * blocks).zip(pairs) {
            add(&mut even, pair[0], &rows[block]);
            add(&mut odd, pair[1], &rows[blocks + block]);
        }
        if let [last] = last {
            add(&mut even, *last, &matrix[(tags - 1) * blocks + block]);
        }
        for ((product, even), odd) in product.iter_mut().zip(even).zip(odd) {
            *product = even + odd;
        }
    }
}

/// Adds `Σₜ before[t] ⊗ after[t]` to a square matrix: the rows of `before` down, of `after` across.
#[inline(always)]
pub(super) fn add_outer(matrix: &mut [Lane], tags: usize, before: &[Lane], after: &[Lane]) {
    let blocks = blocks(tags);
    for from in (0..tags).step_by(2) {
        // A row that is padding is computed and dropped, which is cheaper than asking.
        let (lane, place) = (from / LANES, from % LANES);
        for block in 0..blocks {
            let at = from * blocks + block;
            let below = (from + 1 < tags).then_some(at + blocks);
            let (mut first, mut second) = (matrix[at], below.map_or([0.0; LANES], |at| matrix[at]));
            let tokens = before.chunks_exact(blocks).zip(after.chunks_exact(blocks));
            for (before, after) in tokens {
                add(&mut first, before[lane][place], &after[block]);
                add(&mut second, before[lane][(place + 1) % LANES], &after[block]);
            }
            matrix[at] = first;
            if let Some(at) = below {
                matrix[at] = second;
            }
        }
    }
}

/// Two rows multiplied, number by number, and by a factor.
#[inline(always)]
pub(super) fn multiply(product: &mut [Lane], row: &[Lane], by: &[Lane], factor: f64) {
    for ((product, row), by) in product.iter_mut().zip(row).zip(by) {
        // By way of a lane of its own: the compiler cannot know that the rows are not one.
        let mut lane = *row;
        lane.iter_mut().zip(by).for_each(|(number, by)| *number *= by * factor);
        *product = lane;
    }
}

/// Multiplies a row by another, number by number.
#[inline(always)]
pub(super) fn multiply_by(row: &mut [Lane], by: &[Lane]) {
    for (row, by) in row.iter_mut().zip(by) {
        let mut lane = *row;
        lane.iter_mut().zip(by).for_each(|(number, by)| *number *= by);
        *row = lane;
    }
}

/// Multiplies a row by a factor.
#[inline(always)]
pub(super) fn scale(row: &mut [Lane], factor: f64) {
    row.as_flattened_mut().iter_mut().for_each(|number| *number *= factor);
}

/// The sum of a row's numbers.
#[inline(always)]
pub(super) fn total(row: &[Lane]) -> f64 {
    let mut sums = [0.0; LANES];
    row.iter().for_each(|row| add(&mut sums, 1.0, row));
    let mut width = LANES / 2;
    while width > 0 {
        let (low, high) = sums.split_at_mut(width);
        low.iter_mut().zip(high).for_each(|(low, high)| *low += *high);
        width /= 2;
    }
    sums[0]
}

#[inline(always)]
fn add(sums: &mut Lane, factor: f64, numbers: &Lane) {
    sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += factor * number);
}
