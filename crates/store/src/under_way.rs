//! A run that is under way on a folder, as others see it.
//!
//! A job is running if its log is newer than its record, and than the run: nothing else is written
//! when a job starts.

use super::{Claim, Folder, Holder, Lock, StoreError};
use domain::JobKey;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

/// A run that holds a folder at this moment.
#[derive(Debug)]
pub struct UnderWay {
    folder: Folder,
    /// Who it is, in its own words.
    pub holder: Holder,
    since: Option<SystemTime>,
}

impl UnderWay {
    /// The run on a folder; `None` if there is none.
    pub fn of(folder: &Folder) -> Option<Self> {
        let holder = Lock::holder(folder)?;
        let since = modified(&folder.lock_file());
        Some(Self { folder: folder.clone(), holder, since })
    }

    /// Whether the run has started the job and not recorded its end yet.
    pub fn has_started(&self, key: &JobKey) -> Result<bool, StoreError> {
        let job = self.folder.job(key)?;
        let Some(log) = modified(&job.log()) else { return Ok(false) };
        let is_open = modified(&job.record()).is_none_or(|record| record < log);
        let is_of_this_run = match self.holder.is_shared() {
            true => Claim::is_held(&job),
            false => self.since.is_none_or(|since| since <= log),
        };
        Ok(is_open && is_of_this_run)
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|file| file.modified()).ok()
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;
    use std::fs::File;
    use std::time::Duration;

    #[test]
    fn a_job_runs_from_its_log_to_its_record() {
        let place = tempfile::tempdir().unwrap();
        let folder = testing::folder(place.path(), &[testing::done("ab", "sc", 1)]);
        let [done, running, earlier] = ["ab", "cd", "ef"].map(|key| JobKey(key.to_owned()));
        assert!(UnderWay::of(&folder).is_none());
        let log = |key: &JobKey, age: u64| {
            let job = folder.job(key).unwrap();
            job.create().unwrap();
            let log = File::create(job.log()).unwrap();
            log.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        };
        log(&earlier, 1000);
        log(&done, 500);
        let _lock = Lock::take(&folder).unwrap();
        log(&running, 0);
        let run = UnderWay::of(&folder).unwrap();
        assert_eq!(run.holder.pid(), Some(std::process::id()));
        assert!(run.holder.started().is_some_and(|started| started.starts_with("20")));
        let states = [&done, &running, &earlier].map(|key| run.has_started(key).unwrap());
        assert_eq!(states, [false, true, false]);
    }
}
