//! Where trials and values stand on an axis, and what is written below it.

use crate::figures::scale::{round_numbers, round_powers, written};
use domain::{ParameterValue, Range, Scale};

/// Ticks on an axis, about.
const MOST: usize = 6;

/// Where a trial stands among all, 0 the first and 1 the last.
pub(super) fn share_of_trial(trial: usize, trials: usize) -> f64 {
    match trials {
        0 | 1 => 0.5,
        _ => (trial as f64 - 1.0) / (trials as f64 - 1.0),
    }
}

/// Whole numbers a round distance apart, 1 among them.
pub(super) fn trial_ticks(trials: usize) -> impl Iterator<Item = usize> {
    let step = [1, 2, 5, 10, 20, 50, 100, 200].into_iter().find(|step| trials / step <= 10);
    let step = step.unwrap_or(500);
    (1..=trials).filter(move |trial| *trial == 1 || trial % step == 0)
}

/// Where a value lies in its range, 0 at the low end and 1 at the high one.
pub(super) fn share(range: &Range, value: &ParameterValue) -> f64 {
    let number = match value {
        ParameterValue::Real(x) => *x,
        ParameterValue::Integer(n) => *n as f64,
        _ => 0.0,
    };
    match range {
        Range::Values { values } => {
            let place = values.iter().position(|one| one == value).unwrap_or(0);
            (place as f64 + 0.5) / values.len().max(1) as f64
        }
        Range::Real { low, high, scale } => along(number, *low, *high, *scale),
        Range::Integer { low, high, scale } => along(number, *low as f64, *high as f64, *scale),
    }
}

fn along(x: f64, low: f64, high: f64, scale: Scale) -> f64 {
    match scale {
        Scale::Linear => (x - low) / (high - low),
        Scale::Log => (x / low).ln() / (high / low).ln(),
    }
}

/// Ticks of a range: round numbers, powers of ten and what lies between them, or the values.
pub(super) fn ticks(range: &Range) -> Vec<(f64, String)> {
    let (low, high, scale, whole) = match range {
        Range::Values { values } => {
            return values.iter().map(|value| (share(range, value), value.to_string())).collect();
        }
        Range::Real { low, high, scale } => (*low, *high, *scale, false),
        Range::Integer { low, high, scale } => (*low as f64, *high as f64, *scale, true),
    };
    let marks = match scale {
        Scale::Linear => round_numbers(low, high, MOST as f64, whole),
        Scale::Log => round_powers(low, high, MOST),
    };
    marks.into_iter().map(|x| (along(x, low, high, scale), written(x))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_on_either_scale() {
        let words = |range: &Range| -> Vec<String> {
            ticks(range).into_iter().map(|(_, words)| words).collect()
        };
        let real = |low, high, scale| Range::Real { low, high, scale };
        assert_eq!(words(&real(0.0, 1.0, Scale::Linear)), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(words(&real(1e-5, 1e-2, Scale::Log)), ["1e-5", "1e-4", "0.001", "0.01"]);
        assert_eq!(words(&real(0.02, 0.3, Scale::Log)), ["0.02", "0.05", "0.1", "0.2"]);
        assert_eq!(words(&real(0.31, 0.39, Scale::Log)), ["0.32", "0.34", "0.36", "0.38"]);
        let whole = Range::Integer { low: 1, high: 4, scale: Scale::Linear };
        assert_eq!(words(&whole), ["1", "2", "3", "4"]);
        let values = vec![ParameterValue::Bool(false), ParameterValue::Bool(true)];
        assert_eq!(ticks(&Range::Values { values })[1], (0.75, "true".to_owned()));
    }

    #[test]
    fn trials_are_numbered_at_round_distances() {
        assert_eq!(trial_ticks(1).collect::<Vec<_>>(), [1]);
        assert_eq!(trial_ticks(12).collect::<Vec<_>>(), [1, 2, 4, 6, 8, 10, 12]);
        assert_eq!(trial_ticks(40).collect::<Vec<_>>(), [1, 5, 10, 15, 20, 25, 30, 35, 40]);
    }
}
