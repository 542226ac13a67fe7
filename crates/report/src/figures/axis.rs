//! Axes of scores: a range chosen from the data with a margin, and ticks at round numbers.

use super::scale::{AxisScale, AxisUnit};

/// Round distances between ticks, as fractions.
const STEPS: [f64; 11] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0];
/// The margin beyond the data, as a share of their range.
const MARGIN: f64 = 0.14;
/// No axis is shorter: noise should not fill a figure.
const SHORTEST: f64 = 0.04;

/// The range around scores; what lies outside 0..1 is no score and is not made room for.
pub fn of_scores(values: impl Iterator<Item = f64>) -> AxisScale {
    let scores = values.filter(|v| v.is_finite()).map(|v| v.clamp(0.0, 1.0));
    let (low, high) =
        scores.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if low > high {
        return AxisScale::between(0.0, 1.0, AxisUnit::Percent);
    }
    let margin = (MARGIN * (high - low)).max((SHORTEST - (high - low)) / 2.0);
    let (low, high) = ((low - margin).max(0.0), (high + margin).min(1.0));
    let (low, high) = match high - low < SHORTEST / 2.0 {
        true if low <= 0.0 => (0.0, SHORTEST),
        true => (1.0 - SHORTEST, 1.0),
        false => (low, high),
    };
    AxisScale::between(low, high, AxisUnit::Percent)
}

/// A range of a length that holds another one in its middle, as far as scores go.
pub fn stretched(axis: AxisScale, length: f64) -> AxisScale {
    let length = length.clamp(axis.high - axis.low, 1.0);
    let low = ((axis.low + axis.high - length) / 2.0).clamp(0.0, 1.0 - length);
    AxisScale { low, high: low + length, ..axis }
}

/// Round scores in a range, at most `most`.
pub fn ticks(low: f64, high: f64, most: usize) -> Vec<f64> {
    let step = step(high - low, most);
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|k| k as f64 * step).collect()
}

/// A round distance that divides a range into at most `most` parts.
fn step(range: f64, most: usize) -> f64 {
    let fits = |step: &&f64| range / **step <= most as f64;
    STEPS.iter().find(fits).copied().unwrap_or(1.0)
}

/// A fraction as a percentage without needless decimals.
pub fn label(fraction: f64) -> String {
    let percent = (fraction * 1e4).round() / 1e2;
    format!("{percent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(low: f64, high: f64) -> AxisScale {
        AxisScale::between(low, high, AxisUnit::Percent)
    }

    #[test]
    fn a_range_has_a_margin_and_stays_in_its_bounds() {
        let axis = of_scores([0.3, 0.5].into_iter());
        assert!(axis.low < 0.3 && axis.high > 0.5);
        assert_eq!(of_scores([0.0, 1.0, f64::NAN].into_iter()), between(0.0, 1.0));
    }

    #[test]
    fn one_value_or_none_still_gives_a_range() {
        for value in [0.0, 0.005, 0.5, 1.0] {
            let axis = of_scores([value].into_iter());
            assert!(axis.high - axis.low >= 0.019, "{axis:?}");
            assert!((axis.low..=axis.high).contains(&value));
        }
        assert_eq!(of_scores(std::iter::empty()), between(0.0, 1.0));
    }

    #[test]
    fn a_stretched_range_holds_what_it_held() {
        for (low, high, length) in
            [(0.3, 0.5, 0.4), (0.02, 0.1, 0.5), (0.9, 0.99, 0.3), (0.0, 1.0, 0.4)]
        {
            let long = stretched(between(low, high), length);
            assert!(long.low <= low + 1e-12 && long.high >= high - 1e-12, "{long:?}");
            assert!(long.low >= 0.0 && long.high <= 1.0 + 1e-12, "{long:?}");
            assert!((long.high - long.low - length.max(high - low)).abs() < 1e-12);
        }
    }

    #[test]
    fn ticks_are_round() {
        let labels: Vec<String> = ticks(0.23, 0.58, 7).into_iter().map(label).collect();
        assert_eq!(labels, ["25", "30", "35", "40", "45", "50", "55"]);
    }
}
