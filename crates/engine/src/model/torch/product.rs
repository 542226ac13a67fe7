//! Matrix products of numbers in this process's memory.

use crate::model::products::{self, Operand, Precision, Product, Shape, Start, is_available};
use tch::{Device, Kind, Tensor};

/// Computes a product: ours where the processor has AVX-512, else LibTorch's.
pub fn product(product: Product, output: &mut [f32]) {
    match is_available() {
        true => products::multiply(product, output),
        false => by_libtorch(product, output),
    }
}

fn by_libtorch(product: Product, output: &mut [f32]) {
    let Product { shape: Shape { rows, depth, columns }, left, right, precision, start } = product;
    if output.is_empty() {
        return;
    }
    match start {
        Start::Zero => output.fill(0.0),
        Start::Bias(bias) => {
            output.chunks_exact_mut(columns).for_each(|row| row.copy_from_slice(bias));
        }
        Start::Output => {}
    }
    let view = |operand: Operand, rows: usize, columns: usize| {
        let (size, turned) = match operand {
            Operand::Plain(_) => ([rows, columns], false),
            Operand::Turned(_) => ([columns, rows], true),
        };
        assert_eq!(operand.numbers().len(), rows * columns, "the operand's size");
        let matrix = over(operand.numbers().as_ptr(), size);
        let matrix = if turned { matrix.tr() } else { matrix };
        match precision {
            Precision::F32 => matrix,
            Precision::Bf16 => matrix.to_kind(Kind::BFloat16),
        }
    };
    assert_eq!(output.len(), rows * columns, "the output's size");
    tch::no_grad(|| {
        let (left, right) = (view(left, rows, depth), view(right, depth, columns));
        let mut output = over(output.as_mut_ptr(), [rows, columns]);
        let _ = match precision {
            Precision::F32 => output.addmm_(&left, &right),
            Precision::Bf16 => output.g_add_(&left.mm(&right).to_kind(Kind::Float)),
        };
    });
}

/// A tensor over numbers that stay where they are, for as long as the product takes.
fn over(numbers: *const f32, size: [usize; 2]) -> Tensor {
    let size = size.map(|n| n as i64);
    // SAFETY: the callers check the size, and drop the tensor before the numbers.
    unsafe { Tensor::from_blob(numbers.cast(), &size, &[size[1], 1], Kind::Float, Device::Cpu) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libtorchs_products_are_ours() {
        let numbers = |count: usize, shift: usize| -> Vec<f32> {
            (0..count).map(|i| ((i + shift) as f32 * 0.7).sin()).collect()
        };
        let shape = Shape { rows: 5, depth: 7, columns: 3 };
        let (a, b, bias) = (numbers(35, 0), numbers(21, 9), numbers(3, 4));
        for precision in [Precision::F32, Precision::Bf16] {
            for left in [Operand::Plain(&a), Operand::Turned(&a)] {
                for right in [Operand::Plain(&b), Operand::Turned(&b)] {
                    for start in [Start::Zero, Start::Bias(&bias), Start::Output] {
                        let [mut ours, mut theirs] = [vec![0.25; 15], vec![0.25; 15]];
                        let of_both = Product { shape, left, right, precision, start };
                        product(of_both, &mut ours);
                        by_libtorch(of_both, &mut theirs);
                        let tolerance = if precision == Precision::F32 { 1e-6 } else { 0.02 };
                        for (a, b) in ours.iter().zip(&theirs) {
                            assert!((a - b).abs() < tolerance, "{precision:?}: {a} {b}");
                        }
                    }
                }
            }
        }
    }
}
