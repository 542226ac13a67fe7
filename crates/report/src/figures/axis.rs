//! Axes of scores: a range chosen from the data with a margin, and ticks at round numbers.

/// Round distances between ticks, as fractions.
const STEPS: [f64; 11] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0];
/// The margin beyond the data, as a share of their range.
const MARGIN: f64 = 0.14;
/// No axis is shorter: noise should not fill a figure.
const SHORTEST: f64 = 0.04;

/// A range of fractions.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Axis {
    pub low: f64,
    pub high: f64,
}

impl Axis {
    /// The range around values; what lies outside 0..1 is no score and is not made room for.
    pub fn around(values: impl Iterator<Item = f64>) -> Self {
        let scores = values.filter(|v| v.is_finite()).map(|v| v.clamp(0.0, 1.0));
        let (low, high) = scores
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        if low > high {
            return Self { low: 0.0, high: 1.0 };
        }
        let margin = (MARGIN * (high - low)).max((SHORTEST - (high - low)) / 2.0);
        let (low, high) = ((low - margin).max(0.0), (high + margin).min(1.0));
        match high - low < SHORTEST / 2.0 {
            true if low <= 0.0 => Self { low: 0.0, high: SHORTEST },
            true => Self { low: 1.0 - SHORTEST, high: 1.0 },
            false => Self { low, high },
        }
    }

    /// A range of a length that holds this one in its middle, as far as scores go.
    pub fn stretched(self, length: f64) -> Self {
        let length = length.clamp(self.high - self.low, 1.0);
        let low = ((self.low + self.high - length) / 2.0).clamp(0.0, 1.0 - length);
        Self { low, high: low + length }
    }

    /// Where a value lies, 0 at the low end and 1 at the high one.
    pub fn share(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// Round numbers in the range, at most `most`.
    pub fn ticks(&self, most: usize) -> Vec<f64> {
        let step = step(self.high - self.low, most);
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).map(|k| k as f64 * step).collect()
    }
}

/// A round distance that divides a range into at most `most` parts.
pub fn step(range: f64, most: usize) -> f64 {
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

    #[test]
    fn a_range_has_a_margin_and_stays_in_its_bounds() {
        let axis = Axis::around([0.3, 0.5].into_iter());
        assert!(axis.low < 0.3 && axis.high > 0.5);
        let full = Axis::around([0.0, 1.0, f64::NAN].into_iter());
        assert_eq!(full, Axis { low: 0.0, high: 1.0 });
    }

    #[test]
    fn one_value_or_none_still_gives_a_range() {
        for value in [0.0, 0.005, 0.5, 1.0] {
            let axis = Axis::around([value].into_iter());
            assert!(axis.high - axis.low >= 0.019, "{axis:?}");
            assert!((0.0..=1.0).contains(&axis.share(value)));
        }
        assert_eq!(Axis::around(std::iter::empty()), Axis { low: 0.0, high: 1.0 });
    }

    #[test]
    fn a_stretched_range_holds_what_it_held() {
        for (low, high, length) in
            [(0.3, 0.5, 0.4), (0.02, 0.1, 0.5), (0.9, 0.99, 0.3), (0.0, 1.0, 0.4)]
        {
            let long = Axis { low, high }.stretched(length);
            assert!(long.low <= low + 1e-12 && long.high >= high - 1e-12, "{long:?}");
            assert!(long.low >= 0.0 && long.high <= 1.0 + 1e-12, "{long:?}");
            assert!((long.high - long.low - length.max(high - low)).abs() < 1e-12);
        }
    }

    #[test]
    fn ticks_are_round() {
        let ticks = Axis { low: 0.23, high: 0.58 }.ticks(7);
        let labels: Vec<String> = ticks.into_iter().map(label).collect();
        assert_eq!(labels, ["25", "30", "35", "40", "45", "50", "55"]);
    }
}
