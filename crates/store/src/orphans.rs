//! What a results folder could do without: models that jobs kept, and jobs that no grid asks for.
//!
//! A job's folder goes record first: a crash on the way leaves a folder that nobody takes for a
//! finished job.

use super::{Folder, StoreError, disk};
use domain::JobKey;
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;

/// A job, and how much of the disk is in question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Disposable {
    pub job: JobKey,
    pub bytes: u64,
}

impl Folder {
    /// The models that jobs kept, in the order of their keys.
    pub fn kept_models(&self) -> Result<Vec<Disposable>, StoreError> {
        let mut models = Vec::new();
        for job in self.keys()? {
            let model = fs::symlink_metadata(self.job(&job)?.model()).ok();
            if let Some(model) = model.filter(|model| model.is_file()) {
                models.push(Disposable { job, bytes: model.len() });
            }
        }
        Ok(models)
    }

    /// The jobs with a folder that are none of these, in the order of their keys.
    pub fn orphans(&self, wanted: &HashSet<&JobKey>) -> Result<Vec<Disposable>, StoreError> {
        let keys = self.keys()?.into_iter().filter(|key| !wanted.contains(key));
        keys.map(|job| {
            let bytes = size(self.job(&job)?.path())?;
            Ok(Disposable { job, bytes })
        })
        .collect()
    }

    /// Removes the model of a job. Only for the holder of the lock.
    pub fn remove_model(&self, job: &JobKey) -> Result<(), StoreError> {
        remove_file(&self.job(job)?.model())
    }

    /// Removes all that there is of a job. Only for the holder of the lock.
    pub fn remove_job(&self, job: &JobKey) -> Result<(), StoreError> {
        let place = self.job(job)?;
        remove_file(&place.record())?;
        disk::sync_folder_of(&place.record())?;
        fs::remove_dir_all(place.path()).map_err(StoreError::io("remove", place.path()))
    }

    /// Removes what runs of earlier versions left half written in the folders of jobs. Only for the
    /// holder of the lock.
    pub fn sweep_jobs(&self) -> Result<(), StoreError> {
        self.keys()?.iter().try_for_each(|key| disk::sweep(self.job(key)?.path()))
    }
}

fn remove_file(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(StoreError::io("remove", path)(error))
        }
        _ => Ok(()),
    }
}

/// Of all files in a folder.
fn size(folder: &Path) -> Result<u64, StoreError> {
    let entries = fs::read_dir(folder).map_err(StoreError::io("read", folder))?;
    let mut bytes = 0;
    for entry in entries {
        match entry.and_then(|entry| entry.metadata()) {
            Ok(file) if file.is_file() => bytes += file.len(),
            Ok(_) => {}
            // It has gone meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(StoreError::io("read", folder)(error)),
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;
    use atomic::TEMPORARY;

    #[test]
    fn what_is_removed_is_gone_and_nothing_else_is() {
        let place = tempfile::tempdir().unwrap();
        let records = ["ab", "cd"].map(|key| testing::done(key, "sc", 1));
        let folder = testing::folder(place.path(), &records);
        let [ab, cd] = ["ab", "cd"].map(|key| JobKey(key.to_owned()));
        fs::write(folder.job(&ab).unwrap().model(), "weights").unwrap();
        fs::write(folder.job(&ab).unwrap().path().join(format!("{TEMPORARY}old")), "half").unwrap();
        assert_eq!(folder.kept_models().unwrap(), [Disposable { job: ab.clone(), bytes: 7 }]);
        let orphans = folder.orphans(&HashSet::from([&ab])).unwrap();
        let record = fs::metadata(folder.job(&cd).unwrap().record()).unwrap();
        assert_eq!(orphans, [Disposable { job: cd.clone(), bytes: record.len() }]);
        folder.remove_model(&ab).unwrap();
        folder.remove_job(&cd).unwrap();
        folder.sweep_jobs().unwrap();
        assert_eq!(folder.keys().unwrap(), std::slice::from_ref(&ab));
        assert!(folder.read_record(&ab).unwrap().is_some());
        assert_eq!(fs::read_dir(folder.job(&ab).unwrap().path()).unwrap().count(), 1);
    }
}
