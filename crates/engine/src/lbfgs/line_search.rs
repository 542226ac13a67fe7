//! How far to go: a step that meets the strong Wolfe conditions (Nocedal and Wright 2006,
//! algorithms 3.5 and 3.6, with cubic interpolation).

use super::{Objective, add, dot};

/// How much of the expected descent a step must bring, and how much flatter it must be there.
const DESCENT: f64 = 1e-4;
const FLATTER: f64 = 0.9;
/// Evaluations of one search, at most.
const PATIENCE: usize = 30;

/// A point that was found.
pub(super) struct Search {
    pub point: Vec<f64>,
    pub value: f64,
    pub gradient: Vec<f64>,
    pub evaluations: usize,
}

/// A place on the line.
#[derive(Copy, Clone)]
struct LinePoint {
    length: f64,
    value: f64,
    slope: f64,
}

struct Line<'a, 'o> {
    objective: &'a mut Objective<'o>,
    from: &'a [f64],
    direction: &'a [f64],
    point: Vec<f64>,
    gradient: Vec<f64>,
    evaluations: usize,
    start: LinePoint,
}

/// Searches along a direction; `None` if it does not descend or no step is good enough.
pub(super) fn search(
    objective: &mut Objective<'_>,
    (from, value, gradient): (&[f64], f64, &[f64]),
    direction: &[f64],
    length: f64,
) -> Option<Search> {
    let start = LinePoint { length: 0.0, value, slope: dot(gradient, direction) };
    if start.slope >= 0.0 || start.slope.is_nan() {
        return None;
    }
    let (point, gradient) = (from.to_vec(), gradient.to_vec());
    let mut line = Line { objective, from, direction, point, gradient, evaluations: 0, start };
    let found = line.bracket(length)?;
    Some(Search {
        point: line.point,
        value: found.value,
        gradient: line.gradient,
        evaluations: line.evaluations,
    })
}

impl Line<'_, '_> {
    fn at(&mut self, length: f64) -> LinePoint {
        self.point.copy_from_slice(self.from);
        add(&mut self.point, length, self.direction);
        let value = (self.objective)(&self.point, &mut self.gradient);
        self.evaluations += 1;
        LinePoint { length, value, slope: dot(&self.gradient, self.direction) }
    }

    /// Whether a place is too high to be stepped to.
    fn is_high(&self, place: LinePoint) -> bool {
        let limit = self.start.value + DESCENT * place.length * self.start.slope;
        place.value > limit || place.value.is_nan()
    }

    fn is_flat(&self, place: LinePoint) -> bool {
        place.slope.abs() <= -FLATTER * self.start.slope
    }

    /// Goes further until a good place is found or passed.
    fn bracket(&mut self, length: f64) -> Option<LinePoint> {
        let mut before = self.start;
        let mut length = length;
        while self.evaluations < PATIENCE {
            let now = self.at(length);
            if self.is_high(now) || (self.evaluations > 1 && now.value >= before.value) {
                return self.zoom(before, now);
            }
            if self.is_flat(now) {
                return Some(now);
            }
            if now.slope >= 0.0 {
                return self.zoom(now, before);
            }
            before = now;
            length *= 2.0;
        }
        None
    }

    /// Narrows an interval that holds a good place; `low` is its better end.
    fn zoom(&mut self, mut low: LinePoint, mut high: LinePoint) -> Option<LinePoint> {
        while self.evaluations < PATIENCE {
            let now = self.at(between(low, high));
            if self.is_high(now) || now.value >= low.value {
                high = now;
            } else {
                if self.is_flat(now) {
                    return Some(now);
                }
                if now.slope * (high.length - low.length) >= 0.0 {
                    high = low;
                }
                low = now;
            }
            if (high.length - low.length).abs() <= 1e-14 * low.length.max(1e-300) {
                break;
            }
        }
        // What is better than the start is better than giving up.
        if low.length > 0.0 && low.value < self.start.value {
            Some(self.at(low.length))
        } else {
            None
        }
    }
}

/// The minimum of the cubic through both places, kept off the ends; the middle where there is none.
fn between(low: LinePoint, high: LinePoint) -> f64 {
    let middle = 0.5 * (low.length + high.length);
    let width = high.length - low.length;
    let d1 = low.slope + high.slope - 3.0 * (low.value - high.value) / (low.length - high.length);
    let square = d1 * d1 - low.slope * high.slope;
    if !square.is_finite() || square < 0.0 || !high.value.is_finite() {
        return middle;
    }
    let d2 = square.sqrt() * width.signum();
    let cubic = high.length - width * (high.slope + d2 - d1) / (high.slope - low.slope + 2.0 * d2);
    let (near, far) = (low.length + 0.1 * width, low.length + 0.9 * width);
    match cubic.is_finite() {
        true => cubic.clamp(near.min(far), near.max(far)),
        false => middle,
    }
}
