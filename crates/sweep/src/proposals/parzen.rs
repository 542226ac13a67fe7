//! A Parzen estimator of one parameter: a kernel for every observed value, and a wide one for what
//! is known of the parameter before any (its prior).
//!
//! The kernels are normal distributions cut off at the ends of the range, as wide as the distance
//! to the farther neighbour (Bergstra et al. 2011, section 4.2), and never narrower than a share of
//! the range that shrinks with their number ("magic clip"). Constants and order of operations are
//! those of Optuna 4's `_ParzenEstimator` with `multivariate=False`.

use super::draws::{Draws, ends, value_at};
use domain::{ParameterValue, Range, Scale};
use stats::normal::{cdf, log_upper_tail, quantile};

/// The weight of the prior beside observations, which have 1.
const PRIOR_WEIGHT: f64 = 1.0;
/// As many observations count in full; older ones count less.
const RECENT: usize = 25;

/// The density of one parameter's good, or other, values.
#[derive(Clone, PartialEq, Debug)]
pub struct Parzen {
    range: Range,
    /// One a kernel, the prior last; they sum to 1.
    weights: Vec<f64>,
    kernels: Kernels,
}

#[derive(Clone, PartialEq, Debug)]
enum Kernels {
    Normal {
        means: Vec<f64>,
        widths: Vec<f64>,
    },
    /// The chance of each value, for each kernel.
    Values(Vec<Vec<f64>>),
}

impl Parzen {
    /// From observed values of the range, in the order of their trials.
    pub fn new(range: &Range, observed: &[ParameterValue]) -> Self {
        let kernels = match range {
            Range::Values { values } => Kernels::Values(chances(values, observed)),
            _ => {
                let mut means: Vec<f64> = observed.iter().map(|x| place(range, x)).collect();
                let widths = widths(&means, ends(range));
                let (low, high) = ends(range);
                means.push(0.5 * (low + high));
                Kernels::Normal { means, widths }
            }
        };
        Self { range: range.clone(), weights: weights(observed.len()), kernels }
    }

    /// The logarithm of the density at a value: of its chance where values are whole or listed.
    pub fn log_density(&self, value: &ParameterValue) -> f64 {
        let terms: Vec<f64> = (0..self.weights.len())
            .map(|kernel| self.weights[kernel].ln() + self.log_kernel(kernel, value))
            .collect();
        let most = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        match most.is_finite() {
            true => most + terms.iter().map(|term| (term - most).exp()).sum::<f64>().ln(),
            false => most,
        }
    }

    fn log_kernel(&self, kernel: usize, value: &ParameterValue) -> f64 {
        let (mean, width) = match &self.kernels {
            Kernels::Values(chances) => {
                let index = index_of(&self.range, value);
                return chances[kernel].get(index).copied().unwrap_or(0.0).ln();
            }
            Kernels::Normal { means, widths } => (means[kernel], widths[kernel]),
        };
        let standard = |x: f64| (x - mean) / width;
        let (low, high) = ends(&self.range);
        let whole = log_mass(standard(low), standard(high));
        let x = place(&self.range, value);
        match self.range {
            // Optuna takes the density at a whole number on a logarithmic scale, and the mass of
            // its stretch on a linear one.
            Range::Integer { scale: Scale::Linear, .. } => {
                log_mass(standard(x - 0.5), standard(x + 0.5)) - whole
            }
            _ => {
                let z = standard(x);
                -0.5 * z * z - 0.5 * std::f64::consts::TAU.ln() - width.ln() - whole
            }
        }
    }

    /// A value drawn from the estimated density.
    pub(super) fn sample(&self, draws: &mut Draws) -> ParameterValue {
        let kernel = draws.index(&self.weights);
        match &self.kernels {
            Kernels::Values(chances) => {
                let index = draws.index(&chances[kernel]);
                value_at(&self.range, index as f64)
            }
            Kernels::Normal { means, widths } => {
                let (mean, width) = (means[kernel], widths[kernel]);
                let (low, high) = ends(&self.range);
                let (from, to) = (cdf((low - mean) / width), cdf((high - mean) / width));
                let share = from + draws.share() * (to - from);
                let place = quantile(share).map_or(mean, |z| mean + width * z);
                value_at(&self.range, place.clamp(low, high))
            }
        }
    }
}

/// Where a value stands on the range's scale.
fn place(range: &Range, value: &ParameterValue) -> f64 {
    let number = match value {
        ParameterValue::Real(x) => *x,
        ParameterValue::Integer(n) => *n as f64,
        _ => return index_of(range, value) as f64,
    };
    match range {
        Range::Real { scale: Scale::Log, .. } | Range::Integer { scale: Scale::Log, .. } => {
            number.ln()
        }
        _ => number,
    }
}

fn index_of(range: &Range, value: &ParameterValue) -> usize {
    match range {
        Range::Values { values } => values.iter().position(|one| one == value).unwrap_or(0),
        _ => 0,
    }
}

/// Of the kernels of `n` observations, the oldest first, and of the prior. From 25 observations on
/// older ones count less, along a line.
fn weights(n: usize) -> Vec<f64> {
    let mut weights = vec![1.0; n];
    let old = n.saturating_sub(RECENT);
    let first = 1.0 / n.max(1) as f64;
    for (at, weight) in weights.iter_mut().take(old).enumerate() {
        let along = if old > 1 { at as f64 / (old - 1) as f64 } else { 0.0 };
        *weight = first + along * (1.0 - first);
    }
    weights.push(PRIOR_WEIGHT);
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= sum);
    weights
}

/// The chance of each value in the kernel of each observation, and in the prior's.
fn chances(values: &[ParameterValue], observed: &[ParameterValue]) -> Vec<Vec<f64>> {
    let even = vec![1.0 / values.len().max(1) as f64; values.len()];
    let share = PRIOR_WEIGHT / (observed.len() + 1) as f64;
    let kernel = |seen: &ParameterValue| -> Vec<f64> {
        let sum = share * values.len() as f64 + 1.0;
        values.iter().map(|value| (share + f64::from(u8::from(value == seen))) / sum).collect()
    };
    observed.iter().map(kernel).chain([even]).collect()
}

/// How wide the kernels at `means` are, in their order, and the prior's.
fn widths(means: &[f64], (low, high): (f64, f64)) -> Vec<f64> {
    let whole = high - low;
    // The prior's mean is a neighbour like any other.
    let with_prior: Vec<f64> = means.iter().copied().chain([0.5 * (low + high)]).collect();
    let mut order: Vec<usize> = (0..with_prior.len()).collect();
    order.sort_by(|a, b| with_prior[*a].total_cmp(&with_prior[*b]));
    let least = whole / (means.len() as f64 + 2.0).min(100.0);
    let mut widths = vec![whole; with_prior.len()];
    for (rank, &kernel) in order.iter().enumerate() {
        let here = with_prior[kernel];
        let before = rank.checked_sub(1).map(|rank| here - with_prior[order[rank]]);
        let after = order.get(rank + 1).map(|next| with_prior[*next] - here);
        // At the ends the one neighbour counts, not the end of the range.
        let width = before.unwrap_or(0.0).max(after.unwrap_or(0.0));
        widths[kernel] = width.clamp(least, whole);
    }
    widths[means.len()] = whole;
    widths
}

/// The logarithm of P(a < Z < b) for a standard normal Z.
fn log_mass(a: f64, b: f64) -> f64 {
    match (a, b) {
        (a, b) if b <= 0.0 => log_difference(log_upper_tail(-b), log_upper_tail(-a)),
        (a, b) if a > 0.0 => log_difference(log_upper_tail(a), log_upper_tail(b)),
        (a, b) => (-cdf(a) - cdf(-b)).ln_1p(),
    }
}

/// ln(eᵖ − e^q).
fn log_difference(p: f64, q: f64) -> f64 {
    p + (-(q - p).exp()).ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn real(low: f64, high: f64) -> Range {
        Range::Real { low, high, scale: Scale::Linear }
    }

    #[test]
    fn a_density_sums_to_one() {
        let observed: Vec<_> = [0.5, 2.0, 2.1, 9.0].map(ParameterValue::Real).to_vec();
        let parzen = Parzen::new(&real(0.0, 10.0), &observed);
        let n = 100_000;
        let at = |i: i32| ParameterValue::Real((f64::from(i) + 0.5) * 10.0 / f64::from(n));
        let sum: f64 = (0..n).map(|i| parzen.log_density(&at(i)).exp()).sum();
        assert!((sum * 10.0 / f64::from(n) - 1.0).abs() < 1e-6, "{sum}");
        let whole = Range::Integer { low: 1, high: 9, scale: Scale::Linear };
        let parzen = Parzen::new(&whole, &[ParameterValue::Integer(1), ParameterValue::Integer(4)]);
        let sum: f64 = (1..=9).map(|i| parzen.log_density(&ParameterValue::Integer(i)).exp()).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{sum}");
        let values = ["a", "b", "c"].map(|name| ParameterValue::Text(name.into())).to_vec();
        let parzen = Parzen::new(&Range::Values { values: values.clone() }, &values[..1]);
        let sum: f64 = values.iter().map(|value| parzen.log_density(value).exp()).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{sum}");
        assert!(parzen.log_density(&values[0]) > parzen.log_density(&values[1]));
    }

    #[test]
    fn samples_follow_the_density() {
        let observed: Vec<_> = [7.9, 8.0, 8.1, 8.2].map(ParameterValue::Real).to_vec();
        let parzen = Parzen::new(&real(0.0, 10.0), &observed);
        let n = 20_000;
        let mut near = 0;
        for trial in 0..n {
            let ParameterValue::Real(x) = parzen.sample(&mut Draws::new(1, trial, "x")) else {
                panic!()
            };
            assert!((0.0..=10.0).contains(&x));
            near += usize::from((7.0..9.0).contains(&x));
        }
        let steps = 2000;
        let at = |i: i32| ParameterValue::Real(7.0 + (f64::from(i) + 0.5) * 2.0 / f64::from(steps));
        let mass: f64 = (0..steps).map(|i| parzen.log_density(&at(i)).exp()).sum::<f64>() * 2.0
            / f64::from(steps);
        let found = near as f64 / n as f64;
        assert!((found - mass).abs() < 0.012, "{found} of {mass}");
    }

    #[test]
    fn old_observations_count_less() {
        let weights = weights(27);
        assert!((weights[0] / weights[27] - 1.0 / 27.0).abs() < 1e-12);
        assert!((weights[1] - weights[26]).abs() < 1e-12);
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}
