//! What a run does otherwise when it is not alone on its folder.

use super::RunOptions;
use crate::{Conclusion, SweepError};
use runner::events::Event;
use runner::{Sharing, slurm};
use store::{Folder, FramesTurn, Lock, Status, StoreError, TaskEnd};

/// Takes the folder, alone or together with others. What interrupted runs left half written is
/// removed by a run that is alone: nobody else can be at it.
pub(super) fn hold(
    folder: &Folder,
    options: &RunOptions,
    show: &mut dyn FnMut(&Event),
) -> Result<Lock, SweepError> {
    if options.shared {
        return Ok(Lock::share(folder)?);
    }
    let tell = |holder: &str| show(&Event::Waiting { holder: holder.to_owned() });
    let lock = if options.wait { Lock::wait(folder, tell)? } else { Lock::take(folder)? };
    folder.sweep()?;
    Ok(lock)
}

/// What a dispatcher has to know of the others.
pub(super) fn sharing(
    folder: &Folder,
    options: &RunOptions,
) -> Result<Option<Sharing>, StoreError> {
    if !options.shared {
        return Ok(None);
    }
    let mut sharing = Sharing::default();
    if options.retry_failed {
        for key in folder.keys()? {
            match folder.read_record(&key) {
                Ok(Some(record)) if record.status == Status::Failed => {
                    sharing.reopened.insert(key, record.timings.started_at);
                }
                Ok(_) | Err(StoreError::Damaged { .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(Some(sharing))
}

/// The turn to write frames, where others write them too.
pub(super) fn turn(
    folder: &Folder,
    options: &RunOptions,
) -> Result<Option<FramesTurn>, StoreError> {
    options.shared.then(|| FramesTurn::wait(folder)).transpose()
}

/// Leaves word that this run came to its end, where it is a task of Slurm: one that did not was
/// lost.
pub(super) fn note_end(
    folder: &Folder,
    options: &RunOptions,
    conclusion: Conclusion,
) -> Result<(), StoreError> {
    match slurm::own_task().filter(|_| options.shared) {
        Some(task) => {
            folder.write_task_end(task, &TaskEnd::new(conclusion == Conclusion::Interrupted))
        }
        None => Ok(()),
    }
}
