//! `stopping.json`: what planned looks found, and which seeds were not run because of it.
//!
//! Made from the records of the jobs, so it can be written again at any time; nothing in it is
//! measured, so the same scores give the same bytes.

use super::tuning::made_again;
use super::{Folder, StoreError, disk};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::{fs, io};

/// The version of the form that this program writes.
pub const STOPPING_VERSION: u64 = 1;

/// The looks at all comparisons of a grid.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoppingRecord {
    pub version: u64,
    pub metric: String,
    pub baseline: String,
    /// Numbers of seeds.
    pub looks: Vec<usize>,
    pub spending: String,
    pub comparisons: Vec<ComparisonRecord>,
}

/// One method against the baseline, for one corpus, scenario and model.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComparisonRecord {
    pub corpus: String,
    pub scenario: String,
    pub model: String,
    pub method: String,
    /// What its looks may spend.
    pub alpha: f64,
    /// As `compare` says it: above, below, open, no difference shown, not tested.
    pub verdict: String,
    /// The seeds of the look that decided.
    pub decided_at: Option<usize>,
    /// Those that were taken or skipped.
    pub looks: Vec<LookRecord>,
    /// The seeds of the next look, and those that it waits for.
    pub next_look: Option<usize>,
    pub waits_for: Vec<u64>,
    /// Seeds of the method that are not run because a look decided.
    pub not_run: Vec<u64>,
    /// The same of the baseline, which goes on as long as one comparison of its column does.
    pub baseline_not_run: Vec<u64>,
}

/// One look.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LookRecord {
    pub seeds: usize,
    /// Whole pairs.
    pub n: usize,
    pub p: Option<f64>,
    /// Below this nominal level p decides.
    pub level: Option<f64>,
    /// Why it was not taken.
    pub skipped: Option<String>,
}

impl ComparisonRecord {
    /// Corpus, scenario, model and method.
    pub fn title(&self) -> String {
        let Self { corpus, scenario, model, method, .. } = self;
        format!("{corpus}/{scenario}/{model}/{method}")
    }
}

impl Folder {
    /// What planned looks found.
    pub fn stopping_file(&self) -> PathBuf {
        self.path().join("stopping.json")
    }

    /// What planned looks found, as it was written.
    pub fn read_stopping(&self) -> Result<Option<StoppingRecord>, StoreError> {
        let path = self.stopping_file();
        disk::read(&path)?.map(|bytes| made_again(&path, &bytes)).transpose()
    }

    /// Keeps what planned looks found; a grid without any has no such file.
    pub fn write_stopping(&self, record: Option<&StoppingRecord>) -> Result<(), StoreError> {
        let path = self.stopping_file();
        let Some(record) = record else {
            return match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    Err(StoreError::io("remove", &path)(error))
                }
                _ => Ok(()),
            };
        };
        let mut bytes = serde_json::to_vec_pretty(record).map_err(|error| StoreError::Encode {
            path: path.clone(),
            message: error.to_string(),
        })?;
        bytes.push(b'\n');
        disk::write_changed(&path, &bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_reads_back_and_goes_with_the_looks() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::new(place.path(), "grid").unwrap();
        folder.prepare().unwrap();
        folder.write_stopping(None).unwrap();
        let [corpus, scenario, model, method] =
            ["wnut17", "full", "bilstm", "mom"].map(str::to_owned);
        let look =
            LookRecord { seeds: 5, n: 5, p: Some(0.1 + 0.2), level: Some(0.031), skipped: None };
        let record = StoppingRecord {
            version: STOPPING_VERSION,
            metric: "macro_f1".into(),
            baseline: "original".into(),
            looks: vec![5, 10],
            spending: "pocock".into(),
            comparisons: vec![ComparisonRecord {
                corpus,
                scenario,
                model,
                method,
                alpha: 0.05,
                verdict: "open".into(),
                decided_at: None,
                looks: vec![look],
                next_look: Some(10),
                waits_for: vec![7],
                not_run: vec![],
                baseline_not_run: vec![],
            }],
        };
        folder.write_stopping(Some(&record)).unwrap();
        let text = fs::read_to_string(folder.stopping_file()).unwrap();
        assert_eq!(serde_json::from_str::<StoppingRecord>(&text).unwrap(), record);
        folder.write_stopping(None).unwrap();
        assert!(!folder.stopping_file().exists());
    }
}
