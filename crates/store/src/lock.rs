//! One run at a time on a results folder, or several that share it.
//!
//! The lock is the operating system's, on an open file: it dies with the process that holds it,
//! however that process ends, so there is never a stale one to remove. The text in the file is for
//! people only, and like all that a results folder holds it names no host.

use super::{Folder, StoreError, clock, disk};
use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

/// A worker that was being started at the very moment its run was killed holds that run's files for
/// an instant, until it becomes its own program. A lock that is held longer is held by a run.
const PATIENCE: Duration = Duration::from_secs(1);
const INTERVAL: Duration = Duration::from_millis(20);
/// What all that share a folder write: the same, so it does not matter who came last.
const SHARED: &str = "one or more with --shared\n";

/// One of the two ways to lock a file.
type TryLock = fn(&File) -> Result<(), TryLockError>;

/// Who holds a folder, as they wrote it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Holder(String);

impl Holder {
    /// The number of its process; none of runs that share the folder.
    pub fn pid(&self) -> Option<u32> {
        self.0.strip_prefix("pid ")?.split(',').next()?.trim().parse().ok()
    }

    /// When it started, as RFC 3339.
    pub fn started(&self) -> Option<&str> {
        Some(self.0.split_once("started ")?.1.trim()).filter(|started| !started.is_empty())
    }

    /// Whether it is one or more runs that share the folder.
    pub fn is_shared(&self) -> bool {
        self.0 == SHARED.trim()
    }
}

/// ` (pid 12, started …)`, empty where the holder has not written it yet.
impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.is_empty() {
            true => Ok(()),
            false => write!(f, " ({})", self.0),
        }
    }
}

/// The folder is ours until this is dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the folder, or says who has it.
    pub fn take(folder: &Folder) -> Result<Self, StoreError> {
        Self::hold(folder, File::try_lock, &alone())
    }

    /// Takes the folder together with other runs that share it, which claim each job before they
    /// run it; a run that is alone on it excludes them, and they exclude it.
    pub fn share(folder: &Folder) -> Result<Self, StoreError> {
        Self::hold(folder, File::try_lock_shared, SHARED)
    }

    fn hold(folder: &Folder, how: TryLock, holder: &str) -> Result<Self, StoreError> {
        let path = folder.lock_file();
        let mut file = open(&path)?;
        if !try_for(&file, how, PATIENCE).map_err(StoreError::io("lock", &path))? {
            let holder = read_holder(&mut file).to_string();
            return Err(StoreError::InUse { path: folder.path().to_owned(), holder });
        }
        Self::held(file, &path, holder)
    }

    /// Takes the folder as soon as it is free; while it is not, `tell` hears once who has it.
    pub fn wait(folder: &Folder, tell: impl FnOnce(&str)) -> Result<Self, StoreError> {
        let path = folder.lock_file();
        let mut file = open(&path)?;
        if !try_for(&file, File::try_lock, PATIENCE).map_err(StoreError::io("lock", &path))? {
            tell(&read_holder(&mut file).to_string());
            file.lock().map_err(StoreError::io("lock", &path))?;
        }
        Self::held(file, &path, &alone())
    }

    fn held(mut file: File, path: &Path, holder: &str) -> Result<Self, StoreError> {
        write_holder(&mut file, holder).map_err(StoreError::io("write", path))?;
        Ok(Self { _file: file })
    }

    /// Who has the folder at this moment, as they wrote it; `None` if nobody has.
    pub fn holder(folder: &Folder) -> Option<Holder> {
        let path = folder.lock_file();
        // Some network file systems lock for writing only what is open for it.
        let file = disk::open_by(OpenOptions::new().read(true).write(true), &path);
        holder_of(file.or_else(|_| disk::open(&path)).ok()?)
    }
}

fn open(path: &Path) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    disk::open_by(options.create(true).read(true).write(true).truncate(false), path)
}

/// What a run that is alone on its folder writes of itself.
fn alone() -> String {
    let started = clock::seconds(SystemTime::now());
    format!("pid {}, started {started}\n", std::process::id())
}

/// Who holds a lock file, as they wrote it; `None` if nobody does.
pub(super) fn holder_of(mut file: File) -> Option<Holder> {
    // The first is refused where a run is alone on the folder, the second where others share it.
    let ways: [TryLock; 2] = [File::try_lock_shared, File::try_lock];
    let refused = ways.iter().any(|lock| matches!(lock(&file), Err(TryLockError::WouldBlock)));
    refused.then(|| read_holder(&mut file))
}

/// Whether the lock could be had within the time.
fn try_for(file: &File, how: TryLock, time: Duration) -> io::Result<bool> {
    let start = Instant::now();
    loop {
        match how(file) {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if start.elapsed() >= time => return Ok(false),
            Err(TryLockError::WouldBlock) => std::thread::sleep(INTERVAL),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

fn write_holder(file: &mut File, holder: &str) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(holder.as_bytes())
}

/// Empty where the holder has not written it yet.
fn read_holder(file: &mut File) -> Holder {
    let mut text = String::new();
    match file.take(500).read_to_string(&mut text) {
        Ok(_) => Holder(text.trim().to_owned()),
        Err(_) => Holder(String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_taker_is_told_who_holds_it_until_it_is_free() {
        let results = tempfile::tempdir().unwrap();
        let folder = Folder::new(results.path(), "grid").unwrap();
        folder.prepare().unwrap();
        let lock = Lock::take(&folder).unwrap();
        let error = Lock::take(&folder).unwrap_err();
        assert!(matches!(error, StoreError::InUse { .. }));
        let pid = format!(" (pid {}, started 20", std::process::id());
        assert!(error.to_string().contains(&pid), "{error}");
        let host = nix::unistd::gethostname().unwrap().into_string().unwrap();
        let text = std::fs::read_to_string(folder.lock_file()).unwrap();
        assert!(!text.contains(&host), "{text}");
        // One that is given up while the next one waits is not "in use".
        let waiting = {
            let folder = folder.clone();
            std::thread::spawn(move || Lock::take(&folder).map(drop))
        };
        std::thread::sleep(INTERVAL * 3);
        drop(lock);
        waiting.join().unwrap().unwrap();
        // One that waits has it in the end, however long that takes.
        let lock = Lock::take(&folder).unwrap();
        let waiting = std::thread::spawn(move || {
            let mut told = String::new();
            Lock::wait(&folder, |holder| told = holder.to_owned()).map(|_| told)
        });
        std::thread::sleep(PATIENCE + INTERVAL * 5);
        drop(lock);
        assert!(waiting.join().unwrap().unwrap().starts_with(&pid));
    }

    #[test]
    fn sharers_exclude_only_whoever_wants_to_be_alone() {
        let results = tempfile::tempdir().unwrap();
        let folder = Folder::new(results.path(), "grid").unwrap();
        folder.prepare().unwrap();
        let sharers = [Lock::share(&folder).unwrap(), Lock::share(&folder).unwrap()];
        let holder = Lock::holder(&folder).unwrap();
        assert_eq!(holder.to_string(), " (one or more with --shared)");
        assert!(holder.is_shared() && holder.pid().is_none() && holder.started().is_none());
        let error = Lock::take(&folder).unwrap_err().to_string();
        assert!(error.contains("another run (one or more with --shared)"), "{error}");
        drop(sharers);
        assert_eq!(Lock::holder(&folder), None);
        let alone = Lock::take(&folder).unwrap();
        assert!(matches!(Lock::share(&folder), Err(StoreError::InUse { .. })));
        assert!(Lock::holder(&folder).unwrap().to_string().starts_with(" (pid "));
        drop(alone);
    }
}
