//! Random numbers that are the same on every machine.

use domain::{ParameterValue, Range, Scale};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

/// A stream of numbers for one parameter of one trial.
pub(super) struct Draws(ChaCha8Rng);

impl Draws {
    /// By the search's seed, the number of the trial and the parameter's path.
    pub fn new(seed: u64, trial: usize, path: &str) -> Self {
        let name = format!("parameter search {seed}, trial {trial}, {path}");
        Self(ChaCha8Rng::from_seed(Sha256::digest(name).into()))
    }

    /// Between 0 and 1, never either.
    pub fn share(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// An index, each as likely as its weight; weights sum to 1.
    pub fn index(&mut self, weights: &[f64]) -> usize {
        let share = self.share();
        let mut sum = 0.0;
        let found = weights.iter().position(|weight| {
            sum += weight;
            share < sum
        });
        found.unwrap_or(weights.len().saturating_sub(1))
    }

    /// A value of the range, each equally likely on its scale.
    pub fn uniform(&mut self, range: &Range) -> ParameterValue {
        let share = self.share();
        match range {
            Range::Values { values } => {
                // The share can round up to 1.
                let index = ((share * values.len() as f64) as usize).min(values.len() - 1);
                values.get(index).expect("a range has a value").clone()
            }
            _ => {
                let (low, high) = ends(range);
                value_at(range, low + share * (high - low))
            }
        }
    }
}

/// The ends of a range of numbers on its scale. A whole number stands for the stretch that is
/// rounded to it, so that the first and the last are as wide as the others.
pub(super) fn ends(range: &Range) -> (f64, f64) {
    let (low, high, scale) = match range {
        Range::Real { low, high, scale } => (*low, *high, *scale),
        Range::Integer { low, high, scale } => (*low as f64 - 0.5, *high as f64 + 0.5, *scale),
        Range::Values { values } => (0.0, values.len() as f64, Scale::Linear),
    };
    match scale {
        Scale::Linear => (low, high),
        Scale::Log => (low.ln(), high.ln()),
    }
}

/// The value at a place of the range's scale.
pub(super) fn value_at(range: &Range, place: f64) -> ParameterValue {
    match range {
        Range::Real { low, high, scale } => {
            let x = if *scale == Scale::Log { place.exp() } else { place };
            ParameterValue::Real(six_digits(x).clamp(*low, *high))
        }
        Range::Integer { low, high, scale } => {
            let x = if *scale == Scale::Log { place.exp() } else { place };
            // Beyond the ends only where a stretch was rounded away from its number.
            ParameterValue::Integer((x.round() as i64).clamp(*low, *high))
        }
        Range::Values { values } => {
            let index = (place as usize).min(values.len().saturating_sub(1));
            values.get(index).expect("a range has a value").clone()
        }
    }
}

/// Six significant digits: what people can write down, and what no mathematics library's last digit
/// changes.
fn six_digits(x: f64) -> f64 {
    format!("{x:.5e}").parse().expect("a number as it was written")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_its_seed_trial_and_parameter() {
        let first = |seed, trial, path| Draws::new(seed, trial, path).share();
        assert_eq!(first(1, 1, "a"), first(1, 1, "a"));
        let others = [first(2, 1, "a"), first(1, 2, "a"), first(1, 1, "b")];
        assert!(others.iter().all(|other| *other != first(1, 1, "a")));
    }

    #[test]
    fn values_stay_in_their_range_and_reach_its_ends() {
        let log = Range::Real { low: 1e-5, high: 0.1, scale: Scale::Log };
        let whole = Range::Integer { low: 1, high: 3, scale: Scale::Linear };
        let logs = Range::Integer { low: 1, high: 8, scale: Scale::Log };
        let (mut below, mut seen, mut seen_log) = (0, [0; 3], [0; 8]);
        for trial in 0..3000 {
            let mut draws = Draws::new(1, trial, "x");
            let ParameterValue::Real(x) = draws.uniform(&log) else { panic!() };
            assert!((1e-5..=0.1).contains(&x));
            below += usize::from(x < 1e-3);
            let ParameterValue::Integer(n) = draws.uniform(&whole) else { panic!() };
            seen[n as usize - 1] += 1;
            let ParameterValue::Integer(n) = draws.uniform(&logs) else { panic!() };
            seen_log[n as usize - 1] += 1;
        }
        assert!((1400..1600).contains(&below), "{below}");
        assert!(seen.iter().all(|n| (900..1100).contains(n)), "{seen:?}");
        assert!(seen_log.iter().rev().is_sorted() && seen_log[7] > 50, "{seen_log:?}");
    }

    #[test]
    fn numbers_can_be_written_down() {
        assert_eq!(six_digits(0.123456789), 0.123457);
        assert_eq!(six_digits(1.23456789e-5).to_string(), "0.0000123457");
        assert_eq!(six_digits(0.0), 0.0);
    }
}
