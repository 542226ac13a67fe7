//! What can go wrong with a results folder.

use atomic::plain;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why results could not be read or written.
#[derive(Debug, Error)]
pub enum StoreError {
    #[error("cannot {action} {}: {source}{}", path.display(), advice(source))]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    /// A link, a pipe or something else is in the place of a file or folder of the results.
    #[error(
        "cannot {action} {}: {source}; nothing was read or written through it: put a file or folder of \
         its own there, or remove it",
        path.display()
    )]
    Irregular { action: &'static str, path: PathBuf, source: io::Error },
    /// A grid's name or a job's key that must not become part of a path.
    #[error("`{name}` cannot be the name of a {what}: only {allowed} are allowed")]
    Name { what: &'static str, name: String, allowed: &'static str },
    /// Another run holds the lock.
    #[error(
        "{} is in use by another run{holder}: wait for it to end (`tailgrid run --wait`), or stop it",
        path.display()
    )]
    InUse { path: PathBuf, holder: String },
    /// A file is not what was written.
    #[error("{} is damaged: {message}; {advice}", path.display())]
    Damaged { path: PathBuf, message: String, advice: &'static str },
    /// A record of a later program.
    #[error(
        "{} has version {found}, and this program knows up to {known}: \
         use the newer tailgrid that wrote it",
        path.display()
    )]
    Newer { path: PathBuf, found: u64, known: u64 },
    /// Polars could not make a frame of the rows.
    #[error("cannot encode {}: {message}", path.display())]
    Encode { path: PathBuf, message: String },
}

/// What to do about an error of the system.
fn advice(error: &io::Error) -> &'static str {
    use io::ErrorKind::{
        FileTooLarge, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull,
    };
    match error.kind() {
        StorageFull | QuotaExceeded | FileTooLarge => {
            "; make room and run the same command again: what is finished is kept"
        }
        ReadOnlyFilesystem => "; make it writable, or choose another folder by `--results DIR`",
        PermissionDenied => "; see who owns it, or choose another folder by `--results DIR`",
        _ => "",
    }
}

impl StoreError {
    /// Maps an I/O error to what was being done to which path.
    pub(super) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| match plain::is_refusal(&source) {
            true => StoreError::Irregular { action, path, source },
            false => StoreError::Io { action, path, source },
        }
    }
}
