//! Replacing a file in one step: temporary file on the same disk, fsync, rename, fsync of the
//! folder.
//!
//! A crash at any moment leaves the old file or the new one, and perhaps a temporary file, which is
//! for whoever owns the folder to remove. Knows nothing of what the files are. Every change of a
//! folder passes a [`failpoint`], so that tests can stop it there.

pub mod failpoint;
pub mod places;
pub mod plain;

use failpoint::{Operation, pass};
use std::collections::hash_map::RandomState;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// How every temporary name begins.
pub const TEMPORARY: &str = ".tmp-";

/// A name in the folder of `path` that no other writer uses, of this process or another, on this
/// machine or another: processes of two machines may have the same number.
pub fn temporary_beside(path: &Path) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    static OWN: LazyLock<u64> = LazyLock::new(|| RandomState::new().build_hasher().finish());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (own, n) = (*OWN, NEXT.fetch_add(1, Ordering::Relaxed));
    path.with_file_name(format!("{TEMPORARY}{own:016x}-{n}-{name}"))
}

/// Makes `bytes` the content of `path`.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_by(&temporary_beside(path), path, bytes).map(drop)
}

/// The same by way of a temporary file of the caller's; gives the file that is now at `path`.
pub fn write_by(temporary: &Path, path: &Path, bytes: &[u8]) -> io::Result<File> {
    let written = write_synced(temporary, bytes).and_then(|file| {
        rename(temporary, path)?;
        Ok(file)
    });
    if written.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::AlreadyExists) {
        // The first error is the one to tell.
        let _ = fs::remove_file(temporary);
    }
    let file = written?;
    sync_folder_of(path)?;
    Ok(file)
}

/// Moves a finished temporary file to its place, on disk for good when this returns.
pub fn adopt(temporary: &Path, path: &Path) -> io::Result<()> {
    sync(&plain::open(temporary)?)?;
    rename(temporary, path)?;
    sync_folder_of(path)
}

/// Gives a file another name.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    pass(Operation::Rename, || {})?;
    fs::rename(from, to)
}

/// Makes what was renamed in the folder of `path` outlive a crash of the machine.
pub fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    sync(&File::open(folder)?)
}

/// Adds to a file, in one piece as far as the system gives that; not synced, and no other reader
/// may rely on it being whole.
pub fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = plain::open_by(OpenOptions::new().create(true).append(true), path)?;
    let mut half = file.try_clone()?;
    pass(Operation::Append, move || tear(&mut half, bytes))?;
    file.write_all(bytes)
}

/// Makes a folder, and those above it; for who syncs the one that it is in.
pub fn create_folder(path: &Path) -> io::Result<()> {
    pass(Operation::Folder, || {})?;
    fs::create_dir_all(path)
}

/// Makes a folder, and those above it, for good when this returns.
pub fn create_folder_for_good(path: &Path) -> io::Result<()> {
    let is_new = |folder: &&Path| *folder != Path::new("") && !folder.exists();
    let new: Vec<&Path> = path.ancestors().take_while(is_new).collect();
    create_folder(path)?;
    new.into_iter().try_for_each(sync_folder_of)
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<File> {
    let mut file = File::create_new(path)?;
    let mut half = &file;
    pass(Operation::Write, || tear(&mut half, bytes))?;
    file.write_all(bytes)?;
    sync(&file)?;
    Ok(file)
}

fn sync(file: &File) -> io::Result<()> {
    pass(Operation::Sync, || {})?;
    file.sync_all()
}

/// What a crash leaves of bytes on their way.
fn tear(file: &mut impl Write, bytes: &[u8]) {
    let _ = file.write_all(&bytes[..bytes.len() / 2]);
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
        assert!(write(&path, b"x").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_adopted_file_is_in_its_place_and_no_longer_in_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let (part, whole) = (folder.path().join("a.part"), folder.path().join("a"));
        fs::write(&part, "new").unwrap();
        fs::write(&whole, "old").unwrap();
        adopt(&part, &whole).unwrap();
        assert_eq!((fs::read(&whole).unwrap(), part.exists()), (b"new".to_vec(), false));
    }
}
