//! Opening what is a regular file and nothing else.
//!
//! A folder may come from elsewhere, and whoever writes into it writes into what is there: no
//! symbolic link is followed to a file of somebody else, and no pipe is waited for. What is above
//! the last part of a path is the caller's to check with [`check_folder`].

use nix::libc;
use std::fs::{self, File, FileType, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// Opens a regular file to read it.
pub fn open(path: &Path) -> io::Result<File> {
    open_by(OpenOptions::new().read(true), path)
}

/// Opens or makes a regular file as the options say. They must not truncate it: that it is a
/// regular file is known only when it is open.
pub fn open_by(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let opened = options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path);
    let file = match opened {
        // A link, a pipe that nobody reads, a socket, a folder: its own words say too little.
        Err(error) => return Err(irregular(path).unwrap_or(error)),
        Ok(file) => file,
    };
    let kind = file.metadata()?.file_type();
    if kind.is_file() { Ok(file) } else { Err(not_regular(kind)) }
}

/// The content of a regular file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// An error where the path is there and not a folder of its own: no link to one.
pub fn check_folder(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(found) if found.is_dir() => Ok(()),
        Ok(found) => Err(refused(found.file_type(), "a folder")),
    }
}

/// Whether an error says that something is there which is not what it must be.
pub fn is_refusal(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Refusal>())
}

/// What is in the place of a regular file.
fn irregular(path: &Path) -> Option<io::Error> {
    let kind = fs::symlink_metadata(path).ok()?.file_type();
    (!kind.is_file()).then(|| not_regular(kind))
}

fn not_regular(kind: FileType) -> io::Error {
    refused(kind, "a regular file")
}

fn refused(kind: FileType, wanted: &'static str) -> io::Error {
    let found = match kind {
        kind if kind.is_symlink() => "a symbolic link",
        kind if kind.is_fifo() => "a pipe",
        kind if kind.is_dir() => "a folder",
        kind if kind.is_file() => "a file",
        kind if kind.is_socket() => "a socket",
        _ => "a device",
    };
    io::Error::other(Refusal { found, wanted })
}

#[derive(Debug, thiserror::Error)]
#[error("it is {found}, not {wanted}")]
struct Refusal {
    found: &'static str,
    wanted: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_regular_files_are_opened_and_nothing_else_is_touched() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("file"), "mine").unwrap();
        symlink(path("file"), path("link")).unwrap();
        symlink(path("nowhere"), path("dangling")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
        fs::create_dir(path("folder")).unwrap();
        assert_eq!(read(&path("file")).unwrap(), b"mine");
        for (name, found) in [
            ("link", "a symbolic link"),
            ("dangling", "a symbolic link"),
            ("pipe", "a pipe"),
            ("folder", "a folder"),
        ] {
            let mut options = OpenOptions::new();
            options.create(true).append(true);
            for opened in [open(&path(name)), open_by(&mut options, &path(name))] {
                let error = opened.unwrap_err();
                assert!(is_refusal(&error), "{name}: {error}");
                assert_eq!(error.to_string(), format!("it is {found}, not a regular file"));
            }
        }
        assert!(!path("nowhere").exists());
        assert_eq!(open(&path("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_link_to_a_folder_is_no_folder() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        symlink(folder.path(), &link).unwrap();
        assert!(check_folder(folder.path()).is_ok());
        assert!(check_folder(&folder.path().join("none")).is_ok());
        let error = check_folder(&link).unwrap_err();
        assert_eq!(error.to_string(), "it is a symbolic link, not a folder");
    }
}
