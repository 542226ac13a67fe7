//! The step size from the first step to the last.

use domain::{Schedule, TrainingSettings};

/// The rate of a step (from 0, of `steps` in all) in a share of the course (from 1): a rise from 0
/// during the warm-up, then constant or linear down to 0, times the decay of the shares before.
pub fn rate(training: &TrainingSettings, share: usize, (step, steps): (usize, usize)) -> f64 {
    let (step, steps) = (step as f64, steps.max(1) as f64);
    let warm = training.warm_up * steps;
    let part = match training.schedule {
        _ if step < warm => (step + 1.0).min(warm) / warm,
        Schedule::Linear => ((steps - step) / (steps - warm)).clamp(0.0, 1.0),
        Schedule::Constant => 1.0,
    };
    training.learning_rate * part * training.decay.powi(share as i32 - 1)
}

/// Whether PESG restarts before a share of the course (from 1): when half and when three quarters
/// of them are over, as in LibAUC's examples.
pub fn restarts(share: usize, shares: usize) -> bool {
    let over = share - 1;
    over > 0 && [shares / 2, shares * 3 / 4].contains(&over)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::training;

    #[test]
    fn it_rises_then_falls_to_nothing() {
        let settings = TrainingSettings {
            learning_rate: 1.0,
            warm_up: 0.2,
            schedule: Schedule::Linear,
            ..training()
        };
        let rates: Vec<f64> = (0..10).map(|step| rate(&settings, 1, (step, 10))).collect();
        let expected = [0.5, 1.0, 1.0, 0.875, 0.75, 0.625, 0.5, 0.375, 0.25, 0.125];
        assert_eq!(rates, expected);
    }

    #[test]
    fn pesg_restarts_after_half_and_after_three_quarters() {
        let found = |epochs| (1..=epochs).filter(|&e| restarts(e, epochs)).collect::<Vec<_>>();
        assert_eq!(found(100), [51, 76]);
        assert_eq!(found(20), [11, 16]);
        assert_eq!(found(2), [2]);
        assert!(found(1).is_empty());
    }

    #[test]
    fn it_decays_by_share() {
        let settings = TrainingSettings { learning_rate: 1.0, decay: 0.9, ..training() };
        assert_eq!([1, 2, 3].map(|share| rate(&settings, share, (0, 10))), [1.0, 0.9, 0.9 * 0.9]);
    }
}
