//! Planned looks and what they leave to run: with `stopping` in a grid, a comparison of a method
//! with the baseline that a look has decided gets no further seeds.
//!
//! A decision is never stored as such: it follows from the plan and the results, so whoever reads
//! the folder comes to the same one, in whatever order jobs ended. `stopping.json` is a copy for
//! readers.

mod drive;
mod looks;
mod record;
#[cfg(test)]
mod tests;

pub(crate) use drive::LookDrive;
pub use looks::{Gate, Looks, Seed};
pub use record::{MOST_SHOWN, reason, record, text};

use crate::{JobState, Standings};
use analysis::{ResultFrames, measure};
use domain::{JobKey, Metric, Point, Split, TrainingVerdict};
use spec::{Grid, Job};
use std::collections::HashMap;
use store::Standing;

/// The looks at the scores that the index has of the records: before and during a run, when frames
/// are of an earlier time, and for `status`, which reads no frames.
pub fn of_standings(grid: &Grid, standings: &Standings) -> Looks {
    Looks::new(grid, |job| match job.waits {
        true => Seed::Waiting,
        false => standings.get(&job.key).map_or(Seed::Waiting, |it| seed(it, grid.metric)),
    })
}

/// The looks at the scores of the frames, as reports have them.
pub fn of_frames(grid: &Grid, results: &ResultFrames) -> Looks {
    let (level, scope) = measure::rows_of(grid.metric);
    let scores = results.scores(Split::Test, level, scope).map(|row| (row.job, row.score.f1));
    let scores: HashMap<&str, f64> = scores.collect();
    let verdicts = results.runs().iter().map(|run| (run.job.0.as_str(), run.verdict));
    let verdicts: HashMap<&str, Option<TrainingVerdict>> = verdicts.collect();
    Looks::new(grid, |job| match verdicts.get(job.key.0.as_str()) {
        Some(verdict) if !job.waits => {
            Seed::ended(scores.get(job.key.0.as_str()).copied(), *verdict)
        }
        _ => Seed::Waiting,
    })
}

/// How a job with this standing counts in a look.
fn seed(standing: &Standing, metric: Metric) -> Seed {
    let place = Metric::ALL.iter().position(|known| *known == metric);
    let test = standing.test.as_ref().filter(|_| standing.failure.is_none());
    Seed::ended(test.zip(place).map(|(test, place)| test[place]), standing.verdict)
}

/// The state of a job: what the looks took away is no longer to do.
pub fn state(looks: &Looks, job: &Job, state: JobState) -> JobState {
    match state == JobState::Todo && looks.gate(&job.point) == Gate::Decided {
        true => JobState::Decided,
        false => state,
    }
}

/// What stands for all jobs of a point's corpus, scenario and model where jobs are told apart by
/// their keys; `None` where no look ties them together. Names, not settings: shards agree whatever
/// is tuned.
pub(crate) fn column_key(grid: &Grid, point: &Point) -> Option<JobKey> {
    let Point { corpus, scenario, model, .. } = point;
    let tied = grid.stopping.is_some() && grid.baseline.is_some();
    tied.then(|| JobKey([corpus.as_str(), scenario, model].join("/")))
}
