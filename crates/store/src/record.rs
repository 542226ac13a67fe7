//! What is kept of a job: `record.json`.
//!
//! The last entry, `sum`, is the SHA-256 of the file's bytes with zeros in its place: whoever uses
//! a record's numbers knows that they are those that were written. Records of version 1 have none.
//!
//! From version 3 on a record has the sums of the files beside it. Older programs refuse such a
//! record as one of a later version, and set nothing aside; this one reads records of all versions
//! before.

use super::files::{ADVICE, is_file_name};
use super::{FileSums, Status, StoreError, seal};
use domain::{
    Epoch, Failure, JobKey, JobSettings, Outcome, Point, Processor, are_in_order, is_plausible_time,
};
use serde::{Deserialize, Serialize};
use std::fs::{File, Metadata};
use std::io::Read;
use std::path::Path;

/// The version of the record's form that this program writes.
pub const RECORD_VERSION: u64 = 3;
/// From this version on a record has a sum.
const WITH_SUM: u64 = 2;

/// How a job ended. It has an outcome where it is done and a failure where it failed, never both.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobRecord {
    pub version: u64,
    pub job: JobKey,
    /// The names at the time of the run; frames take theirs from the grid as it is now.
    pub point: Point,
    pub settings: JobSettings,
    pub status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// What there was of a job that ran out of time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<Partial>,
    /// The files beside it, as they were written; not in records before version 3.
    #[serde(default, skip_serializing_if = "FileSums::is_empty")]
    pub files: FileSums,
    pub provenance: Provenance,
    /// How many times the job was started in the run that recorded it.
    pub attempts: u32,
    pub timings: Timings,
}

/// The part of an outcome that a job told before it was ended.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Partial {
    /// As they were heard; `seconds` are those between them, dev included.
    pub epochs: Vec<Epoch>,
}

/// What made the record; the engine's own versions are in the outcome.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// Version of the program that ran the sweep.
    pub tailgrid: String,
    /// Architecture and operating system, `x86_64-linux`.
    pub platform: String,
    /// A short hash of the host's name.
    pub host: String,
    /// What the job ran on; not in records of a time when it was not told, whose kind is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor: Option<Processor>,
}

/// When and how long; measured, so no part of what must be identical.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timings {
    /// RFC 3339, UTC.
    pub started_at: String,
    /// Of the last attempt, from the start of its process to its end.
    pub seconds: f64,
}

/// Read where the rest cannot be, so that a later form is told apart from a damaged file.
#[derive(Deserialize)]
struct VersionOnly {
    version: u64,
}

impl JobRecord {
    /// The record in an opened file, with its bytes and which file has them; what is not a file at
    /// all is damage too.
    pub(super) fn read(
        opened: Result<File, StoreError>,
        key: &JobKey,
        path: &Path,
    ) -> Result<(Self, Vec<u8>, Metadata), StoreError> {
        let mut file = opened.map_err(|error| match error {
            StoreError::Irregular { path, source, .. } => {
                StoreError::Damaged { path, message: source.to_string(), advice: ADVICE }
            }
            other => other,
        })?;
        let mut bytes = Vec::new();
        let read = file.read_to_end(&mut bytes).and_then(|_| file.metadata());
        let metadata = read.map_err(StoreError::io("read", path))?;
        Ok((Self::parse(&bytes, key, path)?, bytes, metadata))
    }

    /// The record in `bytes`, which must be of job `key`; `path` is for messages.
    pub(super) fn parse(bytes: &[u8], key: &JobKey, path: &Path) -> Result<Self, StoreError> {
        let damaged = |message: String| StoreError::Damaged {
            path: path.to_owned(),
            message,
            advice: ADVICE,
        };
        let opened = seal::open_record(bytes);
        let (open, whole) = match &opened {
            Some((open, whole)) => (open.as_slice(), Some(*whole)),
            None => (bytes, None),
        };
        let read = serde_json::from_slice::<Self>(open);
        let version = match &read {
            Ok(record) => Some(record.version),
            Err(_) => serde_json::from_slice(bytes).ok().map(|VersionOnly { version }| version),
        };
        if let Some(found) = version.filter(|version| *version > RECORD_VERSION) {
            let path = path.to_owned();
            return Err(StoreError::Newer { path, found, known: RECORD_VERSION });
        }
        let record = read.map_err(|error| damaged(error.to_string()))?;
        match whole {
            Some(false) => Err(damaged("its bytes are not those that were written".to_owned())),
            None if record.version >= WITH_SUM => Err(damaged("it has no checksum".to_owned())),
            _ => match record.contradiction(key) {
                Some(contradiction) => Err(damaged(contradiction)),
                None => Ok(record),
            },
        }
    }

    /// As it is kept: readable by people too.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let text = serde_json::to_string_pretty(self);
        seal::close_record(text.expect("a record is plain structs with text keys"))
    }

    fn contradiction(&self, key: &JobKey) -> Option<String> {
        if self.job != *key {
            return Some(format!("it is the record of another job, {}", self.job));
        }
        if let Some(name) = self.files.keys().find(|name| !is_file_name(name)) {
            let shown: String = name.escape_debug().take(60).collect();
            return Some(format!("`{shown}` cannot be the name of a file of a job"));
        }
        let tested = self.outcome.as_ref().map(|outcome| outcome.test.is_some());
        if tested.is_some_and(|tested| tested != self.settings.stage.is_main()) {
            let stage = self.settings.stage.name();
            return Some(format!("the stage `{stage}` contradicts its scores on test"));
        }
        if self.partial.is_some() && self.status == Status::Done {
            return Some("it has a partial outcome although it is done".to_owned());
        }
        if let Some(implausible) = self.implausible() {
            return Some(format!("its numbers cannot be right: {implausible}"));
        }
        let (failed, came_through) = (self.failure.is_some(), self.outcome.is_some());
        match self.status {
            Status::Done if came_through && !failed => None,
            Status::Failed if failed && !came_through => None,
            status => Some(format!("the status `{}` contradicts the rest of it", status.name())),
        }
    }

    /// What no job can have given: a matching sum shows only that nobody changed it since it was
    /// sealed.
    fn implausible(&self) -> Option<String> {
        let epochs = self.partial.iter().flat_map(|partial| &partial.epochs);
        let ordered = self.partial.as_ref().is_none_or(|partial| are_in_order(&partial.epochs));
        if !ordered || !epochs.into_iter().all(Epoch::is_plausible) {
            return Some("the epochs before its time was over are out of range".to_owned());
        }
        if !is_plausible_time(self.timings.seconds) {
            return Some("`timings.seconds` is out of range".to_owned());
        }
        self.outcome.as_ref()?.implausible()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FileSum, testing};
    use super::*;

    fn parse(bytes: &[u8]) -> Result<JobRecord, StoreError> {
        JobRecord::parse(bytes, &JobKey("ab".into()), Path::new("jobs/ab/record.json"))
    }

    #[test]
    fn numbers_come_back_to_the_same_bits() {
        let mut record = testing::done("ab", "sc", 1);
        let outcome = record.outcome.as_mut().unwrap();
        outcome.sentence_factor = 0.1 + 0.2;
        outcome.token_factor = 2.225_073_858_507_201_4e-308;
        outcome.dev.span.micro.f1 = 5.866_669_e-1 / 3.0;
        assert_eq!(parse(&record.to_bytes()).unwrap(), record);
    }

    #[test]
    fn every_truncation_is_damage() {
        let bytes = testing::done("ab", "sc", 1).to_bytes();
        for end in 0..bytes.len() {
            assert!(matches!(parse(&bytes[..end]), Err(StoreError::Damaged { .. })), "{end}");
        }
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let bytes = testing::done("ab", "sc", 1).to_bytes();
        for (at, bit) in (0..bytes.len()).flat_map(|at| [0, 2, 5].map(|bit| (at, bit))) {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            assert!(parse(&flipped).is_err(), "bit {bit} of byte {at}");
        }
    }

    #[test]
    fn a_record_of_a_time_without_sums_is_read_and_cannot_be_made_by_cutting_the_sum() {
        let old = JobRecord { version: 1, ..testing::done("ab", "sc", 1) };
        let text = serde_json::to_string_pretty(&old).unwrap();
        assert_eq!(parse(text.as_bytes()).unwrap(), old);
        let new = serde_json::to_string_pretty(&testing::done("ab", "sc", 1)).unwrap();
        let error = parse(new.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("it has no checksum"), "{error}");
    }

    #[test]
    fn a_later_version_is_not_called_damage() {
        let error = parse(br#"{"version": 4, "shape": "unknown"}"#).unwrap_err();
        assert!(matches!(error, StoreError::Newer { found: 4, .. }), "{error}");
    }

    #[test]
    fn contradictions_and_unknown_fields_are_damage() {
        let good = testing::done("ab", "sc", 1);
        let other = JobRecord { job: JobKey("cd".into()), ..good.clone() };
        let empty = JobRecord { outcome: None, ..good.clone() };
        let both = JobRecord { status: Status::Failed, ..good.clone() };
        let partial = Some(Partial { epochs: vec![] });
        let partly_done = JobRecord { partial, ..good.clone() };
        let sum = FileSum { bytes: 1, sha256: String::new() };
        let files = [("../../grid.yaml".to_owned(), sum)].into();
        let outside = JobRecord { files, ..good.clone() };
        let mut untested = good.clone();
        untested.outcome.as_mut().unwrap().test = None;
        let mut trial = good.clone();
        trial.settings.stage = domain::Stage::Trial;
        for record in [other, empty, both, partly_done, outside, untested, trial] {
            assert!(matches!(parse(&record.to_bytes()), Err(StoreError::Damaged { .. })));
        }
        let text = String::from_utf8(good.to_bytes()).unwrap();
        let text = text.replacen('{', "{\"surprise\": 1,", 1);
        assert!(matches!(parse(text.as_bytes()), Err(StoreError::Damaged { .. })));
    }
    #[test]
    fn numbers_that_no_job_can_give_are_damage_whatever_the_sum_says() {
        let changes: [fn(&mut JobRecord); 5] = [
            |r| r.outcome.as_mut().unwrap().test.as_mut().unwrap().span.micro.f1 = 7.5,
            |r| r.outcome.as_mut().unwrap().train_seconds = 1e308,
            |r| r.outcome.as_mut().unwrap().best_epoch = 9,
            |r| r.timings.seconds = -1.0,
            |r| {
                let epochs = r.outcome.take().unwrap().epochs.into_iter().rev().collect();
                (r.status, r.partial) = (Status::Failed, Some(Partial { epochs }));
                r.failure = Some(Failure::Vanished { code: 3 });
            },
        ];
        for change in changes {
            let mut record = testing::done("ab", "sc", 1);
            change(&mut record);
            let error = parse(&record.to_bytes()).unwrap_err();
            assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
            assert!(error.to_string().contains("its numbers cannot be right: "), "{error}");
        }
    }
}
