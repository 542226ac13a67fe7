//! Finished jobs that are none of the grid's any more: their points are, with other settings or
//! files.

use crate::{JobState, SweepError, changes};
use domain::{JobKey, Point};
use serde::Serialize;
use spec::{Grid, Job};
use std::collections::{BTreeMap, BTreeSet};
use store::{Folder, Status};

/// A record that cannot be verified, because the job would not be the same one.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Outdated {
    pub job: JobKey,
    #[serde(flatten)]
    pub point: Point,
    /// The paths of the settings that changed, as `explain` shows them.
    pub changed: Vec<String>,
}

/// The records of selected points that have none under their key of today.
pub(super) fn find(
    grid: &Grid,
    selected: &[(&Job, JobState)],
    folder: &Folder,
) -> Result<Vec<Outdated>, SweepError> {
    let open = selected.iter().filter(|(_, state)| *state == JobState::Todo);
    let open: BTreeMap<&Point, &Job> = open.map(|(job, _)| (&job.point, *job)).collect();
    if open.is_empty() {
        return Ok(Vec::new());
    }
    let known: BTreeSet<&JobKey> = grid.jobs.iter().map(|job| &job.key).collect();
    let mut outdated = Vec::new();
    for key in folder.keys()?.into_iter().filter(|key| !known.contains(key)) {
        // A damaged record tells nothing; `run` and `status` tell of it.
        let Some(record) = folder.read_record(&key).ok().flatten() else { continue };
        let is_result = record.status == Status::Done && record.settings.stage.is_main();
        let Some(job) = open.get(&record.point).filter(|_| is_result) else { continue };
        let changed = changes(&record.settings, &job.settings).into_iter().map(|c| c.path);
        outdated.push(Outdated { job: key, point: record.point, changed: changed.collect() });
    }
    outdated.sort_by(|a, b| (&a.point, &a.job).cmp(&(&b.point, &b.job)));
    Ok(outdated)
}
