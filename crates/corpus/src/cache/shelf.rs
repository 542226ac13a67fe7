//! Entries on disk: found, put in whole, thrown out when there are too many. Nothing here fails:
//! what cannot be done is left undone.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// A folder of entries.
#[derive(Clone, Debug)]
pub(super) struct Shelf {
    folder: PathBuf,
    /// What they may take together, in bytes.
    limit: u64,
}

const ENDING: &str = "corpus";
const UNFINISHED: &str = ".unfinished-";

/// An unfinished entry that is older belongs to a process that is no more.
const LEFT_BEHIND: Duration = Duration::from_secs(24 * 60 * 60);

impl Shelf {
    /// The entries of a folder, which need not be there.
    pub fn new(folder: PathBuf, limit: u64) -> Self {
        Self { folder, limit }
    }

    fn place(&self, name: &str) -> PathBuf {
        self.folder.join(name).with_extension(ENDING)
    }

    /// The bytes of an entry, which counts as used now.
    pub fn get(&self, name: &str) -> Option<Vec<u8>> {
        let mut file = File::open(self.place(name)).ok()?;
        let mut bytes = Vec::with_capacity(file.metadata().ok()?.len().try_into().ok()?);
        file.read_to_end(&mut bytes).ok()?;
        // Whoever may not write here shares the entry none the less.
        let _ = file.set_modified(SystemTime::now());
        Some(bytes)
    }

    /// Keeps an entry, as far as that is possible.
    pub fn put(&self, name: &str, bytes: &[u8]) {
        if self.write(name, bytes).is_ok() {
            self.tidy(SystemTime::now());
        }
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&self.folder)?;
        file.write_all(bytes)?;
        file.persist(self.place(name))?;
        Ok(())
    }

    /// Removes what was not used for longest until the rest is within the limit, and what was left
    /// unfinished.
    fn tidy(&self, now: SystemTime) {
        let Ok(folder) = fs::read_dir(&self.folder) else { return };
        let mut entries = vec![];
        for (path, data) in
            folder.flatten().filter_map(|file| Some((file.path(), file.metadata().ok()?)))
        {
            let used = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let is_unfinished = path
                .file_name()
                .is_some_and(|name| name.as_encoded_bytes().starts_with(UNFINISHED.as_bytes()));
            if path.extension().is_some_and(|ending| ending == ENDING) {
                entries.push((used, data.len(), path));
            } else if is_unfinished && now.duration_since(used).is_ok_and(|age| age > LEFT_BEHIND) {
                let _ = fs::remove_file(path);
            }
        }
        entries.sort_unstable();
        let mut size: u64 = entries.iter().map(|(_, size, _)| size).sum();
        for (_, bytes, path) in entries {
            if size <= self.limit {
                break;
            }
            let _ = fs::remove_file(path);
            size -= bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(shelf: &Shelf) -> Vec<String> {
        let files = fs::read_dir(&shelf.folder).unwrap();
        let mut names: Vec<String> =
            files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn age(shelf: &Shelf, file: &str, hours: u64) {
        let file = File::open(shelf.folder.join(file)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(hours * 3600)).unwrap();
    }

    #[test]
    fn an_entry_is_found_again_and_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(folder.path().join("not/there/yet"), 100);
        assert_eq!(shelf.get("a"), None);
        shelf.put("a", b"one");
        shelf.put("a", b"two");
        assert_eq!(shelf.get("a").as_deref(), Some(&b"two"[..]));
        assert_eq!(names(&shelf), ["a.corpus"]);
    }

    #[test]
    fn the_entries_used_last_stay_within_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(folder.path().to_owned(), 25);
        shelf.put("a", &[0; 10]);
        shelf.put("b", &[0; 10]);
        age(&shelf, "a.corpus", 3);
        age(&shelf, "b.corpus", 2);
        assert!(shelf.get("a").is_some());
        shelf.put("c", &[0; 10]);
        assert_eq!(names(&shelf), ["a.corpus", "c.corpus"]);
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_is_not_ours_stays() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(folder.path().to_owned(), 0);
        for (name, hours) in [(".unfinished-old", 25), (".unfinished-new", 1), ("notes.txt", 99)] {
            fs::write(folder.path().join(name), "x").unwrap();
            age(&shelf, name, hours);
        }
        shelf.put("a", b"too large");
        assert_eq!(names(&shelf), [".unfinished-new", "notes.txt"]);
    }

    #[test]
    fn a_folder_that_cannot_be_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "").unwrap();
        let shelf = Shelf::new(folder.path().join("file/below"), 100);
        shelf.put("a", b"x");
        assert_eq!(shelf.get("a"), None);
    }
}
