//! Parsed corpora, kept under the user's cache folder so that a thousand jobs parse one once.
//!
//! What always holds: an entry's name is a digest of everything that its content depends on (the
//! format with all parameters, the digests of the files, the version of the readers), so an entry
//! is never out of date; it is written beside its place and renamed, so that several processes may
//! start at once; and it carries a checksum, so a damaged one is made again. The cache can only
//! save time: whatever fails about it, the corpus is read from its files.
//!
//! When entries take more than [`LIMIT`], those that were not used for longest are removed.
//! `TAILGRID_CACHE=off` does without it.

mod entry;
mod shelf;

use super::{CorpusError, Loaded, formats, verify};
use domain::CorpusIdentity;
use sha2::{Digest, Sha256};
use shelf::Shelf;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

/// Raised whenever a reader gives anything else for the same bytes: old entries are then not found.
const READERS: u32 = 2;

/// What all entries may take together, in bytes.
const LIMIT: u64 = 1 << 30;

/// The variable that says `off`.
const SWITCH: &str = "TAILGRID_CACHE";

/// Loads a corpus as [`load`](super::load) does, from the cache if it is there. `identity` must be
/// that of `files`, which [`verify`] knows.
pub fn load_cached(
    identity: &CorpusIdentity,
    files: &BTreeMap<String, PathBuf>,
) -> Result<Loaded, CorpusError> {
    match folder(|variable| std::env::var_os(variable)) {
        Some(folder) => load_from(&Shelf::new(folder, LIMIT), identity, files),
        None => formats::load(&identity.format, files),
    }
}

/// Where entries are, by the environment; `None` if there shall be no cache, or no place for it.
fn folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if variable(SWITCH).is_some_and(|value| value == "off") {
        return None;
    }
    // A relative path there is to be taken for none (XDG Base Directory Specification 0.8).
    let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(base.join("tailgrid/corpora"))
}

fn load_from(
    shelf: &Shelf,
    identity: &CorpusIdentity,
    files: &BTreeMap<String, PathBuf>,
) -> Result<Loaded, CorpusError> {
    let is_cached =
        formats::reads(&identity.format.kind).files && identity.digests.keys().eq(files.keys());
    let Some(name) = entry_name(identity).filter(|_| is_cached) else {
        return formats::load(&identity.format, files);
    };
    if let Some(loaded) = shelf.get(&name).and_then(|bytes| entry::decode(&bytes, files)) {
        return Ok(loaded);
    }
    let loaded = formats::load(&identity.format, files)?;
    // A file may have been changed while it was read: what was read of it would be kept under the
    // name of what it was.
    if let Some(bytes) = entry::encode(&loaded, files)
        && verify(identity, files).is_ok()
    {
        shelf.put(&name, &bytes);
    }
    Ok(loaded)
}

/// The name of a corpus's entry.
fn entry_name(identity: &CorpusIdentity) -> Option<String> {
    let meaning = serde_json::to_vec(identity).ok()?;
    let versions = format!("{READERS} {}\n", env!("CARGO_PKG_VERSION"));
    let digest = Sha256::new().chain_update(versions).chain_update(meaning).finalize();
    Some(hex::encode(digest))
}

#[cfg(test)]
mod tests;
