//! L-BFGS: minimises a smooth function of many numbers from its values and gradients (Liu and
//! Nocedal 1989).
//!
//! Plain arithmetic in double precision, always in the same order: the same function gives the same
//! bits. A step is taken only if it meets the strong Wolfe conditions, so the value never rises.

mod line_search;

use line_search::{Search, search};
use std::collections::VecDeque;

/// A function: its value at a point, and its gradient there, which the second argument is
/// overwritten with.
pub type Objective<'a> = dyn FnMut(&[f64], &mut [f64]) -> f64 + 'a;

/// When to stop.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Settings {
    /// Earlier steps that the curvature is estimated from.
    pub memory: usize,
    pub max_iterations: usize,
    /// Stops when the largest part of the gradient is no larger.
    pub gradient_tolerance: f64,
    /// Stops when ‖gradient‖ / max(1, ‖point‖) is smaller (CRFsuite's `epsilon`); 0 for never.
    pub relative_gradient: f64,
    /// Stops when the value fell by less than this share of itself over `period` steps (CRFsuite's
    /// `delta`); 0 for never.
    pub improvement: f64,
    pub period: usize,
}

impl Settings {
    /// Those of scikit-learn's `LogisticRegression`, whose tolerance is on the sum over tokens
    /// here, but for its limit of 100 iterations, at which it gives up long before the tolerance is
    /// met (docs/models.md has numbers). The limit here is far above what any measured corpus
    /// needs: the gradient ends it, or ten steps that gain nothing that a number can show. One such
    /// step alone is no sign of the optimum.
    pub const SCIKIT_LEARN: Self = Self {
        memory: 10,
        max_iterations: 100_000,
        gradient_tolerance: 1e-4,
        relative_gradient: 0.0,
        improvement: 64.0 * f64::EPSILON,
        period: 10,
    };

    /// Those of CRFsuite, which has no limit of iterations.
    pub const CRFSUITE: Self = Self {
        memory: 6,
        max_iterations: usize::MAX,
        gradient_tolerance: 0.0,
        relative_gradient: 1e-5,
        improvement: 1e-5,
        period: 10,
    };
}

/// Why it stopped.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// A tolerance is met.
    Converged,
    /// As many steps as allowed.
    Iterations,
    /// No step improves the value any more: the limit of the arithmetic.
    Stuck,
    /// The caller asked for it.
    Told,
    /// The value or the gradient is not a number.
    NotANumber,
}

/// Where it stopped.
#[derive(Clone, PartialEq, Debug)]
pub struct Minimum {
    pub point: Vec<f64>,
    pub value: f64,
    pub iterations: usize,
    pub evaluations: usize,
    /// The largest part of the gradient there.
    pub slope: f64,
    pub stop: Stop,
}

/// What one step says of the curvature.
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    /// 1 / (step · change).
    scale: f64,
}

/// Minimises from a starting point; `tell` hears of every step (its number, the value, the point)
/// and may end it with `false`.
pub fn minimise(
    objective: &mut Objective<'_>,
    start: Vec<f64>,
    settings: &Settings,
    mut tell: impl FnMut(usize, f64, &[f64]) -> bool,
) -> Minimum {
    let mut gradient = vec![0.0; start.len()];
    let value = objective(&start, &mut gradient);
    let (slope, stop) = (largest(&gradient), Stop::Iterations);
    let mut now = Minimum { point: start, value, iterations: 0, evaluations: 1, slope, stop };
    if !value.is_finite() || gradient.iter().any(|part| !part.is_finite()) {
        return Minimum { stop: Stop::NotANumber, ..now };
    }
    let mut pairs: VecDeque<Pair> = VecDeque::with_capacity(settings.memory);
    let mut values = VecDeque::from([value]);
    while now.iterations < settings.max_iterations {
        if is_flat(&now.point, &gradient, settings) {
            return Minimum { stop: Stop::Converged, ..now };
        }
        let Some(Search { point, value, gradient: next, evaluations }) =
            step(objective, &now, &gradient, &mut pairs)
        else {
            return Minimum { stop: Stop::Stuck, ..now };
        };
        remember(&mut pairs, settings.memory, (&now.point, &point), (&gradient, &next));
        now.evaluations += evaluations;
        (now.point, now.value, gradient) = (point, value, next);
        now.slope = largest(&gradient);
        now.iterations += 1;
        values.push_back(value);
        if values.len() > settings.period + 1 {
            values.pop_front();
        }
        if !tell(now.iterations, value, &now.point) {
            return Minimum { stop: Stop::Told, ..now };
        }
        if is_level(&values, settings) {
            return Minimum { stop: Stop::Converged, ..now };
        }
    }
    now
}

/// A step along the direction that the curvature suggests; down the gradient where that fails.
fn step(
    objective: &mut Objective<'_>,
    now: &Minimum,
    gradient: &[f64],
    pairs: &mut VecDeque<Pair>,
) -> Option<Search> {
    let first = 1.0 / norm(gradient).max(f64::MIN_POSITIVE);
    let length = if pairs.is_empty() { first.min(1.0) } else { 1.0 };
    let direction = direction(gradient, pairs);
    let found = search(objective, (&now.point, now.value, gradient), &direction, length);
    if found.is_some() || pairs.is_empty() {
        return found;
    }
    pairs.clear();
    let down: Vec<f64> = gradient.iter().map(|part| -part).collect();
    search(objective, (&now.point, now.value, gradient), &down, first.min(1.0))
}

/// −H·gradient by the two loops (Nocedal and Wright 2006, algorithm 7.4).
fn direction(gradient: &[f64], pairs: &VecDeque<Pair>) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|part| -part).collect();
    let mut shares = Vec::with_capacity(pairs.len());
    for pair in pairs.iter().rev() {
        let share = pair.scale * dot(&pair.step, &direction);
        add(&mut direction, -share, &pair.change);
        shares.push(share);
    }
    if let Some(last) = pairs.back() {
        let scale = 1.0 / (last.scale * dot(&last.change, &last.change));
        direction.iter_mut().for_each(|part| *part *= scale);
    }
    for (pair, share) in pairs.iter().zip(shares.into_iter().rev()) {
        let back = pair.scale * dot(&pair.change, &direction);
        add(&mut direction, share - back, &pair.step);
    }
    direction
}

fn remember(
    pairs: &mut VecDeque<Pair>,
    memory: usize,
    (from, to): (&[f64], &[f64]),
    (before, after): (&[f64], &[f64]),
) {
    let difference = |a: &[f64], b: &[f64]| b.iter().zip(a).map(|(b, a)| b - a).collect::<Vec<_>>();
    let (step, change) = (difference(from, to), difference(before, after));
    let curvature = dot(&step, &change);
    // Only a positive curvature keeps the estimate one of a minimum.
    if curvature <= f64::EPSILON * dot(&change, &change) {
        return;
    }
    if pairs.len() == memory.max(1) {
        pairs.pop_front();
    }
    pairs.push_back(Pair { step, change, scale: 1.0 / curvature });
}

fn is_flat(point: &[f64], gradient: &[f64], settings: &Settings) -> bool {
    largest(gradient) <= settings.gradient_tolerance
        || norm(gradient) / norm(point).max(1.0) < settings.relative_gradient
}

fn largest(gradient: &[f64]) -> f64 {
    gradient.iter().fold(0.0, |largest: f64, part| largest.max(part.abs()))
}

fn is_level(values: &VecDeque<f64>, settings: &Settings) -> bool {
    let (Some(first), Some(last)) = (values.front(), values.back()) else { return false };
    let full = values.len() == settings.period + 1;
    full && settings.period > 0
        && (first - last) / last.abs().max(f64::MIN_POSITIVE) < settings.improvement
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

fn add(to: &mut [f64], times: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += times * what);
}

#[cfg(test)]
mod tests;
