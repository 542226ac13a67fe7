//! Reading everything once: what in a results folder is not as it was written.
//!
//! Nothing is repaired here. What is found in a job is noted in the index, so that the next run
//! looks at that job byte by byte, sets aside what is damaged and runs the job again.

use super::files::{Depth, check_file};
use super::frames::check_frame;
use super::{Folder, JobRecord, StoreError, parallel};
use domain::{JobKey, Point};
use std::path::{Path, PathBuf};

/// What was read of a folder.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// That have a record.
    pub jobs: usize,
    /// Beside the records, that a record knows the sum of.
    pub files: usize,
    /// Of records and of those files.
    pub bytes: u64,
    /// Files that a record knows and that are not there: from a journal, or removed.
    pub missing: usize,
    /// Finished jobs of a time when records knew no sums.
    pub without_sums: usize,
    /// Whether jobs were run by an engine that invents its numbers.
    pub is_mock: bool,
    pub damaged: Vec<DamagedFile>,
}

/// A file that is not as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DamagedFile {
    pub path: PathBuf,
    /// Of a job's file.
    pub job: Option<JobKey>,
    /// As far as the record can be read.
    pub point: Option<Point>,
    pub reason: String,
    /// What to do about it.
    pub advice: String,
}

impl DamagedFile {
    fn new(error: StoreError, path: &Path) -> Self {
        let (path, reason, advice) = match error {
            StoreError::Damaged { path, message, advice } => (path, message, advice.to_owned()),
            StoreError::Irregular { path, source, .. } => {
                let advice = "put a file or folder of its own there, or remove it".to_owned();
                (path, source.to_string(), advice)
            }
            StoreError::Newer { path, found, known } => {
                let reason =
                    format!("it has version {found}, and this program knows up to {known}");
                (path, reason, "use the newer tailgrid that wrote it".to_owned())
            }
            StoreError::Io { path, source, .. } => {
                (path, source.to_string(), "see whether the disk is in order".to_owned())
            }
            other => (path.to_owned(), other.to_string(), String::new()),
        };
        Self { path, job: None, point: None, reason, advice }
    }
}

impl Folder {
    /// Reads every record, every file that a record knows, and what was made from the records.
    pub fn check(&self) -> Result<Checked, StoreError> {
        let keys = self.keys()?;
        let mut checked = Checked::default();
        for job in parallel::map(&keys, |key| self.check_job(key)) {
            let job = job?;
            checked.jobs += job.jobs;
            checked.files += job.files;
            checked.bytes += job.bytes;
            checked.missing += job.missing;
            checked.without_sums += job.without_sums;
            checked.is_mock |= job.is_mock;
            checked.damaged.extend(job.damaged);
        }
        checked.damaged.extend(self.damaged_beside_jobs());
        Ok(checked)
    }

    fn check_job(&self, key: &JobKey) -> Result<Checked, StoreError> {
        let (job, mut checked) = (self.job(key)?, Checked::default());
        let path = job.record();
        let record = match self.read_record(key) {
            Ok(None) => return Ok(checked),
            Ok(Some(record)) => record,
            Err(error) => {
                checked.jobs = 1;
                let key = Some(key.clone());
                checked.damaged.push(DamagedFile { job: key, ..DamagedFile::new(error, &path) });
                return Ok(checked);
            }
        };
        checked.jobs = 1;
        checked.bytes = path.metadata().map_or(0, |file| file.len());
        checked.is_mock = record.settings.engine.starts_with("mock");
        checked.without_sums = usize::from(!record.knows_its_files());
        for (name, written) in &record.files {
            let path = job.path().join(name);
            match self.noted(key, check_file(&path, written, Depth::Content)) {
                Ok(true) => {
                    checked.files += 1;
                    checked.bytes += written.bytes;
                }
                Ok(false) => checked.missing += 1,
                Err(error) => {
                    let (key, point) = (Some(key.clone()), Some(record.point.clone()));
                    let found = DamagedFile::new(error, &path);
                    checked.damaged.push(DamagedFile { job: key, point, ..found });
                }
            }
        }
        Ok(checked)
    }

    /// What can be made again from the records, and the grid.
    fn damaged_beside_jobs(&self) -> Vec<DamagedFile> {
        let mut damaged = Vec::new();
        let mut note = |found: Result<(), StoreError>, path: PathBuf| {
            damaged.extend(found.err().map(|error| DamagedFile::new(error, &path)));
        };
        for frame in ["runs", "metrics", "epochs", "comparisons"] {
            note(check_frame(&self.frame(frame)), self.frame(frame));
        }
        note(self.read_tuning().map(drop), self.tuning_file());
        note(self.read_stopping().map(drop), self.stopping_file());
        note(self.submissions().map(drop), self.slurm());
        note(self.grid_text().map(drop), self.grid_file());
        damaged
    }
}

impl JobRecord {
    /// Whether it was written when records had the sums of the files beside them, or has no need of
    /// any.
    fn knows_its_files(&self) -> bool {
        !self.files.is_empty() || self.outcome.is_none() || !self.settings.stage.is_main()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;
    use std::fs;

    #[test]
    fn everything_that_changed_is_found_and_the_next_survey_looks_at_it() {
        let place = tempfile::tempdir().unwrap();
        let folder = testing::folder_with_predictions(place.path(), "ab", "a\tO\tO\n\n");
        let job = |key: &str| folder.job(&JobKey(key.to_owned())).unwrap();
        job("cd").create().unwrap();
        folder.write_record(&testing::failed("cd", "sc", 2)).unwrap();
        let whole = folder.check().unwrap();
        assert_eq!((whole.jobs, whole.files, whole.missing, whole.without_sums), (2, 1, 0, 0));
        assert!(whole.damaged.is_empty());
        fs::write(job("ab").predictions(), "b\tO\tO\n\n").unwrap();
        fs::write(job("cd").record(), "{").unwrap();
        fs::write(folder.frame("runs"), "PAR1").unwrap();
        fs::write(folder.tuning_file(), "[").unwrap();
        let found = folder.check().unwrap().damaged;
        let names: Vec<_> = found.iter().map(|one| one.path.file_name().unwrap()).collect();
        assert_eq!(names, ["predictions.tsv", "record.json", "runs.parquet", "tuning.json"]);
        assert_eq!(found[0].point, Some(testing::point("sc", 1)));
        assert!(found.iter().all(|one| one.advice.contains("`tailgrid run`")), "{found:?}");
        let keys = ["ab", "cd"].map(|key| JobKey(key.to_owned()));
        let survey = super::super::Survey::new(&folder, &keys).unwrap();
        assert_eq!(survey.damaged.len(), 2);
        fs::remove_file(job("ab").predictions()).unwrap();
        assert_eq!(folder.check().unwrap().missing, 1);
    }
}
