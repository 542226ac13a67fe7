//! The confidence ellipse of a mean in two dimensions, from Hotelling's T².

use super::mean;

/// Fewer pairs have an ellipse that is many times as large as they spread: of three, sixteen times.
pub const LEAST_FOR_ELLIPSE: usize = 4;

/// The points at which the T² of a mean reaches the 95 % quantile, by a centre and two half axes.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Ellipse {
    pub centre: [f64; 2],
    /// Vectors from the centre to the ellipse, at a right angle.
    pub axes: [[f64; 2]; 2],
}

/// The 95 % confidence ellipse of the mean of pairs, taken as normally distributed (Johnson and
/// Wichern 2007, equation 5-18); `None` of fewer than [`LEAST_FOR_ELLIPSE`] and of what is not
/// finite.
pub fn mean_ellipse(pairs: &[[f64; 2]]) -> Option<Ellipse> {
    let n = Some(pairs.len()).filter(|n| *n >= LEAST_FOR_ELLIPSE)? as f64;
    let of = |k: usize| pairs.iter().map(|pair| pair[k]).collect::<Vec<f64>>();
    let centre = [mean(&of(0))?, mean(&of(1))?];
    let moment = |j: usize, k: usize| {
        let products = pairs.iter().map(|pair| (pair[j] - centre[j]) * (pair[k] - centre[k]));
        products.sum::<f64>() / (n - 1.0)
    };
    let (a, b, c) = (moment(0, 0), moment(0, 1), moment(1, 1));
    // The eigenvalues of the covariance, and the direction of the larger one.
    let (middle, reach) = ((a + c) / 2.0, ((a - c) / 2.0).hypot(b));
    let (sin, cos) = ((2.0 * b).atan2(a - c) / 2.0).sin_cos();
    let half = |eigenvalue: f64| (eigenvalue.max(0.0) * squared_radius(n)).sqrt();
    let (long, short) = (half(middle + reach), half(middle - reach));
    let ellipse = Ellipse { centre, axes: [[long * cos, long * sin], [-short * sin, short * cos]] };
    ellipse.axes.iter().flatten().all(|x| x.is_finite()).then_some(ellipse)
}

/// 2 (n - 1) / (n (n - 2)) times the 95 % quantile of F with 2 and n - 2 degrees of freedom, which
/// with two above has a closed form.
fn squared_radius(n: f64) -> f64 {
    (n - 1.0) / n * (0.05f64.powf(-2.0 / (n - 2.0)) - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{ContinuousCDF, FisherSnedecor};

    #[test]
    fn the_radius_is_that_of_the_f_distribution() {
        for n in [4.0, 5.0, 10.0, 30.0] {
            let f = FisherSnedecor::new(2.0, n - 2.0).expect("a distribution").inverse_cdf(0.95);
            let expected = 2.0 * (n - 1.0) / (n * (n - 2.0)) * f;
            assert!((squared_radius(n) / expected - 1.0).abs() < 1e-6, "{n}");
        }
        // Tables of the F-distribution: 9.5521 for 2 and 3 degrees of freedom, 4.4590 for 2 and 8.
        assert!((squared_radius(5.0) - 8.0 / 15.0 * 9.5521).abs() < 1e-3);
        assert!((squared_radius(10.0) - 18.0 / 80.0 * 4.4590).abs() < 1e-4);
    }

    /// Pairs whose covariance is known: 4/3 times the identity, then stretched and turned.
    #[test]
    fn the_axes_follow_the_covariance() {
        let cross = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
        let radius = (4.0 / 3.0 * squared_radius(4.0)).sqrt();
        let round = mean_ellipse(&cross).expect("an ellipse");
        let length = |[x, y]: [f64; 2]| x.hypot(y);
        assert!(round.axes.iter().all(|axis| (length(*axis) - radius).abs() < 1e-9));
        let turned = cross.map(|[x, y]| [5.0 + 3.0 * x - y, 7.0 + 3.0 * x + y]);
        let found = mean_ellipse(&turned).expect("an ellipse");
        assert_eq!(found.centre, [5.0, 7.0]);
        let [long, short] = found.axes;
        assert!((length(long) - 3.0 * 2f64.sqrt() * radius).abs() < 1e-9);
        assert!((length(short) - 2f64.sqrt() * radius).abs() < 1e-9);
        assert!((long[0] - long[1]).abs() < 1e-9 && (short[0] + short[1]).abs() < 1e-9);
    }

    #[test]
    fn what_has_no_ellipse_is_none() {
        assert_eq!(mean_ellipse(&[[0.0, 1.0]; 3]), None);
        assert_eq!(mean_ellipse(&[[f64::NAN, 1.0]; 5]), None);
        let flat = mean_ellipse(&[[0.5, 0.5]; 5]).expect("a point");
        assert_eq!(flat.axes, [[0.0, 0.0], [0.0, 0.0]]);
    }
}
