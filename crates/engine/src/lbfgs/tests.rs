//! Functions whose minima are known.

use super::*;

const EXACT: Settings = Settings {
    memory: 6,
    max_iterations: 1000,
    gradient_tolerance: 1e-9,
    relative_gradient: 0.0,
    improvement: 0.0,
    period: 0,
};

fn rosenbrock(x: &[f64], g: &mut [f64]) -> f64 {
    g.fill(0.0);
    let mut value = 0.0;
    for i in 0..x.len() - 1 {
        let (a, b) = (1.0 - x[i], x[i + 1] - x[i] * x[i]);
        value += a * a + 100.0 * b * b;
        g[i] += -2.0 * a - 400.0 * x[i] * b;
        g[i + 1] += 200.0 * b;
    }
    value
}

#[test]
fn the_bent_valley_is_followed_to_its_end() {
    let found = minimise(&mut rosenbrock, vec![-1.2, 1.0, -1.2, 1.0, 2.0], &EXACT, |_, _, _| true);
    assert_eq!(found.stop, Stop::Converged);
    assert!(found.point.iter().all(|x| (x - 1.0).abs() < 1e-7), "{found:?}");
    assert!(found.iterations < 200, "{}", found.iterations);
}

#[test]
fn a_badly_scaled_bowl_is_no_trouble() {
    let mut bowl = |x: &[f64], g: &mut [f64]| {
        let scale = |i: usize| 10f64.powi(i as i32);
        (0..x.len()).for_each(|i| g[i] = scale(i) * (x[i] - i as f64));
        (0..x.len()).map(|i| 0.5 * scale(i) * (x[i] - i as f64).powi(2)).sum()
    };
    let found = minimise(&mut bowl, vec![10.0; 6], &EXACT, |_, _, _| true);
    assert!(found.point.iter().enumerate().all(|(i, x)| (x - i as f64).abs() < 1e-8), "{found:?}");
}

#[test]
fn the_value_never_rises_and_the_caller_can_end_it() {
    let mut last = f64::INFINITY;
    let found = minimise(&mut rosenbrock, vec![-1.2, 1.0], &EXACT, |n, value, _| {
        assert!(value <= last);
        last = value;
        n < 5
    });
    assert_eq!((found.stop, found.iterations), (Stop::Told, 5));
}

#[test]
fn what_is_no_number_is_told() {
    let mut nan = |_: &[f64], g: &mut [f64]| {
        g.fill(0.0);
        f64::NAN
    };
    assert_eq!(minimise(&mut nan, vec![0.0], &EXACT, |_, _, _| true).stop, Stop::NotANumber);
    // A wall of infinity beside the minimum is walked around.
    let mut wall = |x: &[f64], g: &mut [f64]| {
        g[0] = 1.0 - 1.0 / x[0];
        if x[0] > 0.0 { x[0] - x[0].ln() } else { f64::INFINITY }
    };
    let found = minimise(&mut wall, vec![5.0], &EXACT, |_, _, _| true);
    assert!((found.point[0] - 1.0).abs() < 1e-6, "{found:?}");
}

#[test]
fn tolerances_of_crfsuite_stop_earlier() {
    let found = minimise(&mut rosenbrock, vec![-1.2, 1.0], &Settings::CRFSUITE, |_, _, _| true);
    assert_eq!(found.stop, Stop::Converged);
}
