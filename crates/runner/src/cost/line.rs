//! A line through times that a few odd ones cannot bend: y = fixed + rate × x, neither negative.
//!
//! Theil and Sen: the rate is the median of the slopes between all pairs of points, the fixed part
//! the median of what is left. Many points are put together first, by x, into medians of few.

/// More points than this are put together.
const POINTS: usize = 48;

/// The line.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) struct Line {
    pub fixed: f64,
    pub rate: f64,
}

impl Line {
    /// Through the points, which are sorted on the way; none through none.
    pub fn through(points: &mut [(f64, f64)]) -> Option<Self> {
        points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let points = together(points);
        let mut ys: Vec<f64> = points.iter().map(|point| point.1).collect();
        let middle = median(&mut ys)?;
        let mut slopes = slopes(&points);
        let rate = match median(&mut slopes) {
            // All of one size: what is known is how long that size takes, as much for as much.
            None => {
                return Some(
                    Self::from_origin(&points).unwrap_or(Self { fixed: middle, rate: 0.0 }),
                );
            }
            Some(rate) if rate <= 0.0 => return Some(Self { fixed: middle, rate: 0.0 }),
            Some(rate) => rate,
        };
        let mut rests: Vec<f64> = points.iter().map(|(x, y)| y - rate * x).collect();
        match median(&mut rests)? {
            fixed if fixed >= 0.0 => Some(Self { fixed, rate }),
            _ => Self::from_origin(&points),
        }
    }

    fn from_origin(points: &[(f64, f64)]) -> Option<Self> {
        let mut rates: Vec<f64> =
            points.iter().filter(|(x, _)| *x > 0.0).map(|(x, y)| y / x).collect();
        median(&mut rates).map(|rate| Self { fixed: 0.0, rate })
    }

    pub fn at(&self, x: f64) -> f64 {
        self.fixed + self.rate * x
    }
}

fn together(sorted: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let size = sorted.len().div_ceil(POINTS).max(1);
    let middle = |part: &[(f64, f64)]| {
        let mut ys: Vec<f64> = part.iter().map(|point| point.1).collect();
        Some((part[part.len() / 2].0, median(&mut ys)?))
    };
    sorted.chunks(size).filter_map(middle).collect()
}

fn slopes(points: &[(f64, f64)]) -> Vec<f64> {
    let mut slopes = Vec::new();
    for (at, a) in points.iter().enumerate() {
        let later = points[at + 1..].iter().filter(|b| b.0 > a.0);
        slopes.extend(later.map(|b| (b.1 - a.1) / (b.0 - a.0)));
    }
    slopes
}

/// The middle one, or the mean of the two in the middle.
pub(super) fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    match values.len() % 2 {
        1 => Some(upper),
        _ => Some((values[values.len() / 2 - 1] + upper) / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_is_found_again_though_every_fifth_time_is_odd() {
        let time = |n: u32| {
            let x = f64::from(n * 37 % 1000);
            (x, if n.is_multiple_of(5) { 500.0 } else { 2.0 + 0.25 * x })
        };
        let mut points: Vec<(f64, f64)> = (1..40).map(time).collect();
        let line = Line::through(&mut points).unwrap();
        assert!((line.rate - 0.25).abs() < 0.02, "{line:?}");
        assert!((line.fixed - 2.0).abs() < 8.0, "{line:?}");
    }

    #[test]
    fn a_single_point_tells_of_its_rate_and_nothing_of_nothing() {
        assert_eq!(Line::through(&mut [(4.0, 2.0)]), Some(Line { fixed: 0.0, rate: 0.5 }));
        assert_eq!(Line::through(&mut [(0.0, 2.0)]), Some(Line { fixed: 2.0, rate: 0.0 }));
        assert_eq!(Line::through(&mut []), None);
    }

    #[test]
    fn times_that_fall_with_the_size_are_their_median() {
        let line = Line::through(&mut [(1.0, 9.0), (2.0, 5.0), (3.0, 1.0)]);
        assert_eq!(line, Some(Line { fixed: 5.0, rate: 0.0 }));
    }

    proptest! {
        #[test]
        fn neither_part_is_ever_negative(
            points in proptest::collection::vec((0.0f64..1e12, 0.0f64..1e5), 1..200)
        ) {
            let line = Line::through(&mut points.clone()).unwrap();
            prop_assert!(line.fixed >= 0.0 && line.rate >= 0.0, "{line:?}");
            let most = points.iter().map(|point| point.1).fold(0.0, f64::max);
            prop_assert!(line.fixed <= most + 1e-9, "{line:?}");
        }
    }
}
