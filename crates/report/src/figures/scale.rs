//! Axes of any numbers: a range chosen from the data, even or logarithmic, and ticks at round
//! numbers.

/// The margin beyond the data, as a share of their range.
const MARGIN: f64 = 0.06;

/// Where zero lies beside a logarithmic range, and where the range begins, as shares of the axis.
const ZERO: f64 = 0.04;
const BREAK: f64 = 0.08;
const BEGIN: f64 = 0.1;

/// What the numbers of an axis are.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum AxisUnit {
    Plain,
    /// Numbers of something, as epochs: there is nothing between them.
    Whole,
    /// Fractions that are shown as percentages.
    Percent,
    /// The same, with a sign.
    Difference,
}

/// A range of numbers.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct AxisScale {
    pub low: f64,
    pub high: f64,
    pub is_log: bool,
    /// Whether zero has a place of its own before a logarithmic range, which it is never in.
    pub has_zero: bool,
    pub unit: AxisUnit,
}

impl AxisScale {
    /// An even range from one number to another.
    pub fn between(low: f64, high: f64, unit: AxisUnit) -> Self {
        Self { low, high, is_log: false, has_zero: false, unit }
    }

    /// An even range around values, never shorter than `shortest`, so that noise does not fill a
    /// figure.
    pub fn even(values: impl Iterator<Item = f64>, shortest: f64, unit: AxisUnit) -> Self {
        let (low, high) = ends(values.filter(|v| v.is_finite())).unwrap_or((0.0, shortest));
        // Numbers far from zero lie far apart.
        let shortest = shortest.max(1e-9 * low.abs().max(high.abs()));
        let lacking = (shortest - (high - low)).max(0.0) / 2.0;
        let margin = MARGIN * (high - low) + lacking;
        Self::between(bounded(low - margin), bounded(high + margin), unit)
    }

    /// A logarithmic range around positive values; others have no place on it.
    pub fn log(values: impl Iterator<Item = f64>, unit: AxisUnit) -> Self {
        let values = values.filter(|v| *v > 0.0 && v.is_finite());
        let (low, high) = ends(values.map(f64::ln)).unwrap_or((0.0, 1.0));
        let margin = (MARGIN * (high - low)).max(0.2);
        let (low, high) = (positive((low - margin).exp()), positive((high + margin).exp()));
        Self { low, high, is_log: true, has_zero: false, unit }
    }

    /// Logarithmic where the values are positive, zero aside, and range over a factor of ten.
    pub fn fitting(values: impl Iterator<Item = f64> + Clone, unit: AxisUnit) -> Self {
        let Some((low, high)) = ends(values.clone()) else { return Self::even(values, 1.0, unit) };
        let positive = ends(values.clone().filter(|v| *v > 0.0));
        match positive.is_some_and(|(least, most)| most / least >= 10.0) && low >= 0.0 {
            true => Self { has_zero: low == 0.0, ..Self::log(values, unit) },
            false => Self::even(values, (high - low).max(1e-6), unit),
        }
    }

    /// Where an axis is cut between zero and a logarithmic range, as a share of it.
    pub fn cut(&self) -> Option<f64> {
        self.has_zero.then_some(BREAK)
    }

    /// The same without what lies below or above.
    pub fn within(self, least: f64, most: f64) -> Self {
        Self { low: self.low.max(least), high: self.high.min(most), ..self }
    }

    /// Where a value lies, 0 at the low end and 1 at the high one; what is outside lies on its
    /// edge.
    pub fn share(&self, value: f64) -> f64 {
        self.open_share(value).clamp(0.0, 1.0)
    }

    /// The same where what is outside lies outside, however far away not farther than a drawing
    /// knows.
    pub fn open_share(&self, value: f64) -> f64 {
        const FARTHEST: f64 = 1e3;
        let share = match self.is_log {
            true if self.has_zero && value <= 0.0 => ZERO,
            true if self.has_zero => {
                let range = Self { has_zero: false, ..*self };
                BEGIN + (1.0 - BEGIN) * range.open_share(value)
            }
            true => (value.max(f64::MIN_POSITIVE) / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        };
        if share.is_finite() { share.clamp(-FARTHEST, FARTHEST) } else { 0.0 }
    }

    /// Round numbers in the range with what is written there, about `most`.
    pub fn ticks(&self, most: usize) -> Vec<(f64, String)> {
        let marks = match self.is_log {
            true => round_powers(self.low, self.high, most),
            false => round_numbers(self.low, self.high, most as f64, self.unit == AxisUnit::Whole),
        };
        let zero = self.has_zero.then_some(0.0);
        zero.into_iter().chain(marks).map(|mark| (mark, self.label(mark))).collect()
    }

    /// A value as it is written.
    pub fn label(&self, value: f64) -> String {
        match self.unit {
            AxisUnit::Plain | AxisUnit::Whole => written(value),
            AxisUnit::Percent => written(value * 100.0),
            AxisUnit::Difference if value > 0.0 => format!("+{}", written(value * 100.0)),
            AxisUnit::Difference => written(value * 100.0).replace('-', "−"),
        }
    }
}

/// No axis reaches farther: the length of a range is a number, and so is each of its parts.
const FARTHEST: f64 = 1e300;

fn bounded(end: f64) -> f64 {
    if end.is_nan() { 0.0 } else { end.clamp(-FARTHEST, FARTHEST) }
}

/// An end of a logarithmic range.
fn positive(end: f64) -> f64 {
    if end.is_nan() { 1.0 } else { end.clamp(1.0 / FARTHEST, FARTHEST) }
}

fn ends(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |ends, v| match ends {
        None => Some((v, v)),
        Some((low, high)) => Some((v.min(low), v.max(high))),
    })
}

/// 1, 2 or 5 times a power of ten apart.
pub fn round_numbers(low: f64, high: f64, most: f64, whole: bool) -> Vec<f64> {
    let (low, high) = (bounded(low), bounded(high));
    let rough = ((high - low) / most).max(f64::MIN_POSITIVE);
    let power = 10f64.powf(rough.log10().floor());
    let fits = |factor: &f64| factor * power >= rough * (1.0 - 1e-9);
    let step = [1.0, 2.0, 5.0].into_iter().find(fits).unwrap_or(10.0) * power;
    let step = if whole { step.max(1.0) } else { step };
    let first = (low / step - 1e-9).ceil();
    let marks = (0..64).map(|k| (first + f64::from(k)) * step);
    // A negative zero would be written with its sign.
    let marks = marks.take_while(|x| x.is_finite() && *x <= high + 1e-9 * step).map(|x| x + 0.0);
    let mut marks: Vec<f64> = marks.collect();
    // In a range that is short beside its distance from zero, steps are lost in rounding.
    marks.dedup();
    marks
}

/// Powers of ten in a range, every so many of them where they are more than `most`, with their
/// double and fivefold where there are few; round numbers an even distance apart where there is
/// hardly one.
pub fn round_powers(low: f64, high: f64, most: usize) -> Vec<f64> {
    let (low, high) = (positive(low), positive(high));
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let at_factors = |factors: &[f64]| -> Vec<f64> {
        let marks = (first..=last).flat_map(|power| {
            factors.iter().map(move |factor| factor * 10f64.powi(power)).collect::<Vec<_>>()
        });
        marks.filter(|x| *x >= low * (1.0 - 1e-9) && *x <= high * (1.0 + 1e-9)).collect()
    };
    let few = at_factors(&[1.0]);
    let stride = few.len().div_ceil(most.max(1)).max(1);
    let found = match few.len() {
        0..3 => at_factors(&[1.0, 2.0, 5.0]),
        _ => few.into_iter().step_by(stride).collect(),
    };
    if found.len() < 2 { round_numbers(low, high, most as f64, false) } else { found }
}

/// A number to six digits, as short as it can be.
pub fn written(x: f64) -> String {
    let x = format!("{x:.5e}").parse().unwrap_or(x);
    match x != 0.0 && (x.abs() < 1e-3 || x.abs() >= 1e6) {
        true => format!("{x:e}"),
        false => format!("{x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: AxisScale, most: usize) -> Vec<String> {
        scale.ticks(most).into_iter().map(|(_, words)| words).collect()
    }

    #[test]
    fn ticks_are_round_and_speak_their_unit() {
        let even = |low, high, unit| AxisScale { low, high, is_log: false, has_zero: false, unit };
        assert_eq!(
            labels(even(0.0, 1.0, AxisUnit::Plain), 6),
            ["0", "0.2", "0.4", "0.6", "0.8", "1"]
        );
        assert_eq!(
            labels(even(-0.051, 0.049, AxisUnit::Difference), 5),
            ["−4", "−2", "0", "+2", "+4"]
        );
        assert_eq!(labels(even(0.31, 0.39, AxisUnit::Percent), 4), ["32", "34", "36", "38"]);
        assert_eq!(labels(even(0.8, 3.2, AxisUnit::Whole), 6), ["1", "2", "3"]);
        let log = |low, high| AxisScale {
            low,
            high,
            is_log: true,
            has_zero: false,
            unit: AxisUnit::Plain,
        };
        assert_eq!(
            labels(log(0.008, 1.2e4), 8),
            ["0.01", "0.1", "1", "10", "100", "1000", "10000"]
        );
        assert_eq!(labels(log(0.008, 1.2e4), 4), ["0.01", "1", "100", "10000"]);
        assert_eq!(labels(log(45.0, 1100.0), 6), ["50", "100", "200", "500", "1000"]);
        assert_eq!(labels(log(4.1, 9.04), 6), ["5", "6", "7", "8", "9"]);
    }

    #[test]
    fn a_range_holds_its_values_and_one_value_or_none_still_gives_one() {
        let values = [3.0, f64::NAN, 700.0, f64::INFINITY, 0.0];
        for scale in [
            AxisScale::log(values.into_iter(), AxisUnit::Plain),
            AxisScale::even(values.into_iter(), 1.0, AxisUnit::Plain),
            AxisScale::even([0.5].into_iter(), 0.1, AxisUnit::Percent),
            AxisScale::even(std::iter::empty(), 0.1, AxisUnit::Percent),
            AxisScale::log([5.0].into_iter(), AxisUnit::Plain),
            AxisScale::fitting([2.0, 2.0].into_iter(), AxisUnit::Plain),
        ] {
            assert!(scale.low < scale.high, "{scale:?}");
            assert!((0.0..=1.0).contains(&scale.share(3.0)) && !scale.ticks(6).is_empty());
        }
        assert!(AxisScale::fitting([1.0, 50.0].into_iter(), AxisUnit::Plain).is_log);
        assert!(!AxisScale::fitting([0.0, 50.0].into_iter(), AxisUnit::Plain).is_log);
    }

    #[test]
    fn zero_has_its_own_place_before_a_log_axis() {
        let scale = AxisScale::fitting([0.0, 0.35, 5.0, 1e6].into_iter(), AxisUnit::Plain);
        assert!(scale.is_log && scale.has_zero);
        assert_eq!(labels(scale, 4)[..2], ["0", "1"]);
        let cut = scale.cut().expect("between zero and the rest");
        assert!(0.0 < scale.share(0.0) && scale.share(0.0) < cut && cut < scale.share(0.35));
        assert!(scale.share(0.35) + 0.05 < scale.share(5.0) && scale.share(1e6) < 1.0);
        let positive = AxisScale::fitting([0.35, 5.0, 1e6].into_iter(), AxisUnit::Plain);
        assert!(positive.is_log && positive.cut().is_none());
        assert!(!AxisScale::fitting([-1.0, 0.0, 1.0, 1e6].into_iter(), AxisUnit::Plain).is_log);
        assert!(!AxisScale::fitting([0.0, 1.0, 5.0].into_iter(), AxisUnit::Plain).is_log);
    }
    proptest::proptest! {
        #[test]
        fn any_finite_values_give_an_axis_with_few_ticks(
            values in proptest::collection::vec(proptest::num::f64::ANY, 0..6),
            shortest in 1e-6..1e3f64,
            most in 0usize..12,
        ) {
            let all = || values.iter().copied().filter(|value| value.is_finite());
            for unit in [AxisUnit::Plain, AxisUnit::Whole, AxisUnit::Difference] {
                for scale in [
                    AxisScale::log(all(), unit),
                    AxisScale::even(all(), shortest, unit),
                    AxisScale::fitting(all(), unit),
                ] {
                    proptest::prop_assert!(scale.low.is_finite() && scale.high.is_finite());
                    let ticks = scale.ticks(most);
                    proptest::prop_assert!(ticks.len() <= 65, "{scale:?}: {ticks:?}");
                    proptest::prop_assert!(ticks.iter().all(|(mark, _)| mark.is_finite()));
                    proptest::prop_assert!(all().all(|v| (0.0..=1.0).contains(&scale.share(v))));
                }
            }
        }
    }

    #[test]
    fn the_ends_of_all_numbers_make_no_endless_axis() {
        for values in [[1e308, 1e-320], [f64::MAX, f64::MIN_POSITIVE], [5e-324, 1.0]] {
            for scale in [
                AxisScale::log(values.into_iter(), AxisUnit::Plain),
                AxisScale::fitting(values.into_iter(), AxisUnit::Plain),
            ] {
                assert!(scale.is_log && scale.low < scale.high, "{scale:?}");
                assert!((2..=13).contains(&scale.ticks(6).len()), "{scale:?}");
            }
        }
        assert!(round_powers(0.0, f64::INFINITY, 6).len() <= 13);
    }
}
