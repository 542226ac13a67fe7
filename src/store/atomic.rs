//! Replacing a file in one step: temporary file in the same folder, fsync, rename, fsync of the
//! folder.
//!
//! A crash at any moment leaves the old file or the new one. What it can leave behind is a
//! temporary file, which [`sweep`] removes; only the holder of the folder's lock may call it.

use super::StoreError;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// How every temporary name begins.
pub(super) const TEMPORARY: &str = ".tmp-";

/// A name in the folder of `path` that no other writer uses, of this process or another.
pub(super) fn temporary_beside(path: &Path) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (pid, n) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    path.with_file_name(format!("{TEMPORARY}{pid}-{n}-{name}"))
}

/// Makes `bytes` the content of `path`.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let temporary = temporary_beside(path);
    let written = write_synced(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    if let Err(source) = written {
        // The first error is the one to tell; a file that stays is swept by the next run.
        let _ = fs::remove_file(&temporary);
        return Err(StoreError::Io { action: "write", path: path.to_owned(), source });
    }
    sync_folder_of(path)
}

/// Moves a finished temporary file to its place, on disk for good when this returns.
pub(super) fn adopt(temporary: &Path, path: &Path) -> Result<(), StoreError> {
    File::open(temporary)
        .and_then(|file| file.sync_all())
        .and_then(|()| fs::rename(temporary, path))
        .map_err(StoreError::io("write", path))?;
    sync_folder_of(path)
}

/// Removes what interrupted writers left in `folder`.
pub(super) fn sweep(folder: &Path) -> Result<(), StoreError> {
    for entry in fs::read_dir(folder).map_err(StoreError::io("read", folder))? {
        let entry = entry.map_err(StoreError::io("read", folder))?;
        if entry.file_name().to_string_lossy().starts_with(TEMPORARY) {
            match fs::remove_file(entry.path()) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(StoreError::io("remove", entry.path())(error));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Makes what was renamed in the folder of `path` outlive a crash of the machine.
pub(super) fn sync_folder_of(path: &Path) -> Result<(), StoreError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(StoreError::io("sync", folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_replaces_the_whole_file_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record.json");
        write(&path, b"a long first content").unwrap();
        write(&path, b"short").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"short");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_failed_write_keeps_the_old_state() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("taken");
        fs::create_dir(&path).unwrap();
        let error = write(&path, b"x").unwrap_err().to_string();
        assert!(error.starts_with("cannot write "), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn sweeping_removes_temporary_files_only() {
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join("record.json");
        fs::write(&kept, "{}").unwrap();
        fs::write(temporary_beside(&kept), "{").unwrap();
        sweep(folder.path()).unwrap();
        let names: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["record.json"]);
    }
}
