//! A file of vectors with its table in the cache.

use super::VectorsError;
use super::lookup::{Found, Policy, look_up};
use super::picked::Picked;
use super::table::{Table, make};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

thread_local! {
    /// The table that was kept open last. What is in it goes by its name, so it is never out of
    /// date.
    static KEPT: RefCell<Option<(PathBuf, Rc<Table>)>> = const { RefCell::new(None) };
}

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
    /// The vectors of some words. Makes the table if it is not there or damaged; where that cannot
    /// be written, the file is read all the same.
    pub fn look_up(&self, words: &[&str], policy: Policy) -> Result<Found, VectorsError> {
        let Some(path) = self.table()? else {
            return look_up(&Picked::read(&self.file, words)?, words, policy);
        };
        let from_table = || look_up(&*open(&path)?, words, policy);
        match from_table() {
            Err(error) if is_to_be_made(&error) => match make(&self.file, &path) {
                Err(VectorsError::Write { .. }) => {
                    look_up(&Picked::read(&self.file, words)?, words, policy)
                }
                made => made.and_then(|()| look_up(&Table::open(&path)?, words, policy)),
            },
            found => found,
        }
    }

    /// Opens the table if it is there, for every look-up of this thread from now on. What fails
    /// about it fails again, and is told, when words are looked up.
    pub fn keep_open(&self) {
        if let Ok(Some(path)) = self.table()
            && let Ok(table) = open(&path)
        {
            KEPT.set(Some((path, table)));
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

/// The table of this name, which may be open already.
fn open(path: &Path) -> Result<Rc<Table>, VectorsError> {
    let kept = KEPT.with_borrow(|kept| {
        kept.as_ref().filter(|(known, _)| known == path).map(|(_, table)| Rc::clone(table))
    });
    kept.map_or_else(|| Table::open(path).map(Rc::new), Ok)
}

/// Errors of the table alone: the file is not read before.
fn is_to_be_made(error: &VectorsError) -> bool {
    matches!(error, VectorsError::Damaged { .. } | VectorsError::Read { .. })
}
