//! The recurrence against itself: other instructions, threads, orders and groups of rows.

use super::vectors::available;
use super::*;

/// Numbers in ±1, the same every time.
fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

struct Case {
    /// Numbers that are read, and units.
    sizes: [usize; 2],
    weights: [[Vec<f32>; 4]; 2],
}

/// States, then the gradients of the vectors and of each direction's weights.
type Found = Vec<Vec<f32>>;

impl Case {
    fn new(input: usize, hidden: usize) -> Self {
        let bound = 1.0 / (hidden as f32).sqrt();
        let some = |count, seed| numbers(count, seed).iter().map(|x| x * bound).collect();
        let weights = [1, 11].map(|seed| {
            [4 * hidden * input, 4 * hidden * hidden, 4 * hidden, 4 * hidden]
                .map(|count| some(count, seed + count as u64))
        });
        Self { sizes: [input, hidden], weights }
    }

    /// The rows of these lengths, each with its own vectors and gradients; `row` numbers them.
    fn run(&self, rows: &[(usize, usize)], instructions: Instructions) -> Found {
        let [input, hidden] = self.sizes;
        let lengths: Vec<usize> = rows.iter().map(|(_, length)| *length).collect();
        let of_rows = |width: usize, salt: usize| -> Vec<f32> {
            let row =
                |&(row, length): &(usize, usize)| numbers(length * width, (row + salt) as u64);
            rows.iter().flat_map(row).collect()
        };
        let (vectors, gradient) = (of_rows(input, 100), of_rows(2 * hidden, 200));
        let weights = self.weights.each_ref().map(|[input, hidden, input_bias, hidden_bias]| {
            Weights { input, hidden, input_bias, hidden_bias }
        });
        let shape = RecurrenceShape::new(input, hidden, instructions);
        let mut states = vec![0.0; gradient.len()];
        let kept = forward(shape, &lengths, &vectors, weights, &mut states, true);
        let mut plain = vec![0.0; gradient.len()];
        assert!(forward(shape, &lengths, &vectors, weights, &mut plain, false).is_none());
        assert_eq!(states, plain, "states without a backward pass");
        let shapes = [4 * hidden * input, 4 * hidden * hidden, 4 * hidden];
        let mut found = [(); 2].map(|()| shapes.map(|count| vec![f32::NAN; count]));
        let mut of_vectors = vec![f32::NAN; vectors.len()];
        let targets = found.each_mut().map(|[input, hidden, bias]| Targets { input, hidden, bias });
        let kept = kept.expect("asked for");
        backward(kept, &vectors, weights, &states, &gradient, targets, Some(&mut of_vectors));
        [states, of_vectors].into_iter().chain(found.into_iter().flatten()).collect()
    }
}

fn close(found: &Found, wanted: &Found, what: &str) {
    for (found, wanted) in found.iter().zip(wanted) {
        assert_eq!(found.len(), wanted.len(), "{what}");
        for (a, b) in found.iter().zip(wanted) {
            assert!((a - b).abs() < 1e-5 * b.abs().max(1.0), "{what}: {a} {b}");
        }
    }
}

/// So many rows, numbered, of mixed lengths, also of none.
fn rows(count: usize) -> Vec<(usize, usize)> {
    (0..count).map(|row| (row, (row * 7 + 5) % 12)).collect()
}

#[test]
fn every_instruction_set_computes_the_same() {
    for (input, hidden) in [(3, 4), (1, 1), (20, 16), (35, 33), (7, 70)] {
        let case = Case::new(input, hidden);
        for count in [1, 2, 5, 13] {
            let wanted = case.run(&rows(count), Instructions::Any);
            for set in available() {
                close(&case.run(&rows(count), set), &wanted, &format!("{set:?}, {hidden} units"));
            }
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let case = Case::new(30, 50);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| case.run(&rows(40), Instructions::here()))
    };
    let wanted = run(1);
    for threads in [1, 2, 3, 8] {
        assert!(run(threads) == wanted, "{threads} threads");
    }
}

#[test]
fn a_row_does_not_depend_on_the_others_nor_on_its_place() {
    let case = Case::new(10, 21);
    let whole = rows(17);
    let run = |rows: &[(usize, usize)]| case.run(rows, Instructions::here());
    let wanted = run(&whole);
    // The states and the gradients of the vectors of a row.
    let of_row = |found: &Found, rows: &[(usize, usize)], row: usize| -> [Vec<f32>; 2] {
        let at = rows.iter().position(|(number, _)| *number == row).unwrap();
        let start: usize = rows[..at].iter().map(|(_, length)| length).sum();
        [(0, 42), (1, 10)].map(|(which, width)| {
            found[which][start * width..(start + rows[at].1) * width].to_vec()
        })
    };
    let mut turned = whole.clone();
    turned.reverse();
    turned.rotate_left(5);
    let found = run(&turned);
    for &(row, length) in &whole {
        let alone = [(row, length)];
        let wanted = of_row(&wanted, &whole, row);
        assert!(of_row(&found, &turned, row) == wanted, "row {row} in another order");
        assert!(of_row(&run(&alone), &alone, row) == wanted, "row {row} alone");
    }
    close(&found[2..].to_vec(), &wanted[2..].to_vec(), "weights of another order");
}

#[test]
fn gradients_of_groups_add_up_to_those_of_the_batch() {
    let case = Case::new(10, 21);
    let whole = rows(17);
    let wanted = case.run(&whole, Instructions::here())[2..].to_vec();
    for size in [1, 4, 9] {
        let mut sum: Found = wanted.iter().map(|part| vec![0.0; part.len()]).collect();
        for group in whole.chunks(size) {
            let found = case.run(group, Instructions::here());
            for (sum, found) in sum.iter_mut().zip(&found[2..]) {
                sum.iter_mut().zip(found).for_each(|(sum, found)| *sum += found);
            }
        }
        close(&sum, &wanted, &format!("groups of {size}"));
    }
}

#[test]
fn nothing_is_read_where_there_is_nothing() {
    let case = Case::new(3, 5);
    for rows in [&[][..], &[(0, 0)], &[(0, 0), (1, 0)]] {
        let found = case.run(rows, Instructions::here());
        assert!(found[0].is_empty() && found[1].is_empty());
        assert!(found[2..].iter().flatten().all(|&gradient| gradient == 0.0));
    }
}
