//! Opening files of the results, replacing them in one step, and removing what a crash on the way
//! leaves behind.
//!
//! What is opened is a regular file, and a folder is one of its own: no link leads elsewhere.

use super::StoreError;
use atomic::{TEMPORARY, plain};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

pub(super) use atomic::temporary_beside;

/// Opens a regular file to read it.
pub(super) fn open(path: &Path) -> Result<File, StoreError> {
    plain::open(path).map_err(StoreError::io("read", path))
}

/// Opens or makes a regular file, which is not truncated.
pub(super) fn open_by(options: &mut OpenOptions, path: &Path) -> Result<File, StoreError> {
    plain::open_by(options, path).map_err(StoreError::io("open", path))
}

/// The content of a regular file, `None` if there is none.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    match plain::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        bytes => bytes.map(Some).map_err(StoreError::io("read", path)),
    }
}

/// Writes a file unless it is what is there.
pub(super) fn write_changed(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    match plain::read(path) {
        Ok(old) if old == bytes => Ok(()),
        _ => write(path, bytes),
    }
}

/// An error where the path is there and not a folder of its own.
pub(super) fn check_folder(path: &Path) -> Result<(), StoreError> {
    plain::check_folder(path).map_err(StoreError::io("use", path))
}

/// Makes `bytes` the content of `path`.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    atomic::write(path, bytes).map_err(StoreError::io("write", path))
}

/// The same by way of a temporary file of the caller's; gives the file that is now at `path`.
pub(super) fn write_by(temporary: &Path, path: &Path, bytes: &[u8]) -> Result<File, StoreError> {
    atomic::write_by(temporary, path, bytes).map_err(StoreError::io("write", path))
}

/// Gives a file another name, for good when this returns.
pub(super) fn rename(from: &Path, to: &Path) -> Result<(), StoreError> {
    atomic::rename(from, to).map_err(StoreError::io("move", from))?;
    sync_folder_of(to)
}

/// Makes a folder, and those above it; no link is taken for it.
pub(super) fn create_folder(path: &Path) -> Result<(), StoreError> {
    check_folder(path)?;
    atomic::create_folder(path).map_err(StoreError::io("make the folder", path))
}

/// The same, for good when this returns.
pub(super) fn create_folder_for_good(path: &Path) -> Result<(), StoreError> {
    check_folder(path)?;
    atomic::create_folder_for_good(path).map_err(StoreError::io("make the folder", path))
}

/// Moves a finished temporary file to its place, on disk for good when this returns.
pub(super) fn adopt(temporary: &Path, path: &Path) -> Result<(), StoreError> {
    atomic::adopt(temporary, path).map_err(StoreError::io("write", path))
}

/// Makes what was renamed in the folder of `path` outlive a crash of the machine.
pub(super) fn sync_folder_of(path: &Path) -> Result<(), StoreError> {
    atomic::sync_folder_of(path).map_err(StoreError::io("sync the folder of", path))
}

/// Removes what interrupted writers left in `folder` itself; only the holder of its lock may.
pub(super) fn sweep(folder: &Path) -> Result<(), StoreError> {
    for entry in fs::read_dir(folder).map_err(StoreError::io("read", folder))? {
        let entry = entry.map_err(StoreError::io("read", folder))?;
        if entry.file_name().to_string_lossy().starts_with(TEMPORARY) {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let removed = match is_folder {
                true => fs::remove_dir_all(entry.path()),
                false => fs::remove_file(entry.path()),
            };
            match removed {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(StoreError::io("remove", entry.path())(error));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_is_told_with_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("taken");
        fs::create_dir(&path).unwrap();
        let error = write(&path, b"x").unwrap_err().to_string();
        assert!(error.starts_with("cannot write ") && error.contains("taken"), "{error}");
    }

    #[test]
    fn sweeping_removes_temporary_files_and_folders_only() {
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join("record.json");
        fs::write(&kept, "{}").unwrap();
        fs::write(temporary_beside(&kept), "{").unwrap();
        fs::create_dir_all(folder.path().join(format!("{TEMPORARY}models-1/grid/jobs"))).unwrap();
        sweep(folder.path()).unwrap();
        let names: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["record.json"]);
    }
}
