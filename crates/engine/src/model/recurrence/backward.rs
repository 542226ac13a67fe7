//! The gradients of weights and vectors.

use super::tiles::{load_all, parts, tile, with_columns, with_rows};
use super::vectors::{Pass, Vector};
use super::*;

/// Places of a task.
const PLACES: usize = 48;

/// Where the gradients of one direction's weights are written.
pub struct Targets<'a> {
    /// 4·hidden × input
    pub input: &'a mut [f32],
    /// 4·hidden × hidden
    pub hidden: &'a mut [f32],
    /// 4·hidden, of either bias.
    pub bias: &'a mut [f32],
}

/// Writes the gradients, given that of the states; those of the vectors, places × input, where they
/// are wanted.
pub fn backward(
    kept: ForwardTape,
    vectors: &[f32],
    weights: [Weights<'_>; 2],
    states: &[f32],
    gradient: &[f32],
    targets: [Targets<'_>; 2],
    of_vectors: Option<&mut [f32]>,
) {
    let ForwardTape { shape, lengths, mut gates, mut cells } = kept;
    let places: usize = lengths.iter().sum();
    let RecurrenceShape { input, hidden, lanes, .. } = shape;
    assert_eq!(vectors.len(), places * input, "vectors of every place");
    assert_eq!(states.len(), places * 2 * hidden, "states of every place");
    assert_eq!(gradient.len(), places * 2 * hidden, "a gradient of every state");
    let gates = gates.each_mut().map(Memory::pointer);
    let cells = cells.each_mut().map(Memory::pointer);
    through_steps(shape, &lengths, weights, [gates, cells], gradient);
    let inputs = Panels::new(places, input, lanes, |place, column, to| {
        to.copy_from_slice(&vectors[place * input + column..][..to.len()]);
    });
    let before = states_before(shape, &lengths, states);
    to_weights(shape, places, gates, (&inputs, &before), targets);
    if let Some(of_vectors) = of_vectors {
        to_vectors(shape, places, gates, weights, of_vectors);
    }
}

/// All steps, the last first: the gates of every place become their gradients.
fn through_steps(
    shape: RecurrenceShape,
    lengths: &[usize],
    weights: [Weights<'_>; 2],
    [gates, cells]: [[Pointer; 2]; 2],
    gradient: &[f32],
) {
    let by_unit = weights.map(|weights| by_gate(shape, weights.hidden, shape.hidden));
    let groups = Order::groups(lengths, rayon::current_num_threads());
    let recurrence = |order, direction: usize, rows: usize| Recurrence {
        shape,
        order,
        direction,
        weights: &by_unit[direction],
        gates: gates[direction],
        cells: cells[direction],
        gradient: gradient.as_ptr(),
        carried: std::sync::Mutex::new(Memory::new(rows * shape.units())),
    };
    let both = |order| [0, 1].map(|direction| recurrence(order, direction, order.rows.len()));
    let recurrences: Vec<Recurrence<'_>> = groups.iter().flat_map(both).collect();
    // SAFETY: each changes the gates of its own direction and rows.
    each(&recurrences, |pass| unsafe { shape.instructions.run(pass) });
}

/// Weights of `width` columns, a row a gate as gates are stored.
fn by_gate(shape: RecurrenceShape, weights: &[f32], width: usize) -> Panels {
    Panels::new(shape.gates(), width, shape.lanes, |place, column, to| {
        if let Some(row) = shape.row(place) {
            to.copy_from_slice(&weights[row * width + column..][..to.len()]);
        }
    })
}

/// For each direction the state before each place; zeros where a row begins.
fn states_before(shape: RecurrenceShape, lengths: &[usize], states: &[f32]) -> [Panels; 2] {
    let places = lengths.iter().sum();
    // Where a place's row begins and ends, for the state before it in either direction.
    let mut edges = vec![[false; 2]; places];
    let mut start = 0;
    for &length in lengths.iter().filter(|&&length| length > 0) {
        edges[start][0] = true;
        edges[start + length - 1][1] = true;
        start += length;
    }
    [0, 1].map(|direction| {
        Panels::new(places, shape.hidden, shape.lanes, |place, column, to| {
            if !edges[place][direction] {
                let other = if direction == 0 { place - 1 } else { place + 1 };
                let from = (2 * other + direction) * shape.hidden + column;
                to.copy_from_slice(&states[from..][..to.len()]);
            }
        })
    })
}

/// Writes the gradients of the weights.
fn to_weights(
    shape: RecurrenceShape,
    places: usize,
    gates: [Pointer; 2],
    (inputs, before): (&Panels, &[Panels; 2]),
    targets: [Targets<'_>; 2],
) {
    let hidden = shape.hidden;
    let mut tasks = Vec::new();
    for (direction, targets) in targets.into_iter().enumerate() {
        assert_eq!(targets.input.len(), GATES * hidden * shape.input);
        assert_eq!(targets.hidden.len(), GATES * hidden * hidden);
        assert_eq!(targets.bias.len(), GATES * hidden);
        let to = [targets.input, targets.hidden, targets.bias].map(Pointer::to);
        let (gates, before) = (gates[direction], &before[direction]);
        let columns = 0..shape.blocks * GATES;
        tasks.extend(columns.map(|column| OfWeights {
            shape,
            places,
            gates,
            inputs,
            before,
            to,
            column,
        }));
    }
    // SAFETY: each writes the rows of its own gates.
    each(&tasks, |pass| unsafe { shape.instructions.run(pass) });
}

/// Writes the gradients of the vectors.
fn to_vectors(
    shape: RecurrenceShape,
    places: usize,
    gates: [Pointer; 2],
    weights: [Weights<'_>; 2],
    of_vectors: &mut [f32],
) {
    assert_eq!(of_vectors.len(), places * shape.input, "room for a gradient of every vector");
    let weights = &weights.map(|weights| by_gate(shape, weights.input, shape.input));
    let to = Pointer::to(of_vectors);
    let task = |(first, count)| OfVectors { shape, gates, weights, to, first, count };
    let tasks: Vec<OfVectors<'_>> = parts(places, PLACES).map(task).collect();
    // SAFETY: each writes the rows of its own places.
    each(&tasks, |pass| unsafe { shape.instructions.run(pass) });
}

/// All steps of one direction over some rows, the last first: gates become their gradients.
struct Recurrence<'a> {
    shape: RecurrenceShape,
    order: &'a Order,
    direction: usize,
    weights: &'a Panels,
    gates: Pointer,
    cells: Pointer,
    gradient: *const f32,
    /// The gradient of each row's cells, from the step after.
    carried: std::sync::Mutex<Memory>,
}

// SAFETY: what it reads is not changed meanwhile by others.
unsafe impl Send for Recurrence<'_> {}
// SAFETY: the same.
unsafe impl Sync for Recurrence<'_> {}

impl Pass for Recurrence<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector>(&self) {
        let mut carried = self.carried.lock().expect("only this thread has it");
        let carried = carried.pointer();
        let active = &self.order.active;
        for step in (0..active.len()).rev() {
            let after = active.get(step + 1).copied().unwrap_or(0);
            for &(block, columns) in &self.weights.parts {
                for (first, count) in parts(after, V::ROWS) {
                    unsafe {
                        with_rows!(V, count, ROWS => with_columns!(columns, COLUMNS =>
                            self.step::<V, ROWS, COLUMNS>(step, block, first, carried)))
                    }
                }
                // The last step of these rows: nothing comes from behind.
                for row in after..active[step] {
                    for block in block..block + columns {
                        let zero = unsafe { V::splat(0.0) };
                        unsafe { self.gates::<V>(step, block, row, zero, zero, carried) };
                    }
                }
            }
        }
    }
}

impl Recurrence<'_> {
    /// Some blocks of units of some rows.
    #[inline(always)]
    unsafe fn step<V: Vector, const R: usize, const C: usize>(
        &self,
        step: usize,
        block: usize,
        first: usize,
        carried: Pointer,
    ) {
        let shape = self.shape;
        unsafe {
            let rows = std::array::from_fn(|r| {
                let place = self.order.place(first + r, step + 1, self.direction);
                self.gates.at(place * shape.gates()).cast_const()
            });
            let sums = tile::<V, R, C>(rows, 1, self.weights.panel(block), shape.gates());
            for (r, sums) in sums.into_iter().enumerate() {
                for (c, sum) in sums.into_iter().enumerate() {
                    let at = (first + r) * shape.units() + (block + c) * shape.lanes;
                    let of_cell = V::load(carried.at(at));
                    self.gates(step, block + c, first + r, sum, of_cell, carried);
                }
            }
        }
    }

    /// The gradients of one block of a row's gates, given those of its states and cells from the
    /// step after.
    #[inline(always)]
    unsafe fn gates<V: Vector>(
        &self,
        step: usize,
        block: usize,
        row: usize,
        of_state: V,
        of_cell: V,
        carried: Pointer,
    ) {
        let RecurrenceShape { hidden, lanes, .. } = self.shape;
        let place = self.order.place(row, step, self.direction);
        unsafe {
            let here = (2 * place + self.direction) * hidden + block * lanes;
            let given = V::load_first(self.gradient.add(here), self.shape.units_of(block));
            let of_state = of_state.plus(given);
            let gates = self.gates.at(place * self.shape.gates() + block * GATES * lanes);
            let [input, forget, cell, output] = load_all::<V, GATES>(gates);
            let cells = |place: usize| self.cells.at(place * self.shape.units() + block * lanes);
            let tangent = V::load(cells(place)).tangent();
            let one = V::splat(1.0);
            let of_output = of_state.times(tangent).times(slope(output));
            let through = of_state.times(output).times(one.minus(tangent.times(tangent)));
            let of_cell = of_cell.plus(through);
            let of_input = of_cell.times(cell).times(slope(input));
            let of_forget = match step {
                0 => V::splat(0.0),
                _ => {
                    let before = self.order.place(row, step - 1, self.direction);
                    of_cell.times(V::load(cells(before))).times(slope(forget))
                }
            };
            let of_added = of_cell.times(input).times(one.minus(cell.times(cell)));
            let at = row * self.shape.units() + block * lanes;
            of_cell.times(forget).store(carried.at(at));
            let all = [of_input, of_forget, of_added, of_output];
            for (gate, gradient) in all.into_iter().enumerate() {
                gradient.store(gates.add(gate * lanes));
            }
        }
    }
}

/// The slope of the curve where it has this value.
#[inline(always)]
unsafe fn slope<V: Vector>(sigmoid: V) -> V {
    unsafe { sigmoid.times(V::splat(1.0).minus(sigmoid)) }
}

/// The gradients of the weights of one vector of gates.
struct OfWeights<'a> {
    shape: RecurrenceShape,
    places: usize,
    gates: Pointer,
    inputs: &'a Panels,
    before: &'a Panels,
    to: [Pointer; 3],
    /// Which vector of a place's gates.
    column: usize,
}

impl Pass for OfWeights<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector>(&self) {
        let (block, gate) = (self.column / GATES, self.column % GATES);
        let first_row = gate * self.shape.hidden + block * V::LANES;
        let [input, hidden, bias] = self.to;
        unsafe {
            // Places × gates of this vector, near each other.
            let mut gates = Memory::new(self.places * V::LANES);
            let near = gates.pointer();
            let mut sum = V::splat(0.0);
            for place in 0..self.places {
                let from = self.gates.at(place * self.shape.gates() + self.column * V::LANES);
                let gates = V::load(from);
                sum = sum.plus(gates);
                gates.store(near.at(place * V::LANES));
            }
            let count = self.shape.units_of(block);
            sum.store_first(bias.at(first_row), count);
            let sides =
                [(self.inputs, input, self.shape.input), (self.before, hidden, self.shape.hidden)];
            for (panels, to, width) in sides {
                for &(vector, columns) in &panels.parts {
                    for (first, count) in parts(count, V::ROWS) {
                        let rows = near.at(first);
                        let to = to.at((first_row + first) * width);
                        with_rows!(V, count, ROWS => with_columns!(columns, COLUMNS =>
                            self.rows::<V, ROWS, COLUMNS>(rows, panels, vector, to, width)));
                    }
                }
            }
        }
    }
}

impl OfWeights<'_> {
    #[inline(always)]
    unsafe fn rows<V: Vector, const R: usize, const C: usize>(
        &self,
        gates: *const f32,
        panels: &Panels,
        vector: usize,
        to: *mut f32,
        width: usize,
    ) {
        unsafe {
            let rows = std::array::from_fn(|r| gates.add(r));
            let sums = tile::<V, R, C>(rows, V::LANES, panels.panel(vector), self.places);
            for (r, sums) in sums.into_iter().enumerate() {
                for (c, sum) in sums.into_iter().enumerate() {
                    let column = (vector + c) * V::LANES;
                    sum.store_first(to.add(r * width + column), width - column);
                }
            }
        }
    }
}

/// The gradients of the vectors of some places.
struct OfVectors<'a> {
    shape: RecurrenceShape,
    gates: [Pointer; 2],
    weights: &'a [Panels; 2],
    to: Pointer,
    first: usize,
    count: usize,
}

impl Pass for OfVectors<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector>(&self) {
        for &(vector, columns) in &self.weights[0].parts {
            for (first, count) in parts(self.count, V::ROWS) {
                let first = self.first + first;
                unsafe {
                    with_rows!(V, count, ROWS => with_columns!(columns, COLUMNS =>
                        self.places::<V, ROWS, COLUMNS>(first, vector)))
                }
            }
        }
    }
}

impl OfVectors<'_> {
    #[inline(always)]
    unsafe fn places<V: Vector, const R: usize, const C: usize>(
        &self,
        first: usize,
        vector: usize,
    ) {
        let (depth, width) = (self.shape.gates(), self.shape.input);
        unsafe {
            for direction in 0..2 {
                let gates = self.gates[direction];
                let rows = std::array::from_fn(|r| gates.at((first + r) * depth).cast_const());
                let sums = tile::<V, R, C>(rows, 1, self.weights[direction].panel(vector), depth);
                for (r, sums) in sums.into_iter().enumerate() {
                    for (c, mut sum) in sums.into_iter().enumerate() {
                        let column = (vector + c) * V::LANES;
                        let to = self.to.at((first + r) * width + column);
                        if direction == 1 {
                            sum = sum.plus(V::load_first(to, width - column));
                        }
                        sum.store_first(to, width - column);
                    }
                }
            }
        }
    }
}
