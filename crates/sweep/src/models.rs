//! Kept models that are missing: which finished jobs have none, and how they get one.
//!
//! A job is trained again in a folder of its own. Its model is kept only if all that its record has
//! came out the same to the last bit; the record only gets the sum of the model.

use crate::rerun::Rerun;
use crate::verify::{RerunVerdict, verdict_without_missing_predictions};
use crate::{Conclusion, GridSource, JobState, SweepError};
use domain::{JobKey, printable};
use runner::events::Event;
use spec::{Grid, Job};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use store::{Folder, KeptFile, RECORD_VERSION};

/// The finished ones of these jobs without a model, each key once.
pub(crate) fn missing<'g>(
    selected: impl IntoIterator<Item = (&'g Job, JobState)>,
    folder: &Folder,
) -> Result<Vec<&'g Job>, SweepError> {
    let mut jobs = BTreeMap::new();
    for (job, _) in selected.into_iter().filter(|(_, state)| *state == JobState::Done) {
        if !folder.job(&job.key)?.model().is_file() {
            jobs.entry(&job.key).or_insert(job);
        }
    }
    Ok(jobs.into_values().collect())
}

/// The finished jobs whose models the grid asks to keep, and which have none.
pub fn asked_and_missing<'g>(
    selected: impl IntoIterator<Item = (&'g Job, JobState)>,
    folder: &Folder,
) -> Result<Vec<&'g Job>, SweepError> {
    let asked = selected.into_iter().filter(|(job, _)| job.settings.training.keep_model);
    missing(asked, folder)
}

/// What became of the models that were missing.
#[derive(Debug, Default)]
pub struct KeptModels {
    pub kept: usize,
    /// Jobs that came out differently, or not at all.
    pub differ: usize,
    pub failed: usize,
}

impl KeptModels {
    /// How that ended, where it is not how the run did.
    pub(crate) fn conclusion(&self) -> Option<Conclusion> {
        match (self.differ, self.failed) {
            (1.., _) => Some(Conclusion::Differs),
            (0, 1..) => Some(Conclusion::SomeFailed),
            (0, 0) => None,
        }
    }
}

/// Trains jobs again for their models.
pub(crate) fn keep(
    jobs: &[&Job],
    grid: &Grid,
    folder: &Folder,
    source: &GridSource,
    slots: Option<NonZeroUsize>,
    show: &mut dyn FnMut(&Event),
) -> Result<KeptModels, SweepError> {
    let place = folder.scratch()?;
    let again = Folder::new(place.path(), &grid.name)?;
    let kept: Vec<Job> = jobs.iter().map(|job| keeping(job)).collect();
    let kept: Vec<&Job> = kept.iter().collect();
    let title = format!("keeping models of {}", grid.name);
    Rerun { jobs: &kept, grid, folder: &again, source, slots, title, listens: false }.run(show)?;
    let mut found = KeptModels::default();
    for Job { key, point, .. } in &kept {
        let Some(record) = again.read_record(key)? else { continue };
        let verdict = verdict_without_missing_predictions(folder, &again, key, &record)?;
        let Some(problem) = found.count(verdict) else {
            adopt(&again, folder, key)?;
            continue;
        };
        let message = format!("{point}: the model of its second training is not kept: {problem}");
        show(&Event::Warning { message });
    }
    Ok(found)
}

impl KeptModels {
    /// Counts how a job came out, and says why its model is not kept.
    fn count(&mut self, verdict: RerunVerdict) -> Option<String> {
        match verdict {
            RerunVerdict::Same { .. } => {
                self.kept += 1;
                None
            }
            RerunVerdict::Differs { differences, .. } => {
                let first = differences.first();
                let what = first.map_or("its outcome", |difference| difference.what.as_str());
                self.differ += 1;
                Some(format!("{what} differs from the record"))
            }
            // A model with other bits is not the one that was measured.
            RerunVerdict::WithinTolerance { note, .. } => {
                self.differ += 1;
                Some(format!("its bits differ from the record, whose scores it has ({note})"))
            }
            RerunVerdict::Failed { reason } => {
                self.failed += 1;
                Some(format!("it failed: {}", printable(&reason)))
            }
        }
    }
}

/// Moves the model of a second training to its job, whose record gets the model's sum and stays as
/// it is otherwise.
fn adopt(again: &Folder, folder: &Folder, key: &JobKey) -> Result<(), SweepError> {
    let sum = folder.job(key)?.adopt(KeptFile::Model, &again.job(key)?.model())?;
    if let Some(mut record) = folder.read_record(key)? {
        record.files.insert(KeptFile::Model.name().to_owned(), sum);
        record.version = RECORD_VERSION;
        folder.write_record(&record)?;
    }
    Ok(())
}

fn keeping(job: &Job) -> Job {
    let mut job = job.clone();
    job.settings.training.keep_model = true;
    job
}
