//! One fetch at a time into a folder.
//!
//! The lock is the operating system's, on an open file, and dies with its holder. The file is
//! removed when the fetch is over: the folder is the user's, and holds data.

use super::FetchError;
use atomic::plain;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Hidden, so that no file of an item has the name.
const NAME: &str = ".fetching";

/// The folder is ours until this is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// Takes the folder, if nobody else has it.
    pub fn take(folder: &Path) -> Result<Self, FetchError> {
        let path = folder.join(NAME);
        loop {
            let mut options = OpenOptions::new();
            let options = options.create(true).truncate(false).write(true);
            let file = plain::open_by(options, &path);
            let file = file.map_err(FetchError::io("write", &path))?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => {
                    return Err(FetchError::InUse { folder: folder.to_owned() });
                }
                Err(TryLockError::Error(error)) => {
                    return Err(FetchError::io("lock", &path)(error));
                }
                Ok(()) => {}
            }
            // Its last holder may have removed the file after we opened it: then it locks nothing.
            if is_the_one_at(&file, &path).map_err(FetchError::io("read", &path))? {
                return Ok(Self { path, _file: file });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // One that stays is locked by nobody.
        let _ = fs::remove_file(&self.path);
    }
}

fn is_the_one_at(file: &File, path: &Path) -> io::Result<bool> {
    let ours = file.metadata()?;
    match fs::metadata(path) {
        Ok(there) => Ok((ours.dev(), ours.ino()) == (there.dev(), there.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_taker_is_refused_until_the_first_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let first = Lock::take(folder.path()).unwrap();
        assert!(matches!(Lock::take(folder.path()), Err(FetchError::InUse { .. })));
        drop(first);
        drop(Lock::take(folder.path()).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
    }

    #[test]
    fn what_a_killed_fetch_left_locks_nobody_out() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(NAME), "").unwrap();
        Lock::take(folder.path()).unwrap();
    }
}
