//! How long a sweep will take, by driving the scheduler itself through it.

use super::capacity::Capacity;
use super::queue::Expected;
use super::retries::Retries;
use super::scheduler::{JobId, Next, Scheduler, Settlement, Work};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

/// Seconds from the first start to the last end, if every job takes as long as is expected of it. A
/// job of which nothing is known takes no time here.
pub fn wall_seconds(capacity: Capacity, jobs: impl IntoIterator<Item = (Work, Expected)>) -> f64 {
    let mut scheduler = Scheduler::new(capacity, Retries::new(0));
    let mut expected: Vec<Expected> = Vec::new();
    for (work, known) in jobs {
        scheduler.add(work);
        expected.push(known);
    }
    let mut now = Duration::ZERO;
    let mut ends: BinaryHeap<Reverse<(Duration, JobId)>> = BinaryHeap::new();
    loop {
        match scheduler.next(now, None, |job| expected[job.0]) {
            Next::Start { job, .. } => {
                let seconds = expected[job.0].seconds.unwrap_or(0.0);
                let length = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::ZERO);
                ends.push(Reverse((now.saturating_add(length), job)));
            }
            Next::Wait { .. } => {
                let Some(Reverse((end, job))) = ends.pop() else { break };
                now = end;
                scheduler.settle(job, Settlement::Succeeded, now);
            }
            Next::Over => break,
        }
    }
    now.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::super::{GridPlace, Round};
    use super::*;

    fn jobs(seconds: &[f64], threads: usize) -> Vec<(Work, Expected)> {
        let work = Work { round: Round::of_seed(0), threads, place: GridPlace([0; 4]) };
        let expected = |&seconds| Expected { seconds: Some(seconds), memory: None };
        seconds.iter().map(|seconds| (work, expected(seconds))).collect()
    }

    #[test]
    fn the_longest_go_first_side_by_side() {
        let capacity = Capacity { slots: 2, cores: 2, memory: None };
        let seconds = [1.0, 1.0, 2.0, 3.0, 3.0];
        assert_eq!(wall_seconds(capacity, jobs(&seconds, 1)), 5.0);
        assert_eq!(wall_seconds(capacity, jobs(&seconds, 2)), 10.0);
        assert_eq!(wall_seconds(capacity, jobs(&[], 1)), 0.0);
    }

    #[test]
    fn a_hundred_thousand_jobs_are_gone_through_in_no_time() {
        let seconds: Vec<f64> = (0..100_000).map(|n| f64::from(n % 97)).collect();
        let start = std::time::Instant::now();
        let capacity = Capacity { slots: 8, cores: 8, memory: None };
        let wall = wall_seconds(capacity, jobs(&seconds, 1));
        assert!((wall - seconds.iter().sum::<f64>() / 8.0).abs() < 97.0, "{wall}");
        // It takes a tenth of a second; a quadratic way would take minutes.
        assert!(start.elapsed().as_secs_f64() < 10.0, "{:?}", start.elapsed());
        println!("{:?}", start.elapsed());
    }
}
