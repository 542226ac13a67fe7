//! How many jobs stand, at once: by the index where it speaks of the record that is there, else by
//! the record itself.
//!
//! What a job's standing says was in its record when that was written: a record that changed since
//! is read anew, and damage is found here or, at the latest, when the record's numbers are used. Of
//! the files beside a record the lengths are compared; one that changed since it was looked at is
//! read.

use super::files::Depth;
use super::index::{Index, IndexEntry};
use super::{Folder, JobFolder, JobRecord, Standing, StoreError, disk, parallel};
use domain::JobKey;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;

/// What the records of some jobs say.
#[derive(Debug)]
pub struct Survey {
    /// Of every job that has a record; the others have not been run.
    pub standings: HashMap<JobKey, Standing>,
    /// Jobs whose record or files are damaged, and how.
    pub damaged: BTreeMap<JobKey, StoreError>,
    /// Why records of further jobs cannot be read.
    pub left_out: Vec<StoreError>,
    /// SHA-256 of the records.
    digests: HashMap<JobKey, String>,
    index: Index,
    /// What the index did not know.
    found: Vec<IndexEntry>,
}

enum Look<'a> {
    Missing,
    Known(&'a IndexEntry),
    Read(Box<IndexEntry>),
}

impl Survey {
    /// Looks at the records of these jobs. A record of a later program is an error, never something
    /// to run over.
    pub fn new<'a>(
        folder: &Folder,
        keys: impl IntoIterator<Item = &'a JobKey>,
    ) -> Result<Self, StoreError> {
        disk::check_folder(&folder.jobs())?;
        let keys: Vec<&JobKey> = match folder.jobs().is_dir() {
            true => keys.into_iter().collect(),
            false => Vec::new(),
        };
        let mut survey = Self {
            standings: HashMap::new(),
            damaged: BTreeMap::new(),
            left_out: Vec::new(),
            digests: HashMap::new(),
            index: Index::read(folder),
            found: Vec::new(),
        };
        for (key, error) in survey.look_at(folder, &keys) {
            match error {
                StoreError::Damaged { .. } => drop(survey.damaged.insert(key.clone(), error)),
                error => return Err(error),
            }
        }
        Ok(survey)
    }

    /// With every further record of the folder. One that cannot be read keeps nobody from anything:
    /// it is left out.
    pub fn with_others(mut self, folder: &Folder) -> Result<Self, StoreError> {
        let others = folder.keys()?;
        let is_new =
            |key: &&JobKey| !self.digests.contains_key(*key) && !self.damaged.contains_key(*key);
        let others: Vec<&JobKey> = others.iter().filter(is_new).collect();
        for (_, error) in self.look_at(folder, &others) {
            match error {
                StoreError::Damaged { .. } | StoreError::Newer { .. } => self.left_out.push(error),
                error => return Err(error),
            }
        }
        Ok(self)
    }

    /// Takes in what the records of these jobs say; gives back those that could not be read.
    fn look_at<'k>(
        &mut self,
        folder: &Folder,
        keys: &[&'k JobKey],
    ) -> Vec<(&'k JobKey, StoreError)> {
        let looks = parallel::map(keys, |key| look(folder, &self.index, key));
        let (mut known, mut unreadable) = (Vec::new(), Vec::new());
        for (key, look) in keys.iter().zip(looks) {
            match look {
                Ok(Look::Missing) => {}
                Ok(Look::Known(entry)) => known.push((*key, entry.clone())),
                Ok(Look::Read(entry)) => {
                    self.found.push((*entry).clone());
                    known.push((*key, *entry));
                }
                Err(error) => unreadable.push((*key, error)),
            }
        }
        for (key, entry) in known {
            self.standings.insert(key.clone(), entry.standing);
            self.digests.insert(key.clone(), entry.digest);
        }
        unreadable
    }

    /// An error if a record is damaged.
    pub fn whole(mut self) -> Result<Self, StoreError> {
        match self.damaged.pop_first() {
            Some((_, error)) => Err(error),
            None => Ok(self),
        }
    }

    /// The jobs whose records it has read.
    pub(super) fn recorded(&self) -> impl Iterator<Item = &JobKey> {
        self.digests.keys()
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
    let job = folder.job(key)?;
    job.check()?;
    let path = job.record();
    let file = match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Look::Missing),
        file => file.map_err(StoreError::io("read", &path))?,
    };
    let depth = match index.of(key, &file) {
        Some(entry) if entry.has_files_of(&job) => return Ok(Look::Known(entry)),
        Some(_) => Depth::Content,
        None if index.is_doubted(key) => Depth::Content,
        None => Depth::Length,
    };
    read(&job, key, depth).map(|entry| Look::Read(Box::new(entry)))
}

/// Of the bytes and the file that one handle gives, so that they belong together.
fn read(job: &JobFolder, key: &JobKey, depth: Depth) -> Result<IndexEntry, StoreError> {
    let path = job.record();
    let (record, bytes, file) = JobRecord::read(disk::open(&path), key, &path)?;
    // Looked at before they are checked: what changes meanwhile is looked at again.
    let entry = IndexEntry::new(&record, &bytes, &file, job);
    job.check_files(&record, depth)?;
    Ok(entry)
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
    fn damage_that_no_time_of_change_shows_is_looked_at_by_the_next_run() {
        let place = tempfile::tempdir().unwrap();
        let records = [testing::done("ab", "sc", 1), testing::failed("cd", "sc", 2)];
        let folder = testing::folder(place.path(), &records);
        let path = folder.job(&key("ab")).unwrap().record();
        let known = fs::read(folder.index_file()).unwrap();
        fs::write(&path, "{").unwrap();
        assert!(folder.read_record(&key("ab")).is_err());
        let index = fs::read(folder.index_file()).unwrap();
        assert!(index.starts_with(&known) && index.len() > known.len(), "it lost nothing");
        let survey = survey(&folder);
        assert_eq!((survey.damaged.len(), survey.found.len()), (1, 0));
    }

    #[test]
    fn a_file_that_changed_is_read_and_one_that_did_not_is_not() {
        let place = tempfile::tempdir().unwrap();
        let text = "a\tO\tO\n\n";
        let folder = testing::folder_with_predictions(place.path(), "ab", text);
        let path = folder.job(&key("ab")).unwrap().predictions();
        assert_eq!(survey(&folder).found.len(), 0);
        std::thread::sleep(std::time::Duration::from_millis(20));
        fs::write(&path, text).unwrap();
        let mut same = survey(&folder);
        assert_eq!((same.standings.len(), same.found.len()), (1, 1), "it was read");
        same.write_index(&folder).unwrap();
        assert_eq!(survey(&folder).found.len(), 0);
        std::thread::sleep(std::time::Duration::from_millis(20));
        fs::write(&path, text.replace('a', "b")).unwrap();
        assert_eq!(survey(&folder).damaged.len(), 1, "as long, but not the same");
        // Without an index lengths are compared, and nothing else.
        fs::remove_file(folder.index_file()).unwrap();
        assert_eq!(survey(&folder).damaged.len(), 0);
        fs::write(&path, "a").unwrap();
        assert_eq!(survey(&folder).damaged.len(), 1);
        fs::remove_file(&path).unwrap();
        assert_eq!(survey(&folder).standings.len(), 1, "a journal has no predictions");
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
