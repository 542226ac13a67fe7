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

fn transposed(numbers: &[f32], width: usize) -> Vec<f32> {
    let height = numbers.len() / width;
    (0..numbers.len()).map(|i| numbers[i % height * width + i / height]).collect()
}

fn plain(shape: Shape, left: &[f32], right: &[f32]) -> Vec<f64> {
    let number = |i: usize| {
        let (row, column) = (i / shape.columns, i % shape.columns);
        let term = |k: usize| {
            f64::from(left[row * shape.depth + k]) * f64::from(right[k * shape.columns + column])
        };
        (0..shape.depth).map(term).sum::<f64>()
    };
    (0..shape.rows * shape.columns).map(number).collect()
}

const SHAPES: [[usize; 3]; 6] =
    [[1, 1, 1], [7, 33, 50], [29, 15, 47], [8, 256, 48], [131, 515, 200], [5, 0, 3]];

#[test]
fn products_are_those_of_the_plain_loop() {
    if !is_available() {
        println!("skipped: this processor has no AVX-512");
        return;
    }
    for precision in [Precision::F32, Precision::Bf16] {
        // A product of numbers below 1 that are rounded to 8 bits.
        let tolerance = if precision == Precision::F32 { 1e-6 } else { 4e-3 };
        for [rows, depth, columns] in SHAPES {
            let shape = Shape { rows, depth, columns };
            let (left, right) = (numbers(rows * depth, 1), numbers(depth * columns, 2));
            let [turned_left, turned_right] =
                [(&left, depth), (&right, columns)].map(|(m, width)| transposed(m, width.max(1)));
            let bias = numbers(columns, 3);
            let expected = plain(shape, &left, &right);
            for left in [Operand::Plain(&left), Operand::Turned(&turned_left)] {
                for right in [Operand::Plain(&right), Operand::Turned(&turned_right)] {
                    for start in [Start::Zero, Start::Bias(&bias), Start::Output] {
                        let mut output = vec![0.5; rows * columns];
                        let product = Product { shape, left, right, precision, start };
                        multiply(product, &mut output);
                        for (i, (&found, expected)) in output.iter().zip(&expected).enumerate() {
                            let expected = expected
                                + match start {
                                    Start::Zero => 0.0,
                                    Start::Bias(bias) => f64::from(bias[i % columns]),
                                    Start::Output => 0.5,
                                };
                            let error = (f64::from(found) - expected).abs();
                            let bound = tolerance * (1.0 + depth as f64).sqrt();
                            assert!(error <= bound, "{shape:?} {precision:?}: {error}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn the_bits_do_not_depend_on_the_threads() {
    let shape = Shape { rows: 300, depth: 700, columns: 390 };
    let (left, right) = (numbers(300 * 700, 4), numbers(700 * 390, 5));
    if !is_available() {
        println!("skipped: this processor has no AVX-512");
        return;
    }
    for precision in [Precision::F32, Precision::Bf16] {
        let product = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut output = vec![0.0; 300 * 390];
            let (left, right) = (Operand::Plain(&left), Operand::Plain(&right));
            let product = Product { shape, left, right, precision, start: Start::Zero };
            pool.install(|| multiply(product, &mut output));
            output
        };
        assert!(product(1) == product(3));
    }
}

#[test]
fn what_is_not_a_number_stays_so_in_bf16() {
    if !is_available() {
        return;
    }
    let shape = Shape { rows: 1, depth: 2, columns: 1 };
    let product = |left: [f32; 2]| {
        let mut output = [0.0];
        let (left, right) = (Operand::Plain(&left), Operand::Plain(&[1.0, 1.0]));
        let (precision, start) = (Precision::Bf16, Start::Zero);
        multiply(Product { shape, left, right, precision, start }, &mut output);
        output[0]
    };
    assert!(product([f32::from_bits(0x7f80_0001), 0.0]).is_nan());
    assert_eq!(product([f32::INFINITY, 1.0]), f32::INFINITY);
    // Ties go to the even neighbour.
    assert_eq!(product([1.0 + 1.0 / 256.0, 0.0]), 1.0);
    assert_eq!(product([1.0 + 3.0 / 256.0, 0.0]), 1.0 + 4.0 / 256.0);
}
