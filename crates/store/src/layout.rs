//! Where things are in a results folder.
//!
//! ```text
//! results/<grid>/grid.yaml  lock  index  runs.parquet  metrics.parquet  epochs.parquet
//! results/<grid>/comparisons.parquet  frames.json  tuning.json
//! results/<grid>/jobs/<key>/record.json  predictions.tsv  log.txt
//! ```
//!
//! What is on its way to a job's folder waits in `jobs/`, under a temporary name: so what a crash
//! leaves is found without a look into every job's folder.
//!
//! A [`Folder`] or [`JobFolder`] exists only for a name that was checked, so no grid and no key can
//! reach outside of the results.

use super::files::{Depth, check_file};
use super::index::Index;
use super::{JobRecord, KeptFile, StoreError, disk};
use atomic::TEMPORARY;
use domain::JobKey;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The results of one grid.
#[derive(Clone, Debug)]
pub struct Folder {
    root: PathBuf,
    grid: String,
}

impl Folder {
    /// The folder of the grid called `grid`; nothing is made yet.
    pub fn new(results: &Path, grid: &str) -> Result<Self, StoreError> {
        let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        check_name("grid", grid, "a-z, 0-9 and -", allowed)?;
        Ok(Self { root: results.join(grid), grid: grid.to_owned() })
    }

    /// The folders of all grids that have results, in the order of their names.
    pub fn all(results: &Path) -> Result<Vec<Self>, StoreError> {
        let entries = match fs::read_dir(results) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(StoreError::io("read", results))?,
        };
        let mut folders = Vec::new();
        for entry in entries {
            let entry = entry.map_err(StoreError::io("read", results))?;
            if entry.path().is_dir() {
                // What has not the name of a grid is none.
                folders.extend(Self::new(results, &entry.file_name().to_string_lossy()).ok());
            }
        }
        folders.sort_by(|a, b| a.grid.cmp(&b.grid));
        Ok(folders)
    }

    /// The grid's name.
    pub fn grid(&self) -> &str {
        &self.grid
    }

    /// Where the folder is.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// The grid as it was run.
    pub fn grid_file(&self) -> PathBuf {
        self.root.join("grid.yaml")
    }

    /// What the searches of the grid tried and chose.
    pub fn tuning_file(&self) -> PathBuf {
        self.root.join("tuning.json")
    }

    /// What most commands ask of the records, in short.
    pub fn index_file(&self) -> PathBuf {
        self.root.join("index")
    }

    /// Which records the frames were made from.
    pub fn frames_file(&self) -> PathBuf {
        self.root.join("frames.json")
    }

    /// The folder of all jobs.
    pub fn jobs(&self) -> PathBuf {
        self.root.join("jobs")
    }

    /// The file that a run holds locked.
    pub fn lock_file(&self) -> PathBuf {
        self.root.join("lock")
    }

    /// One of the frames, by its name without the extension.
    pub fn frame(&self, name: &str) -> PathBuf {
        self.root.join(format!("{name}.parquet"))
    }

    /// The folder of a job; nothing is made yet.
    pub fn job(&self, key: &JobKey) -> Result<JobFolder, StoreError> {
        let allowed = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
        check_name("job", &key.0, "0-9 and a-f", allowed)?;
        Ok(JobFolder { path: self.jobs().join(&key.0) })
    }

    /// Makes the folder and shows that it can be written to, before anything relies on it.
    pub fn prepare(&self) -> Result<(), StoreError> {
        disk::create_folder_for_good(&self.jobs())?;
        for folder in [self.root.clone(), self.jobs()] {
            let probe = disk::temporary_beside(&folder.join("probe"));
            File::create_new(&probe).map_err(StoreError::io("write to", &folder))?;
            match fs::remove_file(&probe) {
                // Another run, which holds the lock, swept it away.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                removed => removed.map_err(StoreError::io("write to", &folder))?,
            }
        }
        Ok(())
    }

    /// A folder on the same disk for work that is not to be seen; gone when this is dropped.
    pub fn scratch(&self) -> Result<TempDir, StoreError> {
        let made = tempfile::Builder::new().prefix(TEMPORARY).tempdir_in(&self.root);
        made.map_err(StoreError::io("make a folder in", &self.root))
    }

    /// Removes what interrupted runs left half written. Only for the holder of the lock.
    pub fn sweep(&self) -> Result<(), StoreError> {
        disk::check_folder(&self.jobs())?;
        disk::sweep(&self.root)?;
        disk::sweep(&self.jobs())
    }

    /// Every key that has a folder, sorted; other names are none of ours and left alone.
    pub fn keys(&self) -> Result<Vec<JobKey>, StoreError> {
        let jobs = self.jobs();
        disk::check_folder(&jobs)?;
        let entries = match fs::read_dir(&jobs) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(StoreError::io("read", &jobs))?,
        };
        let mut keys = Vec::new();
        for entry in entries {
            let entry = entry.map_err(StoreError::io("read", &jobs))?;
            let key = JobKey(entry.file_name().to_string_lossy().into_owned());
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && self.job(&key).is_ok() {
                keys.push(key);
            }
        }
        keys.sort();
        Ok(keys)
    }

    /// Keeps the grid as run beside its results.
    pub fn write_grid(&self, text: &str) -> Result<(), StoreError> {
        disk::write_changed(&self.grid_file(), text.as_bytes())
    }

    /// The grid as it was run, `None` if there is none that is a text.
    pub fn grid_text(&self) -> Result<Option<String>, StoreError> {
        Ok(disk::read(&self.grid_file())?.and_then(|bytes| String::from_utf8(bytes).ok()))
    }

    /// The record of a job, `None` if it has none.
    pub fn read_record(&self, key: &JobKey) -> Result<Option<JobRecord>, StoreError> {
        disk::check_folder(&self.jobs())?;
        let job = self.job(key)?;
        job.check()?;
        let path = job.record();
        let read = match disk::open(&path) {
            Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                return Ok(None);
            }
            file => JobRecord::read(file, key, &path),
        };
        self.noted(key, read).map(|(record, ..)| Some(record))
    }

    /// Puts a job's record in place: from now on the job is done, or failed.
    pub fn write_record(&self, record: &JobRecord) -> Result<(), StoreError> {
        let job = self.job(&record.job)?;
        let (path, bytes) = (job.record(), record.to_bytes());
        let file = disk::write_by(&job.temporary(&path), &path, &bytes)?;
        disk::sync_folder_of(job.path())?;
        // Without its line a record is read in full, no more.
        let _ = Index::add(self, record, &bytes, &file);
        Ok(())
    }

    /// Moves the record of a job that is damaged, or has a file that is, out of the way, beside
    /// earlier ones, and says where it is now. Damaged files go the same way.
    pub fn set_aside(&self, key: &JobKey) -> Result<PathBuf, StoreError> {
        let job = self.job(key)?;
        let whole = self.read_record(key).ok().flatten();
        // The record first: without one the job is to do, whatever else happens.
        let aside = set_aside(&job.record())?;
        let files = whole.iter().flat_map(|record| &record.files);
        for (name, written) in files {
            let path = job.path().join(name);
            if let Err(StoreError::Damaged { .. }) = check_file(&path, written, Depth::Content) {
                set_aside(&path)?;
            }
        }
        Ok(aside)
    }
}

/// The files of one job.
#[derive(Clone, Debug)]
pub struct JobFolder {
    path: PathBuf,
}

impl JobFolder {
    /// Where the folder is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Outcome, settings, provenance, timings.
    pub fn record(&self) -> PathBuf {
        self.path.join("record.json")
    }

    /// A file that its worker left.
    pub fn file(&self, kept: KeptFile) -> PathBuf {
        self.path.join(kept.name())
    }

    /// Test predictions: token, gold, predicted.
    pub fn predictions(&self) -> PathBuf {
        self.file(KeptFile::Predictions)
    }

    /// The trained model, of jobs that kept it.
    pub fn model(&self) -> PathBuf {
        self.file(KeptFile::Model)
    }

    /// What the worker wrote to its standard error.
    pub fn log(&self) -> PathBuf {
        self.path.join("log.txt")
    }

    /// Makes the folder.
    pub fn create(&self) -> Result<(), StoreError> {
        disk::create_folder(&self.path)
    }

    /// An error where something else is in its place.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        disk::check_folder(&self.path)
    }

    /// What the worker wrote to its standard error, opened to be read.
    pub fn open_log(&self) -> Result<File, StoreError> {
        disk::open(&self.log())
    }

    /// A temporary place for what is to be one of the job's files.
    pub(super) fn temporary(&self, file: &Path) -> PathBuf {
        let name =
            |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = format!("{}-{}", name(&self.path), name(file));
        disk::temporary_beside(&self.path.with_file_name(name))
    }

    /// A place for a file of one attempt. Each attempt has its own, so that a worker that outlived
    /// its run cannot touch what a later one recorded.
    pub fn attempt(&self, kept: KeptFile) -> PathBuf {
        self.temporary(&self.file(kept))
    }
}

/// Gives a file the first of the names `….damaged`, `….damaged-2` and so on that nothing has.
fn set_aside(path: &Path) -> Result<PathBuf, StoreError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let numbered = |n: u32| match n {
        1 => path.with_file_name(format!("{name}.damaged")),
        n => path.with_file_name(format!("{name}.damaged-{n}")),
    };
    let is_free = |path: &PathBuf| path.symlink_metadata().is_err();
    let aside = (1..).map(numbered).find(is_free).expect("a folder has fewer files than numbers");
    disk::rename(path, &aside)?;
    Ok(aside)
}

fn check_name(
    what: &'static str,
    name: &str,
    allowed: &'static str,
    is_allowed: impl Fn(char) -> bool,
) -> Result<(), StoreError> {
    if !name.is_empty() && name.len() <= 128 && name.chars().all(is_allowed) {
        return Ok(());
    }
    let name = name.chars().take(40).collect();
    Err(StoreError::Name { what, name, allowed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_would_leave_the_folder_are_refused() {
        let long = "a".repeat(129);
        for name in ["", ".", "..", "../x", "a/b", "/etc", "A", "a b", "a\0", "ä", long.as_str()] {
            assert!(Folder::new(Path::new("results"), name).is_err(), "{name:?}");
            let folder = Folder::new(Path::new("results"), "grid-1").unwrap();
            assert!(folder.job(&JobKey(name.to_owned())).is_err(), "{name:?}");
        }
    }

    #[test]
    fn a_missing_folder_has_no_jobs_and_no_records() {
        let results = tempfile::tempdir().unwrap();
        let folder = Folder::new(results.path(), "none").unwrap();
        assert_eq!(folder.keys().unwrap(), []);
        assert!(folder.read_record(&JobKey("ab".into())).unwrap().is_none());
    }

    #[test]
    fn a_file_in_place_of_the_folder_is_found_by_preparing() {
        let results = tempfile::tempdir().unwrap();
        fs::write(results.path().join("grid"), "").unwrap();
        let folder = Folder::new(results.path(), "grid").unwrap();
        assert!(folder.prepare().is_err());
    }

    #[test]
    fn every_damaged_record_is_kept() {
        let results = tempfile::tempdir().unwrap();
        let folder = Folder::new(results.path(), "grid").unwrap();
        let key = JobKey("ab12".into());
        let job = folder.job(&key).unwrap();
        job.create().unwrap();
        for n in ["", "-2", "-3"] {
            fs::write(job.record(), format!("damage{n}")).unwrap();
            let aside = folder.set_aside(&key).unwrap();
            assert_eq!(aside, job.path().join(format!("record.json.damaged{n}")));
        }
        for n in ["", "-2", "-3"] {
            let aside = job.path().join(format!("record.json.damaged{n}"));
            assert_eq!(fs::read_to_string(aside).unwrap(), format!("damage{n}"));
        }
        assert!(!job.record().exists());
    }

    #[test]
    fn sweeping_removes_what_was_on_its_way_to_a_job() {
        let results = tempfile::tempdir().unwrap();
        let folder = Folder::new(results.path(), "grid").unwrap();
        folder.prepare().unwrap();
        let job = folder.job(&JobKey("ab12".into())).unwrap();
        job.create().unwrap();
        let attempt = job.attempt(KeptFile::Predictions);
        fs::write(&attempt, "half").unwrap();
        fs::write(attempt.with_extension("tsv.part"), "half").unwrap();
        fs::write(job.log(), "kept").unwrap();
        folder.sweep().unwrap();
        assert_eq!(fs::read_dir(job.path()).unwrap().count(), 1);
        assert_eq!(fs::read_dir(folder.jobs()).unwrap().count(), 1);
    }
}
