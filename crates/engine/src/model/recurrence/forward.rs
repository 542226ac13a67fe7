//! The states of every place.

use super::tiles::{load_all, parts, tile, with_rows};
use super::vectors::{Pass, Vector};
use super::*;

/// Places of a task.
const PLACES: usize = 96;

/// Writes the hidden states of both directions, places × 2·hidden; `vectors` are places × input,
/// the rows one after the other. What a backward pass needs is kept if it is asked for.
pub fn forward(
    shape: RecurrenceShape,
    lengths: &[usize],
    vectors: &[f32],
    weights: [Weights<'_>; 2],
    states: &mut [f32],
    keep: bool,
) -> Option<ForwardTape> {
    let places: usize = lengths.iter().sum();
    assert_eq!(vectors.len(), places * shape.input, "vectors of every place");
    assert_eq!(states.len(), places * 2 * shape.hidden, "room for the states of every place");
    let mut gates = [(); 2].map(|()| Memory::new(places * shape.gates()));
    let to_gates = gates.each_mut().map(Memory::pointer);
    let packed = Packed::both(&shape, &weights);
    project(shape, vectors, &packed, to_gates, places);
    let cells = if keep { places } else { lengths.len() } * shape.units();
    let mut cells = [(); 2].map(|()| Memory::new(cells));
    let to = [to_gates, cells.each_mut().map(Memory::pointer)];
    through_steps(shape, lengths, &packed, to, Pointer::to(states), keep);
    keep.then(|| ForwardTape { shape, lengths: lengths.to_vec(), gates, cells })
}

/// Writes the part of the gates that comes from the vectors.
fn project(
    shape: RecurrenceShape,
    vectors: &[f32],
    packed: &[Packed; 2],
    gates: [Pointer; 2],
    places: usize,
) {
    let projections: Vec<Projection> = packed
        .iter()
        .zip(gates)
        .flat_map(|(packed, gates)| {
            parts(places, PLACES).map(move |(first, count)| Projection {
                shape,
                vectors: vectors.as_ptr(),
                panels: packed.input.numbers(),
                bias: packed.bias.numbers(),
                gates,
                first,
                count,
            })
        })
        .collect();
    // SAFETY: each writes the gates of its own places.
    each(&projections, |pass| unsafe { shape.instructions.run(pass) });
}

/// All steps of both directions.
fn through_steps(
    shape: RecurrenceShape,
    lengths: &[usize],
    packed: &[Packed; 2],
    [gates, cells]: [[Pointer; 2]; 2],
    states: Pointer,
    keep: bool,
) {
    let groups = Order::groups(lengths, rayon::current_num_threads());
    let mut recurrences = Vec::new();
    let mut first_row = 0;
    for order in &groups {
        recurrences.extend([0, 1].map(|direction| Recurrence {
            shape,
            order,
            direction,
            panels: packed[direction].hidden.numbers(),
            gates: gates[direction],
            cells: cells[direction],
            states,
            first_row: (!keep).then_some(first_row),
        }));
        first_row += order.rows.len();
    }
    // SAFETY: each writes the gates, cells and states of its own direction and rows.
    each(&recurrences, |pass| unsafe { shape.instructions.run(pass) });
}

/// The weights of a direction, in the order in which tiles read them.
struct Packed {
    /// For each block of units input × gates of the block.
    input: Memory,
    /// For each block of units hidden × gates of the block.
    hidden: Memory,
    /// Both biases added.
    bias: Memory,
}

impl Packed {
    /// The weights of both directions.
    fn both(shape: &RecurrenceShape, weights: &[Weights<'_>; 2]) -> [Self; 2] {
        weights.iter().for_each(|weights| weights.check(shape));
        let mut packed = [(); 2].map(|()| Self::new(shape));
        let pointers = packed.each_mut().map(Packed::pointers);
        let blocks: Vec<(usize, usize)> = (0..2)
            .flat_map(|direction| (0..shape.blocks).map(move |block| (direction, block)))
            .collect();
        // SAFETY: each block of a direction is written by one task.
        each(&blocks, |&(direction, block)| unsafe {
            pack(shape, &weights[direction], pointers[direction], block);
        });
        packed
    }

    fn new(shape: &RecurrenceShape) -> Self {
        Self {
            input: Memory::new(shape.input * shape.gates()),
            hidden: Memory::new(shape.hidden * shape.gates()),
            bias: Memory::new(shape.gates()),
        }
    }

    fn pointers(&mut self) -> [Pointer; 3] {
        [&mut self.input, &mut self.hidden, &mut self.bias].map(Memory::pointer)
    }
}

/// Packs the weights of one block of units.
///
/// # Safety
/// The pointers are those of a `Packed` of this shape, and nobody else writes this block.
unsafe fn pack(
    shape: &RecurrenceShape,
    weights: &Weights<'_>,
    [input, hidden, bias]: [Pointer; 3],
    block: usize,
) {
    let across = GATES * shape.lanes;
    for (matrix, to, depth) in
        [(weights.input, input, shape.input), (weights.hidden, hidden, shape.hidden)]
    {
        let to = unsafe { to.at(block * depth * across) };
        for k in (0..depth).step_by(SQUARE) {
            let some = SQUARE.min(depth - k);
            for column in 0..across {
                match shape.row(block * across + column) {
                    Some(row) => {
                        let from = &matrix[row * depth + k..][..some];
                        for (i, &number) in from.iter().enumerate() {
                            unsafe { *to.add((k + i) * across + column) = number };
                        }
                    }
                    None => {
                        (0..some).for_each(|i| unsafe { *to.add((k + i) * across + column) = 0.0 })
                    }
                }
            }
        }
    }
    for column in 0..across {
        let place = block * across + column;
        let sum =
            shape.row(place).map_or(0.0, |row| weights.input_bias[row] + weights.hidden_bias[row]);
        unsafe { *bias.at(place) = sum };
    }
}

/// Numbers of a row that are turned into a column at a time.
const SQUARE: usize = 16;

/// The part of the gates that comes from the vectors, for some places.
struct Projection {
    shape: RecurrenceShape,
    vectors: *const f32,
    panels: *const f32,
    bias: *const f32,
    gates: Pointer,
    first: usize,
    count: usize,
}

// SAFETY: what it reads is not changed meanwhile.
unsafe impl Send for Projection {}
// SAFETY: the same.
unsafe impl Sync for Projection {}

impl Pass for Projection {
    #[inline(always)]
    unsafe fn run<V: Vector>(&self) {
        for block in 0..self.shape.blocks {
            for (first, count) in parts(self.count, V::ROWS) {
                let first = self.first + first;
                unsafe { with_rows!(V, count, ROWS => self.places::<V, ROWS>(block, first)) }
            }
        }
    }
}

impl Projection {
    #[inline(always)]
    unsafe fn places<V: Vector, const R: usize>(&self, block: usize, first: usize) {
        let RecurrenceShape { input, lanes, .. } = self.shape;
        let across = GATES * lanes;
        unsafe {
            let rows = std::array::from_fn(|r| self.vectors.add((first + r) * input));
            let panel = self.panels.add(block * input * across);
            let sums = tile::<V, R, GATES>(rows, 1, panel, input);
            for (r, sums) in sums.into_iter().enumerate() {
                let to = self.gates.at((first + r) * self.shape.gates() + block * across);
                for (gate, sum) in sums.into_iter().enumerate() {
                    let bias = V::load(self.bias.add(block * across + gate * lanes));
                    sum.plus(bias).store(to.add(gate * lanes));
                }
            }
        }
    }
}

/// All steps of one direction over some rows.
struct Recurrence<'a> {
    shape: RecurrenceShape,
    order: &'a Order,
    direction: usize,
    panels: *const f32,
    gates: Pointer,
    cells: Pointer,
    states: Pointer,
    /// Where only the rows' last cells are kept: the place of the first row's.
    first_row: Option<usize>,
}

// SAFETY: what it reads is not changed meanwhile by others.
unsafe impl Send for Recurrence<'_> {}
// SAFETY: the same.
unsafe impl Sync for Recurrence<'_> {}

impl Pass for Recurrence<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector>(&self) {
        for (step, &active) in self.order.active.iter().enumerate() {
            for block in 0..self.shape.blocks {
                for (first, count) in parts(active, V::ROWS) {
                    unsafe {
                        with_rows!(V, count, ROWS => self.step::<V, ROWS>(step, block, first))
                    }
                }
            }
        }
    }
}

impl Recurrence<'_> {
    /// One block of units of some rows.
    #[inline(always)]
    unsafe fn step<V: Vector, const R: usize>(&self, step: usize, block: usize, first: usize) {
        let RecurrenceShape { hidden, lanes, .. } = self.shape;
        let across = GATES * lanes;
        let place = |r: usize, step: usize| self.order.place(first + r, step, self.direction);
        unsafe {
            let state = |place: usize| self.states.at((2 * place + self.direction) * hidden);
            let sums = match step {
                0 => [[V::splat(0.0); GATES]; R],
                _ => {
                    let rows = std::array::from_fn(|r| state(place(r, step - 1)).cast_const());
                    tile::<V, R, GATES>(rows, 1, self.panels.add(block * hidden * across), hidden)
                }
            };
            for (r, sums) in sums.into_iter().enumerate() {
                let here = place(r, step);
                let gates = self.gates.at(here * self.shape.gates() + block * across);
                let given = load_all::<V, GATES>(gates);
                let input = given[0].plus(sums[0]).sigmoid();
                let forget = given[1].plus(sums[1]).sigmoid();
                let cell = given[2].plus(sums[2]).tangent();
                let output = given[3].plus(sums[3]).sigmoid();
                let cells = |place: usize| {
                    let row = self.first_row.map_or(place, |before| before + first + r);
                    self.cells.at(row * self.shape.units() + block * lanes)
                };
                let added = input.times(cell);
                let sum = match step {
                    0 => added,
                    _ => forget.times_plus(V::load(cells(place(r, step - 1))), added),
                };
                sum.store(cells(here));
                let new = output.times(sum.tangent());
                new.store_first(state(here).add(block * lanes), self.shape.units_of(block));
                if self.first_row.is_none() {
                    for (gate, value) in [input, forget, cell, output].into_iter().enumerate() {
                        value.store(gates.add(gate * lanes));
                    }
                }
            }
        }
    }
}
