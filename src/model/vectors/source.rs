//! A file of vectors with its table in the cache.

use super::VectorsError;
use super::lookup::{Found, Policy, look_up};
use super::picked::Picked;
use super::table::{Table, make};
use std::path::PathBuf;

/// Where vectors come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// The file of vectors.
    pub file: PathBuf,
    /// The SHA-256 of its content, in hexadecimal, which names the table.
    pub digest: String,
    /// The folder of tables, which is made if it is not there; `None` to read the file every time.
    pub cache: Option<PathBuf>,
}

impl Source {
    /// The vectors of some words. Makes the table if it is not there or damaged; where that cannot be
    /// written, the file is read all the same.
    pub fn look_up(&self, words: &[&str], policy: Policy) -> Result<Found, VectorsError> {
        let Some(path) = self.table()? else {
            return look_up(&Picked::read(&self.file, words)?, words, policy);
        };
        let from_table = || look_up(&Table::open(&path)?, words, policy);
        match from_table() {
            Err(error) if is_to_be_made(&error) => match make(&self.file, &path) {
                Err(VectorsError::Write { .. }) => {
                    look_up(&Picked::read(&self.file, words)?, words, policy)
                }
                made => made.and_then(|()| from_table()),
            },
            found => found,
        }
    }

    /// Whether the table is there; it may still be damaged.
    pub fn is_made(&self) -> bool {
        matches!(self.table(), Ok(Some(path)) if path.is_file())
    }

    pub(super) fn table(&self) -> Result<Option<PathBuf>, VectorsError> {
        let is_digest = self.digest.len() == 64
            && self.digest.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !is_digest {
            let problem = format!("`{}` is not the SHA-256 of a file", self.digest);
            return Err(VectorsError::whole(&self.file, problem));
        }
        Ok(self.cache.as_ref().map(|cache| cache.join(format!("{}.vectors", self.digest))))
    }
}

/// Errors of the table alone: the file is not read before.
fn is_to_be_made(error: &VectorsError) -> bool {
    matches!(error, VectorsError::Damaged { .. } | VectorsError::Read { .. })
}
