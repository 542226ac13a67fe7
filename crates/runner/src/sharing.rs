//! Several runs on one folder: which jobs are this one's.
//!
//! A job is claimed before it starts, and its record is looked at once more under the claim, so
//! that what another run has recorded meanwhile is not run again. What another run has at this
//! moment is put aside and looked at again when nothing else is left to start: it is free again if
//! its run was lost.

use domain::{JobKey, Stage};
use std::collections::HashMap;
use std::time::Duration;
use store::{Claim, Folder, Status, StoreError};

/// How often trials that others run are looked at while there is nothing else to do.
const INTERVAL: Duration = Duration::from_millis(500);

/// What a run knows that shares its folder.
#[derive(Clone, Debug, Default)]
pub struct Sharing {
    /// Records of failures that are to be replaced, by when their jobs started. Any other record of
    /// the same job is the work of another run.
    pub reopened: HashMap<JobKey, String>,
}

/// Whose a job is.
#[derive(Debug)]
pub(super) enum Admission {
    /// Ours; without a claim where nobody shares the folder.
    Here(Option<Claim>),
    /// Another run has it.
    Elsewhere,
    /// Another run has recorded it.
    Recorded,
}

/// Claims a job, where the folder is shared.
pub(super) fn admit(
    sharing: Option<&Sharing>,
    folder: &Folder,
    key: &JobKey,
) -> Result<Admission, StoreError> {
    let Some(sharing) = sharing else { return Ok(Admission::Here(None)) };
    // Most of what is met here was recorded by others long ago, and needs no claim to see that.
    if let RecordFound::Result = sharing.found(folder, key)? {
        return Ok(Admission::Recorded);
    }
    let claim = Claim::take(&folder.job(key)?)?;
    let Some(claim) = claim else { return Ok(Admission::Elsewhere) };
    match sharing.found(folder, key)? {
        RecordFound::Result => return Ok(Admission::Recorded),
        RecordFound::Damage => drop(folder.set_aside(key)?),
        RecordFound::Nothing => {}
    }
    Ok(Admission::Here(Some(claim)))
}

/// What is there in place of a job's record.
enum RecordFound {
    /// Or a failure that is to be replaced.
    Nothing,
    Damage,
    /// A record that stands.
    Result,
}

impl Sharing {
    fn found(&self, folder: &Folder, key: &JobKey) -> Result<RecordFound, StoreError> {
        let record = match folder.read_record(key) {
            Ok(Some(record)) => record,
            Ok(None) => return Ok(RecordFound::Nothing),
            Err(StoreError::Damaged { .. }) => return Ok(RecordFound::Damage),
            Err(error) => return Err(error),
        };
        let replaced = self.reopened.get(key) == Some(&record.timings.started_at);
        Ok(if record.status == Status::Failed && replaced {
            RecordFound::Nothing
        } else {
            RecordFound::Result
        })
    }
}

/// Jobs that other runs have, each with what its own run needs to start it.
#[derive(Debug)]
pub(super) struct Elsewhere<T>(Vec<(JobKey, Stage, T)>);

impl<T> Default for Elsewhere<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Elsewhere<T> {
    pub fn put(&mut self, job: JobKey, stage: Stage, task: T) {
        self.0.push((job, stage, task));
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// What is free or recorded by now, and how long to wait before the next look; `None` if there
    /// is nothing to wait for. Only trials are waited for, since jobs follow from them: other jobs
    /// are left to the runs that have them, so that no machine is kept for nothing.
    pub fn again(&mut self, folder: &Folder) -> Option<(Vec<T>, Duration)> {
        let is_held = |key: &JobKey| folder.job(key).is_ok_and(|job| Claim::is_held(&job));
        let (held, free): (Vec<_>, Vec<_>) = self.0.drain(..).partition(|(key, ..)| is_held(key));
        self.0 = held;
        let waits = self.0.iter().any(|(_, stage, _)| !stage.is_main());
        let free: Vec<T> = free.into_iter().map(|(.., task)| task).collect();
        match free.is_empty() {
            true if !waits => None,
            true => Some((free, INTERVAL)),
            false => Some((free, Duration::ZERO)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use store::testing;

    fn key(name: &str) -> JobKey {
        JobKey(name.to_owned())
    }

    fn admitted(place: &Path, sharing: &Sharing, name: &str) -> Admission {
        admit(Some(sharing), &testing::folder(place, &[]), &key(name)).unwrap()
    }

    #[test]
    fn a_job_is_this_runs_unless_another_has_or_had_it() {
        let place = tempfile::tempdir().unwrap();
        let (done, failed) = (testing::done("aa", "sc", 1), testing::failed("bb", "sc", 2));
        testing::folder(place.path(), &[done, failed.clone()]);
        let sharing = Sharing::default();
        let claim = match admitted(place.path(), &sharing, "cc") {
            Admission::Here(claim) => claim.unwrap(),
            other => panic!("{other:?}"),
        };
        assert!(matches!(admitted(place.path(), &sharing, "cc"), Admission::Elsewhere));
        drop(claim);
        assert!(matches!(admitted(place.path(), &sharing, "cc"), Admission::Here(Some(_))));
        for name in ["aa", "bb"] {
            assert!(matches!(admitted(place.path(), &sharing, name), Admission::Recorded));
        }
        // To be run again, unless that has happened in between.
        let started = |at: &str| Sharing { reopened: [(key("bb"), at.to_owned())].into() };
        let again = started(&failed.timings.started_at);
        assert!(matches!(admitted(place.path(), &again, "bb"), Admission::Here(Some(_))));
        assert!(matches!(admitted(place.path(), &started("earlier"), "bb"), Admission::Recorded));
        let alone = admit(None, &testing::folder(place.path(), &[]), &key("aa")).unwrap();
        assert!(matches!(alone, Admission::Here(None)));
    }

    #[test]
    fn a_damaged_record_is_set_aside_and_a_later_programs_is_an_error() {
        let place = tempfile::tempdir().unwrap();
        let folder = testing::folder(place.path(), &[testing::done("aa", "sc", 1)]);
        let record = folder.job(&key("aa")).unwrap().record();
        std::fs::write(&record, "{").unwrap();
        assert!(matches!(
            admitted(place.path(), &Sharing::default(), "aa"),
            Admission::Here(Some(_))
        ));
        assert!(record.with_extension("json.damaged").is_file() && !record.exists());
        std::fs::write(&record, "{\"version\": 99}").unwrap();
        assert!(admit(Some(&Sharing::default()), &folder, &key("aa")).is_err());
    }

    #[test]
    fn trials_of_others_are_waited_for_and_their_other_jobs_are_not() {
        let place = tempfile::tempdir().unwrap();
        let folder = testing::folder(place.path(), &[]);
        let mut elsewhere = Elsewhere::default();
        let hold = |name: &str| Claim::take(&folder.job(&key(name)).unwrap()).unwrap().unwrap();
        assert!(elsewhere.again(&folder).is_none());
        let (main, trial) = (hold("aa"), hold("bb"));
        elsewhere.put(key("aa"), Stage::Main, "a main job");
        elsewhere.put(key("bb"), Stage::Trial, "a trial");
        let (free, wait) = elsewhere.again(&folder).unwrap();
        assert!(free.is_empty() && wait > Duration::ZERO);
        drop(trial);
        let (free, wait) = elsewhere.again(&folder).unwrap();
        assert_eq!((&free[..], wait), (&["a trial"][..], Duration::ZERO));
        assert!(elsewhere.again(&folder).is_none() && elsewhere.len() == 1);
        drop(main);
        assert_eq!(elsewhere.again(&folder).unwrap().0.len(), 1);
    }
}
