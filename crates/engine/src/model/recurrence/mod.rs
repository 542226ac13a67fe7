//! The recurrence of an LSTM in both directions over rows of several lengths, forward and backward,
//! without padding.
//!
//! Rows are read longest first, so that those still read at a step are the first ones. What does
//! not depend on the step before is one product over all places: the inputs' part of the gates, and
//! the gradients of weights and inputs. A step is one product of the hidden states with their
//! weights, and the gates are computed while its sums are in registers.
//!
//! Gates are stored in blocks of units: the input gates of as many units as a vector has lanes,
//! then their forget gates, cell gates and output gates, then those of the next units.

mod backward;
mod forward;
#[cfg(test)]
mod tests;
mod tiles;
mod vectors;

use tiles::{Memory, Panels, Pointer};
use vectors::Instructions;

pub use backward::{Targets, backward};
pub use forward::forward;

/// Gates of a unit.
const GATES: usize = 4;

/// The weights of one direction, as LibTorch has them: input, forget, cell and output gates below
/// each other.
#[derive(Copy, Clone)]
pub struct Weights<'a> {
    /// 4·hidden × input
    pub input: &'a [f32],
    /// 4·hidden × hidden
    pub hidden: &'a [f32],
    pub input_bias: &'a [f32],
    pub hidden_bias: &'a [f32],
}

impl Weights<'_> {
    /// Panics if they are of another shape.
    fn check(&self, shape: &RecurrenceShape) {
        assert_eq!(self.input.len(), GATES * shape.hidden * shape.input);
        assert_eq!(self.hidden.len(), GATES * shape.hidden * shape.hidden);
        let biases = [self.input_bias, self.hidden_bias];
        assert!(biases.iter().all(|bias| bias.len() == GATES * shape.hidden));
    }
}

/// The sizes of a recurrence, and how units are blocked.
#[derive(Copy, Clone)]
pub struct RecurrenceShape {
    /// Numbers per place that are read.
    pub input: usize,
    /// Units per direction.
    pub hidden: usize,
    instructions: Instructions,
    lanes: usize,
    /// Vectors that hold the units.
    blocks: usize,
}

impl RecurrenceShape {
    /// For the instructions of this processor.
    pub fn here(input: usize, hidden: usize) -> Self {
        Self::new(input, hidden, Instructions::here())
    }

    fn new(input: usize, hidden: usize, instructions: Instructions) -> Self {
        let lanes = instructions.lanes();
        Self { input, hidden, instructions, lanes, blocks: hidden.div_ceil(lanes) }
    }

    /// Units, filled up to whole vectors.
    #[inline(always)]
    fn units(&self) -> usize {
        self.blocks * self.lanes
    }

    /// Numbers of a place's gates.
    #[inline(always)]
    fn gates(&self) -> usize {
        GATES * self.units()
    }

    /// Real units of a block.
    #[inline(always)]
    fn units_of(&self, block: usize) -> usize {
        self.lanes.min(self.hidden - block * self.lanes)
    }

    /// The row of the weights for a gate's place in the blocks; `None` for what fills up a vector.
    fn row(&self, place: usize) -> Option<usize> {
        let (block, rest) = (place / (GATES * self.lanes), place % (GATES * self.lanes));
        let unit = block * self.lanes + rest % self.lanes;
        (unit < self.hidden).then(|| rest / self.lanes * self.hidden + unit)
    }
}

/// Rows in the order in which they are read.
struct Order {
    /// Where each row begins, and its length; the longest first.
    rows: Vec<(usize, usize)>,
    /// Rows that are still read at each step.
    active: Vec<usize>,
}

impl Order {
    /// The rows of these numbers among rows of these lengths.
    fn new(rows: &[(usize, usize)]) -> Self {
        let mut rows: Vec<_> = rows.iter().copied().filter(|(_, length)| *length > 0).collect();
        rows.sort_by_key(|&(_, length)| std::cmp::Reverse(length));
        let steps = rows.first().map_or(0, |&(_, length)| length);
        let mut active = vec![rows.len(); steps];
        let mut left = rows.len();
        for (step, active) in active.iter_mut().enumerate() {
            while rows[left - 1].1 <= step {
                left -= 1;
            }
            *active = left;
        }
        Self { rows, active }
    }

    /// Where a row is at a step of a direction.
    #[inline(always)]
    fn place(&self, row: usize, step: usize, direction: usize) -> usize {
        let (start, length) = self.rows[row];
        if direction == 0 { start + step } else { start + length - 1 - step }
    }

    /// The rows cut into groups for so many threads that take both directions.
    fn groups(lengths: &[usize], threads: usize) -> Vec<Self> {
        let starts = lengths.iter().scan(0, |next, &length| {
            *next += length;
            Some((*next - length, length))
        });
        let mut rows: Vec<(usize, usize)> = starts.collect();
        rows.sort_by_key(|&(_, length)| std::cmp::Reverse(length));
        let groups = threads.div_ceil(2).min(rows.len().div_ceil(FEWEST_ROWS)).max(1);
        let group = |first: usize| -> Vec<(usize, usize)> {
            rows.iter().copied().skip(first).step_by(groups).collect()
        };
        (0..groups).map(|first| Self::new(&group(first))).collect()
    }
}

/// Rows that are worth a thread's reading of all weights.
const FEWEST_ROWS: usize = 6;

/// What the forward pass leaves to the backward pass.
pub struct ForwardTape {
    shape: RecurrenceShape,
    lengths: Vec<usize>,
    /// For each direction the gates of every place, and the cells.
    gates: [Memory; 2],
    cells: [Memory; 2],
}

/// Does every task, with as many threads as the job has.
fn each<T: Send + Sync>(tasks: &[T], of: impl Fn(&T) + Send + Sync) {
    use rayon::prelude::*;
    match rayon::current_num_threads() {
        1 => tasks.iter().for_each(of),
        _ => tasks.par_iter().with_max_len(1).for_each(of),
    }
}
