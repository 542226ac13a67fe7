//! Kept models that are missing: which finished jobs have none, and how they get one.
//!
//! A job is trained again in a folder of its own. Its model is kept only if all that its record has came out
//! the same to the last bit; the record only gets the sum of the model.

use super::grid::State;
use super::output::printable;
use super::verify::{Again, Verdict, run_again, verdict_without_missing_predictions};
use super::{CliError, Exit};
use domain::{JobKey, counted};
use runner::EngineKind;
use runner::events::Event;
use spec::{Grid, Job};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use store::{Folder, KeptFile, RECORD_VERSION};

/// The finished ones of these jobs without a model, each key once.
pub fn missing<'g>(
    selected: impl IntoIterator<Item = (&'g Job, State)>,
    folder: &Folder,
) -> Result<Vec<&'g Job>, CliError> {
    let mut jobs = BTreeMap::new();
    for (job, _) in selected.into_iter().filter(|(_, state)| *state == State::Done) {
        if !folder.job(&job.key)?.model().is_file() {
            jobs.entry(&job.key).or_insert(job);
        }
    }
    Ok(jobs.into_values().collect())
}

/// The finished jobs whose models the grid asks to keep, and which have none.
pub fn asked_and_missing<'g>(
    selected: impl IntoIterator<Item = (&'g Job, State)>,
    folder: &Folder,
) -> Result<Vec<&'g Job>, CliError> {
    let asked = selected.into_iter().filter(|(job, _)| job.settings.training.keep_model);
    missing(asked, folder)
}

/// What to do about so many missing models; nothing where none is missing.
pub fn hint(missing: usize) -> Option<String> {
    (missing > 0).then(|| {
        let jobs = counted(missing, "finished job");
        format!("{jobs} with `keep_model: true` but without a model: `tailgrid run --keep-models` trains again")
    })
}

/// What became of the models that were missing.
#[derive(Debug, Default)]
pub struct Kept {
    pub kept: usize,
    /// Jobs that came out differently, or not at all.
    pub differ: usize,
    pub failed: usize,
}

impl Kept {
    /// The exit code, where it is not that of the run.
    pub fn exit(&self) -> Option<Exit> {
        match (self.differ, self.failed) {
            (1.., _) => Some(Exit::Differs),
            (0, 1..) => Some(Exit::SomeFailed),
            (0, 0) => None,
        }
    }

    /// One line.
    pub fn text(&self) -> String {
        format!("{} kept after training again\n", counted(self.kept, "model"))
    }
}

/// Trains jobs again for their models.
pub fn keep(
    jobs: &[&Job],
    grid: &Grid,
    folder: &Folder,
    engine: EngineKind,
    slots: Option<NonZeroUsize>,
    show: &mut dyn FnMut(&Event),
) -> Result<Kept, CliError> {
    let place = folder.scratch()?;
    let again = Folder::new(place.path(), &grid.name)?;
    let kept: Vec<Job> = jobs.iter().map(|job| keeping(job)).collect();
    let kept: Vec<&Job> = kept.iter().collect();
    let title = format!("keeping models of {}", grid.name);
    let listens = false;
    run_again(&Again { jobs: &kept, grid, folder: &again, engine, slots, title, listens }, show)?;
    let mut found = Kept::default();
    for Job { key, point, .. } in &kept {
        let Some(record) = again.read_record(key)? else { continue };
        let problem = match verdict_without_missing_predictions(folder, &again, key, &record)? {
            Verdict::Same { .. } => {
                adopt(&again, folder, key)?;
                found.kept += 1;
                continue;
            }
            Verdict::Differs { differences, .. } => {
                let first = differences.first().map(|difference| difference.what.as_str());
                let what = first.unwrap_or_default();
                found.differ += 1;
                format!("{what} differs from the record")
            }
            // A model with other bits is not the one that was measured.
            Verdict::WithinTolerance { note, .. } => {
                found.differ += 1;
                format!("its bits differ from the record, whose scores it has ({note})")
            }
            Verdict::Failed { reason } => {
                found.failed += 1;
                format!("it failed: {}", printable(&reason))
            }
        };
        let message = format!("{point}: the model of its second training is not kept: {problem}");
        show(&Event::Warning { message });
    }
    Ok(found)
}

/// Moves the model of a second training to its job, whose record gets the model's sum and stays as it is otherwise.
fn adopt(again: &Folder, folder: &Folder, key: &JobKey) -> Result<(), CliError> {
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
