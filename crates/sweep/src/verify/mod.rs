//! Finished jobs run again, elsewhere, and compared bit for bit.

mod compare;
mod outdated;

pub(crate) use compare::verdict_without_missing_predictions;
pub use compare::{Deviation, RerunVerdict};
pub use outdated::Outdated;

use crate::rerun::Rerun;
use crate::{Conclusion, GridSource, JobState, SweepError, select, standings};
use domain::{JobKey, Point};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use runner::Ended;
use runner::events::Event;
use serde::Serialize;
use spec::{Grid, Job, Selection};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use store::Folder;

/// Which jobs run again, and how.
#[derive(Clone, Debug, Default)]
pub struct VerifyOptions {
    pub selection: Selection,
    /// How many finished jobs run again, drawn by chance; 0 for all.
    pub sample: usize,
    /// Another number draws other jobs.
    pub seed: u64,
    /// Jobs side by side; without it, cores over the threads of a job.
    pub slots: Option<NonZeroUsize>,
    /// Take the signals that ask this program to end: the first Ctrl-C lets running jobs finish.
    pub listens: bool,
}

/// What running jobs again showed.
#[derive(Debug, Serialize)]
pub struct Verification {
    pub grid: String,
    /// Finished jobs of the selection.
    pub finished: usize,
    pub same: usize,
    /// Not the same bits, from processors that are not known to be of one kind; their scores agree.
    pub within_tolerance: usize,
    pub differ: usize,
    /// Could not be run again.
    pub failed: usize,
    pub jobs: Vec<VerifiedJob>,
    /// Finished jobs that are none of the grid's any more, because something changed.
    pub outdated: Vec<Outdated>,
    /// Whether the user stopped it before its end.
    #[serde(skip)]
    pub interrupted: bool,
}

/// A job that was run again.
#[derive(Debug, Serialize)]
pub struct VerifiedJob {
    pub job: JobKey,
    #[serde(flatten)]
    pub point: Point,
    #[serde(flatten)]
    pub verdict: RerunVerdict,
}

/// Runs a sample of the finished jobs of a grid again, in a temporary folder: results are only
/// read.
pub fn verify(
    source: &GridSource,
    grid: &Grid,
    options: &VerifyOptions,
    show: &mut dyn FnMut(&Event),
) -> Result<Verification, SweepError> {
    let folder = source.folder(grid)?;
    let standings = standings(grid, &folder)?;
    let selected = select(grid, &standings, &options.selection)?;
    let outdated = outdated::find(grid, &selected, &folder)?;
    let done = selected.iter().filter(|(_, state)| *state == JobState::Done).map(|(job, _)| *job);
    // By key, so that the sample depends on nothing else; two points of one meaning are one job.
    let finished: BTreeMap<&JobKey, &Job> = done.map(|job| (&job.key, job)).collect();
    if finished.is_empty() {
        return Err(SweepError::NothingFinished { grid: grid.name.clone(), outdated });
    }
    let sample = sample(finished.values().copied().collect(), options);
    let place = tempfile::tempdir().map_err(SweepError::TemporaryFolder)?;
    let rerun = Folder::new(place.path(), &grid.name)?;
    let again = Rerun {
        jobs: &sample,
        grid,
        folder: &rerun,
        source,
        slots: options.slots,
        title: format!("verifying {}", grid.name),
        listens: options.listens,
    };
    let ended = again.run(show)?;
    let jobs = verdicts(&sample, &folder, &rerun)?;
    Ok(Verification::new(grid.name.clone(), finished.len(), jobs, outdated, ended))
}

impl Verification {
    fn new(
        grid: String,
        finished: usize,
        jobs: Vec<VerifiedJob>,
        outdated: Vec<Outdated>,
        ended: Ended,
    ) -> Self {
        let count = |of: fn(&RerunVerdict) -> bool| jobs.iter().filter(|j| of(&j.verdict)).count();
        Self {
            grid,
            finished,
            same: count(|verdict| matches!(verdict, RerunVerdict::Same { .. })),
            within_tolerance: count(|it| matches!(it, RerunVerdict::WithinTolerance { .. })),
            differ: count(|verdict| matches!(verdict, RerunVerdict::Differs { .. })),
            failed: count(|verdict| matches!(verdict, RerunVerdict::Failed { .. })),
            jobs,
            outdated,
            interrupted: ended.interrupted && ended.left > 0,
        }
    }

    /// How it ended: a difference counts most.
    pub fn conclusion(&self) -> Conclusion {
        match self {
            Self { differ: 1.., .. } => Conclusion::Differs,
            Self { interrupted: true, .. } => Conclusion::Interrupted,
            Self { failed: 1.., .. } => Conclusion::SomeFailed,
            _ => Conclusion::Done,
        }
    }
}

/// Some of the jobs, the same ones whenever the same jobs are finished.
fn sample<'g>(mut jobs: Vec<&'g Job>, options: &VerifyOptions) -> Vec<&'g Job> {
    if options.sample > 0 && options.sample < jobs.len() {
        jobs.shuffle(&mut ChaCha8Rng::seed_from_u64(options.seed));
        jobs.truncate(options.sample);
    }
    jobs.sort_by(|a, b| (&a.point, &a.key).cmp(&(&b.point, &b.key)));
    jobs
}

/// How each job came out that was run again to its end.
fn verdicts(
    sample: &[&Job],
    folder: &Folder,
    rerun: &Folder,
) -> Result<Vec<VerifiedJob>, SweepError> {
    let mut jobs = Vec::new();
    for Job { key, point, .. } in sample {
        if let Some(again) = rerun.read_record(key)? {
            let verdict = compare::verdict(folder, rerun, key, &again)?;
            jobs.push(VerifiedJob { job: key.clone(), point: point.clone(), verdict });
        }
    }
    Ok(jobs)
}
