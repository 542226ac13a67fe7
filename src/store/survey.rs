//! How many jobs stand, at once: by the index where it speaks of the record that is there, else by the
//! record itself.
//!
//! What a job's standing says was in its record when that was written: a record that changed since is
//! read anew, and damage is found here or, at the latest, when the record's numbers are used.

use super::index::{Entry, Index};
use super::{Folder, JobRecord, Standing, StoreError, parallel};
use crate::domain::JobKey;
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// What the records of some jobs say.
#[derive(Debug)]
pub struct Survey {
    /// Of every job that has a record; the others have not been run.
    pub standings: HashMap<JobKey, Standing>,
    /// Records that cannot be read, and why.
    pub damaged: BTreeMap<JobKey, StoreError>,
    /// SHA-256 of the records.
    digests: HashMap<JobKey, String>,
    index: Index,
    /// What the index did not know.
    found: Vec<Entry>,
}

enum Look<'a> {
    Missing,
    Known(&'a Entry),
    Read(Box<Entry>),
}

impl Survey {
    /// Looks at the records of these jobs. A record of a later program is an error, never something to
    /// run over.
    pub fn new<'a>(
        folder: &Folder,
        keys: impl IntoIterator<Item = &'a JobKey>,
    ) -> Result<Self, StoreError> {
        let keys: Vec<&JobKey> = match folder.jobs().is_dir() {
            true => keys.into_iter().collect(),
            false => Vec::new(),
        };
        let index = Index::read(folder);
        let looks = parallel::map(&keys, |key| look(folder, &index, key));
        let (mut standings, mut digests) = (HashMap::new(), HashMap::new());
        let (mut damaged, mut found) = (BTreeMap::new(), Vec::new());
        for (key, look) in keys.into_iter().zip(looks) {
            let entry = match look {
                Ok(Look::Missing) => continue,
                Err(error @ StoreError::Damaged { .. }) => {
                    damaged.insert(key.clone(), error);
                    continue;
                }
                Err(error) => return Err(error),
                Ok(Look::Known(entry)) => entry.clone(),
                Ok(Look::Read(entry)) => {
                    found.push((*entry).clone());
                    *entry
                }
            };
            standings.insert(key.clone(), entry.standing);
            digests.insert(key.clone(), entry.digest);
        }
        Ok(Self { standings, damaged, digests, index, found })
    }

    /// An error if a record is damaged.
    pub fn whole(mut self) -> Result<Self, StoreError> {
        match self.damaged.pop_first() {
            Some((_, error)) => Err(error),
            None => Ok(self),
        }
    }

    /// The SHA-256 of a job's record.
    pub(super) fn digest(&self, job: &JobKey) -> Option<&str> {
        self.digests.get(job).map(String::as_str)
    }

    /// Keeps what was read for the next one. Only for the holder of the lock.
    pub fn write_index(&mut self, folder: &Folder) -> Result<(), StoreError> {
        let found = std::mem::take(&mut self.found);
        match found.is_empty() && !self.index.is_long() {
            true => Ok(()),
            false => std::mem::take(&mut self.index).rewrite(folder, found),
        }
    }
}

fn look<'i>(folder: &Folder, index: &'i Index, key: &JobKey) -> Result<Look<'i>, StoreError> {
    let path = folder.job(key)?.record();
    let file = match fs::metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Look::Missing),
        file => file.map_err(StoreError::io("read", &path))?,
    };
    match index.of(key, &file) {
        Some(entry) => Ok(Look::Known(entry)),
        None => read(&path, key).map(|entry| Look::Read(Box::new(entry))),
    }
}

/// Of the bytes and the file that one handle gives, so that they belong together.
fn read(path: &Path, key: &JobKey) -> Result<Entry, StoreError> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|mut file| {
        let metadata = file.metadata()?;
        file.read_to_end(&mut bytes)?;
        Ok(metadata)
    });
    let metadata = read.map_err(StoreError::io("read", path))?;
    let record = JobRecord::parse(&bytes, key, path)?;
    Ok(Entry::new(&record, &bytes, &metadata))
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    fn key(name: &str) -> JobKey {
        JobKey(name.to_owned())
    }

    fn survey(folder: &Folder) -> Survey {
        Survey::new(folder, &[key("ab"), key("cd"), key("ef")]).unwrap()
    }

    #[test]
    fn standings_are_the_same_with_an_index_and_without() {
        let place = tempfile::tempdir().unwrap();
        let records = [testing::done("ab", "sc", 1), testing::failed("cd", "sc", 2)];
        let folder = testing::folder(place.path(), &records);
        let indexed = survey(&folder);
        assert!(indexed.found.is_empty(), "every record was added when it was written");
        fs::remove_file(folder.index_file()).unwrap();
        let mut read = survey(&folder);
        assert_eq!(read.found.len(), 2);
        assert_eq!((&indexed.standings, &indexed.digests), (&read.standings, &read.digests));
        assert_eq!(read.standings[&key("ab")], Standing::from(&records[0]));
        assert_eq!(read.standings[&key("cd")], Standing::from(&records[1]));
        read.write_index(&folder).unwrap();
        assert!(survey(&folder).found.is_empty());
    }

    #[test]
    fn a_record_that_changed_is_read_whatever_the_index_says() {
        let place = tempfile::tempdir().unwrap();
        let folder = testing::folder(place.path(), &[testing::done("ab", "sc", 1)]);
        let path = folder.job(&key("ab")).unwrap().record();
        let whole = fs::read(&path).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        let mut flipped = whole.clone();
        flipped[whole.len() / 2] ^= 4;
        fs::write(&path, &flipped).unwrap();
        let damaged = survey(&folder);
        assert_eq!((damaged.standings.len(), damaged.damaged.len()), (0, 1));
        assert!(matches!(damaged.whole(), Err(StoreError::Damaged { .. })));
        fs::write(&path, whole).unwrap();
        assert_eq!(survey(&folder).whole().unwrap().standings.len(), 1);
        fs::remove_file(&path).unwrap();
        assert_eq!(survey(&folder).standings.len(), 0);
    }

    #[test]
    fn damage_that_no_time_of_change_shows_makes_the_index_go() {
        let place = tempfile::tempdir().unwrap();
        let folder = testing::folder(place.path(), &[testing::done("ab", "sc", 1)]);
        let path = folder.job(&key("ab")).unwrap().record();
        fs::write(&path, "{").unwrap();
        assert!(folder.read_record(&key("ab")).is_err());
        assert!(!folder.index_file().exists(), "so that `run` reads the record and sets it aside");
    }

    #[test]
    fn a_record_of_a_later_version_is_an_error() {
        let place = tempfile::tempdir().unwrap();
        let folder = testing::folder(place.path(), &[testing::done("ab", "sc", 1)]);
        fs::write(folder.job(&key("ab")).unwrap().record(), "{\"version\": 99}").unwrap();
        let error = Survey::new(&folder, &[key("ab")]).unwrap_err();
        assert!(matches!(error, StoreError::Newer { found: 99, .. }), "{error}");
    }
}
