//! A short text that changes whenever a record of a folder does, without a record being read.

use super::{Folder, StoreError};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::os::unix::fs::MetadataExt;

impl Folder {
    /// The stamp of the records that are there now. A record is replaced by another file, so its
    /// number, size and time tell the two apart.
    pub fn stamp(&self) -> Result<String, StoreError> {
        let mut hasher = DefaultHasher::new();
        for key in self.keys()? {
            let Ok(data) = std::fs::metadata(self.job(&key)?.record()) else { continue };
            let time = (data.mtime(), data.mtime_nsec());
            (&key, data.ino(), data.size(), time).hash(&mut hasher);
        }
        Ok(format!("{:016x}", hasher.finish()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{done, failed, folder};

    #[test]
    fn a_stamp_changes_with_the_records_alone() {
        let results = tempfile::tempdir().unwrap();
        let folder = folder(results.path(), &[done("ab", "sc", 1)]);
        let first = folder.stamp().unwrap();
        std::fs::write(folder.path().join("jobs/ab/log.txt"), "more").unwrap();
        assert_eq!(folder.stamp().unwrap(), first);
        folder.write_record(&failed("cd", "sc", 2)).unwrap_err();
        folder.job(&done("cd", "sc", 2).job).unwrap().create().unwrap();
        folder.write_record(&failed("cd", "sc", 2)).unwrap();
        let second = folder.stamp().unwrap();
        assert_ne!(second, first);
        folder.write_record(&done("ab", "sc", 1)).unwrap();
        assert_ne!(folder.stamp().unwrap(), second, "the same record written again");
    }
}
