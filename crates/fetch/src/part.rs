//! A file on its way: `NAME.part` beside its place, and under its own name only when it is whole.

use super::FetchError;
use atomic::{self, plain};
use domain::{Fingerprint, InnerPath};
use sha2::{Digest, Sha256};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// A file that is being written.
#[derive(Debug)]
pub(super) struct Part {
    path: PathBuf,
    target: PathBuf,
    file: File,
    length: u64,
}

impl Part {
    /// Goes on with what an earlier fetch left, or begins.
    pub fn open(target: &Path) -> Result<Self, FetchError> {
        let path = beside(target);
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(FetchError::io("make the folder", folder))?;
        let file = plain::open_by(OpenOptions::new().create(true).append(true), &path);
        let file = file.map_err(FetchError::io("write", &path))?;
        let length = file.metadata().map_err(FetchError::io("read", &path))?.len();
        Ok(Self { path, target: target.to_owned(), file, length })
    }

    /// The bytes that are there.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Begins again with nothing.
    pub fn restart(&mut self) -> Result<(), FetchError> {
        self.file.set_len(0).map_err(FetchError::io("empty", &self.path))?;
        self.length = 0;
        Ok(())
    }

    /// Adds bytes at the end.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), FetchError> {
        self.file.write_all(bytes).map_err(FetchError::io("write", &self.path))?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// The SHA-256 of what is there.
    pub fn sha256(&self) -> Result<String, FetchError> {
        sha256(&self.path).map_err(FetchError::io("read", &self.path))
    }

    /// Puts the file in its place, for good.
    pub fn adopt(self) -> Result<(), FetchError> {
        atomic::adopt(&self.path, &self.target).map_err(FetchError::io("write", &self.target))
    }

    /// Gives up: what came is kept for the next time, if anything did.
    pub fn leave(self) {
        if self.length == 0 {
            self.discard();
        }
    }

    /// Gives up, and keeps nothing.
    pub fn discard(self) {
        // What cannot be removed is overwritten by the next fetch.
        let _ = fs::remove_file(&self.path);
    }
}

fn beside(target: &Path) -> PathBuf {
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(InnerPath::PARTIAL);
    target.with_file_name(name)
}

/// What is under a file's name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum FileState {
    Nothing,
    /// The file itself.
    Whole,
    /// Something else, with its SHA-256 where it has one.
    Different(String),
}

/// Looks at what is under a file's name, byte by byte.
pub(super) fn examine(path: &Path, expected: &Fingerprint) -> Result<FileState, FetchError> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(FileState::Nothing),
        Err(error) => return Err(FetchError::io("read", path)(error)),
        Ok(data) if !data.is_file() => return Ok(FileState::Different("none: no file".to_owned())),
        Ok(_) => {}
    }
    let found = sha256(path).map_err(FetchError::io("read", path))?;
    Ok(if found == expected.sha256() { FileState::Whole } else { FileState::Different(found) })
}

/// SHA-256 of a file's bytes in hexadecimal, without holding the file in memory.
pub(super) fn sha256(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let (mut hash, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(hex::encode(hash.finalize())),
            Ok(read) => hash.update(&buffer[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::names_in;

    #[test]
    fn a_part_goes_on_and_becomes_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("deep/a.txt");
        let mut part = Part::open(&target).unwrap();
        part.write(b"ab").unwrap();
        part.leave();
        let mut part = Part::open(&target).unwrap();
        assert_eq!(part.length(), 2);
        part.write(b"c").unwrap();
        // FIPS 180-2, appendix B.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(part.sha256().unwrap(), abc);
        part.adopt().unwrap();
        assert_eq!(names_in(folder.path()), ["deep/a.txt"]);
        let (right, wrong) = (Fingerprint::new(abc, 3), Fingerprint::new(&"0".repeat(64), 3));
        assert_eq!(examine(&target, &right.unwrap()).unwrap(), FileState::Whole);
        assert_eq!(
            examine(&target, &wrong.unwrap()).unwrap(),
            FileState::Different(abc.to_owned())
        );
    }

    #[test]
    fn no_link_is_followed_to_a_file_of_somebody_else() {
        let folder = tempfile::tempdir().unwrap();
        let precious = folder.path().join("precious");
        fs::write(&precious, "mine").unwrap();
        std::os::unix::fs::symlink(&precious, folder.path().join("a.part")).unwrap();
        let error = Part::open(&folder.path().join("a")).unwrap_err().to_string();
        assert!(error.contains("a.part: it is a symbolic link, not a regular file"), "{error}");
        assert_eq!(fs::read_to_string(&precious).unwrap(), "mine");
    }

    #[test]
    fn nothing_is_left_of_a_part_that_never_began() {
        let folder = tempfile::tempdir().unwrap();
        let mut part = Part::open(&folder.path().join("a")).unwrap();
        part.write(b"x").unwrap();
        part.restart().unwrap();
        part.leave();
        assert!(names_in(folder.path()).is_empty());
    }

    #[test]
    fn a_folder_in_the_place_of_a_file_is_no_such_file() {
        let folder = tempfile::tempdir().unwrap();
        let expected = Fingerprint::new(&"0".repeat(64), 3).unwrap();
        assert!(matches!(examine(folder.path(), &expected).unwrap(), FileState::Different(_)));
        let none = folder.path().join("none");
        assert_eq!(examine(&none, &expected).unwrap(), FileState::Nothing);
    }
}
