use super::lanes::{erf, exp};
use super::*;

/// Numbers between -1 and 1, the same for the same seed.
fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f32 / 8388608.0 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

#[test]
fn exponentials_and_error_functions_are_close() {
    for i in -4000..=4000 {
        let x = i as f32 / 500.0;
        let error = (f64::from(exp::<false>(x)) / f64::from(x).exp() - 1.0).abs();
        assert!(error < 2e-7, "exp({x}): {error}");
    }
    // Values of SciPy's erf.
    let known = [
        (0.0, 0.0),
        (0.1, 0.1124629160182849),
        (0.5, 0.5204998778130465),
        (1.0, 0.8427007929497149),
        (2.0, 0.9953222650189527),
        (3.5, 0.9999992569016276),
        (9.0, 1.0),
    ];
    for (x, expected) in known {
        for sign in [1.0, -1.0] {
            let error = (f64::from(erf::<false>(sign * x)) - f64::from(sign) * expected).abs();
            assert!(error < 5e-7, "erf({x}): {error}");
        }
    }
}

/// Attention as its formula has it, in 64 bits.
fn plain(
    operands: [&[f32]; 3],
    lengths: &[usize],
    heads: usize,
    width: usize,
    causal: bool,
) -> Vec<f64> {
    let all = heads * width;
    let mut output = vec![0.0; operands[0].len()];
    let mut first = 0;
    for &length in lengths {
        for (head, i) in (0..heads).flat_map(|head| (0..length).map(move |i| (head, i))) {
            let at = |which: usize, place: usize, k: usize| {
                f64::from(operands[which][(first + place) * all + head * width + k])
            };
            let seen = if causal { i + 1 } else { length };
            let score = |j: usize| (0..width).map(|k| at(0, i, k) * at(1, j, k)).sum::<f64>();
            let weights: Vec<f64> =
                (0..seen).map(|j| (score(j) / (width as f64).sqrt()).exp()).collect();
            let total: f64 = weights.iter().sum();
            for k in 0..width {
                let taken = weights.iter().enumerate().map(|(j, weight)| weight * at(2, j, k));
                output[(first + i) * all + head * width + k] = taken.sum::<f64>() / total;
            }
        }
        first += length;
    }
    output
}

const LENGTHS: [usize; 5] = [1, 17, 0, 4, 33];

#[test]
fn attention_is_its_formula_and_its_gradients_are_differences_of_it() {
    for (heads, width, causal) in [(2, 5, false), (1, 16, true), (3, 32, false), (2, 1, true)] {
        let all = heads * width;
        let rows = BatchRows::new(&LENGTHS);
        let count = rows.places() * all;
        let operands = [1, 2, 3].map(|seed| numbers(count, seed));
        let parts =
            operands.each_ref().map(|numbers| MatrixPart { numbers, stride: all, first: 0 });
        let attention = Attention { rows: &rows, heads, width, causal, dropping: None };
        let (mut shares, mut taken) = (vec![0.0; attention.shares()], vec![0.0; count]);
        attention.forward(parts, &mut shares, &mut taken);
        let formula = |operands: &[Vec<f32>; 3]| {
            plain(operands.each_ref().map(Vec::as_slice), &LENGTHS, heads, width, causal)
        };
        for (found, expected) in taken.iter().zip(formula(&operands)) {
            assert!((f64::from(*found) - expected).abs() < 1e-6, "{found} {expected}");
        }
        let weights = numbers(count, 9);
        let loss = |operands: &[Vec<f32>; 3]| -> f64 {
            formula(operands).iter().zip(&weights).map(|(x, w)| x * f64::from(*w)).sum()
        };
        let (mut query, mut rest) = (vec![0.0; count], vec![0.0; 2 * count]);
        let gradients = Gradients::Cross([&mut query, &mut rest]);
        attention.back(parts, &mut shares, &weights, gradients);
        for place in (0..count).step_by(7) {
            let (at, column) = (place / all * 2 * all, place % all);
            let found = [query[place], rest[at + column], rest[at + all + column]];
            for (which, found) in found.into_iter().enumerate() {
                let moved = |by: f32| {
                    let mut operands = operands.clone();
                    operands[which][place] += by;
                    (loss(&operands), f64::from(operands[which][place]))
                };
                let ((low, from), (high, to)) = (moved(-1e-3), moved(1e-3));
                let expected = (high - low) / (to - from);
                assert!((f64::from(found) - expected).abs() < 1e-4, "{which}: {found} {expected}");
            }
        }
    }
}

#[test]
fn dropped_shares_weigh_nothing_and_the_others_more() {
    let rows = BatchRows::new(&[40]);
    let attention =
        |dropping| Attention { rows: &rows, heads: 1, width: 1, causal: false, dropping };
    let operand = |value: f32| vec![value; 40];
    let (zeros, ones) = (operand(0.0), operand(1.0));
    let part = |numbers| MatrixPart { numbers, stride: 1, first: 0 };
    let parts = [part(&zeros), part(&zeros), part(&ones)];
    let dropping = Some(Dropping::new(0.25, 7));
    let run = |attention: &Attention| {
        let (mut shares, mut taken) = (vec![0.0; attention.shares()], vec![0.0; 40]);
        attention.forward(parts, &mut shares, &mut taken);
        (shares, taken)
    };
    let (shares, taken) = run(&attention(dropping));
    for (shares, taken) in shares.chunks(48).zip(taken) {
        let kept = shares[..40].iter().filter(|share| !share.is_sign_negative()).count();
        assert!((f64::from(taken) - kept as f64 / 40.0 / 0.75).abs() < 1e-5);
    }
    assert_eq!(run(&attention(dropping)).0, shares, "the same seed");
    assert_ne!(run(&attention(Some(Dropping::new(0.25, 8)))).0, shares, "another seed");
}

#[test]
fn a_normalised_sum_goes_back_as_differences_say() {
    let (rows, width) = (70, 11);
    let (states, added) = (numbers(rows * width, 1), numbers(rows * width, 2));
    let (scale, shift, weights) = (numbers(width, 3), numbers(width, 4), numbers(rows * width, 5));
    let drops = || Some(Dropping::new(0.3, 11).draw(rows, width));
    let norms = Norms { scale: &scale, shift: &shift, epsilon: 1e-5 };
    let run = |states: &[f32], added: &[f32]| {
        let mut taken = Buffer::of(added.len());
        taken.copy_from_slice(added);
        let mut output = vec![0.0; added.len()];
        let normalised = normalise_sum(states, taken, drops(), norms, &mut output);
        (output, normalised)
    };
    let loss = |states: &[f32], added: &[f32]| -> f64 {
        run(states, added).0.iter().zip(&weights).map(|(x, w)| f64::from(x * w)).sum()
    };
    let back = run(&states, &added).1.back(&weights, &scale);
    for place in (0..rows * width).step_by(13) {
        let moved = |numbers: &[f32], by: f32| {
            let mut numbers = numbers.to_vec();
            numbers[place] += by;
            numbers
        };
        let step = 5e-3;
        let of_states = loss(&moved(&states, step), &added) - loss(&moved(&states, -step), &added);
        let of_added = loss(&states, &moved(&added, step)) - loss(&states, &moved(&added, -step));
        for (found, expected) in [(back.states[place], of_states), (back.taken[place], of_added)] {
            let expected = expected / f64::from(2.0 * step);
            assert!((f64::from(found) - expected).abs() < 2e-2, "{found} {expected}");
        }
    }
    let sums = add_up_columns(&back.taken, width);
    assert_eq!(sums, back.taken_sums);
}
