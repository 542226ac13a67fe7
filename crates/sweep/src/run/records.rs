//! What a run finds in its folder: how its jobs stand, after what is damaged was set aside.

use crate::{SweepError, tuning};
use domain::JobKey;
use runner::events::Event;
use spec::Grid;
use store::{Folder, StoreError, Survey};

/// The grid with what its searches chose, and the records by key; one that is damaged, or whose
/// files are, is set aside, so that its job is to do again.
pub(super) fn read_standings(
    alone: &Grid,
    folder: &Folder,
    retry_failed: bool,
    show: &mut dyn FnMut(&Event),
) -> Result<(Grid, Survey), SweepError> {
    let settle = |show: &mut dyn FnMut(&Event)| {
        let mut grid = alone.clone();
        tuning::settle(&mut grid, |key| {
            let standing = tuning::read_or_set_aside(folder, key, show)?;
            // A trial that is to run again has not ended.
            Ok::<_, StoreError>(standing.filter(|it| !retry_failed || it.failure.is_none()))
        })?;
        Ok::<_, StoreError>(grid)
    };
    let mut grid = settle(show)?;
    let trials: Vec<JobKey> = tuning::trial_keys(&grid).collect();
    if !set_aside_damaged(&mut Survey::new(folder, &trials)?, folder, show)?.is_empty() {
        // A search resumes from what is left.
        grid = settle(show)?;
    }
    let keys = grid.jobs.iter().filter(|job| !job.waits).map(|job| &job.key);
    let mut survey = Survey::new(folder, keys)?;
    set_aside_damaged(&mut survey, folder, show)?;
    survey = survey.with_others(folder)?;
    survey.write_index(folder)?;
    Ok((grid, survey))
}

/// Sets aside what a survey found to be damaged, and gives the jobs; what is whole after all
/// stands.
fn set_aside_damaged(
    survey: &mut Survey,
    folder: &Folder,
    show: &mut dyn FnMut(&Event),
) -> Result<Vec<JobKey>, SweepError> {
    let damaged: Vec<JobKey> = survey.damaged.keys().cloned().collect();
    for key in &damaged {
        if let Some(standing) = tuning::set_aside(folder, key, show)? {
            survey.standings.insert(key.clone(), standing);
        }
    }
    Ok(damaged)
}
