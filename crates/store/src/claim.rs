//! Which of several runs on one folder has a job.
//!
//! Runs that share a folder (`Lock::share`) claim a job before they start it. A claim is the
//! operating system's lock on a file beside the job's folder, so it is free the moment its holder
//! dies, however that happens: a lost run's jobs need no cleaning up, whoever comes next takes
//! them. Who has a claim looks at the record once more before it runs the job, so nothing runs
//! twice.

use super::{Folder, JobFolder, StoreError, disk};
use atomic::TEMPORARY;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// The job is ours until this is dropped.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    _file: File,
}

impl Claim {
    /// Takes the job; `None` if another run has it.
    pub fn take(job: &JobFolder) -> Result<Option<Self>, StoreError> {
        let path = file_of(job);
        let file = open(&path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { path, _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(StoreError::io("lock", &path)(error)),
        }
    }

    /// Whether another run has the job at this moment; nothing is written.
    pub fn is_held(job: &JobFolder) -> bool {
        let file = disk::open(&file_of(job)).ok();
        file.is_some_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// Gives the job up after its record was written, and leaves no trace. Only then may the file
    /// go: who opened it before, and locks it in vain, finds the record.
    pub fn fulfil(self) {
        // What is left behind is swept by the next run that is alone.
        let _ = fs::remove_file(&self.path);
    }
}

/// One writer of the frames at a time among runs that share a folder: each collects the records
/// after it came to its turn, so the last one writes them all.
#[derive(Debug)]
pub struct FramesTurn {
    _file: File,
}

impl FramesTurn {
    /// Waits for the turn, which takes no longer than the others need to write.
    pub fn wait(folder: &Folder) -> Result<Self, StoreError> {
        let path = folder.path().join(format!("{TEMPORARY}frames"));
        let file = open(&path)?;
        file.lock().map_err(StoreError::io("lock", &path))?;
        Ok(Self { _file: file })
    }
}

/// Beside the job's folder, and named as what is swept when a run is alone on all of them.
fn file_of(job: &JobFolder) -> PathBuf {
    let key = job.path().file_name().unwrap_or_default().to_string_lossy();
    job.path().with_file_name(format!("{TEMPORARY}claim-{key}"))
}

fn open(path: &Path) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    disk::open_by(options.create(true).read(true).write(true).truncate(false), path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::JobKey;

    fn job(results: &Path) -> JobFolder {
        let job = Folder::new(results, "grid").unwrap().job(&JobKey("ab".into())).unwrap();
        job.create().unwrap();
        job
    }

    #[test]
    fn a_job_is_claimed_once_until_its_holder_is_gone() {
        let results = tempfile::tempdir().unwrap();
        let job = job(results.path());
        assert!(!Claim::is_held(&job));
        let claim = Claim::take(&job).unwrap();
        assert!(claim.is_some() && Claim::is_held(&job));
        assert!(Claim::take(&job).unwrap().is_none());
        drop(claim);
        assert!(!Claim::is_held(&job));
        Claim::take(&job).unwrap().unwrap().fulfil();
        let jobs = job.path().parent().unwrap();
        assert_eq!(fs::read_dir(jobs).unwrap().count(), 1, "no trace but the job's folder");
    }

    #[test]
    fn frames_are_written_in_turns() {
        let results = tempfile::tempdir().unwrap();
        let folder = Folder::new(results.path(), "grid").unwrap();
        folder.prepare().unwrap();
        let turn = FramesTurn::wait(&folder).unwrap();
        let (sender, came) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let _turn = FramesTurn::wait(&folder).unwrap();
            sender.send(()).unwrap();
        });
        assert!(came.recv_timeout(std::time::Duration::from_millis(50)).is_err());
        drop(turn);
        came.recv_timeout(std::time::Duration::from_secs(10)).unwrap();
    }
}
