//! A results folder from elsewhere, as a merge reads it.

use super::super::frames::read_current;
use super::super::journal;
use super::super::lock::holder_of;
use super::super::{Folder, Holder, SearchRecord, StoreError, TuningRecord};
use super::Skipped;
use atomic::plain;
use domain::JobKey;
use std::collections::HashMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A longer file is no record, grid or list of searches.
const LONGEST: u64 = 256 << 20;

/// A results folder from elsewhere; nothing is written to it.
#[derive(Debug)]
pub struct MergeSource {
    root: PathBuf,
    /// Where a journal was unpacked; gone with the source.
    _unpacked: Option<TempDir>,
}

impl MergeSource {
    /// The results folder at a path; `None` if there is none.
    pub fn open(path: &Path) -> Option<Self> {
        let jobs = fs::symlink_metadata(path.join("jobs")).ok()?;
        jobs.is_dir().then(|| Self { root: path.to_owned(), _unpacked: None })
    }

    /// The results folder that a journal holds.
    pub fn unpack(journal: &Path) -> Result<Self, StoreError> {
        let name = journal.file_name().unwrap_or_default().to_string_lossy();
        // Conflicts name the folder, so it has the journal's name.
        let place = tempfile::Builder::new().prefix(&format!("{name}-")).tempdir();
        let place = place.map_err(StoreError::io("unpack", journal))?;
        let root = journal::unpack(journal, place.path())?;
        Ok(Self { root, _unpacked: Some(place) })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// The grid as it was run there.
    pub fn grid_text(&self) -> Option<String> {
        let bytes = read_plain(&self.root.join("grid.yaml")).ok()??;
        String::from_utf8(bytes).ok()
    }

    /// Who runs something in it at this moment.
    pub fn holder(&self) -> Option<Holder> {
        holder_of(plain::open(&self.root.join("lock")).ok()?)
    }

    /// Which jobs its frames call current, and which not; frames can be missing at any time.
    pub(super) fn current(&self) -> HashMap<JobKey, bool> {
        let bytes = read_plain(&self.root.join("runs.parquet")).ok().flatten();
        bytes.and_then(read_current).unwrap_or_default()
    }

    /// What its searches tried and chose; nothing where that cannot be read, as it follows from the
    /// trials.
    pub fn searches(&self) -> Vec<SearchRecord> {
        let bytes = read_plain(&self.root.join("tuning.json")).ok().flatten().unwrap_or_default();
        serde_json::from_slice(&bytes).map_or(Vec::new(), |record: TuningRecord| record.searches)
    }

    pub(super) fn job(&self, key: &JobKey) -> PathBuf {
        self.root.join("jobs").join(&key.0)
    }

    /// The keys of its jobs, sorted, and what has not the form of a job.
    pub(super) fn keys(&self, target: &Folder) -> Result<(Vec<JobKey>, Vec<Skipped>), StoreError> {
        let jobs = self.root.join("jobs");
        let (mut keys, mut skipped) = (Vec::new(), Vec::new());
        for entry in fs::read_dir(&jobs).map_err(StoreError::io("read", &jobs))? {
            let entry = entry.map_err(StoreError::io("read", &jobs))?;
            let key = JobKey(entry.file_name().to_string_lossy().into_owned());
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && target.job(&key).is_ok() {
                keys.push(key);
            } else if !key.0.starts_with('.') {
                let reason = "it is not a folder that has a job's key as its name".to_owned();
                skipped.push(Skipped { path: entry.path(), reason });
            }
        }
        keys.sort();
        skipped.sort_by(|a, b| a.path.cmp(&b.path));
        Ok((keys, skipped))
    }
}

/// The content of a regular file, `None` if there is none.
pub(super) fn read_plain(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let file = match plain::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}
