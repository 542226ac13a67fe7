//! Joining result folders of one grid: made by shards, or copied from other machines by hand.
//!
//! Everything is looked at before anything is written. A folder from elsewhere is not trusted: only
//! plain files with the names that a job has are read, no symbolic link is followed, and a record
//! that is damaged or of a later program is left where it is. Nothing in the target is ever
//! replaced: a job that two folders have must have come out the same in both, but for what is
//! measured, or with scores that agree where the processors are not known to be of one kind.

mod copy;
mod entry;
mod recorded;
mod source;
#[cfg(test)]
mod tests;

pub use recorded::join_searches;
pub use source::MergeSource;

use super::{Folder, StoreError};
use copy::JobCopy;
use domain::{Apart, JobKey};
use entry::{Comparison, Entry};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// What is left out, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Skipped {
    pub path: PathBuf,
    pub reason: String,
}

/// A job that came out differently in two folders.
#[derive(Clone, PartialEq, Debug)]
pub struct Conflict {
    pub job: JobKey,
    pub point: String,
    /// Which of its files differs.
    pub file: &'static str,
    pub folders: [PathBuf; 2],
    pub difference: Difference,
}

/// How much the same job differs in two folders.
#[derive(Clone, PartialEq, Debug)]
pub enum Difference {
    /// In its bits, although the processors are of one kind.
    Bits,
    /// In its bits, which processors of other or unknown kinds do not explain.
    Inexplicable,
    /// In this number, by more than other kinds of processors explain.
    Scores(Apart),
}

/// What a merge is to do.
#[derive(Debug, Default)]
pub struct MergePlan {
    copies: Vec<JobCopy>,
    /// Jobs that were there already.
    pub same: usize,
    /// Of these, not with the same bits but with scores that agree, from other kinds of processors.
    pub close: usize,
    pub skipped: Vec<Skipped>,
    pub conflicts: Vec<Conflict>,
}

impl MergePlan {
    /// What is to do for the target to have the jobs of all sources.
    pub fn make(target: &Folder, sources: &[MergeSource]) -> Result<Self, StoreError> {
        let mut plan = Self::default();
        // Jobs that come from a source before.
        let mut coming: HashMap<JobKey, PathBuf> = HashMap::new();
        for source in sources {
            let (keys, skipped) = source.keys(target)?;
            plan.skipped.extend(skipped);
            for key in keys {
                let there = target.job(&key)?.path().to_owned();
                let before = [Some(&there), coming.get(&key)].map(|it| it.cloned());
                let taken = plan.consider(&source.job(&key), &key, before.into_iter().flatten());
                match taken {
                    Ok(true) => drop(coming.insert(key.clone(), source.job(&key))),
                    Ok(false) => {}
                    Err(Stop::Skip(skipped)) => plan.skipped.push(skipped),
                    Err(Stop::Error(error)) => return Err(error),
                }
            }
        }
        Ok(plan)
    }

    /// Looks at a job of a source beside the folders that have it already; whether it is to be
    /// copied.
    fn consider(
        &mut self,
        from: &Path,
        key: &JobKey,
        before: impl Iterator<Item = PathBuf>,
    ) -> Result<bool, Stop> {
        let Some(new) = Entry::read(from, key)? else { return Ok(false) };
        let (mut missing, mut sums) = (new.files.clone(), new.record.files.clone());
        let (mut record, mut is_close) = (true, false);
        for folder in before {
            let Some(old) = Entry::read(&folder, key)? else { continue };
            match old.compare(&new)? {
                Comparison::Same => missing.retain(|name| !old.files.contains(name)),
                Comparison::Close => {
                    is_close = true;
                    // Files of another run do not belong to this record.
                    missing.clear();
                }
                Comparison::Differs(file, difference) => {
                    let (job, point) = (key.clone(), new.record.point.to_string());
                    let folders = [old.folder, new.folder];
                    self.conflicts.push(Conflict { job, point, file, folders, difference });
                    return Ok(false);
                }
            }
            // A record that stays knows its files best.
            sums.extend(old.record.files);
            record = false;
        }
        self.same += usize::from(!record);
        self.close += usize::from(is_close);
        let is_copied = record || !missing.is_empty();
        if is_copied {
            let (job, from) = (key.clone(), from.to_owned());
            self.copies.push(JobCopy { job, from, files: missing, sums, record });
        }
        Ok(is_copied)
    }

    /// How many jobs the target gets.
    pub fn new_jobs(&self) -> usize {
        self.copies.iter().filter(|copy| copy.record).count()
    }

    /// Copies what is missing, each file in one step and a job's record last; only for the holder
    /// of the target's lock. A job that turns out to be damaged is left out.
    pub fn carry_out(&mut self, target: &Folder) -> Result<(), StoreError> {
        for copy in std::mem::take(&mut self.copies) {
            match copy.carry_out(target) {
                Ok(()) => self.copies.push(copy),
                Err(Stop::Skip(skipped)) => self.skipped.push(skipped),
                Err(Stop::Error(error)) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Why a job is not considered further.
enum Stop {
    Skip(Skipped),
    Error(StoreError),
}

impl From<Skipped> for Stop {
    fn from(skipped: Skipped) -> Self {
        Stop::Skip(skipped)
    }
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Stop::Error(error)
    }
}
