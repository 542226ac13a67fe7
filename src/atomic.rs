//! Replacing a file in one step: temporary file in the same folder, fsync, rename, fsync of the
//! folder.
//!
//! A crash at any moment leaves the old file or the new one, and perhaps a temporary file, which is
//! for whoever owns the folder to remove. Knows nothing of what the files are.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// How every temporary name begins.
pub const TEMPORARY: &str = ".tmp-";

/// A name in the folder of `path` that no other writer uses, of this process or another.
pub fn temporary_beside(path: &Path) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (pid, n) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    path.with_file_name(format!("{TEMPORARY}{pid}-{n}-{name}"))
}

/// Makes `bytes` the content of `path`.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = temporary_beside(path);
    let written = write_synced(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    if let Err(error) = written {
        // The first error is the one to tell.
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    sync_folder_of(path)
}

/// Moves a finished temporary file to its place, on disk for good when this returns.
pub fn adopt(temporary: &Path, path: &Path) -> io::Result<()> {
    File::open(temporary)?.sync_all()?;
    fs::rename(temporary, path)?;
    sync_folder_of(path)
}

/// Makes what was renamed in the folder of `path` outlive a crash of the machine.
pub fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    File::open(folder)?.sync_all()
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(bytes)?;
    file.sync_all()
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
