//! Which failures are tried again, how often, and how long after.

use domain::Failure;
use std::time::Duration;

/// The rule of a run.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Retries {
    /// Further attempts after the first.
    pub most: u32,
    /// The pause after the first attempt; each further one is twice as long.
    pub first_pause: Duration,
    /// The longest pause.
    pub longest_pause: Duration,
}

impl Retries {
    /// So many, after 1 s, 2 s, 4 s and so on up to a minute.
    pub fn new(most: u32) -> Self {
        let (first_pause, longest_pause) = (Duration::from_secs(1), Duration::from_secs(60));
        Self { most, first_pause, longest_pause }
    }

    /// Whether another attempt follows the failed one with this number, from 1. A result, as a
    /// diverged loss is, is never tried again.
    pub fn allow(&self, failure: &Failure, attempt: u32) -> bool {
        failure.is_retryable() && attempt <= self.most
    }

    /// How long to wait after the failed attempt with this number.
    pub fn pause(&self, attempt: u32) -> Duration {
        let factor = 2u32.saturating_pow(attempt.saturating_sub(1));
        self.first_pause.saturating_mul(factor).min(self.longest_pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_minute() {
        let retries = Retries::new(9);
        let seconds: Vec<u64> = (1..9).map(|attempt| retries.pause(attempt).as_secs()).collect();
        assert_eq!(seconds, [1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(retries.pause(u32::MAX).as_secs(), 60);
    }

    #[test]
    fn results_are_never_tried_again_and_the_rest_not_for_ever() {
        let retries = Retries::new(2);
        let killed = Failure::Killed { signal: 9, name: "SIGKILL".into() };
        assert_eq!([1, 2, 3].map(|n| retries.allow(&killed, n)), [true, true, false]);
        let diverged = Failure::Diverged { epoch: 1, loss: "NaN".into() };
        assert!(!retries.allow(&diverged, 1));
    }
}
