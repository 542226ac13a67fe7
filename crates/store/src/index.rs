//! `index`: what most commands ask of a record, a line each, so that a hundred thousand files need
//! not be opened to count them.
//!
//! The records stay the only truth. A line counts as long as the record is the very file that it
//! was made from: the same inode, size and time of change, which the system sets and nobody else. A
//! line that is torn, damaged, of another version or of a record that changed is as if it were not
//! there, and the record is read. So the file can be removed at any time, and is not synced.
//!
//! It has the same of the files beside a record: one that changed since is read anew. A job in
//! which somebody found damage that no time of change shows gets a line that says so, and is looked
//! at byte by byte by whoever comes next.

use super::{Folder, JobFolder, JobRecord, Standing, StoreError, disk};
use atomic::plain;
use domain::JobKey;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;

/// Raised whenever a line means something else; lines of other versions do not count.
const VERSION: u64 = 3;
/// Hexadecimal digits of a line's checksum.
const DIGITS: usize = 16;

/// Which file a line was made from: inode, size, time of change in seconds and nanoseconds.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Witness(u64, u64, i64, i64);

impl From<&Metadata> for Witness {
    fn from(file: &Metadata) -> Self {
        Self(file.ino(), file.size(), file.ctime(), file.ctime_nsec())
    }
}

/// What is known of a record without reading it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IndexEntry {
    v: u64,
    pub job: JobKey,
    witness: Witness,
    /// Of the files that the record knows of; none where there was no such file.
    files: BTreeMap<String, Option<Witness>>,
    /// SHA-256 of the record's bytes, in hexadecimal.
    pub digest: String,
    pub standing: Standing,
}

impl IndexEntry {
    /// Of a record, its bytes, the file that has them, and the folder that it is in.
    pub fn new(record: &JobRecord, bytes: &[u8], file: &Metadata, place: &JobFolder) -> Self {
        let witness_of = |name: &String| (name.clone(), witness_of(place, name));
        Self {
            v: VERSION,
            job: record.job.clone(),
            witness: file.into(),
            files: record.files.keys().map(witness_of).collect(),
            digest: hexadecimal(bytes),
            standing: record.into(),
        }
    }

    /// Whether the files of the job are those that it was made with, or are gone.
    pub fn has_files_of(&self, place: &JobFolder) -> bool {
        self.files.iter().all(|(name, known)| {
            let found = witness_of(place, name);
            found.is_none() || found == *known
        })
    }

    fn line(&self) -> String {
        Line::Known(Box::new(self.clone())).text()
    }
}

/// Which file has the name, if one has.
fn witness_of(place: &JobFolder, name: &str) -> Option<Witness> {
    fs::symlink_metadata(place.path().join(name)).ok().as_ref().map(Witness::from)
}

/// A job whose lines before do not count, and whose files are to be read.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Doubt {
    v: u64,
    doubted: JobKey,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Line {
    Known(Box<IndexEntry>),
    Doubted(Doubt),
}

impl Line {
    fn text(&self) -> String {
        let text = serde_json::to_string(self).expect("texts and numbers have a JSON form");
        format!("{} {text}\n", &hexadecimal(text.as_bytes())[..DIGITS])
    }

    fn parse(line: &str) -> Option<Self> {
        let (sum, text) = line.split_once(' ')?;
        let whole = sum.len() == DIGITS && hexadecimal(text.as_bytes()).starts_with(sum);
        let line: Self = serde_json::from_str(text).ok().filter(|_| whole)?;
        let version = match &line {
            Line::Known(entry) => entry.v,
            Line::Doubted(doubt) => doubt.v,
        };
        (version == VERSION).then_some(line)
    }
}

/// The lines that are whole, the last of each job.
#[derive(Debug, Default)]
pub(super) struct Index {
    entries: HashMap<JobKey, IndexEntry>,
    doubted: HashSet<JobKey>,
    /// Of the file, with those that do not count.
    lines: usize,
}

impl Index {
    /// What the folder's file says; without one, nothing.
    pub fn read(folder: &Folder) -> Self {
        // One that cannot be read knows nothing.
        let bytes = plain::read(&folder.index_file()).unwrap_or_default();
        let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
        let whole =
            |line: &&[u8]| Line::parse(std::str::from_utf8(line.strip_suffix(b"\n")?).ok()?);
        let parsed = super::parallel::map(&lines, whole);
        let mut index = Self { lines: lines.len(), ..Self::default() };
        for line in parsed.into_iter().flatten() {
            match line {
                Line::Known(entry) => {
                    index.doubted.remove(&entry.job);
                    index.entries.insert(entry.job.clone(), *entry);
                }
                Line::Doubted(Doubt { doubted, .. }) => {
                    index.entries.remove(&doubted);
                    index.doubted.insert(doubted);
                }
            }
        }
        index
    }

    /// Whether somebody found damage in the job.
    pub fn is_doubted(&self, job: &JobKey) -> bool {
        self.doubted.contains(job)
    }

    /// Adds a line for a job in which damage was found.
    pub fn doubt(folder: &Folder, job: &JobKey) -> io::Result<()> {
        let line = Line::Doubted(Doubt { v: VERSION, doubted: job.clone() }).text();
        atomic::append(&folder.index_file(), line.as_bytes())
    }

    /// What it knows of a job whose record is this file.
    pub fn of(&self, job: &JobKey, record: &Metadata) -> Option<&IndexEntry> {
        self.entries.get(job).filter(|entry| entry.witness == record.into())
    }

    /// Whether it has more lines that do not count than lines that do.
    pub fn is_long(&self) -> bool {
        self.lines > 2 * self.entries.len()
    }

    /// Adds a line for a record that was just written to `file`.
    pub fn add(folder: &Folder, record: &JobRecord, bytes: &[u8], file: &File) -> io::Result<()> {
        let place = folder.job(&record.job).map_err(io::Error::other)?;
        let line = IndexEntry::new(record, bytes, &file.metadata()?, &place).line();
        atomic::append(&folder.index_file(), line.as_bytes())
    }

    /// Writes it anew, with what was found by reading records.
    pub fn rewrite(mut self, folder: &Folder, found: Vec<IndexEntry>) -> Result<(), StoreError> {
        self.entries.extend(found.into_iter().map(|entry| (entry.job.clone(), entry)));
        let mut entries: Vec<&IndexEntry> = self.entries.values().collect();
        entries.sort_by(|a, b| a.job.cmp(&b.job));
        let known = entries.iter().map(|entry| &entry.job).collect::<HashSet<_>>();
        let mut doubted: Vec<&JobKey> =
            self.doubted.iter().filter(|job| !known.contains(job)).collect();
        doubted.sort();
        let doubts = doubted.into_iter().map(|job| Doubt { v: VERSION, doubted: job.clone() });
        let doubts = doubts.map(|doubt| Line::Doubted(doubt).text());
        let lines: String = entries.iter().map(|entry| entry.line()).chain(doubts).collect();
        disk::write(&folder.index_file(), lines.as_bytes())
    }
}

/// SHA-256 in hexadecimal.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    hexadecimal_of(&Sha256::digest(bytes))
}

/// Bytes as they are written.
pub(super) fn hexadecimal_of(bytes: &[u8]) -> String {
    const DIGIT: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGIT[usize::from(digit)])).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    fn entry() -> IndexEntry {
        let file = tempfile::tempfile().unwrap().metadata().unwrap();
        let folder = Folder::new(std::path::Path::new("results"), "grid").unwrap();
        let place = folder.job(&JobKey("ab".to_owned())).unwrap();
        IndexEntry::new(&testing::failed("ab", "sc", 1), b"{}", &file, &place)
    }

    #[test]
    fn a_line_reads_back_and_any_changed_byte_makes_it_none() {
        let line = entry().line();
        let line = line.trim_end();
        assert_eq!(Line::parse(line), Some(Line::Known(Box::new(entry_of(line)))));
        for at in 0..line.len() {
            let mut changed = line.as_bytes().to_vec();
            changed[at] ^= 1;
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(Line::parse(&changed), None, "{changed}");
            assert_eq!(Line::parse(&line[..at]), None);
        }
    }

    fn entry_of(line: &str) -> IndexEntry {
        serde_json::from_str(&line[DIGITS + 1..]).unwrap()
    }

    #[test]
    fn the_last_whole_line_of_a_job_counts_and_a_torn_one_does_not() {
        let place = tempfile::tempdir().unwrap();
        let folder = testing::folder(place.path(), &[]);
        let (old, mut new) = (entry(), entry());
        new.standing.seconds = 7.0;
        let torn = &old.line()[..30];
        fs::write(folder.index_file(), format!("{}{}{torn}", old.line(), new.line())).unwrap();
        let index = Index::read(&folder);
        assert_eq!((index.lines, index.entries.len(), index.is_long()), (3, 1, true));
        assert_eq!(index.entries[&old.job].standing.seconds, 7.0);
        index.rewrite(&folder, vec![]).unwrap();
        assert_eq!(fs::read_to_string(folder.index_file()).unwrap(), new.line());
    }

    #[test]
    fn a_doubted_job_is_unknown_until_it_was_read_again() {
        let place = tempfile::tempdir().unwrap();
        let folder = testing::folder(place.path(), &[]);
        let key = entry().job;
        fs::write(folder.index_file(), entry().line()).unwrap();
        Index::doubt(&folder, &key).unwrap();
        let index = Index::read(&folder);
        assert!(index.is_doubted(&key) && index.entries.is_empty());
        index.rewrite(&folder, vec![]).unwrap();
        assert!(Index::read(&folder).is_doubted(&key), "what was not read stays in doubt");
        Index::read(&folder).rewrite(&folder, vec![entry()]).unwrap();
        let index = Index::read(&folder);
        assert!(!index.is_doubted(&key) && index.entries.len() == 1);
    }

    #[test]
    fn a_line_speaks_of_one_file_only() {
        let place = tempfile::tempdir().unwrap();
        let folder = testing::folder(place.path(), &[testing::done("ab", "sc", 1)]);
        let key = JobKey("ab".to_owned());
        let record = folder.job(&key).unwrap().record();
        let index = Index::read(&folder);
        assert!(index.of(&key, &fs::metadata(&record).unwrap()).is_some());
        let copy = record.with_extension("copy");
        fs::copy(&record, &copy).unwrap();
        assert!(index.of(&key, &fs::metadata(&copy).unwrap()).is_none());
        // The same bytes in place, a moment later.
        std::thread::sleep(std::time::Duration::from_millis(20));
        fs::write(&record, fs::read(&copy).unwrap()).unwrap();
        assert!(index.of(&key, &fs::metadata(&record).unwrap()).is_none());
    }
}
