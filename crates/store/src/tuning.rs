//! `tuning.json`: what the searches of a grid tried and chose.
//!
//! Made from the records of the trials, so it can be written again at any time; nothing in it is
//! measured, so the same trials give the same bytes.

use super::{Folder, StoreError, disk};
use domain::{Dimension, JobKey, Maximised, ParameterValue};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::{fs, io};

/// The version of the form that this program writes.
pub const TUNING_VERSION: u64 = 1;

/// All searches of a grid.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TuningRecord {
    pub version: u64,
    pub searches: Vec<SearchRecord>,
}

/// One search: for one method with one model on one corpus under one scenario.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchRecord {
    pub corpus: String,
    pub scenario: String,
    pub model: String,
    pub method: String,
    /// That the trials were trained with.
    pub job_seed: u64,
    pub maximise: Maximised,
    /// Planned, of which the history has those that were proposed.
    pub trials: usize,
    pub batch: usize,
    pub startup: usize,
    pub seed: u64,
    pub parameters: Vec<Dimension>,
    pub history: Vec<TrialRecord>,
    /// The number of the best trial once all have ended; none if every one failed.
    pub chosen: Option<usize>,
}

/// One trial.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialRecord {
    /// From 1.
    pub trial: usize,
    pub job: JobKey,
    /// In the order of the parameters.
    pub values: Vec<ParameterValue>,
    pub state: TrialState,
    /// On dev, of a trial that is done.
    pub score: Option<f64>,
}

/// How a trial stands.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrialState {
    Todo,
    Done,
    Failed,
}

impl SearchRecord {
    /// Corpus, scenario, model and method.
    pub fn title(&self) -> String {
        let Self { corpus, scenario, model, method, .. } = self;
        format!("{corpus}/{scenario}/{model}/{method}")
    }

    /// How many trials have ended.
    pub fn ended(&self) -> usize {
        self.history.iter().filter(|trial| trial.state != TrialState::Todo).count()
    }

    /// The trial whose values the grid's jobs have.
    pub fn best(&self) -> Option<&TrialRecord> {
        let chosen = self.chosen?;
        self.history.iter().find(|trial| trial.trial == chosen)
    }

    /// The values of a trial by the names of the grid: `gamma = 1.5`.
    pub fn shown(&self, trial: &TrialRecord) -> String {
        let pairs = self.parameters.iter().zip(&trial.values);
        let pairs = pairs.map(|(parameter, value)| format!("{} = {value}", parameter.name));
        pairs.collect::<Vec<_>>().join(", ")
    }
}

impl Folder {
    /// What the searches of the grid tried and chose, as it was written.
    pub fn read_tuning(&self) -> Result<Option<TuningRecord>, StoreError> {
        let path = self.tuning_file();
        disk::read(&path)?.map(|bytes| made_again(&path, &bytes)).transpose()
    }

    /// Keeps what the searches came to; a grid without any has no such file.
    pub fn write_tuning(&self, searches: &[SearchRecord]) -> Result<(), StoreError> {
        let path = self.tuning_file();
        if searches.is_empty() {
            return match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    Err(StoreError::io("remove", &path)(error))
                }
                _ => Ok(()),
            };
        }
        let record = TuningRecord { version: TUNING_VERSION, searches: searches.to_vec() };
        let mut bytes = serde_json::to_vec_pretty(&record).map_err(|error| StoreError::Encode {
            path: path.clone(),
            message: error.to_string(),
        })?;
        bytes.push(b'\n');
        disk::write_changed(&path, &bytes)
    }
}

/// Reads what a run makes of the records.
pub(super) fn made_again<T: DeserializeOwned>(path: &Path, bytes: &[u8]) -> Result<T, StoreError> {
    serde_json::from_slice(bytes).map_err(|error| StoreError::Damaged {
        path: path.to_owned(),
        message: error.to_string(),
        advice: "`tailgrid run` writes it again from the records",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::search;

    #[test]
    fn the_file_reads_back_and_goes_with_the_searches() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::new(place.path(), "grid").unwrap();
        folder.prepare().unwrap();
        folder.write_tuning(&[]).unwrap();
        folder.write_tuning(&[search(5)]).unwrap();
        let text = fs::read_to_string(folder.tuning_file()).unwrap();
        let record: TuningRecord = serde_json::from_str(&text).unwrap();
        assert_eq!((record.version, record.searches), (1, vec![search(5)]));
        folder.write_tuning(&[]).unwrap();
        assert!(!folder.tuning_file().exists());
    }
}
