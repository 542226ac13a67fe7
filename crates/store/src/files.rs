//! The files that a job leaves beside its record, and what its record knows of them.
//!
//! A record has the length and the SHA-256 of each ([`FileSums`]), so damage does not go unnoticed.
//! Cheap commands compare lengths ([`Depth::Length`]); whoever uses what is in a file reads all of
//! it first. A file that is not there is no damage: models are removed by `gc`, and a journal has
//! records alone. A further kind of file is one more [`KeptFile`].

use super::index::{Index, hexadecimal_of};
use super::{Folder, JobFolder, JobRecord, StoreError, disk};
use domain::JobKey;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

pub(super) const ADVICE: &str = "`tailgrid run` sets it aside and runs the job again";

/// A kind of file that a worker leaves.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum KeptFile {
    /// Token, gold tag and predicted tag of the test set.
    Predictions,
    /// The trained model, of jobs that keep it.
    Model,
}

impl KeptFile {
    /// Every kind.
    pub const ALL: [KeptFile; 2] = [KeptFile::Predictions, KeptFile::Model];

    /// The name in the folder of a job.
    pub fn name(self) -> &'static str {
        match self {
            KeptFile::Predictions => "predictions.tsv",
            KeptFile::Model => "model.safetensors",
        }
    }

    /// What is longer is not taken over from elsewhere.
    pub(super) fn longest(self) -> u64 {
        match self {
            KeptFile::Predictions => 1 << 30,
            KeptFile::Model => 16 << 30,
        }
    }
}

/// What a file is known by.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileSum {
    pub bytes: u64,
    /// In hexadecimal.
    pub sha256: String,
}

/// The files of a record by their names. Programs to come may have further ones.
pub type FileSums = BTreeMap<String, FileSum>;

impl FileSum {
    /// Of all that there is to read, which goes on to `out`.
    pub(super) fn copy(from: &mut impl Read, out: &mut impl Write) -> io::Result<Self> {
        let (mut hash, mut bytes) = (Sha256::new(), 0);
        let mut buffer = vec![0; 1 << 16];
        loop {
            match from.read(&mut buffer) {
                Ok(0) => break,
                Ok(n) => {
                    hash.update(&buffer[..n]);
                    out.write_all(&buffer[..n])?;
                    bytes += n as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Self { bytes, sha256: hexadecimal_of(&hash.finalize()) })
    }

    /// Of all that there is to read.
    pub(super) fn of(from: &mut impl Read) -> io::Result<Self> {
        Self::copy(from, &mut io::sink())
    }

    /// What tells a file of this sum from what was written.
    pub(super) fn difference(&self, written: &Self) -> Option<String> {
        match self {
            _ if self.bytes != written.bytes => Some(wrong_length(self.bytes, written.bytes)),
            _ if self != written => Some("its bytes are not those that were written".to_owned()),
            _ => None,
        }
    }
}

fn wrong_length(bytes: u64, written: u64) -> String {
    format!("{bytes} bytes of it are there, and {written} were written")
}

/// How well files are looked at.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Depth {
    /// Whether they are as long as they were.
    Length,
    /// Byte by byte.
    Content,
}

/// Whether a name that a record has may become part of a path.
pub(super) fn is_file_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
    let ours = ["record.json", "log.txt"].contains(&name);
    (1..=64).contains(&name.len()) && name.chars().all(allowed) && !name.starts_with('.') && !ours
}

fn damaged(path: &Path, message: String) -> StoreError {
    StoreError::Damaged { path: path.to_owned(), message, advice: ADVICE }
}

/// Compares a file with what its record knows of it; whether it is there, and an error if it is
/// damaged.
pub(super) fn check_file(path: &Path, written: &FileSum, depth: Depth) -> Result<bool, StoreError> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        found => found.map_err(StoreError::io("read", path))?,
    };
    if !found.is_file() {
        return Err(damaged(path, "it is not a regular file".to_owned()));
    }
    if found.len() != written.bytes {
        return Err(damaged(path, wrong_length(found.len(), written.bytes)));
    }
    if depth == Depth::Content {
        let mut file = disk::open(path)?;
        let sum = FileSum::of(&mut file).map_err(StoreError::io("read", path))?;
        let difference = sum.difference(written);
        difference.map_or(Ok(()), |message| Err(damaged(path, message)))?;
    }
    Ok(true)
}

impl JobFolder {
    /// An error if a file of the record is there and damaged.
    pub(super) fn check_files(&self, record: &JobRecord, depth: Depth) -> Result<(), StoreError> {
        record.files.iter().try_for_each(|(name, written)| {
            check_file(&self.path().join(name), written, depth).map(drop)
        })
    }

    /// Makes a file of one attempt the job's, and gives what the record is to know of it.
    pub fn adopt(&self, kept: KeptFile, attempt: &Path) -> Result<FileSum, StoreError> {
        let sum = FileSum::of(&mut disk::open(attempt)?);
        let sum = sum.map_err(StoreError::io("read", attempt))?;
        disk::adopt(attempt, &self.file(kept))?;
        Ok(sum)
    }
}

impl Folder {
    /// The record of a job whose files are all as they were written, byte by byte; `None` if it has
    /// none.
    pub fn read_whole(&self, key: &JobKey) -> Result<Option<JobRecord>, StoreError> {
        let Some(record) = self.read_record(key)? else { return Ok(None) };
        let checked = self.job(key)?.check_files(&record, Depth::Content);
        self.noted(key, checked)?;
        Ok(Some(record))
    }

    /// All of a file of a job, known to be what was written where its record knows that; `None` if
    /// it is not there.
    pub fn read_kept(&self, key: &JobKey, kept: KeptFile) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.read_beginning(key, kept, usize::MAX)?.map(|(bytes, _)| bytes))
    }

    /// An error if a file of a job is there and damaged, byte by byte; one that its record does not
    /// know is taken as it is.
    pub fn check_kept(&self, key: &JobKey, kept: KeptFile) -> Result<(), StoreError> {
        let record = self.read_record(key)?;
        let Some(written) = record.as_ref().and_then(|record| record.files.get(kept.name())) else {
            return Ok(());
        };
        let path = self.job(key)?.file(kept);
        self.noted(key, check_file(&path, written, Depth::Content)).map(drop)
    }

    /// At most so many bytes of a file of a job and whether there are more. All of them are looked
    /// at where its record has their sum.
    pub(super) fn read_beginning(
        &self,
        key: &JobKey,
        kept: KeptFile,
        most: usize,
    ) -> Result<Option<(Vec<u8>, bool)>, StoreError> {
        let record = self.read_record(key)?;
        let written = record.as_ref().and_then(|record| record.files.get(kept.name()));
        let read = read_beginning(&self.job(key)?.file(kept), written, most);
        self.noted(key, read)
    }

    /// Makes the next run look at a job whose file was found to be damaged, whatever the index
    /// says.
    pub(super) fn noted<T>(
        &self,
        key: &JobKey,
        found: Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if matches!(found, Err(StoreError::Damaged { .. })) {
            // Of a folder that cannot be written to nothing can be set aside either.
            let _ = Index::doubt(self, key);
        }
        found
    }
}

fn read_beginning(
    path: &Path,
    written: Option<&FileSum>,
    most: usize,
) -> Result<Option<(Vec<u8>, bool)>, StoreError> {
    let file = match disk::open(path) {
        Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            return Ok(None);
        }
        file => file?,
    };
    let mut beginning = Beginning { bytes: Vec::new(), most, goes_on: false };
    read_file(file, written, &mut beginning)
        .map_err(StoreError::io("read", path))?
        .map_or(Ok(()), |message| Err(damaged(path, message)))?;
    Ok(Some((beginning.bytes, beginning.goes_on)))
}

/// Reads a file to where it must be read; what is wrong with it.
fn read_file(
    mut file: File,
    written: Option<&FileSum>,
    out: &mut Beginning,
) -> io::Result<Option<String>> {
    let Some(written) = written else {
        // One more tells whether the file goes on.
        io::copy(&mut file.take((out.most as u64).saturating_add(1)), out)?;
        return Ok(None);
    };
    let length = file.metadata()?.len();
    if length != written.bytes {
        return Ok(Some(wrong_length(length, written.bytes)));
    }
    Ok(FileSum::copy(&mut file, out)?.difference(written))
}

/// Keeps the first bytes that are written to it.
struct Beginning {
    bytes: Vec<u8>,
    most: usize,
    goes_on: bool,
}

impl Write for Beginning {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.most - self.bytes.len();
        self.bytes.extend(bytes.iter().take(room));
        self.goes_on |= bytes.len() > room;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    #[test]
    fn a_sum_is_that_of_the_standard() {
        // FIPS 180-2, appendix B.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let mut out = Vec::new();
        let sum = FileSum::copy(&mut &b"abc"[..], &mut out).unwrap();
        assert_eq!((sum.bytes, sum.sha256.as_str(), &out[..]), (3, abc, &b"abc"[..]));
    }

    #[test]
    fn names_that_would_lead_elsewhere_are_not_names() {
        for kept in KeptFile::ALL {
            assert!(is_file_name(kept.name()));
        }
        assert!(is_file_name("confidences.tsv"), "of programs to come");
        for name in ["", ".", "..", "../x", "a/b", "/etc", "record.json", "log.txt", ".tmp-x", "Ä"]
        {
            assert!(!is_file_name(name), "{name}");
        }
    }

    #[test]
    fn cuts_are_seen_by_length_and_flipped_bits_by_reading() {
        let place = tempfile::tempdir().unwrap();
        let key = JobKey("ab".to_owned());
        let folder = testing::folder_with_predictions(place.path(), "ab", "a\tO\tO\n\nb\tO\tO\n\n");
        let path = folder.job(&key).unwrap().predictions();
        let whole = fs::read(&path).unwrap();
        let record = folder.read_whole(&key).unwrap().unwrap();
        let check = |depth| folder.job(&key).unwrap().check_files(&record, depth);
        fs::write(&path, &whole[..8]).unwrap();
        let error = check(Depth::Length).unwrap_err().to_string();
        let told = "predictions.tsv is damaged: 8 bytes of it are there, and 14 were written; ";
        assert!(error.contains(told), "{error}");
        let mut flipped = whole.clone();
        flipped[2] ^= 1;
        fs::write(&path, &flipped).unwrap();
        check(Depth::Length).unwrap();
        assert!(matches!(check(Depth::Content), Err(StoreError::Damaged { .. })));
        assert!(folder.read_whole(&key).is_err() && folder.read_predictions(&key, 100).is_err());
        assert!(folder.read_kept(&key, KeptFile::Predictions).is_err());
        fs::remove_file(&path).unwrap();
        check(Depth::Content).unwrap();
        assert_eq!(folder.read_kept(&key, KeptFile::Predictions).unwrap(), None);
    }
}
