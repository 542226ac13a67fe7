//! How numbers and foreign text are written in messages.

use domain::{Point, Stage};
use std::time::Duration;

/// A duration for people: `0.4 s`, `12 s`, `3m 20s`, `2h 5m`.
pub(super) fn duration(seconds: f64) -> String {
    // Negative, infinite and not-a-number cannot come from a clock, and must not panic here.
    let whole = Duration::try_from_secs_f64(seconds).unwrap_or_default().as_secs();
    match whole {
        0..10 => format!("{:.1} s", seconds.max(0.0)),
        10..60 => format!("{whole} s"),
        60..3600 => format!("{}m {}s", whole / 60, whole % 60),
        _ => format!("{}h {}m", whole / 3600, whole / 60 % 60),
    }
}

/// A job's point, marked where it is a trial of a search.
pub(super) fn named(point: &Point, stage: Stage) -> String {
    match stage {
        Stage::Main => point.to_string(),
        Stage::Trial => format!("{point} (trial)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_as_short_as_they_can_be() {
        for (seconds, text) in
            [(0.44, "0.4 s"), (12.9, "12 s"), (200.0, "3m 20s"), (7500.0, "2h 5m"), (-1.0, "0.0 s")]
        {
            assert_eq!(duration(seconds), text);
        }
        duration(f64::NAN);
        duration(f64::INFINITY);
    }
}
