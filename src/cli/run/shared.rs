//! `--shared`: what a run does otherwise when it is not alone on its folder.

use super::super::{CliError, Common, Exit};
use super::Args;
use crate::cli::output::message;
use runner::{Sharing, slurm};
use store::{Folder, FramesTurn, Lock, Status, StoreError, TaskEnd};

/// Takes the folder, alone or together with others. What interrupted runs left half written is removed by
/// a run that is alone: nobody else can be at it.
pub(super) fn hold(folder: &Folder, args: &Args, common: &Common) -> Result<Lock, CliError> {
    if args.shared {
        return Ok(Lock::share(folder)?);
    }
    let tell = |holder: &str| {
        if !common.quiet && !common.json {
            message!("waiting for another run to end{holder}");
        }
    };
    let lock = if args.wait { Lock::wait(folder, tell)? } else { Lock::take(folder)? };
    folder.sweep()?;
    Ok(lock)
}

/// What a dispatcher has to know of the others.
pub(super) fn sharing(folder: &Folder, args: &Args) -> Result<Option<Sharing>, StoreError> {
    if !args.shared {
        return Ok(None);
    }
    let mut sharing = Sharing::default();
    if args.retry_failed {
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
pub(super) fn turn(folder: &Folder, args: &Args) -> Result<Option<FramesTurn>, StoreError> {
    args.shared.then(|| FramesTurn::wait(folder)).transpose()
}

/// What is to do after a run that others may have a hand in.
pub(super) fn hint(args: &Args, to_do: usize, interrupted: bool) -> Option<&'static str> {
    (args.shared && to_do > 0 && !interrupted)
        .then_some("what is still to do is with other runs on this folder, or was left by them")
}

/// Leaves word that this run came to its end, where it is a task of Slurm: one that did not was lost.
pub(super) fn note_end(folder: &Folder, args: &Args, exit: Exit) -> Result<(), StoreError> {
    match slurm::own_task().filter(|_| args.shared) {
        Some(task) => folder.write_task_end(task, &TaskEnd::new(exit == Exit::Interrupted)),
        None => Ok(()),
    }
}
