//! What was handed to a cluster: `slurm/` in a results folder.
//!
//! ```text
//! slurm/1.sh         the script of the first submission
//! slurm/12.json      array job 12, as it was submitted
//! slurm/12_0.log     what its task 0 printed
//! slurm/12_0.json    how its task 0 ended, if it came to an end of its own
//! ```
//!
//! No result depends on any of it: it lets `status` tell tasks that ended from tasks that were lost.

use super::{Folder, StoreError, disk};
use domain::JobKey;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The version of the two forms that this program writes.
const VERSION: u64 = 1;
const ADVICE: &str = "remove it: no result depends on it, only what `status` says of the cluster";

/// An array job that was submitted.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubmissionRecord {
    pub version: u64,
    /// Slurm's number of the array job.
    pub array: u64,
    /// The cluster, where Slurm serves several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// Numbered from 0.
    pub tasks: u64,
    /// The name of its script in the same folder.
    pub script: String,
    /// RFC 3339, UTC.
    pub submitted_at: String,
    /// What was to do.
    pub jobs: Vec<JobKey>,
    /// How many more were to do whose keys a search had yet to decide.
    pub undecided: usize,
}

impl SubmissionRecord {
    /// The version is this program's.
    pub const VERSION: u64 = VERSION;
}

/// How a task came to its end by itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskEnd {
    pub version: u64,
    /// Whether it was stopped, by its time limit or by somebody, before everything was done.
    pub interrupted: bool,
}

impl TaskEnd {
    /// In the form of this program.
    pub fn new(interrupted: bool) -> Self {
        Self { version: VERSION, interrupted }
    }
}

/// A task of an array job, `12_0`.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TaskId {
    pub array: u64,
    pub task: u64,
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.array, self.task)
    }
}

impl FromStr for TaskId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let numbers = text.split_once('_').map(|(a, t)| (a.parse(), t.parse()));
        match numbers {
            Some((Ok(array), Ok(task))) => Ok(Self { array, task }),
            _ => Err(()),
        }
    }
}

impl Folder {
    /// Where submissions are kept.
    pub fn slurm(&self) -> PathBuf {
        self.path().join("slurm")
    }

    /// The number that the next script gets.
    pub fn next_script(&self) -> u64 {
        (1..).find(|n| !self.script(*n).exists()).expect("there are more numbers than scripts")
    }

    /// The file of a script.
    pub fn script(&self, number: u64) -> PathBuf {
        self.slurm().join(format!("{number}.sh"))
    }

    /// Keeps a script under a number that none has yet.
    pub fn write_script(&self, number: u64, text: &str) -> Result<PathBuf, StoreError> {
        let path = self.script(number);
        disk::create_folder(&self.slurm())?;
        let file = OpenOptions::new().create_new(true).write(true).open(&path);
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        written.map(|()| path.clone()).map_err(StoreError::io("write", &path))
    }

    /// Keeps what was submitted.
    pub fn write_submission(&self, record: &SubmissionRecord) -> Result<(), StoreError> {
        write(&self.slurm().join(format!("{}.json", record.array)), record)
    }

    /// Every array job that was submitted, in the order of its numbers.
    pub fn submissions(&self) -> Result<Vec<SubmissionRecord>, StoreError> {
        let folder = self.slurm();
        disk::check_folder(&folder)?;
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(StoreError::io("read", &folder))?,
        };
        let mut arrays: Vec<u64> = Vec::new();
        for entry in entries {
            let name = entry.map_err(StoreError::io("read", &folder))?.file_name();
            let number = name.to_string_lossy().strip_suffix(".json").map(str::parse::<u64>);
            arrays.extend(number.and_then(Result::ok));
        }
        arrays.sort_unstable();
        let read = |array: &u64| read(&folder.join(format!("{array}.json")));
        let records = arrays.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        Ok(records.into_iter().flatten().collect())
    }

    /// Keeps how a task ended.
    pub fn write_task_end(&self, task: TaskId, end: &TaskEnd) -> Result<(), StoreError> {
        let folder = self.slurm();
        disk::create_folder(&folder)?;
        write(&folder.join(format!("{task}.json")), end)
    }

    /// How a task ended; `None` if it has not, or was lost.
    pub fn task_end(&self, task: TaskId) -> Result<Option<TaskEnd>, StoreError> {
        read(&self.slurm().join(format!("{task}.json")))
    }

    /// What a task printed.
    pub fn task_log(&self, task: TaskId) -> PathBuf {
        self.slurm().join(format!("{task}.log"))
    }
}

fn write(path: &Path, value: &impl Serialize) -> Result<(), StoreError> {
    let mut bytes = serde_json::to_vec_pretty(value).map_err(|error| StoreError::Encode {
        path: path.to_owned(),
        message: error.to_string(),
    })?;
    bytes.push(b'\n');
    disk::write(path, &bytes)
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, StoreError> {
    let Some(bytes) = disk::read(path)? else { return Ok(None) };
    serde_json::from_slice(&bytes).map(Some).map_err(|error| StoreError::Damaged {
        path: path.to_owned(),
        message: error.to_string(),
        advice: ADVICE,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn submission(array: u64) -> SubmissionRecord {
        SubmissionRecord {
            version: VERSION,
            array,
            cluster: None,
            tasks: 2,
            script: "1.sh".to_owned(),
            submitted_at: "2026-01-01T00:00:00Z".to_owned(),
            jobs: vec![JobKey("ab".to_owned())],
            undecided: 3,
        }
    }

    #[test]
    fn submissions_and_endings_come_back_in_order() {
        let results = tempfile::tempdir().unwrap();
        let folder = Folder::new(results.path(), "grid").unwrap();
        assert_eq!(folder.submissions().unwrap(), []);
        let task = TaskId { array: 12, task: 0 };
        folder.write_task_end(task, &TaskEnd::new(true)).unwrap();
        for array in [100, 12] {
            folder.write_submission(&submission(array)).unwrap();
        }
        assert_eq!(folder.submissions().unwrap(), [submission(12), submission(100)]);
        assert_eq!(folder.task_end(task).unwrap(), Some(TaskEnd::new(true)));
        assert_eq!(folder.task_end(TaskId { array: 12, task: 1 }).unwrap(), None);
        fs::write(folder.slurm().join("13.json"), "{").unwrap();
        let error = folder.submissions().unwrap_err().to_string();
        assert!(error.contains("13.json is damaged") && error.contains("remove it"), "{error}");
    }

    #[test]
    fn a_script_never_takes_the_place_of_another() {
        let results = tempfile::tempdir().unwrap();
        let folder = Folder::new(results.path(), "grid").unwrap();
        for number in 1..=2 {
            assert_eq!(folder.next_script(), number);
            folder.write_script(number, "#!/bin/sh\n").unwrap();
        }
        assert!(folder.write_script(1, "other").is_err());
        assert_eq!(fs::read_to_string(folder.script(1)).unwrap(), "#!/bin/sh\n");
    }

    #[test]
    fn tasks_are_named_as_slurm_names_them() {
        let task = TaskId { array: 12, task: 3 };
        assert_eq!((task.to_string().as_str(), "12_3".parse()), ("12_3", Ok(task)));
        for wrong in ["12", "12_", "_3", "12_[0-3]", "a_b"] {
            assert!(wrong.parse::<TaskId>().is_err(), "{wrong}");
        }
    }
}
