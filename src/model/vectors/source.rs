//! A file of vectors with its table in the cache.

use super::VectorsError;
use super::lookup::{Found, Policy, look_up};
use super::table::{Table, make};
use std::io::ErrorKind;
use std::path::PathBuf;

/// Where vectors come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// The file of vectors.
    pub file: PathBuf,
    /// The SHA-256 of its content, in hexadecimal, which names the table.
    pub digest: String,
    /// The folder of tables, which is made if it is not there.
    pub cache: PathBuf,
}

impl Source {
    /// The vectors of distinct words. Makes the table if it is not there or damaged.
    pub fn look_up(&self, words: &[&str], policy: Policy) -> Result<Found, VectorsError> {
        let path = self.table()?;
        match Table::open(&path).and_then(|table| look_up(&table, words, policy)) {
            Err(error) if is_to_be_made(&error) => {
                make(&self.file, &path)?;
                look_up(&Table::open(&path)?, words, policy)
            }
            found => found,
        }
    }

    /// Whether the table is there; it may still be damaged.
    pub fn is_made(&self) -> bool {
        self.table().is_ok_and(|path| path.is_file())
    }

    pub(super) fn table(&self) -> Result<PathBuf, VectorsError> {
        let is_digest = self.digest.len() == 64
            && self.digest.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        match is_digest {
            true => Ok(self.cache.join(format!("{}.vectors", self.digest))),
            false => {
                let problem = format!("`{}` is not the SHA-256 of a file", self.digest);
                Err(VectorsError::Whole { path: self.file.clone(), problem })
            }
        }
    }
}

fn is_to_be_made(error: &VectorsError) -> bool {
    match error {
        VectorsError::Damaged { .. } => true,
        VectorsError::Read { source, .. } => {
            matches!(source.kind(), ErrorKind::NotFound | ErrorKind::UnexpectedEof)
        }
        _ => false,
    }
}
