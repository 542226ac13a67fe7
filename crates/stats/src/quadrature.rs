//! Integrals and roots of smooth functions.

/// The positive nodes of the 16-point rule of Gauss and Legendre on -1..1, with their weights.
#[rustfmt::skip]
const RULE: [(f64, f64); 8] = [
    (0.095_012_509_837_637_44, 0.189_450_610_455_068_5),
    (0.281_603_550_779_258_9, 0.182_603_415_044_923_59),
    (0.458_016_777_657_227_39, 0.169_156_519_395_002_54),
    (0.617_876_244_402_643_8, 0.149_595_988_816_576_73),
    (0.755_404_408_355_003, 0.124_628_971_255_533_87),
    (0.865_631_202_387_831_8, 0.095_158_511_682_492_78),
    (0.944_575_023_073_232_6, 0.062_253_523_938_647_89),
    (0.989_400_934_991_649_9, 0.027_152_459_411_754_1),
];

/// Places and weights for an integral from `from` to `to`, of so many equal panels.
pub(super) fn nodes(from: f64, to: f64, panels: usize) -> impl Iterator<Item = (f64, f64)> {
    let half = (to - from) / (2 * panels.max(1)) as f64;
    (0..panels.max(1)).flat_map(move |panel| {
        let middle = from + half * (2 * panel + 1) as f64;
        RULE.iter().flat_map(move |&(node, weight)| {
            [(middle - half * node, half * weight), (middle + half * node, half * weight)]
        })
    })
}

/// The integral of `f` from `from` to `to`; `panels` must resolve its finest feature.
pub(super) fn integral(from: f64, to: f64, panels: usize, f: impl Fn(f64) -> f64) -> f64 {
    nodes(from, to, panels).map(|(x, weight)| weight * f(x)).sum()
}

/// Where an increasing function crosses 0 between `low` and `high`, by halving: the nearer end
/// where it does not.
pub(super) fn root(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..64 {
        let middle = low + (high - low) / 2.0;
        if f(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    low + (high - low) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_exact() {
        for power in 0..32 {
            let found = integral(0.0, 2.0, 1, |x| x.powi(power));
            let exact = 2f64.powi(power + 1) / f64::from(power + 1);
            assert!((found / exact - 1.0).abs() < 1e-13, "{power}: {found} {exact}");
        }
    }

    #[test]
    fn panels_join() {
        assert!((integral(0.0, 10.0, 7, f64::sin) - (1.0 - 10f64.cos())).abs() < 1e-13);
        assert_eq!(nodes(0.0, 1.0, 3).count(), 48);
    }

    #[test]
    fn a_root_is_found_to_the_last_digits() {
        assert!((root(0.0, 2.0, |x| x * x - 2.0) - 2f64.sqrt()).abs() < 1e-15);
        assert_eq!(root(1.0, 2.0, |_| 1.0), 1.0);
    }
}
