//! What can go wrong with a fetch, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why something could not be fetched.
#[derive(Debug, Error)]
pub enum FetchError {
    #[error("cannot {action} {}: {source}", path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    /// Another process writes into the same folder.
    #[error("another tailgrid is fetching into {}: wait for it to end", folder.display())]
    InUse { folder: PathBuf },
    /// A file of the same name, perhaps the user's own.
    #[error(
        "{} is there, but it is not the file of the catalogue (its SHA-256 is {found}): \
         move it away, or replace it with `--force`",
        path.display()
    )]
    Different { path: PathBuf, found: String },
    #[error("{url} no longer exists (HTTP {status})")]
    NotThere { url: String, status: u16 },
    #[error("{url}: access denied (HTTP {status})")]
    Refused { url: String, status: u16 },
    /// Trying again would change nothing.
    #[error("{url} cannot be had: {reason}")]
    Unreachable { url: String, reason: String },
    /// Tried often enough.
    #[error(
        "{url} failed {tries} times, in the end with: {reason}; look whether there is a network (behind \
         a proxy, set https_proxy). What came so far is kept, and the same command goes on from there"
    )]
    BrokeOff { url: String, tries: u32, reason: String },
    #[error("{url} leads from address to address without end")]
    Redirects { url: String },
    #[error("{url} leads to an address without encryption, which is not followed")]
    Insecure { url: String },
    #[error(
        "{url} gives {found} bytes where the catalogue has {expected}: it is another file now, or \
         the page of a proxy or a login comes in its place"
    )]
    Length { url: String, expected: u64, found: String },
    #[error(
        "{what} is not the one of the catalogue: its SHA-256 is {found}, not {expected}; \
         it was removed"
    )]
    Checksum { what: String, expected: String, found: String },
    #[error(
        "`{program}` is needed for the package {package} and is not installed: install \
         {provider}, or get the package in another way and put its files into place by hand"
    )]
    ClientMissing { program: &'static str, package: String, provider: &'static str },
    #[error("`{command}` failed: {said}")]
    Client { command: String, said: String },
    #[error("the archive {} cannot be read: {reason}", path.display())]
    Archive { path: PathBuf, reason: String },
    #[error("`{member}` of the archive {} is refused: {reason}", path.display())]
    Member { path: PathBuf, member: String, reason: String },
}

impl FetchError {
    /// Maps an I/O error to what was being done to which path.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| FetchError::Io { action, path, source }
    }

    /// Whether it is the fault of one address, so that another one may do better.
    pub(super) fn is_of_address(&self) -> bool {
        use FetchError::*;
        match self {
            NotThere { .. } | Refused { .. } | Unreachable { .. } | BrokeOff { .. } => true,
            Redirects { .. } | Insecure { .. } | Length { .. } | Checksum { .. } => true,
            Io { .. } | InUse { .. } | Different { .. } | Client { .. } => false,
            ClientMissing { .. } | Archive { .. } | Member { .. } => false,
        }
    }
}
